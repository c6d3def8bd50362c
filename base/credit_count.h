// SPDX-License-Identifier: Apache-2.0
// The sender's credits for one buffer behind a link.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"

namespace weft {

/// Throws ViolationError with `what` and the name; kept out of line so that checks stay small in the hot path.
template <typename Name, typename... Arguments>
[[noreturn, gnu::noinline, gnu::cold]] void link_violation(const char* what, Name name, Arguments... arguments) {
  violation(what + (": " + std::string(std::invoke(name, arguments...))));
}

/// Slots of one buffer behind a link that its sender may fill. `name(arguments...)` gives the name of link and VC for
/// the sentence of a broken invariant; it is called only then. In a hot loop what the name depends on goes into
/// arguments: a closure is put together before the check.
template <typename Count>
class CreditCount {
 public:
  CreditCount() = default;
  /// All `slots` of the buffer are free.
  explicit CreditCount(std::uint32_t slots) : left_(static_cast<Count>(slots)) {}

  Count left() const { return left_; }
  /// A flit is sent.
  template <typename Name, typename... Arguments>
  void take(Name name, Arguments... arguments) {
    if (__builtin_expect(left_ == 0, 0)) link_violation("a flit was sent without a credit", name, arguments...);
    --left_;
  }
  /// All `flits` of a packet are sent.
  template <typename Name, typename... Arguments>
  void take_all(std::uint32_t flits, Name name, Arguments... arguments) {
    if (__builtin_expect(left_ < flits, 0)) link_violation("a flit was sent without a credit", name, arguments...);
    left_ -= static_cast<Count>(flits);
  }
  /// So many credits come back from a buffer of `slots`.
  template <typename Name, typename... Arguments>
  void give_back_all(std::uint32_t credits, std::uint32_t slots, Name name, Arguments... arguments) {
    if (__builtin_expect(left_ + credits > slots, 0)) {
      link_violation("more credits came back than the buffer behind the link has slots", name, arguments...);
    }
    left_ += static_cast<Count>(credits);
  }
  /// A credit comes back from a buffer of `slots`.
  template <typename Name, typename... Arguments>
  void give_back(std::uint32_t slots, Name name, Arguments... arguments) {
    if (__builtin_expect(left_ >= slots, 0)) {
      link_violation("more credits came back than the buffer behind the link has slots", name, arguments...);
    }
    ++left_;
  }
  /// Throws ViolationError unless all credits for a buffer of `slots` are home.
  template <typename Name, typename... Arguments>
  void require_home(std::uint32_t slots, Name name, Arguments... arguments) const {
    if (left_ != slots) link_violation("credits are missing at the end", name, arguments...);
  }

  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(left_);
  }

 private:
  Count left_ = 0;
};

}  // namespace weft
