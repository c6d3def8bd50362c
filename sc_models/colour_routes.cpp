// SPDX-License-Identifier: Apache-2.0
#include "sc_models/colour_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "base/error.h"
#include "config/chunks.h"
#include "npu/collective/engine/program_cache.h"
#include "router/colour/colour_plane.h"
#include "router/grid_names.h"
#include "sc_models/route_tree.h"

namespace weft::sc_models {
namespace {

using npu::Instruction;
using npu::Op;
using router::Coordinates;
using router::Grid;

/// Collects what each router has to do for each colour, one message after the other.
class StopTable {
 public:
  StopTable(const FabricSpec& fabric, int colours)
      : grid_(fabric),
        colours_(colours),
        entry_of_(static_cast<std::size_t>(grid_.nodes()) * static_cast<std::size_t>(colours), kNone) {}

  /// Message `what` of `colour` with `tag` passes the router at `node` from `inputs` to `outputs`.
  void pass(NodeId node, std::uint8_t colour, std::uint32_t tag, std::uint32_t route, std::uint8_t inputs,
            std::uint8_t outputs) {
    Entry& entry = entry_at(node, colour);
    if (entry.last_route != kNone && entry.last_tag == tag && entry.last_route != route) {
      const Coordinates at = grid_.coordinates(node);
      throw InputError(fmt::format(
          "colour conflict at router [{},{}]: two messages of colour {} with tag {} pass it, so that their order is "
          "open; give one of them another colour or tag",
          at.x, at.y, colour, tag));
    }
    entry.last_tag = tag;
    entry.last_route = route;
    const bool merge = (inputs & (inputs - 1U)) != 0;
    if (!entry.positions.empty()) {
      ColourPosition& last = entry.positions.back();
      if (last.inputs == inputs && last.outputs == outputs) {
        ++last.messages;
        return;
      }
    }
    entry.positions.push_back({inputs, outputs, merge, 1});
  }

  ColourPlan plan() const {
    ColourPlan plan;
    plan.stops.reserve(entries_.size());
    std::map<std::vector<std::uint64_t>, std::uint32_t> known;
    for (std::size_t key = 0; key < entry_of_.size(); ++key) {
      if (entry_of_[key] == kNone) continue;
      const Entry& entry = entries_[entry_of_[key]];
      std::vector<std::uint64_t> code;
      for (const ColourPosition& position : entry.positions) {
        code.push_back(std::uint64_t{position.messages} << 16 | std::uint64_t{position.inputs} << 8 | position.outputs);
      }
      const auto [found, fresh] = known.emplace(std::move(code), static_cast<std::uint32_t>(plan.positions.size()));
      if (fresh) plan.positions.insert(plan.positions.end(), entry.positions.begin(), entry.positions.end());
      const auto colours = static_cast<std::size_t>(colours_);
      plan.stops.push_back({NodeId{static_cast<std::uint32_t>(key / colours)}, static_cast<std::uint8_t>(key % colours),
                            found->second, static_cast<std::uint32_t>(entry.positions.size())});
    }
    return plan;
  }

  const Grid& grid() const { return grid_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::vector<ColourPosition> positions;
    std::uint32_t last_tag = 0;
    std::uint32_t last_route = kNone;
  };

  Entry& entry_at(NodeId node, std::uint8_t colour) {
    std::uint32_t& number = entry_of_[std::size_t{index(node)} * static_cast<std::size_t>(colours_) + colour];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    }
    return entries_[number];
  }

  Grid grid_;
  int colours_;
  std::vector<std::uint32_t> entry_of_;  ///< per node and colour
  std::vector<Entry> entries_;
};

/// Goes through a program and enters its messages in the order of their tags.
class PlanMaker {
 public:
  PlanMaker(const npu::Program& program, const std::vector<NodeId>& nodes, const FabricSpec& fabric)
      : program_(program),
        nodes_(nodes),
        fabric_(fabric),
        table_(fabric, fabric.router.colours),
        tree_(table_.grid()) {}

  ColourPlan make() {
    walk([this](const ColouredMessage& message, const std::vector<RouteTree::Use>& uses) {
      const auto colour = static_cast<std::uint8_t>(message.instruction.hints.colour);
      for (const RouteTree::Use& use : uses)
        table_.pass(use.node, colour, message.instruction.send_tag, message.number, use.inputs, use.outputs);
    });
    return table_.plan();
  }

  /// Gives every message of the program with the routers that it passes.
  void walk(const ColouredVisitor& visit) {
    collect();
    std::sort(messages_.begin(), messages_.end(), [](const Coloured& a, const Coloured& b) {
      return std::tie(a.tag, a.rank, a.index) < std::tie(b.tag, b.rank, b.index);
    });
    std::uint32_t route = 0;
    for (auto message = messages_.begin(); message != messages_.end(); ++route) {
      tree_.clear();
      const Instruction in = program_.at(message->rank, message->index);
      auto next = message + 1;
      if (in.op == Op::kFlow) {
        while (next != messages_.end() && next->tag == message->tag && next->flow == message->flow) ++next;
        add_flow(message, next);
      } else if (!in.hints.path.empty()) {
        add_path(message->rank, in);
      } else {
        tree_.start(nodes_[message->rank]);
        for (const std::uint32_t to : in.to) tree_.add_receiver(nodes_[message->rank], nodes_[to]);
      }
      visit({route, message->rank, in}, tree_.uses());
      message = next;
    }
  }

 private:
  struct Coloured {
    std::uint32_t tag;
    std::uint32_t rank;
    std::uint32_t index;
    int flow;
  };
  using Messages = std::vector<Coloured>;

  void collect() {
    for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank) {
      for (std::uint32_t i = 0; i < program_.length(rank); ++i) {
        const Instruction in = program_.at(rank, i);
        const bool travels = npu::op_sends(in.op) || in.op == Op::kFlow;
        if (!travels || in.hints.colour < 0) continue;
        if (in.hints.colour >= fabric_.router.colours) {
          throw InputError(
              fmt::format("the program needs colour {} (rank {}, instruction {}), but the routers have {}; set "
                          "fabric.router.colours to {} or more, or to 0 to send through VCs",
                          in.hints.colour, rank, i, fabric_.router.colours, in.hints.colour + 1));
        }
        messages_.push_back({in.send_tag, rank, i, in.op == Op::kFlow ? in.hints.flow : -1});
      }
    }
  }

  void add_flow(Messages::const_iterator first, Messages::const_iterator last) {
    std::uint32_t receiver = npu::kNoRank;
    for (auto each = first; each != last; ++each) {
      if (program_.at(each->rank, each->index).dst.count == 0) continue;
      if (receiver != npu::kNoRank) {
        throw InputError(fmt::format("flow {} has two receivers, ranks {} and {}; routers merge towards one",
                                     each->flow, receiver, each->rank));
      }
      receiver = each->rank;
    }
    if (receiver == npu::kNoRank) throw InputError(fmt::format("flow {} has no receiver", first->flow));
    for (auto each = first; each != last; ++each) {
      const Instruction in = program_.at(each->rank, each->index);
      if (in.src.count == 0) continue;
      if (in.hints.path.empty()) {
        tree_.add_operand(nodes_[each->rank], nodes_[receiver]);
      } else {
        add_operand_path(each->rank, in, receiver);
      }
    }
  }

  void add_operand_path(std::uint32_t rank, const Instruction& in, std::uint32_t receiver) {
    const std::string subject = fmt::format("path of rank {} in flow {}", rank, in.hints.flow);
    std::vector<NodeId> path;
    for (const std::uint32_t next : in.hints.path) path.push_back(node_on(next, subject));
    if (in.hints.path.back() != receiver) {
      throw InputError(fmt::format("{}: the path ends at rank {}, the result comes out at rank {}", subject,
                                   in.hints.path.back(), receiver));
    }
    tree_.add_operand_path(nodes_[rank], path, subject);
  }

  NodeId node_on(std::uint32_t rank, const std::string& subject) const {
    if (rank < nodes_.size()) return nodes_[rank];
    throw InputError(fmt::format("{}: the path leaves the wafer at rank {}; the group has ranks 0 to {}", subject, rank,
                                 nodes_.size() - 1));
  }

  void add_path(std::uint32_t rank, const Instruction& in) {
    const std::string subject = fmt::format("path of rank {} to rank {} (tag {})", rank, in.to.front(), in.send_tag);
    tree_.start(nodes_[rank]);
    NodeId at = nodes_[rank];
    for (const std::uint32_t next : in.hints.path) {
      const NodeId to = node_on(next, subject);
      tree_.step(at, to, subject);
      at = to;
    }
    for (const std::uint32_t to : in.to) {
      const bool passed = nodes_[to] == at || std::find_if(in.hints.path.begin(), in.hints.path.end(), [&](auto each) {
                                                return nodes_[each] == nodes_[to];
                                              }) != in.hints.path.end();
      if (!passed) throw InputError(fmt::format("{}: the path does not come to rank {}", subject, to));
      tree_.end(nodes_[to]);
    }
  }

  const npu::Program& program_;
  const std::vector<NodeId>& nodes_;
  const FabricSpec& fabric_;
  StopTable table_;
  RouteTree tree_;
  Messages messages_;
};

}  // namespace

ColourPlan make_colour_plan(const npu::Program& program, const std::vector<NodeId>& nodes, const FabricSpec& fabric) {
  return PlanMaker(program, nodes, fabric).make();
}

void visit_coloured(const npu::Program& program, const std::vector<NodeId>& nodes, const FabricSpec& fabric,
                    const ColouredVisitor& visit) {
  PlanMaker(program, nodes, fabric).walk(visit);
}

WorkloadProgram workload_program(const Config& config) {
  const CollectiveSpec& spec = std::get<CollectiveWorkload>(config.workload).collective;
  npu::CommGroup group;
  group.name = "workload";
  std::uint32_t root = 0;
  if (spec.group.empty()) {
    group.nodes = config.npu.placement;
    root = index(spec.root);
  }
  for (std::uint32_t i = 0; i < spec.group.size(); ++i) {
    group.nodes.push_back(config.npu.placement.at(index(spec.group[i])));
    if (spec.group[i] == spec.root) root = i;
  }
  npu::ProgramCache programs(config);
  return {programs.get(spec.kind, group, root, spec.bytes), group.nodes};
}

ColourPlan colour_plan_of(const Config& config) {
  const auto* workload = std::get_if<CollectiveWorkload>(&config.workload);
  if (workload == nullptr || config.fabric.router.colours == 0) return {};
  const WorkloadProgram program = workload_program(config);
  ColourPlan plan = make_colour_plan(*program.program, program.nodes, config.fabric);
  const int chunks = chunks_of(workload->collective, workload->collective.bytes);
  if (!plan.empty() && chunks > 1) {
    throw InputError(
        fmt::format("workload.collective.chunks: {} chunks cannot share set-up routes; legal: 1, or "
                    "fabric.router.colours: 0",
                    chunks));
  }
  return plan;
}

std::vector<ConfigProblem> check_colours(const Config& config) {
  try {
    router::check_colour_plan(colour_plan_of(config), config.fabric);
  } catch (const InputError& error) {
    return {{"workload.collective.algorithm", error.what()}};
  }
  return {};
}

}  // namespace weft::sc_models
