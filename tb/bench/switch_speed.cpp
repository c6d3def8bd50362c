// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/switch_speed.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>

#include "kernel/error.h"
#include "switch/network/fred_switch.h"
#include "tb/report/wave_merge.h"
#include "tb/switch/lockstep_switch.h"
#include "tb/switch/rtl_switch.h"

namespace weft::tb {
namespace {

constexpr std::uint64_t kSeed = 1;  ///< of registers before reset

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void store(fred::SwitchModel& fred, const RecordedTraffic& traffic) {
  for (const fred::FlowSet& flows : traffic.configurations) fred.configurations().add(flows);
}

void arrive(fred::SwitchModel& fred, const RecordedTraffic::Cycle& cycle) {
  for (const Traffic::Arrival& each : cycle.arrivals) {
    const bool unicast = each.flit.configuration == fred::kUnicasts;
    fred.receive(PortId{static_cast<std::uint8_t>(each.port)}, each.flit, unicast ? nullptr : each.data.data());
  }
  for (const auto& [port, circuit] : cycle.credits) fred.credit(PortId{static_cast<std::uint8_t>(port)}, circuit);
}

/// The ports of a cycle's input as bytes, and all others as they stand after reset.
class BareModel {
 public:
  BareModel(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
            const std::shared_ptr<const RtlLibrary>& library)
      : rtl_(library, kSeed), clock_(rtl_.port("clk_i")) {
    fill(spec, traffic);
    start(spec, traffic);
  }

  /// The whole loop; CPU seconds.
  double run() {
    const double from = cpu_seconds();
    const std::uint8_t* image = images_.data();
    for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
      for (const RtlModel::Port& port : inputs_) {
        std::memcpy(port.bytes, image, port.size());
        image += port.size();
      }
      *clock_.bytes = 0;
      rtl_.eval();
      *clock_.bytes = 1;
      rtl_.eval();
    }
    return cpu_seconds() - from;
  }
  RtlModel& rtl() { return rtl_; }

 private:
  void find_inputs(const RtlModel& rtl, std::vector<RtlModel::Port>& ports) const {
    for (const char* name :
         {"in_valid_i", "in_head_i", "in_tail_i", "in_circuit_i", "in_output_i", "in_configuration_i", "in_packet_i",
          "in_packet_flits_i", "in_match_i", "in_data_i", "credit_i"}) {
      ports.push_back(rtl.port(name));
    }
  }

  void fill(const fred::SwitchSpec& spec, const RecordedTraffic& traffic) {
    find_inputs(rtl_, inputs_);
    std::size_t bytes = 0;
    for (const RtlModel::Port& port : inputs_) bytes += port.size();
    cycles_ = traffic.cycles.size();
    images_.reserve(bytes * cycles_);
    SwitchPins pins(rtl_, spec);
    for (const RecordedTraffic::Cycle& cycle : traffic.cycles) {
      pins.quiet();
      for (const Traffic::Arrival& each : cycle.arrivals) {
        const bool unicast = each.flit.configuration == fred::kUnicasts;
        pins.receive(each.port, each.flit, unicast ? nullptr : each.data.data());
      }
      for (const auto& [port, circuit] : cycle.credits) pins.credit(port, circuit);
      for (const RtlModel::Port& port : inputs_) images_.insert(images_.end(), port.bytes, port.bytes + port.size());
    }
    pins.quiet();
  }

  /// Straps, reset and configurations as RtlSwitch does them.
  void start(const fred::SwitchSpec& spec, const RecordedTraffic& traffic) {
    SwitchPins pins(rtl_, spec);
    pins.set_straps();
    const RtlModel::Port reset = rtl_.port("rst_ni");
    reset.set(1);
    rtl_.eval();
    reset.set(0);
    for (const unsigned level : {1U, 0U, 1U, 0U}) {
      clock_.set(level);
      rtl_.eval();
    }
    reset.set(1);
    rtl_.eval();
    fred::FredSwitch model(spec);
    store(model, traffic);
    for (std::uint32_t i = 1; i < model.configurations().size(); ++i) {
      pins.write(model.interconnect(), i, std::as_const(model).configurations()[i]);
    }
  }

  RtlModel rtl_;
  RtlModel::Port clock_;
  std::vector<RtlModel::Port> inputs_;
  std::vector<std::uint8_t> images_;  ///< of all inputs, cycle by cycle
  std::size_t cycles_ = 0;
};

void require_same_outputs(const RtlModel& a, const RtlModel& b) {
  for (const char* name : {"out_valid_o", "out_head_o", "out_tail_o", "out_circuit_o", "out_configuration_o",
                           "out_packet_o", "out_data_o", "freed_valid_o", "active_o", "idle_o"}) {
    const RtlModel::Port left = a.port(name);
    WEFT_CHECK(std::memcmp(left.bytes, b.port(name).bytes, left.size()) == 0,
               std::string("the bare loop ends with other bits at ") + name);
  }
}

}  // namespace

fred::SwitchSpec speed_spec(const SwitchShape& shape) {
  fred::SwitchSpec spec;
  spec.m = shape.m;
  spec.ports = shape.ports;
  spec.lanes = shape.lanes;
  spec.flit_bytes = 4 * shape.lanes * shape.beats;
  spec.circuits = shape.circuits;
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

RecordedTraffic record_traffic(const fred::SwitchSpec& spec, std::uint32_t configurations, std::uint64_t seed,
                               std::uint64_t cycles) {
  RandomStream random(seed, NodeId{3});
  fred::FredSwitch model(spec);
  Traffic traffic(spec, random);
  traffic.store_configurations(model.configurations(), configurations);
  RecordedTraffic recorded;
  for (std::uint32_t i = 1; i < model.configurations().size(); ++i) {
    recorded.configurations.push_back(std::as_const(model).configurations()[i].flows);
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
  store(fred, traffic);
  stepper_->begin(fred, traffic);
  clock_->wake_all();
  const double from = cpu_seconds();
  sc_core::sc_start();
  const double seconds = cpu_seconds() - from;
  clock_->rethrow_failure();
  return seconds;
}

double SwitchSpeedBench::rtl(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
                             const std::shared_ptr<const RtlLibrary>& library,
                             const std::optional<std::filesystem::path>& waves) {
  RtlSwitch fred(spec, library, kSeed);
  std::optional<WaveRecorder> recorder;
  if (waves) {
    recorder.emplace(fred.rtl(), *waves);
    fred.record(&*recorder, 0, traffic.cycles.size());
  }
  const double seconds = drive(fred, traffic);
  if (recorder) recorder->finish();
  return seconds;
}

SwitchSpeed SwitchSpeedBench::measure(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
                                      const std::shared_ptr<const RtlLibrary>& library) {
  SwitchSpeed speed;
  BareModel bare(spec, traffic, library);
  speed.bare = bare.run();
  RtlSwitch rtl(spec, library, kSeed);
  speed.rtl = drive(rtl, traffic);
  require_same_outputs(bare.rtl(), rtl.rtl());
  fred::FredSwitch model(spec);
  speed.model = drive(model, traffic);
  LockstepSwitch both(spec, library, kSeed, "switch");
  speed.lockstep = drive(both, traffic);
  WEFT_CHECK(model.reductions() == traffic.added, "the model does not do again what was recorded");
  return speed;
}

}  // namespace weft::tb
