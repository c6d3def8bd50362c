// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/block_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::tb {

std::string hex_of(const std::uint8_t* bytes, std::size_t size) {
  while (size > 1 && bytes[size - 1] == 0) --size;
  std::string text = fmt::format("0x{:x}", size == 0 ? 0 : bytes[size - 1]);
  for (std::size_t i = size; i-- > 1;) text += fmt::format("{:02x}", bytes[i - 1]);
  return text;
}

std::vector<std::uint8_t> bytes_of(const RtlModel::Port& port, std::uint32_t lsb, std::uint32_t width) {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t done = 0; done < width; done += 8) {
    bytes.push_back(static_cast<std::uint8_t>(port.get(lsb + done, std::min<std::uint32_t>(8, width - done))));
  }
  return bytes;
}

void Expected::set(std::uint64_t number) {
  known = true;
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = i < 8 ? static_cast<std::uint8_t>(number >> (8 * i)) : 0;
}

void Expected::set(const std::uint8_t* bytes) {
  known = true;
  std::copy_n(bytes, value.size(), value.begin());
}

bool Expected::agrees() const {
  if (!known) return true;
  if (lsb % 8 == 0 && width % 8 == 0) return std::memcmp(port.bytes + lsb / 8, value.data(), value.size()) == 0;
  for (std::uint32_t done = 0; done < width; done += 8) {
    const std::uint32_t here = std::min<std::uint32_t>(8, width - done);
    if (port.get(lsb + done, here) != (value[done / 8] & ((1U << here) - 1))) return false;
  }
  return true;
}

std::size_t BlockBench::expect(const std::string& port, std::uint32_t lsb, std::uint32_t width,
                               const std::string& name) {
  Expected part;
  part.name = name;
  part.port = rtl_.port(port);
  part.lsb = lsb;
  part.width = width;
  part.value.resize((width + 7) / 8);
  expected_.push_back(std::move(part));
  return expected_.size() - 1;
}

long long BlockBench::shape(const std::string& name) const {
  const auto found = setup_.shape.find(name);
  WEFT_CHECK(found != setup_.shape.end(), "a bench asks for " + name + ", which its block does not have");
  return found->second;
}

std::optional<Mismatch> BlockBench::check(std::uint64_t now) {
  for (const Expected& part : expected_) {
    if (part.agrees()) continue;
    const std::vector<std::uint8_t> actual = bytes_of(part.port, part.lsb, part.width);
    return Mismatch{now, part.name, part.flow, hex_of(part.value.data(), part.value.size()),
                    hex_of(actual.data(), actual.size())};
  }
  return std::nullopt;
}

}  // namespace weft::tb
