// SPDX-License-Identifier: Apache-2.0
// A built model in this process: its library and its instances.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tb/build/rtl_abi.h"

namespace weft::tb {

/// Units of time per cycle in the waves of RTL.
inline constexpr std::uint64_t kTimePerCycle = 1000;

class SealedFile;

/// A shared library with one model; stays loaded as long as anybody holds it.
class RtlLibrary {
 public:
  /// Throws InputError, before anything of the file runs, where its folder is not private (private_folder.h) or the
  /// file is not what was sealed (sealed_file.h); std::runtime_error for a file that is no such library.
  explicit RtlLibrary(const std::filesystem::path& file);
  ~RtlLibrary();
  RtlLibrary(const RtlLibrary&) = delete;
  RtlLibrary& operator=(const RtlLibrary&) = delete;
  const RtlAbi& abi() const { return *abi_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  void unload();

  std::filesystem::path file_;
  std::unique_ptr<SealedFile> sealed_;
  void* handle_ = nullptr;
  const RtlAbi* abi_ = nullptr;
};

/// One instance. Ports are flat vectors; their bits are counted from the lowest. Inputs start at 0 and keep what was
/// set last.
class RtlModel {
 public:
  /// A handle of a port.
  struct Port {
    std::uint8_t* bytes = nullptr;
    std::uint32_t width = 0;
    /// The low 64 bits.
    std::uint64_t get() const {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes, size() < 8 ? size() : 8);
      return value;
    }
    /// Bits lsb .. lsb + count - 1, count <= 64.
    std::uint64_t get(std::uint32_t lsb, std::uint32_t count) const;
    bool bit(std::uint32_t at) const { return ((bytes[at >> 3] >> (at & 7)) & 1) != 0; }
    /// All bits; those of `value` above the width are dropped.
    void set(std::uint64_t value) const;
    void set(std::uint32_t lsb, std::uint32_t count, std::uint64_t value) const;
    void set_bit(std::uint32_t at, bool value) const {
      const auto mask = static_cast<std::uint8_t>(1U << (at & 7));
      bytes[at >> 3] = static_cast<std::uint8_t>(value ? bytes[at >> 3] | mask : bytes[at >> 3] & ~mask);
    }
    /// Whole bytes, lsb a multiple of 8.
    void set_bytes(std::uint32_t lsb, const void* from, std::size_t count) const {
      std::memcpy(bytes + lsb / 8, from, count);
    }
    void clear() const { std::memset(bytes, 0, size()); }
    std::size_t size() const { return (width + 7) / 8; }
  };

  RtlModel(std::shared_ptr<const RtlLibrary> library, std::uint64_t seed);
  ~RtlModel();
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  /// Throws InputError for a name that the model does not have.
  Port port(std::string_view name) const;
  bool has_port(std::string_view name) const;
  /// Settles the model. Throws ViolationError with the words of an assertion that failed.
  void eval();
  /// Waves from now on; throws std::runtime_error where there can be none.
  void open_trace(const std::filesystem::path& file);
  void dump(std::uint64_t time) { abi_.trace_dump(instance_, time); }
  void close_trace() { abi_.trace_close(instance_); }
  /// False where the model counts none.
  bool write_coverage(const std::filesystem::path& file) const;

 private:
  std::shared_ptr<const RtlLibrary> library_;
  const RtlAbi& abi_;
  void* instance_;
};

}  // namespace weft::tb
