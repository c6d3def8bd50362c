// SPDX-License-Identifier: Apache-2.0
// Rules between keys, one function each. A rule reports at the key that is easiest to change.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/fabric_flows.h"
#include "base/rational_math.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "config/fabric_facts.h"
#include "config/fred_shape.h"
#include "config/policies.h"
#include "config/resolve.h"
#include "config/rules.h"

namespace weft {
namespace {

// Routers as such fit in memory beyond this, results and tables do not.
constexpr std::int64_t kMostNodes = std::int64_t{1} << 24;

class ConfigRules : public Rules {
 public:
  using Rules::Rules;

  void check_all() {
    check_name();
    check_size();
    check_routing();
    check_router();
    check_modules();
    check_ramp();
    check_packet_size();
    check_bandwidths();
    check_watchdog();
    check_delays();
    check_placement();
    check_workload_rules(config_, raw_, errors_);
    check_io_rules(config_, raw_, errors_);
    check_waves();
  }

 private:
  void check_name() {
    if (!good({"name"}) || config_.name.empty()) return;
    const bool has_bad_letter = std::any_of(config_.name.begin(), config_.name.end(), [](char c) {
      return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (has_bad_letter || config_.name.size() > 100 || config_.name == "." || config_.name == "..")
      refuse("name",
             fmt::format("{} names no folder; legal: up to 100 characters without '/'", in_quotes(config_.name)));
  }

  void check_size() {
    const std::int64_t nodes = std::int64_t{fabric_.size_x} * fabric_.size_y;
    if (!is_fred() && has_size() && nodes > kMostNodes)
      refuse("fabric.size", fmt::format("{} x {} = {} nodes are out of range; legal: at most {}", fabric_.size_x,
                                        fabric_.size_y, nodes, kMostNodes));
  }

  void check_routing() {
    if (is_fred() || !good({"fabric.kind", "fabric.routing", "fabric.router.vcs"})) return;
    const RoutingFacts* rule = find_routing(fabric_);
    if (rule == nullptr) return;
    if (rule->kind != name_of(fabric_.kind)) {
      std::vector<std::string_view> legal;
      for (const RoutingFacts& other : routing_functions())
        if (other.kind == name_of(fabric_.kind)) legal.push_back(other.name);
      refuse("fabric.routing", fmt::format("'{}' is for a {}, but fabric.kind is {}; legal: {}", rule->name, rule->kind,
                                           name_of(fabric_.kind), fmt::join(legal, ", ")));
    } else if (has_size() && good({"npu.message_classes"})) {
      check_vcs(*rule);
    }
  }

  void check_vcs(const RoutingFacts& rule) {
    const int routing_sets = vc_sets(fabric_).needed;
    const int needed = routing_sets * config_.npu.message_classes;
    // One router with a port for each of many.
    const std::int64_t ports = is_graph(fabric_.kind) ? graph_facts(fabric_).ports(fabric_.nodes()) : 1;
    if (ports * fabric_.router.vcs > kMostRouterVcs)
      return refuse(
          "fabric.router.vcs",
          fmt::format("{} VCs at {} ports are {} buffers, and a router has at most {}; legal: fewer VCs, or at "
                      "most {} NPUs",
                      fabric_.router.vcs, ports, ports * fabric_.router.vcs, kMostRouterVcs,
                      kMostRouterVcs / fabric_.router.vcs));
    if (fabric_.router.vcs >= needed) return;
    std::string reason;
    if (routing_sets > 1) reason = fmt::format(" with routing '{}': {}", rule.name, rule.reason);
    if (config_.npu.message_classes > 1)
      reason += fmt::format("{} npu.message_classes is {}, each with VCs of its own", reason.empty() ? ":" : ";",
                            config_.npu.message_classes);
    refuse("fabric.router.vcs", fmt::format("{} VC{} can deadlock{}; legal: at least {}", fabric_.router.vcs,
                                            fabric_.router.vcs == 1 ? "" : "s", reason, needed));
  }

  void check_router() {
    if (!good({"fabric.router.vcs", "npu.injectors"})) return;
    if (is_fred()) return check_injectors_of_planes();
    if (config_.npu.injectors > fabric_.router.vcs)
      refuse("npu.injectors", fmt::format("{} packets side by side need as many VCs, but fabric.router.vcs is {}",
                                          config_.npu.injectors, fabric_.router.vcs));
  }

  /// Only a grid has NPUs with a clock of their own. FRED's links that repair losses know both of their ends.
  void check_modules() {
    if (is_grid(fabric_.kind)) return;
    if (good({"npu.clock"}) && config_.npu.clock)
      refuse("npu.clock",
             fmt::format("NPUs on a fabric of kind {} have the fabric's clock; legal: fabric", name_of(fabric_.kind)));
    if (!is_fred() && good({"fabric.form"}) && fabric_.form == FabricForm::kModules)
      refuse("fabric.form", fmt::format("a fabric of kind {} is one module; legal: region", name_of(fabric_.kind)));
    if (!is_fred()) return;
    if (good({"fabric.form", "fabric.link_layer"}) && fabric_.form == FabricForm::kModules &&
        fabric_.fred.link_layer.go_back_n)
      refuse("fabric.form",
             "'modules' joins switches by flit sockets, which carry no ACKs, but fabric.link_layer is gbn; legal: "
             "region, or fabric.link_layer: credit");
  }

  void check_injectors_of_planes() {
    const int vcs = fabric_.fred.planes * kTrafficClasses;
    if (!raw_.is_bad_within("fabric.levels") && config_.npu.injectors > vcs)
      refuse("npu.injectors",
             fmt::format("{} packets side by side are more than {} planes x {} traffic classes; legal: at "
                         "most {}",
                         config_.npu.injectors, fabric_.fred.planes, kTrafficClasses, vcs));
  }

  void check_ramp() {
    if (!good({"fabric.local.latency", "npu.ramp_cycles"})) return;
    if (raw_.has("fabric.local.latency") && config_.npu.ramp_cycles != config_.fabric.local.latency_cycles)
      refuse("npu.ramp_cycles", fmt::format("{} cycles contradict fabric.local.latency, which is {}; give only one",
                                            config_.npu.ramp_cycles, config_.fabric.local.latency_cycles));
  }

  void check_packet_size() {
    if (!good({"npu.packet_bytes", "fabric.flit_bytes"})) return;
    const std::uint64_t flits = (config_.npu.packet_bytes + fabric_.flit_bytes - 1) / fabric_.flit_bytes;
    if (flits > kMostPacketFlits)
      refuse("npu.packet_bytes", fmt::format("a packet of {} bytes has {} flits of {} bytes; legal: at most {} flits",
                                             config_.npu.packet_bytes, flits, fabric_.flit_bytes, kMostPacketFlits));
  }

  /// Rates are exact in flits per cycle; their bandwidths, also those of defaults, must be exact in bytes per second.
  void check_bandwidths() {
    if (!good({"clock", "fabric.flit_bytes"}) || raw_.is_bad_within("fabric.levels")) return;
    const auto check = [&](const ConfigKey& key) {
      if (key.type != ValueType::kBandwidth || raw_.is_bad(key.path) || !key.applies_to(fabric_)) return;
      try {
        (void)key.show(config_);
      } catch (const InputError& error) {
        refuse(key.path, fmt::format("{}; round the clock, flit_bytes or bandwidth", error.what()));
      }
    };
    for (const ConfigKey& key : config_keys()) {
      check(key);
      for (std::size_t i = 0; i < std::min(key.elements.size(), fabric_.fred.levels.size()); ++i)
        std::for_each(key.elements[i].begin(), key.elements[i].end(), check);
    }
  }

  void check_watchdog() {
    if (!good({"limits.watchdog_cycles", "clock"}) || !good_links()) return;
    // A lone flit on its way through a router and over a wire moves nothing else for so long; that must not look like a
    // deadlock.
    const Cycle slowest = is_fred() ? slowest_of_fred() : slowest_of_routers();
    // A lost packet that is lost once more is silent twice.
    const FredLinkLayerSpec& layer = fabric_.fred.link_layer;
    const Cycle repair = is_fred() && layer.go_back_n ? layer.retransmit_timeout : 0;
    if (config_.limits.watchdog_cycles <= 2 * repair)
      return refuse("limits.watchdog_cycles",
                    fmt::format("{} cycles are no sign of a deadlock where a lost packet is sent again after {} cycles "
                                "(fabric.retransmit_timeout); legal: more than {}",
                                config_.limits.watchdog_cycles, repair, 2 * repair));
    if (config_.limits.watchdog_cycles <= 2 * slowest)
      refuse("limits.watchdog_cycles",
             fmt::format("{} cycles are no sign of a deadlock where a link takes {} cycles; legal: more than {}",
                         config_.limits.watchdog_cycles, slowest, 2 * slowest));
  }

  /// Between modules a delay is a time of SystemC's, which has 64 bits of femtoseconds.
  void check_delays() {
    const bool modules = fabric_.form == FabricForm::kModules;
    if (!good({"clock", "npu.clock", "fabric.form"}) || !(modules || config_.npu.clock) || !good_links()) return;
    const Cycle slowest = is_fred() ? slowest_link_of_fred() : slowest_of_routers();
    if (Clock(config_.clock).edge_fs(slowest + 2) >> 64 == 0) return;
    refuse(modules ? "fabric.form" : "npu.clock",
           fmt::format(
               "joins blocks by delays of at most 18,446 s, but a link takes {} cycles of {}; legal: faster links, or "
               "{}",
               slowest, format_quantity(config_.clock.hertz, Dimension::kFrequency), modules ? "region" : "fabric"));
  }

  /// True when latencies and bandwidths can be relied on.
  bool good_links() const {
    const auto bad = [&](const std::string& link) {
      return raw_.is_bad(link + ".latency") || raw_.is_bad(link + ".bandwidth");
    };
    return good({"fabric.flit_bytes"}) && !bad("fabric.link") && !bad("fabric.link_y") && !bad("fabric.local");
  }

  static Cycle crossing(const LinkSpec& link) { return link.latency_cycles + link.flit_cycles() - 1; }
  Cycle slowest_of_routers() const {
    return std::max({crossing(fabric_.link), crossing(fabric_.link_along_y()), crossing(fabric_.local)}) +
           fabric_.router.hop_cycles + fabric_.router.turn_cycles;
  }
  bool good_fred_links() const { return !raw_.is_bad_within("fabric.levels") && !raw_.is_bad_within("io"); }
  Cycle slowest_link_of_fred() const {
    if (!good_fred_links()) return 0;
    Cycle slowest = 0;
    for (std::size_t level = 0; level < fabric_.fred.levels.size(); ++level) {
      for (const FredLink& link : links_into(fabric_, level))
        slowest = std::max(slowest, crossing({link.rate, link.latency_cycles}));
    }
    return slowest;
  }
  Cycle slowest_of_fred() const {
    if (!good_fred_links()) return 0;
    Cycle slowest = slowest_link_of_fred();
    for (const FredLevelSpec& level : fabric_.fred.levels) slowest = std::max(slowest, level.reconfigure_cycles);
    return slowest;
  }

  void check_placement() {
    if (!has_size() || !good({"npu.placement", "npu.count"}) || !raw_.has("npu.placement")) return;
    if (config_.npu.placement.empty()) return refuse("npu.placement", "an empty list places no rank");
    check_ids("npu.placement", config_.npu.placement, static_cast<std::uint64_t>(fabric_.nodes()), "node");
  }

  void check_waves() {
    const WavesSpec& waves = config_.waves;
    if (good({"waves.from", "waves.to"}) && waves.to_ns >= 0 && waves.to_ns <= waves.from_ns)
      refuse("waves.to", fmt::format("the window ends at {} ns, but begins at {} ns; legal: a later end", waves.to_ns,
                                     waves.from_ns));
    if (!good({"waves.file"}) || waves.file.empty()) return;
    const std::string& file = waves.file;
    const std::string ending = file.size() > 4 ? file.substr(file.size() - 4) : "";
    if (ending != ".vcd" && ending != ".fst")
      refuse("waves.file", fmt::format("{} has no known ending; known: .vcd, .fst", in_quotes(file)));
  }
};

}  // namespace

void check_contradictions(const Config& config, const RawConfig& raw, ConfigErrors& errors) {
  ConfigRules(config, raw, errors).check_all();
}

}  // namespace weft
