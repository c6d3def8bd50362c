// SPDX-License-Identifier: Apache-2.0
// Fabrics of FRED switches: what a configuration leaves open, and rules between its levels, one function each.
#include <fmt/format.h>

#include <algorithm>

#include "base/rational_math.h"
#include "base/units.h"
#include "config/fabric_facts.h"
#include "config/fred_shape.h"
#include "config/names.h"
#include "config/plane_rate.h"
#include "config/policies.h"
#include "config/resolve.h"

namespace weft {
namespace {

std::string path_of(std::size_t level, const char* key) { return fmt::format("fabric.levels[{}].{}", level, key); }

class FredRules {
 public:
  FredRules(Config& config, const RawConfig& raw, ConfigErrors& errors)
      : config_(config), fred_(config.fabric.fred), raw_(raw), errors_(errors) {}

  void complete() {
    check_workload();
    for (FredLevelSpec& level : fred_.levels)
      if (level.model.empty()) level.model = fred_.model;
    if (raw_.is_bad_within("fabric.levels") || fred_.levels.empty()) return;
    const bool tree_is_sound = check_tree();
    const bool has_npus = raw_.has("npu.count") && !raw_.is_bad("npu.count");
    if (tree_is_sound && has_npus && !raw_.is_bad("io.controllers"))
      for (std::size_t level = 0; level < fred_.levels.size(); ++level) complete_ports(level);
    check_local();
    check_lanes();
    check_stages();
    check_reload();
    check_error_rates();
    if (tree_is_sound && fred_.link_layer.go_back_n && !raw_.is_bad("npu.packet_bytes") &&
        !raw_.is_bad("fabric.flit_bytes") && !raw_.is_bad_within("fabric.local") && !raw_.is_bad("io.bandwidth"))
      complete_link_layer();
    if (!raw_.is_bad("npu.packet_bytes") && !raw_.is_bad("fabric.flit_bytes") && !raw_.is_bad_within("fabric.local"))
      for (std::size_t level = 0; level < fred_.levels.size(); ++level) complete_buffer(level);
  }

 private:
  void refuse(const std::string& path, const std::string& sentence) {
    errors_.add(raw_.origin_of(path), fmt::format("{}: {}", path, sentence));
  }

  /// Whether groups and uplinks form a tree.
  bool check_tree() {
    const std::size_t errors_before = errors_.size();
    for (std::size_t i = 0; i < fred_.levels.size(); ++i) {
      const FredLevelSpec& level = fred_.levels[i];
      const bool is_top = i + 1 == fred_.levels.size();
      if (is_top && level.groups != 1)
        refuse(path_of(i, "groups"),
               fmt::format("{} logical switches at the top level are not joined; legal: 1, or a level above them",
                           level.groups));
      if (is_top && level.uplinks != 0)
        refuse(path_of(i, "uplinks"),
               fmt::format("{} uplinks lead nowhere: there is no level above; legal: 0", level.uplinks));
      if (is_top) continue;
      const int above = fred_.levels[i + 1].groups;
      const bool joins_all = i + 2 == fred_.levels.size();  // anything but 1 is refused there
      if (!joins_all && level.groups % above != 0)
        refuse(path_of(i + 1, "groups"),
               fmt::format("the {} switches of the level below cannot be spread evenly over {}; legal: a divisor of {}",
                           level.groups, above, level.groups));
      if (level.uplinks == 0)
        refuse(path_of(i, "uplinks"), "0 uplinks do not reach the level above; legal: at least 1");
    }
    return errors_.size() == errors_before;
  }

  void complete_ports(std::size_t level) {
    FredLevelSpec& spec = fred_.levels[level];
    const std::vector<FredLevelShape> shapes = level_shapes(config_.fabric, level);
    if (shapes.empty()) return refuse_uplinks(level);
    const int needed = shapes.front().used_ports();
    if (needed > kMostFredPorts) {
      refuse(path_of(level, level == 0 ? "groups" : "ports"),
             fmt::format("a chiplet needs {} = {} ports; legal: at most {}", describe(level, shapes.front()), needed,
                         kMostFredPorts));
    } else if (spec.ports == 0) {
      spec.ports = std::max(needed, 2);
    } else if (spec.ports < needed) {
      refuse(path_of(level, "ports"),
             fmt::format("{} ports are too few: a chiplet needs {} = {}; legal: {} to {}", spec.ports,
                         describe(level, shapes.front()), needed, needed, kMostFredPorts));
    }
  }

  /// "4 NPUs + 4 uplinks + 4 I/O controllers".
  static std::string describe(std::size_t level, const FredLevelShape& shape) {
    std::string text = level == 0 ? fmt::format("{} NPUs", shape.children)
                                  : fmt::format("{} children x {} uplink{}", shape.children, shape.bundle,
                                                shape.bundle == 1 ? "" : "s");
    if (shape.up_ports > 0) text += fmt::format(" + {} uplinks of its own", shape.up_ports);
    if (shape.io_ports > 0) text += fmt::format(" + {} I/O controllers", shape.io_ports);
    return text;
  }

  /// Links from below end at one chiplet each, in bundles that are a power of two; own uplinks are spread over these.
  void refuse_uplinks(std::size_t level) {
    const int links = fred_.levels[level - 1].uplinks;
    int chiplets = links;
    while (chiplets % 2 == 0) chiplets /= 2;
    refuse(path_of(level, "uplinks"),
           fmt::format("{} uplinks cannot be spread evenly over the chiplets that take the {} uplinks of each child; "
                       "legal: multiples of {}",
                       fred_.levels[level].uplinks, links, chiplets));
  }

  void check_local() {
    if (raw_.is_bad_within("fabric.local") || raw_.is_bad("clock") || raw_.is_bad("fabric.flit_bytes")) return;
    const Rational rate = config_.fabric.local.flits_per_cycle;
    if (!(Rational{static_cast<std::uint64_t>(fred_.planes), 1} < rate)) return;
    const Rational bandwidth = bandwidth_of(rate, config_.fabric.flit_bytes, config_.clock.hertz);
    refuse("fabric.local.bandwidth", too_wide_text(config_, bandwidth, 1, "NPU"));
  }

  /// Several active settings would have to be in the memory together.
  void check_reload() {
    if (raw_.is_bad("fabric.reload_cycles") || raw_.is_bad("fabric.control")) return;
    if (fred_.reload_cycles > 0 && fred_.control == FredControl::kSeveralPhases)
      refuse("fabric.reload_cycles",
             fmt::format("{} cycles to load a stored setting into the place of another one, but with fabric.control: "
                         "several_phases any number of them are active at once; legal: 0, or one_phase or one_tree",
                         fred_.reload_cycles));
  }

  void check_lanes() {
    if (raw_.is_bad("fabric.flit_bytes")) return;
    const std::uint64_t flit = config_.fabric.flit_bytes;
    if (flit < 4 || flit % 4 != 0 || flit > 4096)
      return refuse("fabric.flit_bytes",
                    fmt::format("flits of {} bytes do not fit the lanes of FRED switches; legal: 4 to 4096 in steps "
                                "of 4",
                                flit));
    const auto lanes = static_cast<std::uint64_t>(fred_.lanes);
    if (raw_.is_bad("fabric.lanes") || lanes == 0 || flit / 4 % lanes == 0) return;
    refuse("fabric.lanes", fmt::format("{} lanes of 4 bytes do not divide a flit of {} bytes; legal: divisors of {}",
                                       lanes, flit, flit / 4));
  }

  void complete_buffer(std::size_t level) {
    FredLevelSpec& spec = fred_.levels[level];
    const std::uint64_t packet_bytes = config_.npu.packet_bytes;
    const std::uint64_t flit_bytes = config_.fabric.flit_bytes;
    const std::uint64_t packet = (packet_bytes + flit_bytes - 1) / flit_bytes;
    if (packet > kMostPacketFlits) return;  // an error of its own
    if (spec.buffer_flits == 0) {
      spec.buffer_flits = roomy_buffer_flits(config_.fabric, level, packet);
    } else if (static_cast<std::uint64_t>(spec.buffer_flits) < packet) {
      refuse(path_of(level, "buffer"),
             fmt::format("{} flit{} of {} B are less than one packet of npu.packet_bytes = {} B; legal: at least {}",
                         spec.buffer_flits, spec.buffer_flits == 1 ? "" : "s", flit_bytes, packet_bytes,
                         format_quantity(Rational{packet * flit_bytes, 1}, Dimension::kBytes)));
    }
  }

  void check_stages() {
    if (raw_.is_bad("fabric.register_every") || raw_.is_bad("fabric.reduce_cycles")) return;
    if (fred_.register_every == 1 || fred_.reduce_cycles == 1) return;
    refuse("fabric.register_every",
           fmt::format("{} uSwitches per register, but fabric.reduce_cycles = {} needs registers in each that adds; "
                       "legal: 1, or reduce_cycles 1",
                       fred_.register_every, fred_.reduce_cycles));
  }

  void check_error_rates() {
    if (raw_.is_bad("fabric.link_layer") || fred_.link_layer.go_back_n) return;
    const FredLinkLayerSpec& spec = fred_.link_layer;
    const auto check = [&](const std::string& path, double rate) {
      if (!raw_.is_bad(path) && rate > 0)
        refuse(path, fmt::format("{} on links that nothing repairs: credit links are error-free; legal: 0, or "
                                 "fabric.link_layer: gbn",
                                 rate));
    };
    check("fabric.bit_error_rate", spec.bit_error_rate);
    check("fabric.drop_rate", spec.drop_rate);
    for (const char* path :
         {"fabric.replay_packets", "fabric.ack_packets", "fabric.ack_timeout", "fabric.retransmit_timeout"}) {
      if (raw_.has(path) && !raw_.is_bad(path))
        refuse(path,
               "is for links that repair losses, but fabric.link_layer is credit; legal: leave it out, or "
               "fabric.link_layer: gbn");
    }
  }

  /// Full rate on all links as long as nothing is lost, and no packet sent again that has arrived.
  void complete_link_layer() {
    FredLinkLayerSpec& spec = fred_.link_layer;
    const std::uint64_t packet = std::max<std::uint64_t>(
        1, (config_.npu.packet_bytes + config_.fabric.flit_bytes - 1) / config_.fabric.flit_bytes);
    Cycle longest = 0;
    std::uint64_t packets = 0;
    for (std::size_t level = 0; level < fred_.levels.size(); ++level) {
      for (const FredLink& link : links_into(config_.fabric, level)) {
        const Cycle trip = fred_answer_trip(link.rate, link.latency_cycles);
        const auto in_flight = checked_multiply(link.rate, Rational{trip, packet});
        WEFT_CHECK(in_flight.has_value(), "rate x round trip of a link does not fit 64 bits");
        longest = std::max(longest, trip);
        packets = std::max(packets, round_up(*in_flight));
      }
    }
    if (spec.replay_packets == 0 && !raw_.is_bad("fabric.replay_packets"))
      spec.replay_packets = spec.ack_packets + static_cast<int>(std::min<std::uint64_t>(packets, 65535)) + 1;
    if (spec.ack_timeout == 0) spec.ack_timeout = longest;
    if (spec.retransmit_timeout == 0) spec.retransmit_timeout = longest + spec.ack_timeout + 1;
    if (spec.replay_packets > 0 && spec.replay_packets < spec.ack_packets)
      refuse("fabric.replay_packets",
             fmt::format("{} packets are fewer than those of one ACK, fabric.ack_packets = {}; legal: at least {}",
                         spec.replay_packets, spec.ack_packets, spec.ack_packets));
  }

  void check_workload() {
    if (std::holds_alternative<TrafficWorkload>(config_.workload) && raw_.sections.count("workload.traffic") != 0)
      errors_.add(raw_.origin_of("workload.traffic"),
                  "workload.traffic: synthetic traffic is for routers, but fabric.kind is fred, which plays traces and "
                  "collectives; legal: trace, collective");
    if (const auto* single = std::get_if<CollectiveWorkload>(&config_.workload))
      check_collective("workload.collective.", single->collective);
    if (const auto* trace = std::get_if<TraceWorkload>(&config_.workload))
      check_collective("workload.trace.", trace->collective);
  }

  /// A trace may hold any collective.
  bool reduces(const CollectiveSpec& spec) const {
    return std::holds_alternative<TraceWorkload>(config_.workload) || spec.kind == CollectiveKind::kAllReduce ||
           spec.kind == CollectiveKind::kReduce || spec.kind == CollectiveKind::kReduceScatter;
  }

  void check_collective(const std::string& section, const CollectiveSpec& spec) {
    if (raw_.is_bad(section + "algorithm") || raw_.is_bad("fabric.in_switch")) return;
    if (!algorithm_needs_switches(spec.algorithm)) return;
    if (!fred_.in_switch)
      return refuse(section + "algorithm",
                    fmt::format("'{}' needs switches that reduce, but fabric.in_switch is false", spec.algorithm));
    if (raw_.is_bad(section + "dtype")) return;
    check_accumulation(section, spec);
    if (!reduces(spec)) return;
    if (!raw_.is_bad("fabric.formats") &&
        std::find(fred_.formats.begin(), fred_.formats.end(), spec.dtype) == fred_.formats.end())
      refuse(section + "dtype", fmt::format("the switches cannot reduce {}; legal, from fabric.formats: {}",
                                            name_of(spec.dtype), find_config_key("fabric.formats")->show(config_)));
  }

  /// Where nothing is reduced, values of FP32 stay what they are; those of INT32 have no equal in FP32.
  void check_accumulation(const std::string& section, const CollectiveSpec& spec) {
    const bool is_narrow = spec.dtype == DataType::kFp16 || spec.dtype == DataType::kBf16;
    if (raw_.is_bad("fabric.accumulate") || !fred_.fp32_accumulation || is_narrow) return;
    const bool has_integers = spec.dtype == DataType::kInt32 && spec.data == DataMode::kValues;
    if (reduces(spec) || has_integers)
      refuse("fabric.accumulate",
             fmt::format("fp32 is for elements of fp16 and bf16, but {}dtype is {}", section, name_of(spec.dtype)));
  }

  Config& config_;
  FredSpec& fred_;
  const RawConfig& raw_;
  ConfigErrors& errors_;
};

}  // namespace

void complete_fred(Config& config, const RawConfig& raw, ConfigErrors& errors) {
  FredRules(config, raw, errors).complete();
  check_fred_rtl(config, raw, errors);
}

}  // namespace weft
