// SPDX-License-Identifier: Apache-2.0
#include "runs/run_logging.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/units.h"
#include "config/names.h"
#include "log/timeline.h"
#include "npu/collective/form/tag.h"
#include "npu/player/point_to_point.h"
#include "runs/write_attempts.h"
#include "sc_models/fabric_kinds.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

log::MessageMeaning meaning_of(std::uint64_t tag) {
  log::MessageMeaning meaning;
  switch (npu::owner_of(tag)) {
    case npu::kCollectiveOwner: {
      const npu::CollectiveTag parts = npu::unpack_tag(tag);
      meaning = {"collective", parts.group, parts.signature, parts.instance, parts.chunk, parts.step};
      break;
    }
    case npu::kPlayerOwner:
      meaning.what = "send";
      break;
    case npu::kAnnouncementOwner:
      meaning.what = "turn";
      break;
    case npu::kMemoryOwner:
    case npu::kIoOwner:
      meaning.what = "memory";
      break;
    default:
      break;
  }
  return meaning;
}

log::PathKind kind_of_timer(std::uint64_t cookie) {
  switch (npu::owner_of(cookie)) {
    case npu::kCollectiveOwner:
      return log::PathKind::kEndpoint;
    case npu::kPlayerOwner:  // a unit: accelerator, host, memory
      return npu::without_owner(cookie) == 0   ? log::PathKind::kCompute
             : npu::without_owner(cookie) == 1 ? log::PathKind::kHost
                                               : log::PathKind::kMemory;
    case npu::kMemoryOwner:
    case npu::kIoOwner:
    case npu::kDramOwner:
      return log::PathKind::kMemory;
    default:
      return log::PathKind::kOther;
  }
}

log::LogNames names_of(const Config& config, const network::Network& network) {
  log::LogNames names;
  names.clock = npu_clock(config);
  for (std::uint32_t n = 0; n < network.nodes(); ++n) names.nodes.push_back(network.node(NodeId{n}).name);
  names.ranks.resize(names.nodes.size());
  const bool traffic = std::holds_alternative<TrafficWorkload>(config.workload);
  for (std::size_t rank = 0; rank < config.npu.placement.size() && !traffic; ++rank) {
    names.ranks.at(index(config.npu.placement[rank])) = RankId{static_cast<std::uint32_t>(rank)};
  }
  names.instances = npu::kMaxInstances;
  names.message = meaning_of;
  if (traffic) names.message = [](std::uint64_t) { return log::MessageMeaning{"traffic"}; };
  names.timer = kind_of_timer;
  return names;
}

}  // namespace

/// Keeps which setting of each switch was active when, and passes everything on.
class RunLogging::Phases final : public FabricProbe {
 public:
  /// Switches are the nodes from number `switches` on.
  Phases(std::size_t switches, FabricProbe* waves) : waves_(waves), switches_(switches) {}

  void flit_sent(Cycle now, LinkId link, VcId vc, PacketIdentity packet, bool head, bool tail, int credits) override {
    if (waves_ != nullptr) waves_->flit_sent(now, link, vc, packet, head, tail, credits);
  }
  void credit_returned(Cycle now, LinkId link, VcId vc, int credits) override {
    if (waves_ != nullptr) waves_->credit_returned(now, link, vc, credits);
  }
  void node_activity(Cycle now, NodeId node, const NodeActivity& activity) override {
    if (waves_ != nullptr) waves_->node_activity(now, node, activity);
    if (index(node) < switches_) return;
    end_phase(node, now);
    if (!activity.text.empty()) open_[node] = {node, "", activity.text, now, now};
  }
  bool wants_stalls(LinkId link) const override { return waves_ != nullptr && waves_->wants_stalls(link); }
  void link_stalled(Cycle now, LinkId link, StallReason reason) override {
    if (waves_ != nullptr) waves_->link_stalled(now, link, reason);
  }

  /// By end and switch, for threads tell of a cycle's in any order; then those that have not ended.
  std::vector<log::SwitchPhase> take(Cycle end) {
    std::stable_sort(done_.begin(), done_.end(), [](const log::SwitchPhase& a, const log::SwitchPhase& b) {
      return a.end != b.end ? a.end < b.end : a.node < b.node;
    });
    while (!open_.empty()) end_phase(open_.begin()->first, end);
    return std::move(done_);
  }

 private:
  void end_phase(NodeId node, Cycle now) {
    const auto found = open_.find(node);
    if (found == open_.end()) return;
    found->second.end = now;
    done_.push_back(found->second);
    open_.erase(found);
  }

  FabricProbe* waves_;
  std::size_t switches_;
  std::map<NodeId, log::SwitchPhase> open_;
  std::vector<log::SwitchPhase> done_;
};

RunLogging::RunLogging(const Config& config, FabricProbe* waves) : RunLogging(config, waves, *make_network(config)) {}

RunLogging::RunLogging(const Config& config, FabricProbe* waves, const network::Network& network)
    : config_(config), names_(names_of(config, network)), log_(names_.nodes.size()), waves_(waves) {
  const std::size_t switches = network.endpoints();
  const bool has_phases = names_.nodes.size() > switches && config.log.level >= LogLevel::kSteps;
  if (has_phases) phases_ = std::make_unique<Phases>(switches, waves);
}

RunLogging::~RunLogging() = default;

FabricProbe* RunLogging::fabric_probe() const {
  if (phases_) return phases_.get();
  return waves_;
}

void RunLogging::attach(System& system) {
  if (config_.log.level < LogLevel::kSteps) return;
  for (SystemPart& part : system.parts()) {
    if (part.traffic != nullptr) part.traffic->set_message_probe(&log_);
    if (part.messages != nullptr) part.messages->set_message_probe(&log_);
  }
}

void RunLogging::attach(Workload& workload) {
  if (config_.log.level >= LogLevel::kPackets) workload.set_access_probe(&log_);
}

void RunLogging::keep(Checkpoint& checkpoint) {
  if (phases_) Checkpoint::refuse("the phases of switches (log.level: steps and more) are not kept");
  log_.keep(checkpoint);
}

void RunLogging::finish(const Workload& workload, Cycle end) {
  names_.groups = workload.group_names();
  names_.phases = workload.group_phases();
  if (config_.log.level >= LogLevel::kSteps) path_ = log::critical_path(log_, names_);
  if (!phases_) return;
  // The log counts in cycles of the NPUs' clock.
  const Clock fabric(config_.clock);
  const Clock npus(names_.clock);
  switch_phases_ = phases_->take(end);
  for (log::SwitchPhase& phase : switch_phases_) {
    phase.name = names_.nodes.at(index(phase.node));
    phase.start = npus.first_edge_from(fabric.edge_fs(phase.start));
    phase.end = npus.first_edge_from(fabric.edge_fs(phase.end));
  }
}

void RunLogging::write(const std::filesystem::path& folder, const RunResult& result) const {
  log::LogContents contents;
  contents.log = &log_;
  contents.names = &names_;
  contents.path = &path_;
  contents.level = config_.log.level;
  contents.phases = switch_phases_;
  contents.run = {{"name", config_.name},
                  {"weft", WEFT_VERSION},
                  {"level", std::string(name_of(config_.log.level))},
                  {"clock", format_quantity(names_.clock.hertz, Dimension::kFrequency)},
                  {"cycles", std::to_string(result.cycles)},
                  {"finished", result.finished ? "true" : "false"}};
  if (result.estimate) contents.run.emplace_back("approximate", result.estimate->text);
  const auto* traffic = std::get_if<TrafficWorkload>(&config_.workload);
  if (traffic != nullptr) {
    contents.run.emplace_back("measured_from", std::to_string(traffic->warmup_cycles));
    contents.run.emplace_back("measured_to", std::to_string(traffic->warmup_cycles + traffic->measure_cycles));
  }
  contents.links = result.links.size();
  contents.link = [&result](std::size_t i) {
    const LinkRecord link = result.links.at(i);
    return log::LinkRow{link.name, link.from, link.to, link.flits, link.utilisation, link.values};
  };
  WriteAttempts files;
  files.attempt(folder / "log.sqlite", [&](const std::filesystem::path& file) { log::write_log_file(file, contents); });
  // Nothing but packets: no spans to show.
  if (traffic == nullptr) {
    files.attempt(folder / "timeline.json",
                  [&](const std::filesystem::path& file) { log::write_timeline(file, contents); });
  }
  files.require_all();
}

std::shared_ptr<RunLogging> make_run_logging(const Config& config, FabricProbe* waves) {
  const bool has_ranks = std::holds_alternative<TraceWorkload>(config.workload) ||
                         std::holds_alternative<CollectiveWorkload>(config.workload);
  const bool has_packets =
      std::holds_alternative<TrafficWorkload>(config.workload) && config.log.level == LogLevel::kPackets;
  if ((!has_ranks || config.log.level == LogLevel::kOff) && !has_packets) return nullptr;
  return std::make_shared<RunLogging>(config, waves);
}

}  // namespace weft::runs
