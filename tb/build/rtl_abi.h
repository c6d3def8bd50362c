// SPDX-License-Identifier: Apache-2.0
// What a built model exports: plain C, so that nothing of Verilator or SystemC meets across the border.
#pragma once

#include <cstdint>

namespace weft::tb {

inline constexpr std::uint32_t kRtlAbi = 2;

/// The functions of a shared library with one model. An instance has a context of its own; different instances may be
/// used by different threads. Every instance draws its registers' first values from `seed`.
struct RtlAbi {
  std::uint32_t version;
  std::uint32_t ports;
  const char* (*port_name)(std::uint32_t port);
  std::uint32_t (*port_width)(std::uint32_t port);
  std::uint32_t (*port_direction)(std::uint32_t port);  ///< 0 input, 1 output
  void* (*create)(std::uint64_t seed);
  void (*destroy)(void* instance);
  /// Storage of a port: (width + 7) / 8 bytes, lowest first; bits above the width are 0.
  void* (*port_bytes)(void* instance, std::uint32_t port);
  /// Settles everything; 0 = an assertion or $stop ended it, see `failure`.
  int (*eval)(void* instance);
  const char* (*failure)(void* instance);
  /// Waves: 0 where the model was built without, or the file cannot be written.
  int (*trace_open)(void* instance, const char* path);
  void (*trace_dump)(void* instance, std::uint64_t time);
  void (*trace_close)(void* instance);
  /// Adds this instance's code coverage to a file; 0 where the model was built without.
  int (*write_coverage)(void* instance, const char* path);
};

/// The only symbol of the library.
inline constexpr const char* kRtlAbiSymbol = "weft_rtl_abi";

}  // namespace weft::tb
