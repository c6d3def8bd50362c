// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/switch_speed.h"

#include <algorithm>
#include <ctime>

#include "base/error.h"
#include "switch/network/fred_switch.h"
#include "tb/bench/bare_loop.h"
#include "tb/report/wave_merge.h"
#include "tb/switch/lockstep_switch.h"
#include "tb/switch/rtl_switch.h"

namespace weft::tb {
namespace {

constexpr std::uint64_t kSeed = 1;  ///< fills registers before reset

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void arrive(fred::SwitchModel& fred, const RecordedTraffic::Cycle& cycle) {
  for (const Traffic::Arrival& each : cycle.arrivals) {
    const bool unicast = each.flit.setting == fred::kUnicasts;
    fred.receive(PortId{static_cast<std::uint8_t>(each.port)}, each.flit, unicast ? nullptr : each.data.data());
  }
  for (const auto& [port, traffic_class] : cycle.credits)
    fred.credit(PortId{static_cast<std::uint8_t>(port)}, traffic_class);
}

}  // namespace

fred::SwitchSpec speed_spec(const SwitchShape& shape) {
  fred::SwitchSpec spec;
  spec.stay_packets = 64;  // settings change seldom, so that figures compare with earlier ones
  spec.m = shape.m;
  spec.ports = shape.ports;
  spec.lanes = shape.lanes;
  spec.flit_bytes = 4 * shape.lanes * shape.beats;
  spec.traffic_classes = shape.traffic_classes;
  spec.reduce_cycles = shape.reduce_cycles;
  spec.stage = shape.skid ? fred::StageBuffer::kSkid : fred::StageBuffer::kRegister;
  spec.packet_flits = std::min({8U, shape.buffer_flits, shape.control_buffer_flits});
  spec.buffer_flits = shape.buffer_flits;
  spec.control_buffer_flits = spec.packet_flits;
  spec.output_credits = 2 * spec.packet_flits;
  spec.control_output_credits = spec.packet_flits;
  spec.output_packets = 2;
  spec.matching = "greedy";
  spec.memory_bytes = 1 << 20;
  spec.values = true;
  spec.format = fred::lane_format(shape.accumulate_fp32 ? "bf16_fp32" : "fp32");
  return spec;
}

void store_settings(fred::SettingStore& store, const RecordedTraffic& traffic) {
  for (const fred::FlowSet& flows : traffic.settings) store.add(flows);
}

RecordedTraffic record_traffic(const fred::SwitchSpec& spec, std::uint32_t settings, std::uint64_t seed,
                               std::uint64_t cycles) {
  RandomStream random(seed, NodeId{3});
  fred::FredSwitch model(spec);
  Traffic traffic(spec, random);
  traffic.store_settings(model.settings(), settings);
  RecordedTraffic recorded;
  for (std::uint32_t i = 1; i < model.settings().size(); ++i) {
    recorded.settings.push_back(std::as_const(model).settings()[i].flows);
  }
  for (Cycle now = 0; now < cycles; ++now) {
    traffic.cycle(now, true);
    recorded.cycles.push_back({traffic.arrivals(), traffic.credits()});
    arrive(model, recorded.cycles.back());
    model.step(now);
    traffic.happened(model, now);
    recorded.flits += model.sent().size();
  }
  recorded.added = model.reductions();
  return recorded;
}

/// Hands a switch what was recorded and steps it, cycle by cycle.
class SwitchSpeedBench::Stepper final : public Block {
 public:
  void begin(fred::SwitchModel& fred, const RecordedTraffic& traffic) {
    fred_ = &fred;
    traffic_ = &traffic;
    at_ = 0;
  }
  void step(Cycle) override {
    if (traffic_ == nullptr || at_ == traffic_->cycles.size()) return;
    arrive(*fred_, traffic_->cycles[at_]);
    fred_->step(at_++);
  }
  Cycle next_work(Cycle now) const override {
    return traffic_ != nullptr && at_ < traffic_->cycles.size() ? now + 1 : kNever;
  }

 private:
  fred::SwitchModel* fred_ = nullptr;
  const RecordedTraffic* traffic_ = nullptr;
  Cycle at_ = 0;
};

SwitchSpeedBench::SwitchSpeedBench()
    : stepper_(std::make_unique<Stepper>()),
      clock_(std::make_unique<ClockDomain>("speed", ClockSpec{Rational{1'000'000'000, 1}})) {
  clock_->add(*stepper_);
  sc_core::sc_start();
}

SwitchSpeedBench::~SwitchSpeedBench() = default;

double SwitchSpeedBench::drive(fred::SwitchModel& fred, const RecordedTraffic& traffic) {
  store_settings(fred.settings(), traffic);
  stepper_->begin(fred, traffic);
  clock_->wake_all();
  const double from = cpu_seconds();
  sc_core::sc_start();
  const double seconds = cpu_seconds() - from;
  clock_->rethrow_failure();
  return seconds;
}

double SwitchSpeedBench::drive_waves(RtlSwitch& fred, const RecordedTraffic& traffic,
                                     const std::filesystem::path& waves) {
  WaveRecorder recorder(fred.rtl(), waves);
  fred.record(&recorder, 0, traffic.cycles.size());
  const double seconds = drive(fred, traffic);
  recorder.finish();
  return seconds;
}

SwitchSpeed SwitchSpeedBench::measure_rtl(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
                                          const std::shared_ptr<const RtlLibrary>& library,
                                          const std::optional<std::filesystem::path>& waves) {
  SwitchSpeed speed;
  BareLoop bare(spec, traffic, library, kSeed);
  if (waves) bare.rtl().open_trace(*waves);
  const double from = cpu_seconds();
  if (waves) {
    bare.run_with_waves();
  } else {
    bare.run();
  }
  speed.bare = cpu_seconds() - from;
  if (waves) bare.rtl().close_trace();
  RtlSwitch rtl(spec, library, kSeed);
  speed.rtl = waves ? drive_waves(rtl, traffic, *waves) : drive(rtl, traffic);
  require_same_outputs(bare.rtl(), rtl.rtl());
  return speed;
}

SwitchSpeed SwitchSpeedBench::measure(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
                                      const std::shared_ptr<const RtlLibrary>& library) {
  SwitchSpeed speed = measure_rtl(spec, traffic, library);
  fred::FredSwitch model(spec);
  speed.model = drive(model, traffic);
  LockstepSwitch both(spec, library, kSeed, "switch");
  speed.lockstep = drive(both, traffic);
  WEFT_CHECK(model.reductions() == traffic.added, "the model does not do again what was recorded");
  return speed;
}

}  // namespace weft::tb
