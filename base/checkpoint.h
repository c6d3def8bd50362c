// SPDX-License-Identifier: Apache-2.0
// The state of a run as bytes: every block writes itself into them and reads itself back. docs/checkpoints.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace weft {

/// Every block describes its state once, in a function `keep` that gives this its values in a fixed order. The same
/// function saves and loads, so that the two cannot differ. It is called between two cycles, on a system that was built
/// from the same configuration: what follows from the configuration is not kept.
class Checkpoint {
 public:
  /// Begins to save.
  Checkpoint() = default;
  /// Begins to load what was saved.
  explicit Checkpoint(std::string bytes) : bytes_(std::move(bytes)), loads_(true) {}

  bool loads() const { return loads_; }
  /// What has been saved.
  const std::string& bytes() const { return bytes_; }
  /// Hands it over, and keeps none of it.
  std::string take() { return std::move(bytes_); }
  /// All that was saved has been loaded; throws ViolationError where something is left.
  void require_end() const { WEFT_CHECK(at_ == bytes_.size(), "a checkpoint holds more than this run can have"); }

  /// The state of `name` begins: a state that is read at another place than it was written at is found by that.
  void section(std::string_view name);

  /// Numbers, enumerations, and plain structures without padding.
  template <typename... Value>
  void values(Value&... value) {
    (keep_value(value), ...);
  }
  /// A text of any length.
  void text(std::string& text) {
    std::size_t size = text.size();
    values(size);
    if (loads_) text.resize(require(size));
    bytes(text.data(), size);
  }
  /// A list of any length (std::vector, std::deque) of what `values` takes.
  template <typename List>
  void list(List& list) {
    each(list, [this](auto& item) { this->keep_value(item); });
  }
  /// A std::vector<bool>.
  template <typename Bits>
  void bits(Bits& bits) {
    std::vector<std::uint8_t> bytes(bits.begin(), bits.end());
    list(bytes);
    bits.assign(bytes.begin(), bytes.end());
  }
  /// A std::set of what `values` takes.
  template <typename Set>
  void set(Set& set) {
    std::vector<typename Set::key_type> items(set.begin(), set.end());
    list(items);
    set = Set(items.begin(), items.end());
  }
  /// A list of any length; `keep(item)` keeps each item.
  template <typename List, typename Keep>
  void each(List& list, Keep keep) {
    std::size_t size = list.size();
    values(size);
    if (loads_) {
      list.clear();
      list.resize(require(size));
    }
    for (auto& item : list) keep(item);
  }
  /// A list whose length follows from the configuration.
  template <typename List>
  void all(List& list) {
    all(list, [this](auto& item) { this->keep_value(item); });
  }
  template <typename List, typename Keep>
  void all(List& list, Keep keep) {
    std::size_t size = list.size();
    values(size);
    WEFT_CHECK(size == list.size(), "a checkpoint is of a run with another number of parts");
    for (auto& item : list) keep(item);
  }
  /// A QueueRing: from its front to its back.
  template <typename Queue, typename Keep>
  void queue(Queue& queue, Keep keep) {
    std::size_t size = queue.size();
    values(size);
    if (loads_) {
      require(size);
      while (!queue.empty()) queue.pop();
      for (std::size_t i = 0; i < size; ++i) queue.push({});
    }
    for (std::size_t i = 0; i < size; ++i) keep(queue[i]);
  }
  /// A map or multimap with an order: `keep(key, value)` keeps each entry.
  template <typename Map, typename Keep>
  void map(Map& map, Keep keep) {
    std::size_t size = map.size();
    values(size);
    if (!loads_) {
      for (auto& [key, value] : map) {
        auto same_key = key;
        keep(same_key, value);
      }
      return;
    }
    map.clear();
    require(size);
    for (std::size_t i = 0; i < size; ++i) {
      typename Map::key_type key{};
      typename Map::mapped_type value{};
      keep(key, value);
      map.emplace_hint(map.end(), std::move(key), std::move(value));
    }
  }
  /// A map without an order, whose keys `values` takes: entries are kept in the order of their keys.
  template <typename Map, typename Keep>
  void hashed(Map& map, Keep keep);
  /// Calls `visit(value)` for the entries of a map without an order, in the order of their keys.
  template <typename Map, typename Visit>
  static void hashed_values(Map& map, Visit visit) {
    for (auto& [key, value] : by_key(map)) visit(*value);
  }
  /// Something that there may be, such as a std::optional; `keep(value)` keeps what there is.
  template <typename Optional, typename Keep>
  void optional(Optional& optional, Keep keep) {
    bool has_value = optional.has_value();
    values(has_value);
    if (loads_) has_value ? static_cast<void>(optional.emplace()) : optional.reset();
    if (has_value) keep(*optional);
  }
  /// The same of what `values` takes.
  template <typename Optional>
  void optional(Optional& value) {
    optional(value, [this](auto& inner) { this->keep_value(inner); });
  }

  /// A block is in a state, or of a kind, that it cannot keep. Throws InputError: "no checkpoint: " and the reason.
  [[noreturn]] static void refuse(const std::string& reason);

 private:
  template <typename Map>
  static std::vector<std::pair<typename Map::key_type, typename Map::mapped_type*>> by_key(Map& map) {
    std::vector<std::pair<typename Map::key_type, typename Map::mapped_type*>> sorted;
    for (auto& [key, value] : map) sorted.emplace_back(key, &value);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  template <typename Value>
  void keep_value(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>);
    static_assert(std::is_arithmetic_v<Value> || std::has_unique_object_representations_v<Value>,
                  "keep the fields of a structure with padding one by one");
    bytes(reinterpret_cast<char*>(&value), sizeof(value));
  }
  void bytes(char* data, std::size_t size) {
    if (!loads_) {
      bytes_.append(data, size);
      return;
    }
    require(size);
    std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  /// So many more bytes have to be there, or items of one byte and more.
  std::size_t require(std::size_t size) const {
    WEFT_CHECK(size <= bytes_.size() - at_, "a checkpoint ends before the state of the run does");
    return size;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  bool loads_ = false;
};

template <typename Map, typename Keep>
void Checkpoint::hashed(Map& map, Keep keep) {
  std::size_t size = map.size();
  values(size);
  if (loads_) {
    map.clear();
    require(size);
    for (std::size_t i = 0; i < size; ++i) {
      typename Map::key_type key{};
      keep_value(key);
      keep(map[key]);
    }
    return;
  }
  for (auto& [key, value] : by_key(map)) {
    keep_value(key);
    keep(*value);
  }
}

}  // namespace weft
