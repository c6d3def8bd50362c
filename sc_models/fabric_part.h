// SPDX-License-Identifier: Apache-2.0
// A part of a fabric with its network interfaces, as one thread steps it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/packet.h"
#include "base/probe_queue.h"
#include "base/region_ports.h"
#include "base/state_form.h"
#include "npu/interface/local_block.h"
#include "sc_models/mailbox.h"

namespace weft::sc_models {

/// Routers or switches, which a derived class holds, and the network interfaces at them. What crosses to other parts
/// lies in mailboxes: written in one step, read by the receiver in the next. All parts of a fabric are stepped in the
/// same cycles, in any order or at the same time; whatever crosses takes at least one cycle.
class FabricPart : protected BorderSide {
 public:
  /// `data_bytes`: bytes of a flit, where flits carry data to other parts.
  explicit FabricPart(std::size_t data_bytes = 0) : data_bytes_(data_bytes) {}
  FabricPart(const FabricPart&) = delete;
  FabricPart& operator=(const FabricPart&) = delete;
  ~FabricPart() override = default;

  /// Joins the network interfaces. `queued`: calls of the probe wait until `drain_probe`, because a worker thread steps
  /// this part.
  void connect(npu::LocalBlock& local, FabricProbe* probe, bool queued);
  /// Who is to be told what happens here; null if nobody listens.
  FabricProbe* probe() { return queued_ ? &probe_queue_ : probe_; }
  /// Makes the calls that wait.
  void drain_probe();

  void step(Cycle now);
  Cycle next_work(Cycle now) const;

  /// Gives `form` its state, or refuses with a reason.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

  // For a part that rests while others go on (resting_parts.h). `box` counts the parts beside it.
  std::size_t boxes() const { return neighbours_.size(); }
  const FabricPart& beside(std::size_t box) const { return *neighbours_[box].part; }
  /// The number that a part beside it has for the box to this one.
  std::size_t box_beyond(std::size_t box) const { return neighbours_[box].box; }
  /// What it has sent to a part beside it in the last step.
  const Mailbox& sent(std::size_t box) const { return mail_[parity_ ^ 1][box]; }
  /// What a part beside it has sent to it in its last step; all parts have been stepped equally often.
  const Mailbox& to_come(std::size_t box) const { return neighbours_[box].part->sent(neighbours_[box].box); }
  /// Takes what it would have sent in the last step.
  Mailbox& resend(std::size_t box) { return mail_[parity_ ^ 1][box]; }
  /// Instead of a step: what it sends comes from elsewhere. Its boxes are empty behind it.
  void pass_step();
  /// Executes cycle `now` once more, by itself: this is what was sent to it in the cycle before, by box. What it sends
  /// is in `sent_alone`, and nobody reads it.
  void step_alone(Cycle now, const std::vector<Mailbox>& mail);
  const Mailbox& sent_alone(std::size_t box) const { return mail_[parity_][box]; }
  /// Gives `form` its state without its mail.
  void put_own_state(StateForm& form);

  const PacketPool& pool() const { return pool_; }
  /// Flits in its mailboxes that the receivers have not read.
  std::uint64_t flits_in_mail() const;

 protected:
  /// Gives two parts a mailbox in each direction. Each names the other by the number of its box.
  struct Boxes {
    std::size_t of_a;
    std::size_t of_b;
  };
  static Boxes join(FabricPart& a, FabricPart& b);

  void mail_flit(std::size_t box, std::uint32_t port, const FlitTransfer& flit, Cycle at) {
    mail_[parity_][box].add_flit(port, flit, at, data_bytes_);
  }
  void mail_credit(std::size_t box, std::uint32_t port, VcId vc, Cycle at) {
    mail_[parity_][box].add_credit(port, vc, at);
  }

 private:
  // What is derived does with its routers or switches. `now` of what comes is the last cycle that was executed.
  virtual void connect_fabric(npu::LocalBlock& local, PacketPool& pool, FabricProbe* probe) = 0;
  virtual void receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) = 0;
  virtual void receive_credit(std::uint32_t port, VcId vc, Cycle now, Cycle at) = 0;
  virtual void step_fabric(Cycle now) = 0;
  virtual Cycle next_fabric_work(Cycle now) const = 0;
  virtual void put_fabric_state(StateForm& form) = 0;
  virtual void keep_fabric(Checkpoint& checkpoint) = 0;

  void read(const Mailbox& mail, Cycle now);

  /// Another part, and its box for this one.
  struct Neighbour {
    const FabricPart* part;
    std::size_t box;
  };

  std::size_t data_bytes_;
  PacketPool pool_;
  npu::LocalBlock* local_ = nullptr;
  std::vector<Neighbour> neighbours_;  ///< by box
  std::vector<Mailbox> mail_[2];       ///< [parity of the step][box]
  unsigned parity_ = 0;
  FabricProbe* probe_ = nullptr;
  bool queued_ = false;
  ProbeQueue probe_queue_;
};

}  // namespace weft::sc_models
