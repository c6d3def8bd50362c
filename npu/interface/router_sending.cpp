// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/router_sending.h"

#include <algorithm>

#include "base/colour_plan.h"
#include "base/error.h"

namespace weft::npu {

RouterSending::RouterSending(const Config& config, const std::vector<NodeId>& nodes)
    : SendingSide(config, nodes, 1,
                  static_cast<std::size_t>(config.npu.injectors > 0 ? config.npu.injectors : config.fabric.router.vcs)),
      ports_(config.fabric, config.npu.message_classes, static_cast<std::uint32_t>(nodes.size()),
             config.npu.injection_vcs),
      oldest_first_(config.npu.message_order == MessageOrder::kOldestFirst),
      coloured_(config.fabric.router.colours > 0 ? nodes.size() : 0) {}

bool RouterSending::keeps(std::uint32_t node, std::uint32_t slot) {
  Outgoing& outgoing = senders_[node].messages[slot];
  WEFT_CHECK(outgoing.message.switch_flow == kNoFlow, "a flow of FRED switches is sent into a fabric without them");
  if (outgoing.message.colour < 0) return false;
  outgoing.ticket = senders_[node].tickets++;
  coloured_[node].push_back(slot);
  return true;
}

bool RouterSending::inject_from(std::uint32_t node, Cycle now) {
  start_packets(node);
  while (ports_.link_open(node, now)) {
    Injector* injector = choose_injector(node);
    if (injector == nullptr) return false;  // a credit, a release or a new message wakes it up
    if (injector->flits_left == injector->flits) enter(node, *injector, now);
    // Only a tail leaves room for another packet: it gives back its injector and its VC, and may end its message.
    const bool tail = injector->flits_left == 1;
    put_on_link(ports_, node, *injector, now);
    if (tail) start_packets(node);
  }
  return true;
}

// The injector that is next among those with a flit and a credit for it; null if there is none.
Injector* RouterSending::choose_injector(std::uint32_t node) {
  Sender& sender = senders_[node];
  if (sender.entering == 0) return nullptr;
  const auto injectors = static_cast<std::uint32_t>(sender.injectors.size());
  std::uint32_t next = sender.next_injector;
  for (std::uint32_t tried = 0; tried < injectors; ++tried) {
    Injector& injector = sender.injectors[next];
    next = next + 1 == injectors ? 0 : next + 1;
    if (injector.flits_left == 0 || !ports_.has_credit(node, VcId(injector.vc))) continue;
    sender.next_injector = next;
    return &injector;
  }
  return nullptr;
}

void RouterSending::start_packets(std::uint32_t node) {
  const Sender& sender = senders_[node];
  while (sender.entering < sender.injectors.size() && start_next(node)) {
  }
}

// Starts a packet of the message that is next; false if none can form one that finds a VC. Messages whose class has
// no VC left are passed over, so that they cannot hold up another class.
bool RouterSending::start_next(std::uint32_t node) {
  Sender& sender = senders_[node];
  std::size_t queue = ReadyMessages::kNone;
  if (!sender.ready.empty()) {
    queue = sender.ready.choose(
        [&](std::uint64_t vcs) { return ports_.can_take_vc(node, static_cast<std::uint32_t>(vcs)); });
  }
  if (!coloured_.empty() && !coloured_[node].empty()) {
    const int coloured = choose_coloured(node, queue);
    if (coloured >= 0) {
      start_coloured(node, coloured);
      return true;
    }
  }
  if (queue == ReadyMessages::kNone) return false;
  const std::uint32_t slot = sender.ready.slot(queue);
  const int vc = ports_.take_vc(node, vcs_for(sender, sender.messages[slot].message));
  form_packet(node, slot, free_injector(sender), VcId(static_cast<std::uint8_t>(vc)));
  line_up_again(node, queue);
  return true;
}

void RouterSending::start_coloured(std::uint32_t node, int position) {
  Sender& sender = senders_[node];
  std::vector<std::uint32_t>& line = coloured_[node];
  const std::uint32_t slot = line[static_cast<std::size_t>(position)];
  Outgoing& outgoing = sender.messages[slot];
  form_packet(node, slot, free_injector(sender),
              ports_.take_colour(node, static_cast<unsigned>(outgoing.message.colour)));
  outgoing.ticket = sender.tickets++;
  if (line.size() == 1 && !outgoing.all_formed) return;  // it is behind all others already
  line.erase(line.begin() + position);
  if (!outgoing.all_formed) line.push_back(slot);
}

// Position in `coloured_` of the message that goes next; -1 if none can go, or the first one of the queue `ready`, if
// that is one, goes before it. They lined up in the order of their tickets.
int RouterSending::choose_coloured(std::uint32_t node, std::size_t ready) const {
  const Sender& sender = senders_[node];
  const std::vector<std::uint32_t>& line = coloured_[node];
  if (line.size() == 1) {  // as usual: nobody to compare it with
    const Outgoing& only = sender.messages[line.front()];
    if (!can_form(only) || !ports_.can_take_colour(node, static_cast<unsigned>(only.message.colour))) return -1;
    if (ready == ReadyMessages::kNone) return 0;
    return sender.ready.precedence(ready) < Precedence{rank_of(only.message), only.ticket} ? -1 : 0;
  }
  Precedence first;
  int found = -1;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Outgoing& outgoing = sender.messages[line[i]];
    if (!can_form(outgoing) || !may_go(node, outgoing)) continue;
    const std::uint64_t rank = rank_of(outgoing.message);
    if (found >= 0 && rank >= first.rank) continue;
    first = {rank, outgoing.ticket};
    found = static_cast<int>(i);
  }
  const bool later = found >= 0 && ready != ReadyMessages::kNone && sender.ready.precedence(ready) < first;
  return later ? -1 : found;
}

// Routes count messages: those of one colour go whole, one after the other.
bool RouterSending::may_go(std::uint32_t node, const Outgoing& outgoing) const {
  const MessageFields& message = outgoing.message;
  if (!ports_.can_take_colour(node, static_cast<unsigned>(message.colour))) return false;
  const std::vector<std::uint32_t>& line = coloured_[node];
  return std::none_of(line.begin(), line.end(), [&](std::uint32_t slot) {
    const Outgoing& other = senders_[node].messages[slot];
    return other.message.colour == message.colour && other.sequence < outgoing.sequence;
  });
}

bool RouterSending::something_waits(std::uint32_t node) const {
  if (SendingSide::something_waits(node)) return true;
  if (coloured_.empty()) return false;
  const std::vector<std::uint32_t>& line = coloured_[node];
  return std::any_of(line.begin(), line.end(),
                     [&](std::uint32_t slot) { return can_form(senders_[node].messages[slot]); });
}

// Nothing went although the link was free. What has its VC, or goes before it, holds up what does not lack a credit.
StallReason RouterSending::why_nothing_goes(std::uint32_t node) const {
  const Sender& sender = senders_[node];
  if (sender.entering > 0) return StallReason::kNoCredit;
  if (!something_waits(node)) return StallReason::kNone;
  bool lacks_credit = sender.ready.any([&](std::uint64_t vcs) {
    return ports_.why_no_vc(node, static_cast<std::uint32_t>(vcs)) == StallReason::kNoCredit;
  });
  if (!coloured_.empty()) {
    const std::vector<std::uint32_t>& line = coloured_[node];
    lacks_credit |= std::any_of(line.begin(), line.end(), [&](std::uint32_t slot) {
      const Outgoing& outgoing = sender.messages[slot];
      return can_form(outgoing) &&
             !ports_.has_credit(node, colour_vc(static_cast<std::uint8_t>(outgoing.message.colour)));
    });
  }
  return lacks_credit ? StallReason::kNoCredit : StallReason::kLostArbitration;
}

}  // namespace weft::npu
