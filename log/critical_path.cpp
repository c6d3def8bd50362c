// SPDX-License-Identifier: Apache-2.0
#include "log/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace weft::log {
namespace {

/// Says where the bytes of a packet came from: a message or, of several operands of a sum, the one that entered last.
struct Origin {
  NodeId node{};
  const MessageRecord* message = nullptr;
  Cycle entered = 0;
};

Cycle entry_of(const MessageRecord& message, std::uint64_t offset) {
  const auto found = std::lower_bound(message.offsets.begin(), message.offsets.end(), offset);
  WEFT_CHECK(found != message.offsets.end() && *found == offset, "a packet arrived that never entered the fabric");
  return message.entered[static_cast<std::size_t>(found - message.offsets.begin())];
}

/// Finds where packets came from.
class Origins {
 public:
  explicit Origins(const RunLog& log) : log_(log) {
    for (std::size_t n = 0; n < log.nodes(); ++n) {
      const NodeId node{static_cast<std::uint32_t>(n)};
      for (const MessageRecord& message : log.node(node).messages) {
        if (message.note.flow) operands_[message.note.tag].push_back({node, &message, 0});
      }
    }
  }

  Origin of(const PacketRecord& packet) const {
    Origin origin{packet.src, &log_.node(packet.src).messages.at(packet.message), packet.injected};
    const auto operands = packet.flow ? operands_.find(packet.tag) : operands_.end();
    if (operands == operands_.end()) return origin;
    for (Origin operand : operands->second) {
      const auto& offsets = operand.message->offsets;
      if (!std::binary_search(offsets.begin(), offsets.end(), packet.offset)) continue;
      operand.entered = entry_of(*operand.message, packet.offset);
      // Tags are used again after many instances: operands of later ones have not entered yet.
      if (operand.entered < packet.received && operand.entered > origin.entered) origin = operand;
    }
    return origin;
  }

 private:
  const RunLog& log_;
  std::unordered_map<std::uint64_t, std::vector<Origin>> operands_;  ///< operands of flows, by tag
};

/// The shortest time in the network, by what packets have in common.
class UnloadedTimes {
 public:
  UnloadedTimes(const RunLog& log, const Origins& origins) {
    for (std::size_t n = 0; n < log.nodes(); ++n) {
      for (const PacketRecord& packet : log.node(NodeId{static_cast<std::uint32_t>(n)}).packets) {
        const Cycle time = packet.received - origins.of(packet).entered;
        const auto [found, fresh] = shortest_.emplace(key(packet), time);
        if (!fresh) found->second = std::min(found->second, time);
      }
    }
  }
  Cycle of(const PacketRecord& packet) const { return shortest_.at(key(packet)); }

 private:
  using Key = std::tuple<std::uint16_t, std::uint32_t, bool>;
  static Key key(const PacketRecord& packet) { return {packet.hops, packet.flits, packet.flow}; }
  std::map<Key, Cycle> shortest_;
};

/// Cycles of [from, to) in which the node had no credit for what it wanted to send.
Cycle without_credit(const NodeLog& log, Cycle from, Cycle to) {
  Cycle sum = 0;
  auto gap = std::lower_bound(log.gaps.begin(), log.gaps.end(), from,
                              [](const CreditGap& each, Cycle at) { return each.to <= at; });
  for (; gap != log.gaps.end() && gap->from < to; ++gap) sum += std::min(gap->to, to) - std::max(gap->from, from);
  return sum;
}

class PathWalk {
 public:
  PathWalk(const RunLog& log, const LogNames& names)
      : log_(log), names_(names), origins_(log), unloaded_(log, origins_) {}

  CriticalPath from(NodeId last) {
    path_.last = last;
    path_.cycles = log_.node(last).finished;
    at_ = path_.cycles;
    node_ = last;
    cause_ = log_.node(last).finished_in;
    arrive_at_cause();
    while (cause_.kind() != Cause::Kind::kStart) step_back();
    WEFT_CHECK(at_ == 0, "the critical path does not begin with the run");
    std::reverse(path_.steps.begin(), path_.steps.end());
    Cycle sum = 0;
    for (const PathStep& step : path_.steps) {
      path_.of_kind[static_cast<std::size_t>(step.kind)] += step.to - step.from;
      sum += step.to - step.from;
    }
    WEFT_CHECK(sum == path_.cycles, fmt::format("the critical path has {} cycles, the run {}", sum, path_.cycles));
    return std::move(path_);
  }

 private:
  const NodeLog& here() const { return log_.node(node_); }

  Cycle time_of(Cause cause) const {
    switch (cause.kind()) {
      case Cause::Kind::kStart:
        return 0;
      case Cause::Kind::kTimer:
        return here().timers.at(cause.number()).fired;
      case Cause::Kind::kPacket:
        return here().packets.at(cause.number()).received;
      case Cause::Kind::kLeft:
        return here().left.at(cause.number()).at;
    }
    return 0;
  }

  /// Adds what happened from `from` on to where the path has come to.
  void add(Cycle from, PathKind kind, NodeId towards = kNoPeer, std::uint64_t tag = 0, std::string what = "") {
    WEFT_CHECK(from <= at_, "an effect on the critical path is earlier than its cause");
    if (from == at_) return;
    path_.steps.push_back({from, at_, kind, node_, towards, tag, std::move(what)});
    at_ = from;
  }

  /// Something may have been begun later than in the event that led to it, when somebody outside was asked.
  void arrive_at_cause() { add(time_of(cause_), PathKind::kMemory); }

  void step_back() {
    switch (cause_.kind()) {
      case Cause::Kind::kTimer: {
        const TimerRecord& timer = here().timers.at(cause_.number());
        const PathKind kind = names_.timer(timer.cookie);
        const bool computes = kind == PathKind::kCompute || kind == PathKind::kHost || kind == PathKind::kMemory;
        add(timer.set, kind, kNoPeer, 0, computes ? name_at(timer.set, timer.fired) : "");
        cause_ = timer.cause;
        break;
      }
      case Cause::Kind::kLeft: {
        const MessageRecord& message = here().messages.at(here().left.at(cause_.number()).message);
        wait_at_interface(message, message.note.bytes, message.note.dst);
        break;
      }
      case Cause::Kind::kPacket: {
        const PacketRecord& packet = here().packets.at(cause_.number());
        const NodeId receiver = node_;
        const Origin origin = origins_.of(packet);
        const Cycle link = std::min(unloaded_.of(packet), at_ - origin.entered);
        node_ = origin.node;
        add(at_ - link, PathKind::kLink, receiver, packet.tag);
        add(origin.entered, PathKind::kSwitch, receiver, packet.tag);
        wait_at_interface(*origin.message, packet.offset + packet.bytes, receiver);
        break;
      }
      case Cause::Kind::kStart:
        return;
    }
    arrive_at_cause();
  }

  /// From the release of the bytes before `end` to where the path has come to.
  void wait_at_interface(const MessageRecord& message, std::uint64_t end, NodeId towards) {
    const ReleaseRecord& release = release_of(message, end);
    const Cycle credit = without_credit(here(), release.at, at_);
    add(at_ - credit, PathKind::kCredit, towards, message.note.tag);
    add(release.at, PathKind::kInjection, towards, message.note.tag);
    cause_ = release.cause;
  }

  /// Name of what this node did on one of its units and has ended in cycle `end`.
  std::string name_at(Cycle start, Cycle end) const {
    const auto& all = here().activities;
    auto found = std::lower_bound(all.begin(), all.end(), end,
                                  [](const Activity& activity, Cycle at) { return activity.end < at; });
    for (; found != all.end() && found->end == end; ++found) {
      if (found->start <= start && found->kind <= ActivityKind::kStore) return found->name;
    }
    return "";
  }

  const RunLog& log_;
  const LogNames& names_;
  Origins origins_;
  UnloadedTimes unloaded_;
  CriticalPath path_;
  Cycle at_ = 0;
  NodeId node_{};
  Cause cause_;
};

}  // namespace

const char* path_kind_name(PathKind kind) {
  constexpr const char* kNames[kPathKinds] = {"compute", "host", "memory", "endpoint", "injection",
                                              "credit",  "link", "switch", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

CriticalPath critical_path(const RunLog& log, const LogNames& names) {
  std::optional<NodeId> last;
  for (std::size_t n = 0; n < log.nodes(); ++n) {
    const NodeId node{static_cast<std::uint32_t>(n)};
    if (log.node(node).finished == kNever) continue;
    if (!last || log.node(node).finished > log.node(*last).finished) last = node;
  }
  if (!last) return {};
  return PathWalk(log, names).from(*last);
}

}  // namespace weft::log
