// SPDX-License-Identifier: Apache-2.0
// A FRED switch whose behaviour is its RTL.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "switch/network/switch_model.h"
#include "switch/network/unicast_router.h"
#include "tb/build/rtl_model.h"
#include "tb/report/wave_merge.h"
#include "tb/switch/rtl_watch.h"
#include "tb/switch/switch_pins.h"

namespace weft::tb {

/// Units of the time of recorded waves in a cycle.
inline constexpr std::uint64_t kWaveTimePerCycle = 1000;

/// Flits, credits and the active setting are the RTL's. What it does not show is kept beside it: which packets
/// were added to others (from the order of its input buffers), slots behind its ports (flits sent less credits come
/// back; with `spec.watch.reasons` the credits are the control unit's, as the model's are), uSwitch hops (of each
/// packet's way). Of its control unit packets and reconfigurations are counted.
class RtlSwitch final : public fred::SwitchModel {
 public:
  /// `library`: fred_switch for `spec`, see switch_build.h. `seed`: fills registers before reset. `store`: where the
  /// settings are; nullptr = in this object. Throws InputError for parameters that the RTL does not have.
  RtlSwitch(const fred::SwitchSpec& spec, std::shared_ptr<const RtlLibrary> library, std::uint64_t seed,
            fred::SettingStore* store = nullptr);

  std::string_view model() const override { return "rtl"; }
  const fred::SwitchSpec& spec() const override { return spec_; }
  const fred::Interconnect& interconnect() const override { return net_; }
  fred::SettingStore& settings() override { return *store_; }
  const fred::SettingStore& settings() const override { return *store_; }
  void receive(PortId port, const fred::PortFlit& flit, const std::uint8_t* data) override;
  void credit(PortId port, std::uint8_t traffic_class) override;
  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  const std::vector<fred::SentFlit>& sent() const override { return sent_; }
  const std::vector<fred::FreedSlot>& freed() const override { return freed_; }
  const std::vector<std::uint32_t>& absorbed() const override { return absorbed_; }
  bool busy() const override { return arriving_ || !pins_.idle(); }
  std::uint32_t credits(PortId port, int traffic_class) const override;
  std::uint32_t credits_known(PortId port, int traffic_class) const override;
  std::uint32_t active_setting() const override { return pins_.active(); }
  std::uint64_t uswitch_hops() const override { return hops_; }
  const fred::SwitchCounters& counters() const override { return counters_; }
  bool stalls(std::vector<StallReason>* reasons) const override;
  const fred::WireWatch* wires() const override { return wires_ ? &wires_->watch() : nullptr; }
  std::uint64_t flits_inside() const override { return buffered_ + (busy() ? 1 : 0); }
  std::uint64_t state_hash(Cycle now) const override;
  void require_empty() const override;
  std::vector<std::string> waiting() const override;

  /// Puts the RTL into reset; settings are written again.
  void reset();
  RtlModel& rtl() { return rtl_; }
  /// Writes the cycles from `from` to `to` into `waves`, which must outlive their last one: in each, what arrives at
  /// the whole nanosecond, what the step did half of one later.
  void record(WaveRecorder* waves, Cycle from, Cycle to) {
    waves_ = waves;
    waves_from_ = from;
    waves_to_ = to;
  }

 private:
  std::size_t slot(std::size_t port, int traffic_class) const {
    return port * static_cast<std::size_t>(spec_.traffic_classes) + static_cast<std::size_t>(traffic_class);
  }
  void count_freed();
  void count_sent();
  std::uint64_t hops_of(const fred::PortFlit& flit, std::size_t port) const;

  fred::SwitchSpec spec_;
  fred::Interconnect net_;
  std::unique_ptr<fred::SettingStore> own_store_;
  fred::SettingStore* store_;
  fred::UnicastRouter router_;
  RtlModel rtl_;
  SwitchPins pins_;
  RtlModel::Port clock_;
  std::unique_ptr<RtlWires> wires_;      ///< with spec.watch.wires
  std::unique_ptr<RtlReasons> reasons_;  ///< with spec.watch.reasons
  std::uint32_t written_ = 1;            ///< settings that the RTL has
  bool arriving_ = false;                ///< flits or credits wait for the next edge
  bool stepped_ = false;
  Cycle last_ = 0;                                   ///< step
  std::vector<std::deque<fred::PortFlit>> buffers_;  ///< by port and traffic class: what the input buffers hold
  std::vector<std::uint32_t> credits_;               ///< by port and traffic class
  std::vector<std::size_t> credits_arrived_;         ///< since the last step: their slots
  std::unordered_set<std::uint32_t> unicasts_;       ///< packets of those inside
  std::vector<fred::SentFlit> sent_;
  std::vector<fred::FreedSlot> freed_;
  std::vector<std::uint32_t> absorbed_;
  std::uint64_t buffered_ = 0;
  std::uint64_t hops_ = 0;
  std::uint32_t active_ = kNothing;
  fred::SwitchCounters counters_;
  WaveRecorder* waves_ = nullptr;
  Cycle waves_from_ = 0;
  Cycle waves_to_ = 0;
};

}  // namespace weft::tb
