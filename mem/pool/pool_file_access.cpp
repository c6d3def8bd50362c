// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_file_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_distance.h"
#include "base/whole_number.h"
#include "mem/access/replacement.h"

namespace weft::mem {
namespace {

constexpr std::uint64_t kMostPage = std::uint64_t{1} << 40;

}  // namespace

void PoolAccessReader::read(PoolFile& file) {
  if (top_.find("access") != nullptr) {
    read_access(top_.child("access", {"page", "check", "miss", "walkers", "cache", "line", "encryption", "integrity",
                                      "tag", "engine", "oblivious", "on_refused", "log"}),
                file);
  } else if (top_.find("grants") != nullptr) {
    top_.refuse("grants", "have no effect without access; legal: with access");
  }
  read_grants(file);
}

void PoolAccessReader::read_access(const MapReader& map, PoolFile& file) {
  ValidationSpec& spec = file.access.emplace();
  map.power_of_two("page", file.page_bytes, kMinPageBytes, kMostPage, kOptional);
  if (file.size > 0 && file.page_bytes > file.size)
    map.refuse("page", fmt::format("a page of {} bytes is larger than the pool of {}", file.page_bytes, file.size));
  map.cycles("check", spec.check_cycles, 0, hertz_, kOptional);
  map.cycles("miss", spec.miss_cycles, 0, hertz_, kOptional);
  map.whole("walkers", spec.walkers, 1, 1u << 16, kOptional);
  map.whole("log", spec.log_entries, 0, 1u << 30, kOptional);
  if (map.find("cache") != nullptr) read_cache(map.child("cache", {"entries", "ways", "replacement"}), spec.cache);
  read_protection(map, file, spec.protection);
  if (map.find("oblivious") != nullptr)
    read_oblivious(map.child("oblivious", {"block", "stash", "shuffle", "passes", "key"}), file, spec.oblivious);
  std::string on_refused = "stop";
  map.word("on_refused", on_refused, {"stop", "continue"}, kOptional);
  file.on_refused = on_refused == "stop" ? OnRefused::kStop : OnRefused::kContinue;
}

void PoolAccessReader::read_cache(const MapReader& map, PermissionCacheSpec& cache) {
  map.whole("entries", cache.entries, 1, 1u << 24, kOptional);
  map.whole("ways", cache.ways, 1, 1u << 16, kOptional);
  map.word("replacement", cache.replacement, replacement_policies().names(), kOptional);
  const std::uint32_t sets = cache.entries / cache.ways;
  if (cache.entries % cache.ways != 0 || (sets & (sets - 1)) != 0)
    map.refuse("entries", fmt::format("{} entries in {} ways make no power of two of sets; legal: ways times 1, 2, 4, "
                                      "...",
                                      cache.entries, cache.ways));
}

void PoolAccessReader::read_protection(const MapReader& map, const PoolFile& file, ProtectionSpec& protection) {
  map.power_of_two("line", protection.line_bytes, 1, 1u << 20, kOptional);
  map.cycles("encryption", protection.encryption_cycles, 0, hertz_, kOptional);
  map.cycles("integrity", protection.integrity_cycles, 0, hertz_, kOptional);
  map.bytes("tag", protection.tag_bytes, 0, 1u << 20, kOptional);
  map.rate("engine", protection.lines_per_cycle, protection.line_bytes, hertz_, kOptional);
  if (protection.tag_bytes > protection.line_bytes)
    map.refuse("tag", fmt::format("{} bytes are more than a line of {}; legal: up to a line", protection.tag_bytes,
                                  protection.line_bytes));
  if (protection.is_on() && protection.line_bytes > file.page_bytes)
    map.refuse("line", fmt::format("{} bytes are more than a page of {}; legal: up to a page", protection.line_bytes,
                                   file.page_bytes));
  if (!protection.is_on() && map.find("engine") != nullptr)
    map.refuse("engine", "has no effect without encryption, integrity or tag");
}

void PoolAccessReader::read_oblivious(const MapReader& map, const PoolFile& file, ObliviousSpec& oblivious) {
  Rational rate{1, 1};
  map.power_of_two("block", oblivious.block_bytes, 1, 1u << 30, kOptional);
  map.whole("stash", oblivious.stash_blocks, 1, std::uint64_t{1} << 40, kNeeded);
  map.rate("shuffle", rate, 1, hertz_, kNeeded);
  map.whole("passes", oblivious.shuffle_passes, 1, 1u << 20, kOptional);
  map.whole("key", oblivious.key, 0, ~std::uint64_t{0}, kOptional);
  oblivious.blocks = 1;  // on; how many there are follows from the regions
  oblivious.bytes_per_cycle = rate.num / rate.den;
  if (oblivious.bytes_per_cycle == 0) map.refuse("shuffle", "less than a byte per cycle; legal: a byte or more");
  if (file.size > 0 && oblivious.block_bytes > file.size)
    map.refuse("block", fmt::format("{} bytes are more than the pool of {}", oblivious.block_bytes, file.size));
}

void PoolAccessReader::read_grants(PoolFile& file) {
  const RawNode* list = top_.find("grants");
  if (list == nullptr) return;
  if (list->kind != RawNode::Kind::kList)
    return top_.refuse("grants", fmt::format("{} cannot be used; legal: a list of maps such as {{tensor: 'w*', owner: "
                                             "0, readers: all}}",
                                             list->describe()));
  for (std::size_t i = 0; i < list->items.size(); ++i) read_grant(list->items[i], i, file);
}

void PoolAccessReader::read_grant(const RawNode& node, std::size_t number, PoolFile& file) {
  const MapReader map(&node, node.origin, fmt::format("grants[{}]", number),
                      {"tensor", "group", "of", "owner", "readers", "writers"}, errors_);
  PoolGrant& grant = file.grants.emplace_back();
  grant.origin = node.origin;
  for (const RawNode::Entry& entry : node.entries) grant.keys[entry.key] = map.origin_of(entry.key);
  map.text("tensor", grant.tensor, kOptional);
  if (map.find("group") != nullptr) map.text("group", grant.group.emplace(), kNeeded);
  if (map.find("of") != nullptr) grant.of = ranks(map, "of");
  if (grant.group && grant.of)
    map.refuse("of", "has no effect beside group: a tensor is a group's or a rank's own; legal: one of them");
  map.whole("owner", grant.owner, 0, kLastRank - 1, kNeeded);
  grant.readers = ranks(map, "readers");
  grant.writers = ranks(map, "writers");
}

RankSet PoolAccessReader::ranks(const MapReader& map, std::string_view key) {
  RankSet ranks;
  const RawNode* node = map.find(key);
  if (node == nullptr) return ranks;
  const std::string path = map.path_of(key);
  if (node->kind != RawNode::Kind::kList) add_ranks(*node, path, ranks);
  for (std::size_t i = 0; i < node->items.size(); ++i) add_ranks(node->items[i], fmt::format("{}[{}]", path, i), ranks);
  return ranks;
}

void PoolAccessReader::add_ranks(const RawNode& node, const std::string& path, RankSet& ranks) {
  const std::string& text = node.scalar;
  const bool scalar = node.kind == RawNode::Kind::kScalar;
  if (scalar && text == "none") return;
  if (scalar && text == "all") return ranks.push_back({0, kLastRank});
  const std::size_t dash = text.find('-');
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool good = scalar && parse_whole(std::string_view(text).substr(0, dash), first);
  last = first;
  if (dash != std::string::npos) good = good && parse_whole(std::string_view(text).substr(dash + 1), last);
  if (!good || std::max(first, last) >= kLastRank) {
    return errors_.add(node.origin,
                       fmt::format("{}: {} cannot be used; legal: a rank, a range such as 0-3, all, none, or a list of "
                                   "them",
                                   path, scalar ? in_quotes(text) : node.describe()));
  }
  if (last < first)
    return errors_.add(node.origin,
                       fmt::format("{}: {} runs backwards; legal: {}-{}", path, in_quotes(text), last, first));
  ranks.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)});
}

}  // namespace weft::mem
