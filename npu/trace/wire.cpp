// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/wire.h"

#include <fmt/format.h>

namespace weft::npu {

namespace {
constexpr int kMaxVarintBytes = 10;
}

std::uint64_t WireScanner::varint(const char* what) {
  const std::size_t begin = position_;
  std::uint64_t value = 0;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    if (position_ >= message_.size()) throw WireDamage{begin, fmt::format("{} runs over the end of the record", what)};
    const auto byte = static_cast<unsigned char>(message_[position_++]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return value;
  }
  throw WireDamage{begin, fmt::format("{} is longer than {} bytes", what, kMaxVarintBytes)};
}

std::string_view WireScanner::bytes(std::uint64_t count, const char* what) {
  if (count > message_.size() - position_) {
    throw WireDamage{position_, fmt::format("{} of {} bytes runs over the end of the record, {} bytes are left", what,
                                            count, message_.size() - position_)};
  }
  const std::string_view part = message_.substr(position_, count);
  position_ += count;
  return part;
}

bool WireScanner::next(WireField& field) {
  if (position_ >= message_.size()) return false;
  field.begin = position_;
  const std::uint64_t key = varint("a field key");
  const std::uint64_t number = key >> 3;
  if (number == 0 || number >= (1u << 29)) {
    throw WireDamage{field.begin, fmt::format("field number {} is not legal (1 to 536870911)", number)};
  }
  field.number = static_cast<std::uint32_t>(number);
  field.payload = {};
  field.value = 0;
  switch (key & 7) {
    case 0:
      field.type = WireType::kVarint;
      field.value = varint("a number");
      return true;
    case 1:
      field.type = WireType::kFixed64;
      bytes(8, "a fixed 64-bit number");
      return true;
    case 2:
      field.type = WireType::kBytes;
      field.payload = bytes(varint("a length"), "a field");
      return true;
    case 5:
      field.type = WireType::kFixed32;
      bytes(4, "a fixed 32-bit number");
      return true;
    default:
      throw WireDamage{field.begin, fmt::format("field {} has wire type {}, legal are 0, 1, 2 and 5", number, key & 7)};
  }
}

std::string old_schema_of_node(std::string_view message) {
  WireScanner scanner(message);
  WireField field;
  std::string found;
  while (scanner.next(field)) {
    // 0.0.2 and 0.0.3 have their attributes in field 11; 0.0.1 is flat with numbers up to field 20.
    if (field.number == 11 && field.type == WireType::kBytes) return "0.0.2 or 0.0.3";
    if (field.number >= 12 && field.type == WireType::kVarint) found = "0.0.1";
  }
  return found;
}

}  // namespace weft::npu
