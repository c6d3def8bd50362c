// SPDX-License-Identifier: Apache-2.0
// State of one router, laid out so that a hop touches few cache lines. Regions hold an array of these.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/credit_count.h"
#include "base/flit_ring.h"
#include "base/inline_vector.h"
#include "base/link_quantities.h"
#include "base/packet.h"
#include "router/alloc/round_robin.h"
#include "router/grid_names.h"

namespace weft::router {

/// No VC holds it, or it holds none.
inline constexpr std::uint8_t kNoVc = 0xff;
/// An output VC whose tail is sent but whose credits are not all back (vc_reuse: tail_credit).
inline constexpr std::uint8_t kDrainingVc = 0xfe;
/// InputVc::output: its packet goes to several outputs, see Fork.
inline constexpr std::uint8_t kForked = 0xfd;
/// RouterState::neighbour: there is no link.
inline constexpr std::uint32_t kNoRouter = 0xffffffff;
/// RouterState::neighbour: the link crosses the border of the region.
inline constexpr std::uint32_t kBorder = 0xfffffffe;

/// Input VC: a ring of flits in the region's flit array, and where its packet goes.
struct InputVc : FlitRing<std::uint16_t> {
  std::uint8_t output = kNoVc;  ///< output VC that its packet holds, as port * Cap + vc
  std::uint8_t port = 0;        ///< output port that its packet goes to, while it waits for a VC
  std::uint8_t vc_class = 0;    ///< VC set that its packet may use there
  bool delayed = false;         ///< its output VC is granted but takes effect later (vc_alloc_delay > 1)
};

/// Output VC: credits for the buffer behind the link, and who uses it.
struct OutputVc {
  CreditCount<std::uint16_t> credits;
  std::uint8_t owner = kNoVc;  ///< input VC, as port * Cap + vc
};

/// A packet that is copied at this router. All of it fits into its input VC; each copy goes on by itself, and a flit
/// leaves the buffer when all copies of it have left.
struct Fork {
  /// One of its copies. It has no default values, so that short lists of copies need no memory of their own.
  struct Branch {
    Cycle from;          ///< first cycle in which it may use its VC
    PacketIndex packet;  ///< descriptor of this copy
    std::uint32_t sent;  ///< flits
    std::uint8_t port;
    std::uint8_t vc;  ///< output VC that it holds, as port * Cap + vc
    bool blocked;     ///< statistics: it waits for a credit
  };
  std::uint8_t input = 0;      ///< input VC, as port * Cap + vc
  std::uint8_t sending = 0;    ///< outputs by which copies have sent in the present visit, or in the last one
  PacketIndex packet = 0;      ///< what the flits in the buffer belong to
  std::uint32_t flits = 0;     ///< flits of the packet
  std::uint32_t released = 0;  ///< flits that have left the buffer
  InlineVector<Branch, kMeshPorts> branches;

  /// The flits of the packet that have come, where its input VC holds `held` flits: copies cannot have sent more.
  std::uint32_t arrived(std::uint32_t held) const { return std::min(flits, released + held); }
};

/// The packets that are being copied at one router, sorted by input VC.
struct Forks {
  std::vector<Fork> list;
  std::uint8_t next = 0;  ///< the first of them at or after this input VC is served first
  std::uint8_t lost = 0;  ///< statistics: outputs that a copy has waited for in the last visit, other than for credits
};

/// Round-robin pointers of switch allocation.
struct SwitchPointers {
  std::uint8_t vc[kMeshPorts] = {};      ///< per input: over its VCs
  std::uint8_t input[kMeshPorts] = {};   ///< per input: over outputs
  std::uint8_t output[kMeshPorts] = {};  ///< per output: over inputs
};

/// One router with room for `Cap` VCs per port. VC v of port p has bit p * Cap + v in every mask; VCs that the
/// configuration does not have are never set, so that they do not change any round-robin order.
template <int Cap>
struct alignas(64) RouterState {
  static constexpr int kVcs = kMeshPorts * Cap;
  using Mask =
      std::conditional_t<(kVcs <= 32), std::uint32_t, std::conditional_t<(kVcs <= 64), std::uint64_t, Uint128>>;

  Mask va_wait = 0;   ///< input VCs whose head waits for an output VC
  Mask sa_ready = 0;  ///< input VCs with an output VC, a flit and a credit
  std::uint32_t neighbour[4] = {kNoRouter, kNoRouter, kNoRouter, kNoRouter};
  std::uint32_t free_vcs[kMeshPorts] = {};  ///< per output port: VCs that can be given to a packet
  std::uint16_t x = 0;                      ///< coordinates in the grid
  std::uint16_t y = 0;
  bool queued = false;          ///< is on the list of routers to visit
  bool vc_freed = false;        ///< an output VC became free since the last VC allocation
  std::uint8_t slot_waits = 0;  ///< output ports for which a wake-up at the link's next slot is on its way
  std::uint8_t lost = 0;        ///< statistics: output ports whose VCs lost arbitration in the last visit
  SwitchPointers pointers;
  SwitchPointers speculative;
  std::uint8_t va_input[kVcs] = {};   ///< VC allocation: per input VC, over output VCs
  std::uint8_t va_output[kVcs] = {};  ///< VC allocation: per output VC, over input VCs
  InputVc in[kVcs];
  OutputVc out[kVcs];
};

/// What waits for an output besides VCs without a credit, as bits.
enum PortWaits : std::uint8_t {
  kVcsLost = 1,         ///< flits in VCs that lost arbitration
  kColoursLost = 2,     ///< flits on set-up routes that lost arbitration
  kColoursMerging = 4,  ///< a merge that lacks an operand
  kColoursHeld = 8      ///< flits on set-up routes for which an output has no credit, perhaps another one
};
inline constexpr std::uint8_t kColourWaits = kColoursLost | kColoursMerging | kColoursHeld;

/// Statistics of one output port. They never influence behaviour.
struct PortStatistics {
  std::uint64_t flits = 0;
  std::uint64_t stall_cycles = 0;  ///< cycles in which a flit waited for a credit of this link and none was sent
  Cycle counted_to = 0;            ///< up to this cycle its waits are in stall_cycles or in WaitCycles
  std::uint16_t blocked_vcs = 0;   ///< input VCs that wait for a credit of this link now
  std::uint8_t waits = 0;          ///< PortWaits at the end of the last cycle

  /// Gives `form` its state.
  template <typename Form>
  void put_state(Form& form) {
    form.same(std::uint64_t{blocked_vcs} << 8 | waits);
    form.grows(flits);
    form.grows(stall_cycles);
    form.past(counted_to);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(flits, stall_cycles, counted_to, blocked_vcs, waits);
  }
};

/// Cycles of an output port in which nothing was sent and nothing waited for a credit, but something for this.
struct WaitCycles {
  std::uint64_t lost_arbitration = 0;
  std::uint64_t waiting_operand = 0;

  /// Gives `form` its state.
  template <typename Form>
  void put_state(Form& form) {
    form.grows(lost_arbitration);
    form.grows(waiting_operand);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(lost_arbitration, waiting_operand);
  }
};

/// Packets whose routes chance has chosen.
class ChoiceCount {
 public:
  void add(bool chosen) { made_ += chosen ? 1 : 0; }
  /// No choice may lie between looks: a state that comes again would choose otherwise, and rates that were measured
  /// would be those of other routes. Says so where one lies between this pass and the one before.
  template <typename Form>
  void put_state(Form& form) {
    form.same(made_);
    if (made_ == seen_) return;
    seen_ = made_;
    form.refuse("packets choose their routes by chance");
  }

 private:
  std::uint64_t made_ = 0;
  std::uint64_t seen_ = 0;  ///< in the last pass, which may have been another one than the last look
};

/// Counts for one output port. What waits is known from when it begins and ends.
class PortMeter {
 public:
  PortMeter(PortStatistics& port, WaitCycles& waits) : port_(port), waits_(waits) {}

  /// A flit goes on the link. That others wait is no stall in this cycle.
  void count_send(Cycle now) {
    ++port_.flits;
    if (port_.blocked_vcs != 0 || port_.waits != 0) count_to(now);
    port_.counted_to = now + 1;
  }
  /// A VC waits for a credit from cycle `from` on.
  void block(Cycle from) {
    if (port_.blocked_vcs == 0) count_to(from);
    ++port_.blocked_vcs;
  }
  /// It has one in cycle `now`.
  void unblock(Cycle now) {
    if (port_.blocked_vcs == 1) count_to(now);
    --port_.blocked_vcs;
  }
  /// From cycle `now` on only `waits` hold of `which`; both are sets of PortWaits.
  void set_waits(Cycle now, std::uint8_t which, std::uint8_t waits) {
    const auto next = static_cast<std::uint8_t>((port_.waits & ~which) | waits);
    if (next == port_.waits) return;
    count_to(now);
    port_.waits = next;
  }
  void count_to(Cycle end) {
    if (port_.counted_to >= end) return;
    const Cycle cycles = end - port_.counted_to;
    port_.counted_to = end;
    if (port_.blocked_vcs != 0 || (port_.waits & kColoursHeld) != 0) {
      port_.stall_cycles += cycles;
    } else if ((port_.waits & (kVcsLost | kColoursLost)) != 0) {
      waits_.lost_arbitration += cycles;
    } else if (port_.waits != 0) {
      waits_.waiting_operand += cycles;
    }
  }

 private:
  PortStatistics& port_;
  WaitCycles& waits_;
};

/// What PortMeter has counted, as the quantities of a link.
inline LinkValues link_values(const PortStatistics& port, const WaitCycles& waits) {
  return stall_values(port.stall_cycles, waits.lost_arbitration, waits.waiting_operand);
}

}  // namespace weft::router
