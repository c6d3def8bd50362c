// SPDX-License-Identifier: Apache-2.0
#include "mem/map_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "base/whole_number.h"

namespace weft::mem {
namespace {

constexpr Cycle kMostCycles = 1'000'000;

std::string bytes_text(std::uint64_t bytes) { return format_quantity(Rational{bytes, 1}, Dimension::kBytes); }

}  // namespace

MapReader::MapReader(const RawNode* map, const Origin& origin, std::string path, std::vector<std::string_view> known,
                     ConfigErrors& errors)
    : map_(map), origin_(map != nullptr ? map->origin : origin), path_(std::move(path)), errors_(errors) {
  if (map_ == nullptr) return;
  if (map_->kind != RawNode::Kind::kMap) {
    errors_.add(origin_, fmt::format("{}{} where keys are expected; known: {}", path_.empty() ? "" : path_ + ": ",
                                     map_->describe(), fmt::join(known, ", ")));
    map_ = nullptr;
    return;
  }
  for (const RawNode::Entry& entry : map_->entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    errors_.add(entry.origin, fmt::format("unknown key {}; known: {}{}", in_quotes(path_of(entry.key)),
                                          fmt::join(known, ", "), did_you_mean(entry.key, known)));
  }
}

const RawNode* MapReader::find(std::string_view key) const { return map_ == nullptr ? nullptr : map_->find(key); }

Origin MapReader::origin_of(std::string_view key) const {
  const RawNode* node = find(key);
  return node == nullptr ? origin_ : node->origin;
}

MapReader MapReader::child(std::string_view key, std::vector<std::string_view> known) const {
  return {find(key), origin_, path_of(key), std::move(known), errors_};
}

void MapReader::refuse(std::string_view key, const std::string& sentence) const {
  errors_.add(origin_of(key), fmt::format("{}: {}", path_of(key), sentence));
}

const RawNode* MapReader::scalar(std::string_view key, std::string_view legal, Presence presence) const {
  const RawNode* node = find(key);
  if (node == nullptr) {
    if (presence == Presence::kNeeded && !errors_.is_blind()) refuse(key, fmt::format("is missing; legal: {}", legal));
    return nullptr;
  }
  if (node->kind == RawNode::Kind::kScalar) return node;
  refuse(key, fmt::format("{} cannot be used; legal: {}", node->describe(), legal));
  return nullptr;
}

void MapReader::read_whole(std::string_view key, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                           Presence presence) const {
  const std::string legal = fmt::format("a whole number from {} to {}", low, high);
  const RawNode* node = scalar(key, legal, presence);
  if (node == nullptr) return;
  std::uint64_t number = 0;
  if (node->is_quoted || !parse_whole(node->scalar, number) || number < low || number > high)
    return refuse(key, fmt::format("{} cannot be used; legal: {}", in_quotes(node->scalar), legal));
  value = number;
}

void MapReader::bytes(std::string_view key, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                      Presence presence) const {
  const std::string legal = fmt::format("bytes from {} to {}", bytes_text(low), bytes_text(high));
  const RawNode* node = scalar(key, legal, presence);
  if (node == nullptr) return;
  try {
    const Rational amount = parse_quantity(node->scalar, Dimension::kBytes);
    if (amount.num < low || amount.num > high)
      return refuse(key, fmt::format("{} is out of range; legal: {}", in_quotes(node->scalar), legal));
    value = amount.num;
  } catch (const InputError& error) {
    refuse(key, error.what());
  }
}

void MapReader::power_of_two(std::string_view key, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                             Presence presence) const {
  std::uint64_t number = value;
  bytes(key, number, low, high, presence);
  if ((number & (number - 1)) != 0)
    return refuse(key, fmt::format("{} bytes are no power of two; legal: one from {} to {}", number, bytes_text(low),
                                   bytes_text(high)));
  value = number;
}

void MapReader::cycles(std::string_view key, Cycle& value, Cycle low, Rational hertz, Presence presence) const {
  const RawNode* node = scalar(key, "a time such as '20 ns', or cycles such as '12 cycles'", presence);
  if (node == nullptr) return;
  const std::size_t space = node->scalar.find(' ');
  const std::string_view unit = space == std::string::npos ? "" : std::string_view(node->scalar).substr(space + 1);
  if (!node->scalar.empty() && node->scalar.front() == '-')
    return refuse(key, fmt::format("{} is negative; legal: {} cycles or more", in_quotes(node->scalar), low));
  Cycle number = 0;
  try {
    if (unit != "cycles" && unit != "cycle") {
      number = cycles_of(parse_quantity(node->scalar, Dimension::kDuration), hertz);
    } else if (!parse_whole(std::string_view(node->scalar).substr(0, space), number)) {
      return refuse(key, fmt::format("{} cannot be used; legal: a whole number of cycles", in_quotes(node->scalar)));
    }
  } catch (const InputError& error) {
    return refuse(key, fmt::format("{}, or whole cycles ('12 cycles')", error.what()));
  }
  if (number < low || number > kMostCycles)
    return refuse(key,
                  fmt::format("{} is {} cycles; legal: {} to {}", in_quotes(node->scalar), number, low, kMostCycles));
  value = number;
}

void MapReader::rate(std::string_view key, Rational& value, std::uint64_t unit_bytes, Rational hertz,
                     Presence presence) const {
  const RawNode* node = scalar(key, "a bandwidth such as '128 GB/s'", presence);
  if (node == nullptr) return;
  try {
    const Rational bandwidth = parse_quantity(node->scalar, Dimension::kBandwidth);
    if (bandwidth.num == 0) return refuse(key, "0 B/s carries nothing; legal: above 0");
    value = flits_per_cycle(bandwidth, unit_bytes, hertz);
  } catch (const InputError& error) {
    refuse(key, error.what());
  }
}

void MapReader::word(std::string_view key, std::string& value, const std::vector<std::string_view>& words,
                     Presence presence) const {
  const std::string legal = fmt::format("{}", fmt::join(words, ", "));
  const RawNode* node = scalar(key, legal, presence);
  if (node == nullptr) return;
  if (std::find(words.begin(), words.end(), node->scalar) == words.end())
    return refuse(key, fmt::format("unknown word {}; legal: {}{}", in_quotes(node->scalar), legal,
                                   did_you_mean(node->scalar, words)));
  value = node->scalar;
}

void MapReader::text(std::string_view key, std::string& value, Presence presence) const {
  const RawNode* node = scalar(key, "text", presence);
  if (node != nullptr) value = node->scalar;
}

}  // namespace weft::mem
