// SPDX-License-Identifier: Apache-2.0
#include "config/router_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "config/policies.h"

namespace weft {
namespace {

// Routers as such fit in memory beyond this, results and tables do not.
constexpr std::int64_t kMostNodes = std::int64_t{1} << 24;

}  // namespace

void RouterRules::take_npu_count(FabricSpec& fabric, std::uint64_t count) const {
  if (count == static_cast<std::uint64_t>(fabric.nodes())) return;
  throw InputError(fmt::format("{} NPUs contradict fabric.size, which is [{}, {}]; legal: {}", count, fabric.size_x,
                               fabric.size_y, fabric.nodes()));
}

Rational RouterRules::io_rate(const Config& config, Rational bandwidth) const {
  return flits_per_cycle(bandwidth, config.fabric.flit_bytes, config.clock.hertz);
}

std::string RouterRules::io_bandwidth_text(const Config& config) const {
  const FabricSpec& fabric = config.fabric;
  if (fabric.io.controllers == 0) return "";
  return format_quantity(bandwidth_of(fabric.io.rate, fabric.flit_bytes, config.clock.hertz), Dimension::kBandwidth);
}

bool RouterRules::is_size_known(const RawConfig& raw) const {
  return !raw.is_bad("fabric.size") && raw.has("fabric.size");
}

Cycle RouterRules::slowest_link(const FabricSpec& fabric, const RawConfig& /*raw*/) const {
  return std::max(
             {crossing_cycles(fabric.link), crossing_cycles(fabric.link_along_y()), crossing_cycles(fabric.local)}) +
         fabric.router.hop_cycles + fabric.router.turn_cycles;
}

void RouterChecks::check_all(std::int64_t most_ports) {
  check_size();
  check_routing(most_ports);
  check_injectors();
  if (!good({"io.controllers", "fabric.kind"}) || fabric_.io.controllers == 0) return;
  if (std::holds_alternative<IoWorkload>(config_.workload)) check_copies_of_streams();
  check_orders();
}

void RouterChecks::check_size() {
  const std::int64_t nodes = std::int64_t{fabric_.size_x} * fabric_.size_y;
  if (has_size() && nodes > kMostNodes)
    refuse("fabric.size", fmt::format("{} x {} = {} nodes are out of range; legal: at most {}", fabric_.size_x,
                                      fabric_.size_y, nodes, kMostNodes));
}

void RouterChecks::check_routing(std::int64_t most_ports) {
  if (!good({"fabric.kind", "fabric.routing", "fabric.router.vcs"})) return;
  const RoutingFacts* rule = find_routing(fabric_);
  if (rule == nullptr) return;
  if (rule->kind != name_of(fabric_.kind)) {
    std::vector<std::string_view> legal;
    for (const RoutingFacts& other : routing_functions())
      if (other.kind == name_of(fabric_.kind)) legal.push_back(other.name);
    refuse("fabric.routing", fmt::format("'{}' is for a {}, but fabric.kind is {}; legal: {}", rule->name, rule->kind,
                                         name_of(fabric_.kind), fmt::join(legal, ", ")));
  } else if (has_size() && good({"npu.message_classes"})) {
    check_vcs(*rule, most_ports);
  }
}

void RouterChecks::check_vcs(const RoutingFacts& rule, std::int64_t ports) {
  const int routing_sets = vc_sets(fabric_).needed;
  const int needed = routing_sets * config_.npu.message_classes;
  if (ports * fabric_.router.vcs > kMostRouterVcs)
    return refuse("fabric.router.vcs",
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

void RouterChecks::check_injectors() {
  if (!good({"fabric.router.vcs", "npu.injectors"}) || config_.npu.injectors <= fabric_.router.vcs) return;
  refuse("npu.injectors", fmt::format("{} packets side by side need as many VCs, but fabric.router.vcs is {}",
                                      config_.npu.injectors, fabric_.router.vcs));
}

void RouterChecks::check_one_module() {
  refuse_npu_clock();
  if (good({"fabric.form"}) && fabric_.form == FabricForm::kModules)
    refuse("fabric.form", fmt::format("a fabric of kind {} is one module; legal: region", name_of(fabric_.kind)));
}

void RouterChecks::refuse_controllers() {
  if (fabric_.io.controllers == 0 || !good({"io.controllers", "fabric.kind"}) || !has_size()) return;
  refuse("io.controllers", fmt::format("{} controllers sit at the border of a mesh, but a {} has none; legal: 0",
                                       fabric_.io.controllers, name_of(fabric_.kind)));
}

void RouterChecks::check_copies_of_streams() {
  if (good({"fabric.router.multicast", "fabric.router.colours"}) &&
      (!fabric_.router.multicast || fabric_.router.colours > 0))
    refuse("workload.io",
           "the routers of a mesh copy the streams on their way: fabric.router.multicast has to be true and "
           "fabric.router.colours 0");
}

// What comes from bottom and top has a message class of its own.
void RouterChecks::check_orders() {
  const bool loads = std::holds_alternative<TraceWorkload>(config_.workload) && good({"memory.tensors"}) &&
                     config_.memory.tensors == TensorMemory::kIo;
  if (!loads && !std::holds_alternative<IoWorkload>(config_.workload)) return;
  if (good({"io.routing", "npu.message_classes"}) && fabric_.io.routing == IoRouting::kEdgeFirst &&
      config_.npu.message_classes < 2)
    refuse("npu.message_classes",
           fmt::format("{} set of VCs can deadlock: with io.routing edge_first streams go along x first from left and "
                       "right, and along y first from bottom and top; legal: 2, or io.routing xy",
                       config_.npu.message_classes));
}

}  // namespace weft
