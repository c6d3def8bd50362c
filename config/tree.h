// SPDX-License-Identifier: Apache-2.0
// A configuration as it was written: a tree of maps, lists and scalars in which every node knows where it stands.
// Errors are collected with their places, so that a user sees all of them at once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/// Where something was written: a place in a file, or an option of the command line (line 0).
struct Origin {
  std::shared_ptr<const std::string> source;  ///< file name or the option as typed
  int line = 0;
  int column = 0;

  std::string text() const;
};

/// One thing that is wrong with a configuration.
struct ConfigError {
  Origin origin;
  std::string sentence;
};

/// Collects errors and throws them together; keeps warnings.
class ConfigErrors {
 public:
  void add(const Origin& origin, std::string sentence) { errors_.push_back({origin, std::move(sentence)}); }
  /// An error after which a part of the configuration is not known at all: what seems to be missing may stand there.
  void add_blinding(const Origin& origin, std::string sentence) {
    add(origin, std::move(sentence));
    is_blind_ = true;
  }
  bool is_blind() const { return is_blind_; }
  /// Something that is legal, but should be written in another way.
  void warn(const Origin& origin, const std::string& sentence) { warnings_.push_back(origin.text() + ": " + sentence); }
  const std::vector<std::string>& warnings() const { return warnings_; }
  std::size_t size() const { return errors_.size(); }
  /// Throws one InputError with a line "file:line:column: sentence" for each error, in the order of the text, and
  /// behind them the warnings, without which they may not be understood; does nothing when there is no error.
  void throw_if_any() const;

 private:
  std::vector<ConfigError> errors_;
  std::vector<std::string> warnings_;
  bool is_blind_ = false;
};

/// One YAML node.
struct RawNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  Origin origin;
  std::string scalar;
  bool is_quoted = false;  ///< a quoted scalar is text, never a number or a truth value
  std::vector<RawNode> items;
  std::vector<Entry> entries;

  const RawNode* find(std::string_view key) const;
  RawNode* find(std::string_view key);
  /// "a map", "a list", "'text'" or "nothing", for messages.
  std::string describe() const;
};
struct RawNode::Entry {
  std::string key;
  Origin origin;
  RawNode value;
};

/// Limits that keep a damaged or hostile file from taking the machine.
inline constexpr std::size_t kMaxConfigBytes = 8u << 20;
inline constexpr std::size_t kMaxConfigNodes = 1'000'000;

/// Reads one YAML document. `source` names it in messages; with `is_option` it is the value of an option and has no
/// lines. Syntax errors, duplicate keys and keys that are no plain text go to `errors`; what could be read is returned.
RawNode parse_yaml(const std::string& text, const std::string& source, bool is_option, ConfigErrors& errors);

/// Puts `over` on `base`: maps are merged key by key, everything else is replaced. Below `workload` a kind in `over`
/// replaces the kinds that `base` has.
void merge_config(RawNode& base, RawNode over);
/// Removes from `tree` the kinds of workload that are not in `kept`, unless `kept` is empty.
void keep_workload_kinds(RawNode& tree, const std::vector<std::string>& kept);

}  // namespace weft
