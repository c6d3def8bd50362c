// SPDX-License-Identifier: Apache-2.0
#include "tb/build/rtl_model.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "tb/build/private_folder.h"
#include "tb/build/sealed_file.h"

namespace weft::tb {

RtlLibrary::RtlLibrary(const std::filesystem::path& file) : file_(file) {
  require_private(file.parent_path());
  sealed_ = std::make_unique<SealedFile>(file);
  handle_ = dlopen(sealed_->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw std::runtime_error(fmt::format("{} cannot be loaded: {}", file.string(), dlerror()));
  abi_ = static_cast<const RtlAbi*>(dlsym(handle_, kRtlAbiSymbol));
  if (abi_ == nullptr || abi_->version != kRtlAbi) {
    unload();
    throw std::runtime_error(fmt::format("{} is no model that this program has built", file.string()));
  }
}

RtlLibrary::~RtlLibrary() { unload(); }

/// The loader knows files by their names, and the name of an open file is its number: the number must not become that
/// of another library while this one is still there, as one with unique symbols is.
void RtlLibrary::unload() {
  dlclose(handle_);
  if (dlopen(sealed_->path().c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr) sealed_->keep_open();
}

std::uint64_t RtlModel::Port::get(std::uint32_t lsb, std::uint32_t count) const {
  std::uint64_t value = 0;
  const std::uint32_t first = lsb / 8;
  const std::uint32_t shift = lsb % 8;
  const std::size_t here = std::min<std::size_t>(8, size() - first);
  std::memcpy(&value, bytes + first, here);
  value >>= shift;
  if (shift + count > 64 && first + 8 < size()) value |= std::uint64_t{bytes[first + 8]} << (64 - shift);
  return count >= 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}

void RtlModel::Port::set(std::uint64_t value) const { set(0, std::min<std::uint32_t>(width, 64), value); }

void RtlModel::Port::set(std::uint32_t lsb, std::uint32_t count, std::uint64_t value) const {
  while (count > 0) {
    const std::uint32_t shift = lsb % 8;
    const std::uint32_t here = std::min<std::uint32_t>(8 - shift, count);
    const auto mask = static_cast<std::uint8_t>(((1U << here) - 1) << shift);
    std::uint8_t& byte = bytes[lsb / 8];
    byte = static_cast<std::uint8_t>((byte & ~mask) | (static_cast<std::uint8_t>(value << shift) & mask));
    value >>= here;
    lsb += here;
    count -= here;
  }
}

RtlModel::RtlModel(std::shared_ptr<const RtlLibrary> library, std::uint64_t seed)
    : library_(std::move(library)), abi_(library_->abi()), instance_(abi_.create(seed)) {
  for (std::uint32_t i = 0; i < abi_.ports; ++i) {
    if (abi_.port_direction(i) == 0) std::memset(abi_.port_bytes(instance_, i), 0, (abi_.port_width(i) + 7) / 8);
  }
}

RtlModel::~RtlModel() { abi_.destroy(instance_); }

bool RtlModel::has_port(std::string_view name) const {
  for (std::uint32_t i = 0; i < abi_.ports; ++i) {
    if (name == abi_.port_name(i)) return true;
  }
  return false;
}

RtlModel::Port RtlModel::port(std::string_view name) const {
  for (std::uint32_t i = 0; i < abi_.ports; ++i) {
    if (name == abi_.port_name(i)) {
      return {static_cast<std::uint8_t*>(abi_.port_bytes(instance_, i)), abi_.port_width(i)};
    }
  }
  throw InputError(fmt::format("{} has no port {}", library_->file().string(), name));
}

void RtlModel::eval() {
  if (abi_.eval(instance_) != 0) return;
  std::string text = abi_.failure(instance_);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  violation("the RTL stops: " + text);
}

void RtlModel::open_trace(const std::filesystem::path& file) {
  if (abi_.trace_open(instance_, file.c_str()) == 0) {
    throw std::runtime_error(fmt::format("no waves can be written to {}", file.string()));
  }
}

bool RtlModel::write_coverage(const std::filesystem::path& file) const {
  return abi_.write_coverage(instance_, file.c_str()) != 0;
}

}  // namespace weft::tb
