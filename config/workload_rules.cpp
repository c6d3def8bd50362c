// SPDX-License-Identifier: Apache-2.0
// Rules between the keys of a workload, and between them and the fabric, one function each.
#include <fmt/format.h>

#include <algorithm>

#include "config/names.h"
#include "config/policies.h"
#include "config/rules.h"

namespace weft {
namespace {

class WorkloadRules : public Rules {
 public:
  using Rules::Rules;

  void check_all() {
    if (std::holds_alternative<TrafficWorkload>(config_.workload)) check_traffic();
    if (std::holds_alternative<CollectiveWorkload>(config_.workload)) check_collective();
    if (std::holds_alternative<TraceWorkload>(config_.workload)) check_trace();
  }

 private:
  void check_traffic() {
    const auto& traffic = std::get<TrafficWorkload>(config_.workload);
    check_pattern(traffic);
    if (good({"workload.traffic.rate", "workload.traffic.packet_flits"}) && traffic.rate > traffic.packet_flits)
      refuse(
          "workload.traffic.rate",
          fmt::format("{} flits per node and cycle are more than one packet of {} flits in each cycle; legal: 0 to {}",
                      traffic.rate, traffic.packet_flits, traffic.packet_flits));
  }

  void check_pattern(const TrafficWorkload& traffic) {
    const std::string path = "workload.traffic.";
    if (!good({"workload.traffic.pattern"})) return;
    if (traffic.pattern == "transpose" && has_size() && fabric_.size_x != fabric_.size_y)
      refuse(path + "pattern", fmt::format("transpose needs a square fabric, but fabric.size is [{}, {}]",
                                           fabric_.size_x, fabric_.size_y));
    check_companion("hotspot", traffic.pattern, path + "pattern", path + "hotspots");
    check_companion("permutation", traffic.pattern, path + "pattern", path + "file");
    if (has_size() && good({"workload.traffic.hotspots"}))
      check_ids(path + "hotspots", traffic.hotspots, static_cast<std::uint64_t>(fabric_.nodes()), "node");
  }

  /// `value` of key `path` needs key `other`, and `other` is for nothing else. `hint` says what `other` is.
  void check_companion(const std::string& value, const std::string& actual, const std::string& path,
                       const std::string& other, const std::string& hint = "") {
    if (raw_.is_bad(other) || raw_.is_bad(path)) return;
    const std::string name = path.substr(path.rfind('.') + 1);
    const std::string other_name = other.substr(other.rfind('.') + 1);
    if (actual == value && !has_content(other))
      refuse(path, fmt::format("{} '{}' needs the key '{}'{}", name, value, other_name, hint));
    if (actual != value && has_content(other))
      refuse(other, fmt::format("is only for {} '{}', but {} is '{}'", name, value, name, actual));
  }

  void check_method(const std::string& section, const CollectiveSpec& spec) {
    check_companion("file", spec.algorithm, section + "algorithm", section + "algorithm_file");
    check_companion("auto", spec.algorithm, section + "algorithm", section + "algorithm_table",
                    ", a file that `weft advise collectives CONFIG --out FILE` writes");
    if (algorithm_needs_switches(spec.algorithm) && !rules_of(fabric_).has_flows_of_switches() &&
        !raw_.is_bad("fabric.kind"))
      refuse(section + "algorithm",
             fmt::format("'{}' is for fabric.kind fred, but fabric.kind is {}", spec.algorithm, name_of(fabric_.kind)));
    if (!raw_.is_bad(section + "chunks") && !raw_.is_bad(section + "active_chunks") && spec.active_chunks > spec.chunks)
      refuse(section + "active_chunks",
             fmt::format("{} chunks in flight are more than there are: chunks is {}", spec.active_chunks, spec.chunks));
  }

  void check_trace() { check_method("workload.trace.", std::get<TraceWorkload>(config_.workload).collective); }

  void check_collective() {
    const CollectiveSpec& spec = std::get<CollectiveWorkload>(config_.workload).collective;
    const std::string section = "workload.collective.";
    check_method(section, spec);
    check_collective_size(section, spec);
    if (raw_.has(section + "parallelism") || raw_.has(section + "phase")) return check_parallelism(section);
    if (!has_size() || !good({"npu.placement", "workload.collective.group"})) return;
    const std::uint64_t ranks = config_.npu.placement.size();
    if (raw_.has(section + "group")) check_ids(section + "group", spec.group, ranks, "rank");
    if (spec.group.empty() && raw_.has(section + "group") &&
        std::holds_alternative<std::vector<std::uint64_t>>(raw_.values.at(section + "group").value))
      refuse(section + "group", "an empty list; legal: 'all' or at least one rank");
    check_root(section, spec, ranks);
  }

  void check_parallelism(const std::string& section) {
    const std::vector<std::uint32_t>& sizes = std::get<CollectiveWorkload>(config_.workload).parallelism;
    const std::string path = section + "parallelism";
    if (raw_.is_bad(path)) return;
    if (!raw_.has(path))
      return refuse(section + "phase", "names groups of a parallelism; the key 'parallelism' is missing");
    if (sizes.size() != 3) return refuse(path, fmt::format("{} numbers; legal: three, MP, PP and DP", sizes.size()));
    const bool all = std::get<CollectiveWorkload>(config_.workload).collective.group.empty();
    for (const char* other : {"group", "root"}) {
      const bool given = raw_.has(section + other) && !(all && std::string_view(other) == "group");
      if (given) refuse(section + other, "says the same as 'parallelism' and 'phase'; legal: one of them");
    }
    if (rules_of(fabric_).has_set_up_routes(fabric_))
      refuse(path, "routes of fabric.router.colours and fabric.router.multicast are set up for one group");
    if (!has_size() || !good({"npu.placement"})) return;
    const std::uint64_t nodes = config_.npu.placement.size();
    std::uint64_t ranks = 1;
    for (const std::uint32_t size : sizes) ranks = ranks > nodes ? ranks : ranks * size;
    if (ranks > nodes)
      refuse(path, fmt::format("MP {} x PP {} x DP {} are more ranks than there are; legal: a product of {} or less",
                               sizes[0], sizes[1], sizes[2], nodes));
  }

  void check_root(const std::string& section, const CollectiveSpec& spec, std::uint64_t ranks) {
    if (!good({"workload.collective.root"}) || !raw_.has(section + "root")) return;
    const auto& group = spec.group;
    const bool is_member =
        group.empty() ? index(spec.root) < ranks : std::find(group.begin(), group.end(), spec.root) != group.end();
    if (!is_member)
      refuse(section + "root", fmt::format("rank {} is not in the group; legal: {}", index(spec.root),
                                           group.empty() ? fmt::format("0 to {}", ranks - 1) : "a rank of the group"));
  }

  void check_collective_size(const std::string& section, const CollectiveSpec& spec) {
    if (!good({"workload.collective.kind", "workload.collective.size", "workload.collective.dtype",
               "workload.collective.data"}))
      return;
    if (!raw_.has(section + "size") && spec.kind != CollectiveKind::kBarrier)
      return refuse(section + "size",
                    fmt::format("is missing; legal: {}", legal_values(*find_config_key(section + "size"))));
    const std::uint64_t element = element_bytes(spec.dtype);
    if (spec.data == DataMode::kValues && spec.bytes % element != 0)
      refuse(section + "size", fmt::format("{} bytes are no whole number of {} elements; with data 'values' legal: "
                                           "multiples of {} bytes",
                                           spec.bytes, name_of(spec.dtype), element));
  }
};

}  // namespace

void check_workload_rules(const Config& config, const RawConfig& raw, ConfigErrors& errors) {
  WorkloadRules(config, raw, errors).check_all();
}

}  // namespace weft
