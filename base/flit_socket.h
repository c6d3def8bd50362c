// SPDX-License-Identifier: Apache-2.0
// Sockets of fabric links: non-blocking TLM-2.0 transport with a protocol of their own, so that a wrong binding does
// not compile. Forward: flits. Backward: small tagged messages, today credits.
#pragma once

#include <tlm>

#include "base/region_ports.h"

namespace weft {

/// The only phase of the forward path: the flit arrives after the annotated delay.
enum class FlitPhase { kFlit };
/// What a backward message says.
enum class LinkMessageKind {
  kCredit,  ///< one slot of the buffer of `vc` is free again
};
struct LinkMessage {
  LinkMessageKind kind = LinkMessageKind::kCredit;
  VcId vc{};
};
/// The only phase of the backward path: the message arrives after the annotated delay.
enum class LinkMessagePhase { kMessage };

/// Names the protocol to the TLM-2.0 sockets, which compare it when they are bound.
struct FlitProtocol {
  using tlm_payload_type = FlitTransfer;
  using tlm_phase_type = FlitPhase;
};
class FlitForwardIf : public virtual tlm::tlm_fw_nonblocking_transport_if<FlitTransfer, FlitPhase> {
 public:
  using protocol_types = FlitProtocol;
};
class FlitBackwardIf : public virtual tlm::tlm_bw_nonblocking_transport_if<LinkMessage, LinkMessagePhase> {
 public:
  using protocol_types = FlitProtocol;
};

/// Sending end of a link. The bus width has no meaning here and keeps the library's default.
using FlitInitiatorSocket = tlm::tlm_base_initiator_socket<32, FlitForwardIf, FlitBackwardIf>;
/// Receiving end of a link.
using FlitTargetSocket = tlm::tlm_base_target_socket<32, FlitForwardIf, FlitBackwardIf>;

/// Who owns socket ends: receives what comes in through the one numbered `port`, `delay` from now.
class LinkOwner {
 public:
  virtual ~LinkOwner() = default;
  virtual void flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) = 0;
  virtual void credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) = 0;
};

/// Both directions of a link at one block, numbered `port` by the block: an initiator socket for what it sends and a
/// target socket for what it receives.
class LinkEnd : public FlitForwardIf, public FlitBackwardIf {
 public:
  LinkEnd(const std::string& name, LinkOwner& owner, std::uint32_t port)
      : out((name + "_out").c_str()), in((name + "_in").c_str()), owner_(owner), port_(port) {
    out.bind(static_cast<FlitBackwardIf&>(*this));
    in.bind(static_cast<FlitForwardIf&>(*this));
  }

  /// Joins both directions with the other block's end.
  void bind(LinkEnd& other) {
    out.bind(other.in);
    other.out.bind(in);
  }

  void send_flit(const FlitTransfer& flit, sc_core::sc_time delay) {
    FlitTransfer transfer = flit;
    FlitPhase phase = FlitPhase::kFlit;
    out->nb_transport_fw(transfer, phase, delay);
  }
  void send_credit(VcId vc, sc_core::sc_time delay) {
    LinkMessage message{LinkMessageKind::kCredit, vc};
    LinkMessagePhase phase = LinkMessagePhase::kMessage;
    in->nb_transport_bw(message, phase, delay);
  }

  FlitInitiatorSocket out;
  FlitTargetSocket in;

 private:
  tlm::tlm_sync_enum nb_transport_fw(FlitTransfer& flit, FlitPhase&, sc_core::sc_time& delay) override {
    owner_.flit_received(port_, flit, delay);
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, LinkMessagePhase&, sc_core::sc_time& delay) override {
    owner_.credit_received(port_, message.vc, delay);
    return tlm::TLM_COMPLETED;
  }

  LinkOwner& owner_;
  std::uint32_t port_;
};

}  // namespace weft
