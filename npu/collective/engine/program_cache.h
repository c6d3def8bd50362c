// SPDX-License-Identifier: Apache-2.0
// The programs of a run: made once per kind, group and root, shared by all NPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/checkpoint.h"
#include "config/config.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/engine/flow_groups.h"
#include "npu/collective/files/algorithm_table.h"
#include "npu/collective/form/program.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// How the collectives of a workload are carried out. The workload must not be synthetic traffic.
const CollectiveSpec& collective_spec(const Config& config);

/// How a collective of one group is carried out; the same for all of its members.
struct CollectivePlan {
  std::shared_ptr<const Program> program;
  std::string algorithm;
  MessageClass message_class = MessageClass::kRequest;  ///< message class of messages between two ranks
  int switch_nodes = 0;  ///< NPUs per lowest FRED switch, where messages below one have a class of their own; 0 = no
  MessageClass below_class = MessageClass::kRequest;  ///< that class
  std::optional<TrafficClass> phase_class;  ///< traffic class of its messages in FRED switches, by its training phase
  std::optional<TrafficClass> flow_traffic_class;  ///< traffic class of its flows in FRED switches; none = it has none
  std::vector<std::uint32_t> flows;                ///< by the program's numbers: those of the fabric

  /// The class of a message from one node to another. Without flows, messages below one switch and messages that cross
  /// switches have queues of their own, if a class is left for that: in one queue a packet for a busy NPU would hold up
  /// those for the uplinks.
  MessageClass class_between(NodeId from, NodeId to) const {
    const auto nodes = static_cast<std::uint32_t>(switch_nodes);
    const bool below = nodes > 0 && index(from) / nodes == index(to) / nodes;
    return below ? below_class : message_class;
  }
};

/// Makes programs and remembers them. A program is a pure function of what it is asked for, so it does not matter who
/// asks first; may be used by several threads.
class ProgramCache {
 public:
  /// `spec` gives the algorithm (and the file, with algorithm `file`, or the table, with `auto`), `fabric` the mesh
  /// that rings follow. Files are read and checked here; InputError as load_program, and with the checker's sentences
  /// if a program is not sound; as AlgorithmTable, and for a table of another fabric.
  ProgramCache(const CollectiveSpec& spec, const FabricSpec& fabric);
  /// For the workload of `config`, which is no synthetic traffic. A single collective may use the fabric's colours.
  explicit ProgramCache(const Config& config);

  /// Lets the programs of these groups have flows in the switches that `directory` numbers; before the first program is
  /// asked for. `warn` is told what is left to the endpoints.
  void use_switches(FlowDirectory& directory, std::vector<SharedGroup> groups,
                    std::function<void(const std::string&)> warn);

  /// Tells the training phases that a workload has, before the first program is asked for. Where FRED switches have no
  /// flows, messages of a group whose phase is known have its traffic class.
  void use_phases(const std::vector<SharedGroup>& groups);

  /// How a collective of `group` and of `bytes` (Chakra's comm_size) is carried out. With a table, by the first
  /// algorithm of its entry that suits the group, by `ring` if none does. InputError where algorithm, kind and group do
  /// not suit each other.
  std::shared_ptr<const CollectivePlan> plan(CollectiveKind kind, const CommGroup& group, std::uint32_t root,
                                             std::uint64_t bytes);
  std::shared_ptr<const Program> get(CollectiveKind kind, const CommGroup& group, std::uint32_t root,
                                     std::uint64_t bytes) {
    return plan(kind, group, root, bytes)->program;
  }
  /// Whether some collectives of this kind and group have flows in FRED switches, so that the members have to start
  /// them in one order. InputError as plan().
  bool have_flows(CollectiveKind kind, const CommGroup& group, std::uint32_t root);
  /// Whether the bytes of a collective decide how it is carried out.
  bool by_bytes() const { return table_.has_value(); }
  /// Writes into `checkpoint` which programs have been made in which order, or makes them in that order: flows in
  /// switches have the numbers of it. `groups`: those of the workload, by number.
  void keep(Checkpoint& checkpoint, const std::vector<SharedGroup>& groups);
  /// Whether programs may have flows in FRED switches.
  bool has_flows() const { return directory_ != nullptr; }
  /// The class of messages between two ranks that belong to no collective.
  MessageClass point_to_point() const { return unicast_class_; }
  const std::string& algorithm() const { return algorithm_; }
  /// Colours whose routes are set up for these programs; 0 = their messages go through VCs.
  int colours() const { return colours_; }
  /// Planes of FRED switches.
  std::uint64_t planes() const { return static_cast<std::uint64_t>(planes_); }
  /// Whether routers copy the packets of messages to several ranks on their way through VCs.
  bool multicast() const { return multicast_; }

 private:
  /// Returns the plan by an entry of the table; `entry` is 0 where there is no table.
  std::shared_ptr<const CollectivePlan> plan_of_entry(CollectiveKind kind, const CommGroup& group, std::uint32_t root,
                                                      std::uint32_t entry);
  std::shared_ptr<const CollectivePlan> make_plan(CollectiveKind kind, const CommGroup& group, std::uint32_t root,
                                                  std::uint32_t entry);
  std::shared_ptr<const CollectivePlan> plan_by(const std::string& algorithm, CollectiveKind kind,
                                                const CommGroup& group, std::uint32_t root);
  std::shared_ptr<const Program> make(const std::string& algorithm, CollectiveKind kind, const CommGroup& group,
                                      std::uint32_t root) const;
  void require_capable_switches(const std::string& algorithm, CollectiveKind kind) const;
  ProgramRequest request_for(CollectiveKind kind, const CommGroup& group, std::uint32_t root) const;
  std::string number_flows(const CommGroup& group, CollectivePlan* plan);
  void use_phase_of(const CommGroup& group, CollectivePlan* plan) const;
  void refuse_deadlock(const CommGroup& group, const Program& program) const;
  void use_endpoints(const CommGroup& group, const std::string& reason, CollectivePlan* plan);

  std::string algorithm_;
  std::optional<AlgorithmTable> table_;  ///< with algorithm `auto`
  DataType dtype_;
  MessageClass unicast_class_;
  int npus_per_switch_;
  int planes_;
  FabricSpec fabric_;
  std::set<TrafficClass> phases_;  ///< traffic classes of the training phases of the workload
  bool in_trace_ = true;           ///< the collectives are those of a trace
  std::vector<std::uint32_t> switch_groups_;
  FlowDirectory* directory_ = nullptr;
  FlowGroups flow_groups_;
  std::function<void(const std::string&)> warn_;
  std::string file_;
  int size_x_;
  int size_y_;
  bool torus_;
  int colours_ = 0;
  bool multicast_ = false;
  std::uint64_t elements_ = 0;  ///< elements of a single collective
  Cycle ramp_cycles_;
  Cycle hop_cycles_;
  std::shared_ptr<const Program> from_file_;
  std::mutex mutex_;
  /// Kind, number of the group, root, entry of the table.
  using Key = std::tuple<CollectiveKind, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Key, std::shared_ptr<const CollectivePlan>> plans_;
  std::vector<Key> made_;  ///< keys of plans_, in the order in which they were made
};

}  // namespace weft::npu
