// SPDX-License-Identifier: Apache-2.0
#include "waves/scope_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/name_pattern.h"
#include "base/text_distance.h"
#include "base/whole_number.h"

namespace weft::waves {
namespace {

constexpr std::size_t kMaxLevels = 63;  // positions are bits of one word

/// Parts of `text` between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// Takes one "[...]" off the front of `text`; false if there is none.
bool take_bracket(std::string_view& text, std::string_view& inside) {
  if (text.empty() || text.front() != '[') return false;
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos) return false;
  inside = text.substr(1, close - 1);
  text.remove_prefix(close + 1);
  return true;
}

std::string_view stem_of(std::string_view level) { return level.substr(0, level.find('[')); }

}  // namespace

ScopePattern::ScopePattern(const std::string& text) : text_(text) {
  if (text.empty()) refuse("it is empty");
  for (const std::string_view level : split(text_, '.')) levels_.push_back(parse_level(level));
  if (levels_.size() > kMaxLevels) refuse(fmt::format("it has more than {} levels", kMaxLevels));
}

void ScopePattern::refuse(const std::string& reason) const {
  throw InputError(
      fmt::format("waves.scope: '{}' is not a pattern: {} (for example: fabric.router[3,2].*, npu[0-3], "
                  "**.packet; * = any one level, ** = any levels)",
                  text_, reason));
}

ScopePattern::Level ScopePattern::parse_level(std::string_view text) const {
  if (text.empty()) refuse("a level between dots is empty");
  Level level;
  level.text = text;
  level.any_depth = text == "**";
  if (level.any_depth) return level;
  if (text.find("**") != std::string_view::npos) refuse(fmt::format("'**' in '{}' must be a level of its own", text));
  level.stem = stem_of(text);
  std::string_view rest = text.substr(level.stem.size());
  if (rest.empty() && text.find(']') != std::string_view::npos)
    refuse(fmt::format("'{}' has no '[' for its ']'", text));
  level.indexed = !rest.empty();
  std::string_view inside;
  while (take_bracket(rest, inside)) level.brackets.push_back(parse_bracket(inside));
  if (!rest.empty() && rest.front() == '[') refuse(fmt::format("'{}' has no closing ']'", text));
  if (!rest.empty()) refuse(fmt::format("'{}' goes on after its ']'", text));
  return level;
}

std::vector<ScopePattern::IndexRange> ScopePattern::parse_bracket(std::string_view text) const {
  std::vector<IndexRange> ranges;
  for (const std::string_view item : split(text, ',')) ranges.push_back(parse_range(item));
  return ranges;
}

ScopePattern::IndexRange ScopePattern::parse_range(std::string_view item) const {
  IndexRange range;
  if (item == "*") return range;
  const std::vector<std::string_view> ends = split(item, '-');
  const bool good = ends.size() <= 2 && parse_whole(ends.front(), range.first) && parse_whole(ends.back(), range.last);
  if (!good) refuse(fmt::format("'{}' is not an index: a number, a range like 0-3 or *", item));
  if (range.first > range.last) refuse(fmt::format("the range {} is empty", item));
  return range;
}

bool ScopePattern::is_any(const std::vector<IndexRange>& bracket) {
  const IndexRange any;
  return bracket.size() == 1 && bracket[0].first == any.first && bracket[0].last == any.last;
}

bool ScopePattern::matches(const Level& level, std::string_view name) {
  if (!level.indexed) return matches_pattern(level.text, name);
  const std::string_view stem = stem_of(name);
  if (!matches_pattern(level.stem, stem)) return false;
  name.remove_prefix(stem.size());
  for (const std::vector<IndexRange>& ranges : level.brackets) {
    std::string_view inside;
    if (!take_bracket(name, inside)) return false;
    const std::vector<std::string_view> numbers = split(inside, ',');
    if (is_any(ranges)) continue;
    if (numbers.size() != ranges.size()) return false;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      std::uint64_t value = 0;
      if (!parse_whole(numbers[i], value) || value < ranges[i].first || value > ranges[i].last) return false;
    }
  }
  return name.empty();
}

ScopePattern::Positions ScopePattern::step(const Level& level, Positions from,
                                           const std::vector<std::string_view>& name) {
  if (level.any_depth) {  // from the first position on, everything
    const Positions end = Positions{1} << name.size();
    return (end | (end - 1)) & ~((from & (~from + 1)) - 1);
  }
  Positions to = 0;
  for (std::size_t j = 0; j < name.size(); ++j) {
    if (((from >> j) & 1) != 0 && matches(level, name[j])) to |= Positions{1} << (j + 1);
  }
  return to;
}

ScopeMatch ScopePattern::match(std::string_view text) const {
  const std::vector<std::string_view> name = split(text, '.');
  WEFT_CHECK(name.size() <= kMaxLevels, fmt::format("the name '{}' has too many levels", text));
  const Positions end = Positions{1} << name.size();
  Positions positions = 1;
  bool within = false;
  for (const Level& level : levels_) {
    within = within || (positions & end) != 0;
    positions = step(level, positions, name);
    if (positions == 0) break;
  }
  if (positions != 0) return ScopeMatch::kSelected;
  return within ? ScopeMatch::kWithin : ScopeMatch::kNone;
}

ScopePattern::Reach ScopePattern::reach(std::string_view text) const {
  const std::vector<std::string_view> name = split(text, '.');
  Reach result;
  Positions positions = 1;
  for (const Level& level : levels_) {
    const Positions next = step(level, positions, name);
    if (next == 0) break;
    positions = next;
    ++result.levels;
  }
  for (std::size_t j = 0; j < name.size(); ++j) {
    if (((positions >> j) & 1) != 0) result.next.push_back(name[j]);
  }
  return result;
}

namespace {

/// Names of one level that share what is before their brackets, with the first and the last of them.
struct Family {
  std::string first;
  std::string last;
};

std::string describe(const Family& family) {
  return family.first == family.last ? family.first : fmt::format("{} to {}", family.first, family.last);
}

}  // namespace

std::string explain_no_match(const ScopePattern& pattern, const NameVisitor& visit_names) {
  std::size_t deepest = 0;
  std::map<std::string, Family, std::less<>> families;
  visit_names([&](std::string_view name) {
    const ScopePattern::Reach reach = pattern.reach(name);
    if (reach.levels < deepest) return;
    if (reach.levels > deepest) families.clear();
    deepest = reach.levels;
    for (const std::string_view level : reach.next) {
      const std::string_view stem = stem_of(level);
      const auto found = families.find(stem);
      if (found == families.end()) {
        families.emplace(std::string(stem), Family{std::string(level), std::string(level)});
      } else {
        found->second.last = level;
      }
    }
  });
  const std::string& missing = pattern.level(deepest);
  std::vector<std::pair<std::size_t, std::string>> nearest;
  for (const auto& [stem, family] : families) {
    nearest.emplace_back(edit_distance(stem_of(missing), stem), describe(family));
  }
  std::sort(nearest.begin(), nearest.end());
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, nearest.size()); ++i) names += (i == 0 ? "" : ", ") + nearest[i].second;
  std::string above;
  for (std::size_t i = 0; i < deepest; ++i) above += (i == 0 ? "" : ".") + pattern.level(i);
  return fmt::format("waves.scope: '{}' matches nothing: {} no '{}'; nearest: {}", pattern.text(),
                     above.empty() ? "there is" : fmt::format("'{}' holds", above), missing,
                     names.empty() ? "nothing is there" : names);
}

}  // namespace weft::waves
