// SPDX-License-Identifier: Apache-2.0
// Patterns that choose what is recorded: `fabric.router[3,2].*`, `npu[0-3]`, `*.l1[0].uswitch*`, `**.packet`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::waves {

/// What a pattern says about one dotted name.
enum class ScopeMatch {
  kNone,      ///< neither the name nor anything beneath it
  kWithin,    ///< perhaps something beneath it
  kSelected,  ///< the name, and so everything beneath it
};

/// One pattern. Levels are separated by dots. Within a level `*` stands for any text and `[..]` for an index: `[3,2]`
/// exactly this one, `[0-3]` a range, `[*,2]` any first number, `[*]` any indices, one
/// number or several; a level without brackets matches the text as it stands,
/// so `uswitch*` covers `uswitch[5]`. `*` alone is any one level, `**` any number of levels, none included. What is
/// beneath a matching name is chosen too.
class ScopePattern {
 public:
  /// Throws InputError that names the pattern, the place and what is wrong.
  explicit ScopePattern(const std::string& text);

  const std::string& text() const { return text_; }
  ScopeMatch match(std::string_view name) const;

  /// How far the pattern follows `name`: the number of its levels that match, and the levels of the name that stand
  /// where the next level should.
  struct Reach {
    std::size_t levels = 0;
    std::vector<std::string_view> next;
  };
  Reach reach(std::string_view name) const;
  /// The text of one level of the pattern.
  const std::string& level(std::size_t n) const { return levels_[n].text; }
  std::size_t levels() const { return levels_.size(); }

 private:
  struct IndexRange {
    std::uint64_t first = 0;
    std::uint64_t last = ~std::uint64_t{0};
  };
  struct Level {
    std::string text;
    bool any_depth = false;  ///< `**`
    bool indexed = false;
    std::string stem;  ///< before the first bracket, may hold `*`
    std::vector<std::vector<IndexRange>> brackets;
  };
  /// Set of positions between the levels of a name; bit j = its first j levels are used up.
  using Positions = std::uint64_t;

  Level parse_level(std::string_view text) const;
  std::vector<IndexRange> parse_bracket(std::string_view text) const;
  IndexRange parse_range(std::string_view item) const;
  [[noreturn]] void refuse(const std::string& reason) const;
  /// `[*]`: any number of indices, whatever they are.
  static bool is_any(const std::vector<IndexRange>& bracket);
  static bool matches(const Level& level, std::string_view name);
  static Positions step(const Level& level, Positions from, const std::vector<std::string_view>& name);

  std::string text_;
  std::vector<Level> levels_;
};

/// Calls its argument with every name that a pattern can match.
using NameVisitor = std::function<void(const std::function<void(std::string_view)>&)>;

/// Why a pattern matches nothing, with the nearest names that exist: "waves.scope: 'fabric.routr[3,2]' matches nothing:
/// 'fabric' holds no 'routr[3,2]'; nearest: router[0,0] to router[4,3], ...".
std::string explain_no_match(const ScopePattern& pattern, const NameVisitor& visit_names);

}  // namespace weft::waves
