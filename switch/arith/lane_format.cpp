// SPDX-License-Identifier: Apache-2.0
#include "switch/arith/lane_format.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "base/reduce_arith.h"
#include "base/text_distance.h"
#include "config/names.h"

namespace weft::fred {
namespace {

struct Entry {
  std::string_view name;
  LaneFormat format;
};

constexpr Entry kEntries[] = {
    {"fp32", {DataType::kFp32, false}}, {"int32", {DataType::kInt32, false}},   {"fp16", {DataType::kFp16, false}},
    {"bf16", {DataType::kBf16, false}}, {"fp16_fp32", {DataType::kFp16, true}}, {"bf16_fp32", {DataType::kBf16, true}},
};

}  // namespace

const std::vector<std::string_view>& lane_format_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Entry& entry : kEntries) names.push_back(entry.name);
    return names;
  }();
  return kNames;
}

LaneFormat lane_format(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.format;
  }
  throw InputError(fmt::format("no switch reduces elements of format {}; known: {}{}", in_quotes(name),
                               fmt::join(lane_format_names(), ", "), did_you_mean(name, lane_format_names())));
}

void enter_lanes(const LaneFormat& format, const std::uint8_t* elements, std::uint32_t* words, std::size_t count) {
  const std::size_t bytes = element_bytes(format.element);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, elements + i * bytes, bytes);
    words[i] = format.fp32_accumulation ? widen_to_fp32(format.element, bits) : bits;
  }
}

void reduce_lanes(const LaneFormat& format, ReduceOp op, std::uint32_t* accumulator, const std::uint32_t* operand,
                  std::size_t count) {
  const DataType word = format.word();
  for (std::size_t i = 0; i < count; ++i) accumulator[i] = reduce_bits(op, word, accumulator[i], operand[i]);
}

void leave_lanes(const LaneFormat& format, const std::uint32_t* words, std::uint8_t* elements, std::size_t count) {
  const std::size_t bytes = element_bytes(format.element);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = format.fp32_accumulation ? round_from_fp32(format.element, words[i]) : words[i];
    std::memcpy(elements + i * bytes, &bits, bytes);
  }
}

}  // namespace weft::fred
