// SPDX-License-Identifier: Apache-2.0
// Bench of a whole FRED switch.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "switch/network/fred_switch.h"
#include "tb/bench/block_bench.h"
#include "tb/bench/switch_coverage.h"
#include "tb/bench/switch_order.h"
#include "tb/bench/switch_traffic.h"
#include "tb/switch/switch_pins.h"

namespace weft::tb {

/// Lives between resets: each has parameters, flows and habits of senders and receivers of its own. With
/// Compare::kOrder the RTL alone decides what senders and receivers may do.
class SwitchBench : public BlockBench {
 public:
  explicit SwitchBench(const BenchSetup& setup);
  void reset() override;
  void drive(std::uint64_t now, bool draining) override;
  void advance(std::uint64_t now) override;
  std::optional<Mismatch> check(std::uint64_t now) override;
  bool empty() const override { return traffic_->done() && (order_ != nullptr ? order_->empty() : !model_->busy()); }
  std::uint64_t progress(std::uint64_t) const override { return moved_; }
  std::uint64_t patience() const override { return 20000; }
  std::uint64_t reset_once_in() const override { return 3000; }

 private:
  /// Numbers of expected values.
  struct OutputPins {
    std::size_t valid, head, tail, traffic_class, setting, packet, packet_flits, data;
  };
  struct InputPins {
    std::size_t freed, traffic_class;
  };

  std::optional<Mismatch> check_cycle(std::uint64_t now);
  void connect();
  void begin_life();
  void expect_outputs();
  void expect_flit(const OutputPins& pins, const fred::SentFlit& sent);
  void drive_order();
  std::string flow_of(const fred::SentFlit& sent) const;

  SwitchShape shape_;
  SwitchCoverage seen_;
  fred::SwitchSpec spec_;
  std::unique_ptr<fred::FredSwitch> model_;
  std::unique_ptr<SwitchPins> pins_;
  std::unique_ptr<Traffic> traffic_;
  std::unique_ptr<SwitchOrder> order_;  ///< with Compare::kOrder, instead of the model
  std::vector<fred::SentFlit> sent_;    ///< with order_: flits that the RTL sent
  std::vector<fred::FreedSlot> freed_;
  RtlModel::Port data_ = rtl_.port("out_data_o");
  std::vector<OutputPins> outputs_;
  std::vector<InputPins> inputs_;
  std::size_t active_valid_ = 0, active_ = 0, idle_ = 0;
  /// What unicasts carry, which the model does not keep: by packet, flit after flit.
  std::map<std::uint32_t, std::vector<std::vector<std::uint8_t>>> unicast_data_;
  Cycle local_ = 0;  ///< cycles of this life
  std::uint64_t moved_ = 0;
};

}  // namespace weft::tb
