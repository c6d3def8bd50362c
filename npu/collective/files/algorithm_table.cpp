// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/files/algorithm_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/error.h"
#include "base/read_file.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "config/names.h"
#include "config/policies.h"
#include "config/tree.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/form/shape.h"

namespace weft::npu {
namespace {

/// The entry of the largest key that is not above `value`, or else of the smallest one. The map is not empty.
template <typename Map>
const typename Map::mapped_type& at_or_below(const Map& map, std::uint64_t value) {
  const auto above = map.upper_bound(value);
  return above == map.begin() ? above->second : std::prev(above)->second;
}

std::vector<std::string_view> names_of(const std::vector<CollectiveKind>& kinds) {
  std::vector<std::string_view> names;
  for (const CollectiveKind kind : kinds) names.emplace_back(kind_name(kind));
  return names;
}

}  // namespace

/// Fills a table from its file, and collects what is wrong.
class AlgorithmTableReader {
 public:
  AlgorithmTableReader(const std::string& text, const std::string& name)
      : root_(parse_yaml(text, name, false, errors_)) {
    table_.name_ = name;
  }

  AlgorithmTable read() {
    if (errors_.is_blind()) errors_.throw_if_any();  // not even YAML
    for (const RawNode::Entry& entry : entries_of(root_, "a table of algorithms", "fabric and collectives")) {
      if (entry.key == "fabric") {
        read_fabric(entry.value);
      } else if (entry.key == "collectives") {
        read_kinds(entry.value);
      } else {
        refuse_key(entry, "key", {"fabric", "collectives"});
      }
    }
    for (const char* key : {"fabric", "collectives"}) {
      if (errors_.size() == 0 && root_.find(key) == nullptr) {
        errors_.add(root_.origin, fmt::format("the key '{}' is missing; `weft advise collectives` writes tables", key));
      }
    }
    errors_.throw_if_any();
    return std::move(table_);
  }

 private:
  /// The entries of a map, none of which may be missing.
  const std::vector<RawNode::Entry>& entries_of(const RawNode& node, const std::string& what,
                                                const std::string& legal) {
    if (node.kind != RawNode::Kind::kMap || node.entries.empty()) {
      errors_.add(node.origin, fmt::format("{}: {} cannot be used; legal: a map of {}", what, node.describe(), legal));
    }
    return node.entries;
  }

  void refuse_key(const RawNode::Entry& entry, const std::string& what, const std::vector<std::string_view>& known) {
    errors_.add(entry.origin, fmt::format("unknown {} {}; legal: {}{}", what, in_quotes(entry.key),
                                          fmt::join(known, ", "), did_you_mean(entry.key, known)));
  }

  void read_fabric(const RawNode& node) {
    for (const RawNode::Entry& entry : entries_of(node, "fabric", "kind, npus and name")) {
      if (entry.key == "kind") {
        table_.fabric_kind_ = entry.value.scalar;
      } else if (entry.key == "npus") {
        if (!whole(entry.value.scalar, table_.npus_)) {
          errors_.add(entry.value.origin, fmt::format("fabric.npus: {} cannot be used; legal: a whole number above 0",
                                                      entry.value.describe()));
        }
      } else if (entry.key != "name") {
        refuse_key(entry, "key", {"name", "kind", "npus"});
      }
    }
    if (errors_.size() > 0) return;
    for (const char* key : {"kind", "npus"}) {
      if (node.find(key) == nullptr) errors_.add(node.origin, fmt::format("fabric.{} is missing", key));
    }
  }

  void read_kinds(const RawNode& node) {
    for (const RawNode::Entry& entry : entries_of(node, "collectives", "kinds of collectives")) {
      const auto kind = kind_from_name(entry.key);
      if (!kind) {
        refuse_key(entry, "kind of collective", names_of(all_kinds()));
        continue;
      }
      read_groups(entry, *kind);
    }
  }

  void read_groups(const RawNode::Entry& kind_entry, CollectiveKind kind) {
    for (const RawNode::Entry& entry : entries_of(kind_entry.value, kind_entry.key, "group sizes")) {
      std::uint64_t ranks = 0;
      if (!whole(entry.key, ranks)) {
        errors_.add(entry.origin, fmt::format("{}: {} is no size of a group; legal: a whole number of NPUs above 0",
                                              kind_entry.key, in_quotes(entry.key)));
        continue;
      }
      read_sizes(entry, kind, table_.kinds_[kind][ranks]);
    }
  }

  void read_sizes(const RawNode::Entry& group_entry, CollectiveKind kind, AlgorithmTable::BySize& sizes) {
    for (const RawNode::Entry& entry : entries_of(group_entry.value, "a group size", "bytes, such as '64 KiB'")) {
      std::uint64_t bytes = 0;
      try {
        bytes = parse_quantity(entry.key, Dimension::kBytes).num;
      } catch (const InputError& error) {
        errors_.add(entry.origin, error.what());
        continue;
      }
      if (!sizes.try_emplace(bytes, static_cast<std::uint32_t>(table_.entries_.size())).second) {
        errors_.add(entry.origin, fmt::format("{} B stand here twice", bytes));
        continue;
      }
      table_.entries_.push_back(read_algorithms(entry, kind));
    }
  }

  std::vector<std::string> read_algorithms(const RawNode::Entry& entry, CollectiveKind kind) {
    std::vector<std::string> names;
    if (entry.value.kind != RawNode::Kind::kList || entry.value.items.empty()) {
      errors_.add(entry.value.origin, fmt::format("{}: {} cannot be used; legal: a list of algorithms, such as [ring]",
                                                  entry.key, entry.value.describe()));
    }
    for (const RawNode& item : entry.value.items) {
      try {
        require_kind(algorithms().at(item.scalar), kind);
        names.push_back(item.scalar);
      } catch (const InputError& error) {
        errors_.add(item.origin, error.what());
      }
    }
    return names;
  }

  static bool whole(const std::string& text, std::uint64_t& value) {
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && at == end && value > 0;
  }

  ConfigErrors errors_;
  RawNode root_;
  AlgorithmTable table_;
};

AlgorithmTable AlgorithmTable::load(const std::string& path) { return parse(read_file(path, kMaxConfigBytes), path); }

AlgorithmTable AlgorithmTable::parse(const std::string& text, const std::string& name) {
  return AlgorithmTableReader(text, name).read();
}

void AlgorithmTable::require_fabric(const FabricSpec& fabric) const {
  const auto nodes = static_cast<std::uint64_t>(fabric.nodes());
  const std::string_view kind = name_of(fabric.kind);
  if (fabric_kind_ == kind && npus_ == nodes) return;
  throw InputError(
      fmt::format("{}: the table is for a {} of {} NPUs, but the fabric is a {} of {}; `weft advise collectives CONFIG "
                  "--out FILE` writes one for this fabric",
                  name_, fabric_kind_, npus_, kind, nodes));
}

const AlgorithmTable::BySize& AlgorithmTable::sizes_for(CollectiveKind kind, std::size_t ranks) const {
  return at_or_below(kinds_.at(kind), ranks);
}

std::uint32_t AlgorithmTable::entry_for(CollectiveKind kind, std::size_t ranks, std::uint64_t bytes) const {
  if (kinds_.count(kind) != 0) return at_or_below(sizes_for(kind, ranks), bytes);
  throw InputError(
      fmt::format("{}: the table has no {}; `weft advise collectives CONFIG --kinds {} --out FILE` finds out what is "
                  "fastest",
                  name_, name_of(kind), name_of(kind)));
}

std::vector<std::uint32_t> AlgorithmTable::entries_for(CollectiveKind kind, std::size_t ranks) const {
  std::vector<std::uint32_t> entries;
  if (kinds_.count(kind) == 0) return entries;
  for (const auto& [bytes, entry] : sizes_for(kind, ranks)) entries.push_back(entry);
  return entries;
}

bool AlgorithmTable::needs_switches() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), algorithm_needs_switches);
  });
}

bool may_need_switches(const CollectiveSpec& spec) {
  if (spec.algorithm != "auto") return algorithm_needs_switches(spec.algorithm);
  return AlgorithmTable::load(spec.algorithm_table).needs_switches();
}

}  // namespace weft::npu
