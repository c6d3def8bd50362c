// SPDX-License-Identifier: Apache-2.0
// The outer layer of a protobuf message: which fields stand where. Finds the place of damage and tells the schemas of
// Chakra apart, which the protobuf parser does not do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::npu {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field of a message.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::size_t begin = 0;     ///< offset of the key within the message
  std::uint64_t value = 0;   ///< varint only
  std::string_view payload;  ///< length-delimited only
};

/// Damage of a message: offset within it and what is wrong there.
struct WireDamage {
  std::size_t offset = 0;
  std::string text;
};

/// Walks over the fields of one message.
class WireScanner {
 public:
  explicit WireScanner(std::string_view message) : message_(message) {}
  /// Steps to the next field; false at the end of the message. Throws WireDamage.
  bool next(WireField& field);

 private:
  std::uint64_t varint(const char* what);
  std::string_view bytes(std::uint64_t count, const char* what);

  std::string_view message_;
  std::size_t position_ = 0;
};

/// Name of the older schema a Node record belongs to ("0.0.1", "0.0.2 or 0.0.3"), "" if it is 0.0.4 or later.
/// Throws WireDamage.
std::string old_schema_of_node(std::string_view message);

}  // namespace weft::npu
