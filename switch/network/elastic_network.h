// SPDX-License-Identifier: Apache-2.0
// The configured interconnect in time: elastic stages with valid and ready.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/types.h"
#include "switch/network/stage_program.h"
#include "switch/network/switch_spec.h"
#include "switch/network/word_pool.h"

namespace weft::fred {

/// What a wire carries in one cycle: a whole flit, or a part of it where lanes are few.
struct Beat {
  std::uint32_t data = WordPool::kNone;  ///< slot of the pool
  std::uint32_t packet = 0;              ///< name given by the sender; of a sum that of its first operand
  std::uint16_t packet_flits = 1;
  bool head = false;      ///< first beat of a packet
  bool tail = false;      ///< last beat of a packet
  bool flit_end = false;  ///< last beat of a flit
};

/// All uSwitches of a switch. A uSwitch that adds waits for both operands (join); one that copies lets each output take
/// its copy as soon as it can (eager fork, one done bit per output) and takes the next beat when all have. Each result
/// passes `reduce_cycles` places if it is a sum, else one. In a cycle every valid is a register's content; readiness
/// is settled from the output ports backwards, consumers before producers, and depends on valid, never the reverse.
class ElasticNetwork {
 public:
  ElasticNetwork(const Interconnect& net, const SwitchSpec& spec, WordPool& pool);

  /// Sets the uSwitches; nothing may be inside. The program must outlive its use.
  void load(const StageProgram* program);

  // For each cycle, by port: what the inputs offer and the outputs can take, then step(), then what happened.
  struct Input {
    bool valid = false;
    Beat beat;
    bool taken = false;
  };
  struct Output {
    bool ready = false;
    bool valid = false;  ///< a beat was delivered; its slot now belongs to the receiver
    Beat beat;
  };
  Input& input(std::uint32_t port) { return inputs_[port]; }
  Output& output(std::uint32_t port) { return outputs_[port]; }
  void step();

  bool empty() const { return inside_ == 0; }
  std::uint64_t moves() const { return moves_; }            ///< beats that entered a uSwitch's output place
  std::uint64_t reductions() const { return reductions_; }  ///< pairs of beats added

 private:
  /// Places of one output pin, those of a pipelined sum one behind the other.
  struct Place {
    Beat beats[2];
    std::uint8_t count = 0;
  };
  struct Fork {
    bool done[2] = {false, false};
    Beat result;  ///< kept while one output has not taken it yet
    bool made = false;
  };

  void run(const StageOp& op, Fork& fork);
  bool advance(std::uint32_t channel, std::uint32_t depth);
  bool valid(std::uint32_t channel) const {
    return channel < inputs_.size() ? inputs_[channel].valid : last(channel).count > 0;
  }
  const Beat& front(std::uint32_t channel) const {
    return channel < inputs_.size() ? inputs_[channel].beat : last(channel).beats[0];
  }
  /// The last place is the output, whatever the depth.
  const Place& last(std::uint32_t channel) const { return places_[(channel + 1) * most_ - 1]; }
  Beat join(const StageOp& op);
  void drain(std::uint32_t channel);

  SwitchSpec spec_;
  WordPool& pool_;
  std::uint32_t most_;  ///< places per channel
  const StageProgram* program_ = nullptr;
  std::vector<Place> places_;
  std::vector<std::uint8_t> drained_;  ///< by channel: its front leaves in this cycle
  std::vector<Fork> forks_;            ///< by operation
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::uint64_t inside_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t reductions_ = 0;
};

}  // namespace weft::fred
