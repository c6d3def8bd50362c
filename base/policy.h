// SPDX-License-Identifier: Apache-2.0
// Policies: parts of the model that a configuration chooses by name. Each is one file, which describes it and says what
// it needs, and one line in the list of its interface.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft {

/// What every policy says of itself. A policy of an interface is a class derived from it that also knows how to make
/// an object of the interface and what that needs.
struct Policy {
  std::string_view name;         ///< the word that chooses it
  std::string_view description;  ///< what it does, as the words behind "name: " in a list, without a full stop
};

/// The policies of one interface in the order of the documentation, the default first. `Entry` is derived from Policy.
/// The entries are constants of their files; the list is written out where it is built, and nothing adds to it later.
template <typename Entry>
class PolicyList {
 public:
  /// `unknown` begins the message about a name that nobody has: "no memory scheduler".
  PolicyList(std::string_view unknown, std::initializer_list<const Entry*> entries)
      : unknown_(unknown), entries_(entries) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  /// The policy of that name, or nullptr.
  const Entry* find(std::string_view name) const {
    for (const Entry* entry : entries_) {
      if (entry->name == name) return entry;
    }
    return nullptr;
  }

  /// The policy of that name. InputError names those that are known, and the nearest one.
  const Entry& at(std::string_view name) const {
    if (const Entry* entry = find(name)) return *entry;
    std::string known;
    for (const Entry* entry : entries_) known.append(known.empty() ? "" : ", ").append(entry->name);
    throw InputError(std::string(unknown_) + ' ' + in_quotes(name) + "; known: " + known + did_you_mean(name, names()));
  }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (const Entry* entry : entries_) names.push_back(entry->name);
    return names;
  }

  /// What the policies say of themselves; `Facts` is Policy or a class between it and Entry.
  template <typename Facts = Policy>
  std::vector<Facts> facts() const {
    std::vector<Facts> facts;
    for (const Entry* entry : entries_) facts.push_back(*entry);
    return facts;
  }

 private:
  std::string_view unknown_;
  std::vector<const Entry*> entries_;
};

}  // namespace weft
