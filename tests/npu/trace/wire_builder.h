// SPDX-License-Identifier: Apache-2.0
// Protobuf bytes written by hand from the tables of the format, so that the reader is not checked against the library
// that it uses itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace weft::npu::wire {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

template <typename T>
std::string raw(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

inline std::string field_varint(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
inline std::string field_bytes(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
inline std::string field_fixed(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | (bytes.size() == 8 ? 1 : 5)) + bytes;
}

/// An AttributeProto in field 10 of a Node; `value` is the encoded value field.
inline std::string attr(const std::string& name, const std::string& value) {
  return field_bytes(10, field_bytes(1, name) + value);
}

inline std::string record(const std::string& message) { return varint(message.size()) + message; }

/// A GlobalMetadata record with version 0.0.4.
inline std::string metadata() { return record(field_bytes(1, "0.0.4")); }

/// Id, name and type of a Node.
inline std::string node(std::uint64_t id, const std::string& name, int type) {
  return field_varint(1, id) + field_bytes(2, name) + field_varint(3, static_cast<std::uint64_t>(type));
}

inline constexpr int kMetadataNode = 1;
inline constexpr int kMemLoadNode = 2;
inline constexpr int kMemStoreNode = 3;
inline constexpr int kCompNode = 4;
inline constexpr int kSendNode = 5;
inline constexpr int kRecvNode = 6;
inline constexpr int kCollNode = 7;

}  // namespace weft::npu::wire
