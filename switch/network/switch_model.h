// SPDX-License-Identifier: Apache-2.0
// A FRED switch as the fabric sees it: what every model of one has to do, and who makes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checkpoint.h"
#include "base/flit_train.h"
#include "base/probe.h"
#include "base/state_form.h"
#include "base/types.h"
#include "switch/network/beat.h"
#include "switch/network/setting_store.h"
#include "switch/network/switch_spec.h"
#include "switch/network/wire_watch.h"

namespace weft::fred {

/// A flit that left the switch in the last step.
struct SentFlit {
  PortId port{};
  PortFlit flit;                       ///< `packet` is the name that the flow's first input gave
  const std::uint8_t* data = nullptr;  ///< flit_bytes, valid until the next step; nullptr without values
};

/// A slot of an input buffer that the last step freed.
struct FreedSlot {
  PortId port{};
  std::uint8_t traffic_class = 0;
};

/// A packet that started in the last step, at one of its outputs.
struct SentTrain {
  PortId port{};
  PortFlit head;
  FlitTrain departures;     ///< when its flits are put on the link
  std::uint64_t phase = 0;  ///< where in a cycle the link becomes free behind it, see PacketRate
};

/// Slots of an input buffer that a packet that started in the last step frees.
struct FreedTrain {
  PortId port{};
  std::uint8_t traffic_class = 0;
  FlitTrain slots;  ///< the cycles in which they become free
};

/// A switch in which packets that have started never stop: it takes and gives packets as trains of flits. step(),
/// next_work() and absorbed() are those of the switch.
class TrainSwitch {
 public:
  virtual ~TrainSwitch() = default;
  /// From now on receive, credit and sent are those below. Before the first step.
  virtual void use_trains() = 0;
  /// The head of a packet arrives in the next step, and its flits in the cycles `arrivals`.
  virtual void receive(PortId port, const PortFlit& head, const FlitTrain& arrivals) = 0;
  /// Slots of the buffer of `traffic_class` behind an output port become free, as the switch sees it in the cycles
  /// `arrivals`, none of which has been stepped.
  virtual void credits(PortId port, std::uint8_t traffic_class, const FlitTrain& arrivals) = 0;
  /// Counts what passes up to and with cycle `end`, the last one that has been executed.
  virtual void settle(Cycle end) = 0;
  /// Flits of packets whose heads have arrived that have not been put on links up to cycle `now`, which is settled.
  virtual std::uint64_t flits_inside(Cycle now) const = 0;
  /// As next_work after the last step, with what has come since.
  virtual Cycle next_step() const = 0;
  /// When an output may have got the credits that something waits for, at the earliest; kNever = that is not known.
  virtual Cycle next_credit() const = 0;
  virtual const std::vector<SentTrain>& sent_trains() const = 0;
  virtual const std::vector<FreedTrain>& freed_trains() const = 0;
  /// Gives `form` its state, and lets `packet(name)` give it each packet that has not started and return what the heads
  /// of the operands of one reduction have in common (PortFlit::match). What passes up to and
  /// with cycle `form.now()` is settled.
  using PutPacket = std::function<std::uint64_t(std::uint32_t packet)>;
  virtual void put_state(StateForm& form, const PutPacket& packet) = 0;
};

/// What happened in a switch, over all steps.
struct SwitchCounters {
  std::uint64_t packets = 0;           ///< started, one per flow
  std::uint64_t reconfigurations = 0;  ///< changes of the active setting
  std::uint64_t preemptions = 0;       ///< changes for a higher phase, while the active one could go on
  std::uint64_t yields = 0;            ///< changes to a lower phase, because the higher one cannot advance
  std::uint64_t reloads = 0;           ///< changes to a setting that was not in the memory
  bool knows_reasons = true;           ///< otherwise pre-emptions and yields have not been counted
};

/// One switch, stepped. All models of a switch agree in every cycle on what they send and which slots they free.
class SwitchModel {
 public:
  SwitchModel() = default;
  SwitchModel(const SwitchModel&) = delete;
  SwitchModel& operator=(const SwitchModel&) = delete;
  virtual ~SwitchModel() = default;

  /// As `fabric.model` calls it.
  virtual std::string_view model() const = 0;
  virtual const SwitchSpec& spec() const = 0;
  virtual const Interconnect& interconnect() const = 0;
  /// A setting must be stored before its first flit comes.
  virtual SettingStore& settings() = 0;
  virtual const SettingStore& settings() const = 0;

  /// A flit arrives at an input port. `data` = flit_bytes of an operand with values, else nullptr. Upstream must have a
  /// credit; it starts with buffer_flits of each traffic class.
  virtual void receive(PortId port, const PortFlit& flit, const std::uint8_t* data) = 0;
  /// The buffer of `traffic_class` behind an output port has one slot more again.
  virtual void credit(PortId port, std::uint8_t traffic_class) = 0;
  /// Steps are numbered by the caller's cycles; those between `now` and next_work(now) may be left out.
  virtual void step(Cycle now) = 0;
  /// First cycle after `now` in which step does anything, as far as the switch knows; kNever = when something arrives.
  virtual Cycle next_work(Cycle now) const = 0;

  /// What the last step sent, by port.
  virtual const std::vector<SentFlit>& sent() const = 0;
  /// Slots of input buffers that the last step freed, by port.
  virtual const std::vector<FreedSlot>& freed() const = 0;
  /// Names of packets that the last step added to others: only the first operand's name goes on.
  virtual const std::vector<std::uint32_t>& absorbed() const = 0;

  /// This switch for trains of flits; null where its packets may stop once they have started.
  virtual TrainSwitch* trains() { return nullptr; }

  /// Anything inside, buffers included. Without it steps change nothing but credits.
  virtual bool busy() const = 0;
  virtual std::uint32_t credits(PortId port, int traffic_class) const = 0;
  /// The same with those that have arrived since the last step.
  virtual std::uint32_t credits_known(PortId port, int traffic_class) const = 0;
  /// The setting of the packets that may start, or kNothing before the first one.
  virtual std::uint32_t active_setting() const = 0;
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  /// For waves, by output port: why nothing that waits for it has started; see find_stall_reasons. False: this model
  /// does not know.
  virtual bool stalls(std::vector<StallReason>* /*reasons*/) const { return false; }
  /// For waves, with `spec().watch.wires`: what the wires carried in the last step. Null: this model does not know.
  virtual const WireWatch* wires() const { return nullptr; }
  /// The model that this one is compared with, or null.
  virtual const SwitchModel* shadow() const { return nullptr; }
  /// False: they are what they were before the last step. `stalled`: one of them was not kNone; `credits`: one of them
  /// was kNoCredit.
  virtual bool stalls_may_differ(bool /*stalled*/, bool /*credits*/) const { return true; }
  /// Beats that passed uSwitches.
  virtual std::uint64_t uswitch_hops() const = 0;
  virtual const SwitchCounters& counters() const = 0;
  /// Flits in input and output buffers, and one for each packet within the stages.
  virtual std::uint64_t flits_inside() const = 0;
  /// Hash of all state that influences what happens, relative to `now`; between steps.
  virtual std::uint64_t state_hash(Cycle now) const = 0;
  /// Throws ViolationError unless nothing is inside and all credits are home.
  virtual void require_empty() const = 0;
  /// Steps in which another model of the same switch was compared with this one.
  virtual std::uint64_t compared_cycles() const { return 0; }
  /// Writes its state into `checkpoint`, or takes it from there. All settings have been stored before. A model that
  /// does not say otherwise refuses by its name.
  virtual void keep(Checkpoint& checkpoint);
  /// Who waits for what: one sentence per input port and traffic class with flits.
  virtual std::vector<std::string> waiting() const = 0;
};

/// Makes the switch of one chiplet. `path` is the chiplet's name as tables and waves show it ("fabric.l1[0].plane[2]"),
/// `model` that of `fabric.model` or `fabric.levels[i].model`. Called once per chiplet, in their order, before the
/// first cycle; must be complete when it returns. Throws InputError for a model that it does not know or that cannot do
/// what `spec` asks for.
using SwitchFactory = std::function<std::unique_ptr<SwitchModel>(const SwitchSpec& spec, const std::string& path,
                                                                 const std::string& model)>;

/// The factory without others: makes a FredSwitch for "tlm", throws InputError for any other model.
std::unique_ptr<SwitchModel> make_tlm_switch(const SwitchSpec& spec, const std::string& path, const std::string& model);

}  // namespace weft::fred
