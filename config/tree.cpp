// SPDX-License-Identifier: Apache-2.0
#include "config/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "base/text_distance.h"
#include "config/names.h"

namespace weft {

std::string Origin::text() const {
  const std::string& name = source ? *source : std::string();
  return line > 0 ? fmt::format("{}:{}:{}", name, line, column) : name;
}

void ConfigErrors::throw_if_any() const {
  if (errors_.empty()) return;
  constexpr std::size_t kShown = 50;
  std::vector<ConfigError> sorted = errors_;
  // Files first, each from top to bottom, then options in the order in which they were found.
  const auto key = [](const ConfigError& error) {
    const bool is_option = error.origin.line == 0;
    const bool named = !is_option && error.origin.source;
    return std::make_tuple(is_option, named ? *error.origin.source : "", error.origin.line, error.origin.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kShown); ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : "\n", sorted[i].origin.text(), sorted[i].sentence);
  for (const std::string& warning : warnings_) text += "\n" + warning;
  if (sorted.size() > kShown) text += fmt::format("\n... and {} more errors", sorted.size() - kShown);
  throw InputError(text);
}

const RawNode* RawNode::find(std::string_view key) const {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return at == entries.end() ? nullptr : &at->value;
}

RawNode* RawNode::find(std::string_view key) { return const_cast<RawNode*>(std::as_const(*this).find(key)); }

std::string RawNode::describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return is_quoted ? fmt::format("the text {}", in_quotes(scalar)) : in_quotes(scalar);
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return "";
}

void keep_workload_kinds(RawNode& tree, const std::vector<std::string>& kept) {
  RawNode* workload = tree.find("workload");
  if (kept.empty() || workload == nullptr) return;
  const auto is_other_kind = [&](const RawNode::Entry& entry) {
    return is_workload_kind(entry.key) && std::find(kept.begin(), kept.end(), entry.key) == kept.end();
  };
  workload->entries.erase(std::remove_if(workload->entries.begin(), workload->entries.end(), is_other_kind),
                          workload->entries.end());
}

namespace {

void merge_maps(RawNode& base, RawNode over) {
  std::unordered_map<std::string, std::size_t> index_of;  // a damaged file may have a million keys
  for (std::size_t i = 0; i < base.entries.size(); ++i) index_of.emplace(base.entries[i].key, i);
  for (RawNode::Entry& entry : over.entries) {
    const auto [found, is_new] = index_of.try_emplace(entry.key, base.entries.size());
    if (is_new) {
      base.entries.push_back(std::move(entry));
      continue;
    }
    RawNode& mine = base.entries[found->second].value;
    if (mine.kind == RawNode::Kind::kMap && entry.value.kind == RawNode::Kind::kMap) {
      merge_maps(mine, std::move(entry.value));
    } else {
      mine = std::move(entry.value);
    }
  }
}

}  // namespace

void merge_config(RawNode& base, RawNode over) {
  if (base.kind != RawNode::Kind::kMap || over.kind != RawNode::Kind::kMap) {
    if (over.kind != RawNode::Kind::kNull) base = std::move(over);
    return;
  }
  if (const RawNode* workload = over.find("workload")) {
    std::vector<std::string> kinds;
    for (const RawNode::Entry& entry : workload->entries)
      if (is_workload_kind(entry.key)) kinds.push_back(entry.key);
    keep_workload_kinds(base, kinds);
  }
  merge_maps(base, std::move(over));
}

}  // namespace weft
