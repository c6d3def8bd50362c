// SPDX-License-Identifier: Apache-2.0
// The settings that a switch knows, and which of them are in its memory; a packet's header names one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/checkpoint.h"
#include "switch/network/beat.h"
#include "switch/network/datapath_plan.h"
#include "switch/routing/route.h"

namespace weft::fred {

struct StoredSetting {
  FlowSet flows;
  SwitchSetting uswitch_settings;
  std::vector<DatapathPlan> datapaths;  ///< datapaths of each flow
  std::vector<int> flow_of_input;       ///< by port; -1 = none
  std::vector<int> flow_of_output;      ///< by port; -1 = none
};

/// The memory is filled before the run, in the order of the indices. With kReload there may be more settings than
/// fit: one that is not in the memory takes the place of the one that was activated least recently (those never
/// activated first, in the order of their indices).
class SettingStore {
 public:
  /// What becomes of settings that do not fit.
  enum Overflow {
    kRefuse,
    kReload,  ///< loaded when they are activated; the memory has to hold one
    kCount,   ///< kept, to learn how many there are
  };

  SettingStore(const Interconnect& net, std::size_t memory_bytes, StageTiming timing, Overflow overflow = kRefuse)
      : net_(net), memory_bytes_(memory_bytes), timing_(std::move(timing)), overflow_(overflow), stored_(1) {}

  /// Keeps a setting that carries these flows; returns its index, 1 or higher. Throws InputError when it has no
  /// room, ViolationError when the setting does anything else.
  std::uint32_t add(const FlowSet& flows, const SwitchSetting& setting);
  /// Routes the flows first; throws InputError where they conflict.
  std::uint32_t add(const FlowSet& flows);

  /// Index of one that copies between the same ports, 0 = none: whose packets they are makes no difference where
  /// nothing is reduced. Its flows then answer to the names of both.
  std::uint32_t share(const FlowSet& flows);

  const StoredSetting& operator[](std::uint32_t index) const { return stored_[index]; }
  /// It becomes the active one. Returns whether it has to be loaded for that; the unicasts' need no memory.
  bool activate(std::uint32_t index);
  /// Whether it is in the memory.
  bool resident(std::uint32_t index) const;
  /// The settings in the memory, the least recently activated one first.
  const std::vector<std::uint32_t>& residents() const { return residents_; }

  /// Gives `form` its state.
  template <typename Form>
  void put_state(Form& form) {
    form.same(stored_.size());
    form.same(std::uint64_t{unused_} << 32 | residents_.size());
    for (const std::uint32_t resident : residents_) form.same(resident);
  }

  /// Writes into `checkpoint` which settings are in the memory, or takes it from there. All have been added before.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    std::size_t settings = stored_.size();
    checkpoint.values(settings);
    WEFT_CHECK(settings == stored_.size(), "a checkpoint is of a switch with other settings");
    checkpoint.values(unused_);
    checkpoint.list(residents_);
  }

  /// Indices in use, that of the unicasts included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(stored_.size()); }
  /// Settings that fit into the memory, each padded to whole bytes.
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(memory_bytes_ / ((bits() + 7) / 8)); }
  /// The size of one setting.
  std::uint64_t bits() const { return setting_bits(net_); }

 private:
  const Interconnect& net_;
  std::size_t memory_bytes_;
  StageTiming timing_;
  Overflow overflow_;
  std::vector<StoredSetting> stored_;     ///< kUnicasts first, which takes no memory
  std::vector<std::uint32_t> residents_;  ///< in the order of their last activation
  std::size_t unused_ = 0;                ///< residents that were never activated: the first ones
};

}  // namespace weft::fred
