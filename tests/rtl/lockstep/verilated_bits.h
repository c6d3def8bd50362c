// SPDX-License-Identifier: Apache-2.0
// Bits of Verilated ports, whatever their width: integers up to 64 bits, arrays of words beyond.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::rtl_test {

/// Sets `width` (at most 64) bits of a port from bit `low` on.
template <typename T>
void put_bits(T& port, std::size_t low, unsigned width, std::uint64_t value) {
  const std::uint64_t mask = (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << low;
  port = static_cast<T>((port & ~mask) | (value << low & mask));
}
template <std::size_t kWords>
void put_bits(VlWide<kWords>& port, std::size_t low, unsigned width, std::uint64_t value) {
  while (width > 0) {
    const unsigned at = low % 32;
    const unsigned part = width < 32 - at ? width : 32 - at;
    const std::uint32_t mask = (part == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << part) - 1) << at;
    EData& word = port[low / 32];
    word = (word & ~mask) | (static_cast<std::uint32_t>(value << at) & mask);
    value >>= part;
    low += part;
    width -= part;
  }
}

/// `width` (at most 64) bits of a port from bit `low` on.
template <typename T>
std::uint64_t get_bits(const T& port, std::size_t low, unsigned width) {
  const std::uint64_t value = static_cast<std::uint64_t>(port) >> low;
  return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}
template <std::size_t kWords>
std::uint64_t get_bits(const VlWide<kWords>& port, std::size_t low, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned at = (low + done) % 32;
    const unsigned part = width - done < 32 - at ? width - done : 32 - at;
    const std::uint64_t word = port[(low + done) / 32] >> at;
    value |= (part == 32 ? word : word & ((std::uint64_t{1} << part) - 1)) << done;
    done += part;
  }
  return value;
}

template <typename T>
void put_bytes(T& port, std::size_t low_byte, const std::uint8_t* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) put_bits(port, (low_byte + i) * 8, 8, bytes[i]);
}
template <typename T>
void get_bytes(const T& port, std::size_t low_byte, std::uint8_t* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::uint8_t>(get_bits(port, (low_byte + i) * 8, 8));
  }
}
/// All of a port, as many bytes as are given.
template <typename T>
void put_all(T& port, const std::vector<std::uint8_t>& bytes) {
  put_bytes(port, 0, bytes.data(), bytes.size());
}

}  // namespace weft::rtl_test
