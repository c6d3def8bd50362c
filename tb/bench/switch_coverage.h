// SPDX-License-Identifier: Apache-2.0
// Functional coverage of a whole switch: what its bench has seen happen.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "switch/network/fred_switch.h"
#include "tb/bench/coverage.h"
#include "tb/bench/switch_traffic.h"

namespace weft::tb {

class SwitchCoverage {
 public:
  /// Declares all bins of a switch of that shape.
  SwitchCoverage(Coverage& coverage, const SwitchShape& shape);
  /// The switch is in reset; `busy`: with something inside.
  void reset(bool busy);
  /// Another life begins. `model` and `traffic` must outlive it.
  void begin(const fred::FredSwitch& model, const Traffic& traffic);
  /// After a step of the model, in which the traffic's arrivals came.
  void step();

 private:
  /// Numbers of the bins; those of traffic classes by traffic class.
  struct Bins {
    std::array<std::size_t, fred::kMostTrafficClasses> sent{}, buffer_full{}, buffer_emptied{}, out_of_credits{};
    std::size_t unicast = 0, to_uplinks = 0, empty = 0, reset = 0, added = 0;
    std::size_t whole_packets = 0, slow_output = 0, header = 0;
    std::size_t one_input = 0, one_output = 0, sum_and_copies = 0, single_participant = 0;
    std::size_t together = 0, apart = 0, far_apart = 0;
    std::size_t reconfiguration = 0, at_once = 0, next_setting = 0, next_after_one = 0, yield = 0, preemption = 0;
    std::array<std::array<std::size_t, 4>, 4> preempted{};  ///< by phase that was active, by phase that became so
    std::size_t at_rest = 0, after_packets = 0, before_a_packet = 0, reconfiguring = 0, of_unicasts = 0,
                by_unicasts = 0;
  };

  void declare_control(bool phases);
  void hit_if(bool happened, std::size_t bin) {
    if (happened) coverage_.hit(bin);
  }
  std::size_t bin(const std::string& name) { return coverage_.bin("fred_switch." + name); }
  void count_arrivals();
  void count_operands(const Traffic::Arrival& arrival);
  void count_meeting(const Traffic::Arrival& arrival, const fred::Flow& flow);
  void count_sent(const fred::SentFlit& sent);
  void count_flow(const fred::Flow& flow);
  void count_control();
  void count_preemption();
  const fred::Flow& flow_of(std::uint32_t setting, int flow) const;

  Coverage& coverage_;
  const fred::FredSwitch* model_ = nullptr;
  const Traffic* traffic_ = nullptr;
  Bins bins_;
  std::size_t sum_ = 0;                                          ///< bin of this life's operation and format
  std::array<std::size_t, 5> operands_{};                        ///< bins of its operands, by class
  std::uint64_t added_ = 0;                                      ///< reductions that have been counted
  std::map<std::uint64_t, std::vector<std::uint64_t>> arrived_;  ///< by match: cycles in which operands began to come
  std::uint64_t now_ = 0;                                        ///< cycles of this life
  std::uint64_t changed_ = 0;                                    ///< cycle of the last change of setting
  std::uint64_t packets_then_ = 0;                               ///< started until then
  std::uint32_t active_before_ = fred::SwitchModel::kNothing;
  bool moved_before_ = false;  ///< the step before freed slots
  fred::SwitchCounters before_;
};

}  // namespace weft::tb
