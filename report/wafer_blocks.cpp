// SPDX-License-Identifier: Apache-2.0
#include "report/wafer_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "network/names.h"

namespace weft::report {
namespace {

using network::NameKind;
using network::NameParts;

/// A part of a mesh: its kind and its tile. Parts of one kind at one tile differ in `number` only (controllers).
struct Part {
  OutlineKind kind = OutlineKind::kRouter;
  int x = 0;
  int y = 0;
  int number = 0;
};

class MeshBlocks {
 public:
  MeshBlocks(int size_x, int size_y, const std::vector<BorderIo>& controllers, const std::vector<LinkEnds>& ends,
             const std::vector<std::string>& labels)
      : size_x_(size_x), size_y_(size_y), controllers_(controllers), labels_(labels) {
    for (const LinkEnds& link : ends) parts_.emplace_back(part(link.from), part(link.to));
  }

  WaferBlocks blocks(std::size_t most) {
    for (side_ = 2; side_ < 2 * std::max(size_x_, size_y_); ++side_) {
      gather_controllers();
      WaferBlocks blocks = attempt(most);
      if (blocks.line_of.size() < parts_.size()) continue;
      blocks.text = fmt::format("each tile stands for {} x {} routers and their NPUs", side_, side_);
      return blocks;
    }
    return {};
  }

 private:
  using Node = std::tuple<OutlineKind, int, int>;  // kind; the block, or the number of a group of controllers

  Part part(const std::string& name) const {
    const NameParts at = network::take_apart(name);
    if (at.kind == NameKind::kRouter && at.x >= 0 && at.x < size_x_ && at.y < size_y_) {
      return {OutlineKind::kRouter, at.x, at.y, 0};
    }
    if (at.kind == NameKind::kNpu && at.number < size_x_ * size_y_) {
      return {OutlineKind::kNpu, at.number % size_x_, at.number / size_x_, 0};
    }
    if (at.kind == NameKind::kIo && static_cast<std::size_t>(at.number) < controllers_.size()) {
      const BorderIo& io = controllers_[static_cast<std::size_t>(at.number)];
      return {OutlineKind::kIo, io.x, io.y, at.number};
    }
    throw InputError(name + " is not a part of this wafer; the folder is damaged: run it again");
  }

  /// The controllers at one side of a block are one.
  void gather_controllers() {
    groups_.clear();
    group_of_.clear();
    members_.clear();
    std::map<std::tuple<int, int, std::string>, int> seen;
    for (std::size_t i = 0; i < controllers_.size(); ++i) {
      const BorderIo& io = controllers_[i];
      const auto [it, is_new] =
          seen.emplace(std::tuple(io.x / side_, io.y / side_, io.side), static_cast<int>(groups_.size()));
      if (is_new) {
        groups_.push_back({io.x / side_, io.y / side_, io.side});
        members_.emplace_back();
      }
      group_of_.push_back(it->second);
      members_[static_cast<std::size_t>(it->second)].push_back(i);
    }
  }

  Node node(const Part& part) const {
    if (part.kind == OutlineKind::kIo) return {part.kind, group_of_[static_cast<std::size_t>(part.number)], 0};
    return {part.kind, part.x / side_, part.y / side_};
  }
  int blocks_x() const { return (size_x_ + side_ - 1) / side_; }
  int blocks_y() const { return (size_y_ + side_ - 1) / side_; }
  std::string plan_name(const Node& node) const {
    const auto& [kind, x, y] = node;
    if (kind == OutlineKind::kIo) return network::io_name(static_cast<std::size_t>(x));
    if (kind == OutlineKind::kNpu) return network::npu_name(static_cast<std::size_t>(y) * blocks_x() + x);
    return network::router_name(x, y);
  }
  std::string range(int block, int size) const {
    const int first = block * side_;
    const int last = std::min(first + side_, size) - 1;
    return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  std::string shown_name(const Node& node) const {
    const auto& [kind, x, y] = node;
    if (kind == OutlineKind::kIo) {
      const std::vector<std::size_t>& all = members_[static_cast<std::size_t>(x)];
      const std::string first = network::io_name(all.front());
      return all.size() == 1 ? first : fmt::format("{} ... {}", first, network::io_name(all.back()));
    }
    const std::string routers = network::router_name(range(x, size_x_), range(y, size_y_));
    return kind == OutlineKind::kNpu ? "npu at " + routers : routers;
  }

  /// Lines of blocks of this size; gives up when they are too many.
  WaferBlocks attempt(std::size_t most) {
    WaferBlocks blocks;
    const std::string inside = network::link_name("@", "inside");
    std::map<std::tuple<Node, Node, std::string>, std::size_t> numbers;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Node from = node(parts_[i].first);
      const Node to = node(parts_[i].second);
      const auto [it, is_new] = numbers.emplace(std::tuple(from, to, from == to ? inside : labels_[i]), numbers.size());
      if (numbers.size() > most) return {};
      blocks.line_of.push_back(it->second);
    }
    blocks.plan = mesh_plan(blocks_x(), blocks_y(), groups_);
    blocks.lines.resize(numbers.size());
    for (const auto& [key, number] : numbers) {
      const auto& [from, to, label] = key;
      blocks.lines[number] = {blocks.plan.find(plan_name(from)), blocks.plan.find(plan_name(to)), label};
    }
    rename(&blocks.plan);
    return blocks;
  }
  void rename(FloorPlan* plan) const {
    for (int y = 0; y < blocks_y(); ++y) {
      for (int x = 0; x < blocks_x(); ++x) {
        for (const OutlineKind kind : {OutlineKind::kNpu, OutlineKind::kRouter}) {
          plan->rename(plan->find(plan_name({kind, x, y})), shown_name({kind, x, y}));
        }
      }
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Node node{OutlineKind::kIo, static_cast<int>(i), 0};
      plan->rename(plan->find(plan_name(node)), shown_name(node));
    }
  }

  int size_x_;
  int size_y_;
  int side_ = 2;
  const std::vector<BorderIo>& controllers_;
  const std::vector<std::string>& labels_;
  std::vector<std::pair<Part, Part>> parts_;
  std::vector<BorderIo> groups_;  ///< groups of controllers, each drawn as one
  std::vector<int> group_of_;
  std::vector<std::vector<std::size_t>> members_;
};

/// A chiplet that is all of its logical switch has the same name as that.
bool is_chiplet(const NameParts& parts) {
  return parts.kind == NameKind::kSwitch && (parts.in_switch.plane >= 0 || parts.in_switch.slice >= 0);
}

/// A chiplet gets the name of the first one of its logical switch: "l2[1].slice[0].plane[3]" as "l2[1].plane[0]";
/// other names stay as they are.
std::string switch_of(const std::string& name) {
  const NameParts parts = network::take_apart(name);
  const auto& [level, group, slice, plane] = parts.in_switch;
  return is_chiplet(parts) ? network::switch_name({level, group, -1, plane < 0 ? -1 : 0}) : name;
}

/// "l2[1]" of "l2[1].plane[0]".
std::string logical_switch_of(const std::string& name) {
  const network::SwitchNumbers numbers = network::take_apart(name).in_switch;
  return network::switch_name({numbers.level, numbers.group});
}

bool is_npu(const std::string& name) { return network::take_apart(name).kind == NameKind::kNpu; }

WaferBlocks fred_attempt(const std::vector<LinkEnds>& ends, bool join_npus) {
  std::map<std::string, std::string> leader;  // by NPU: the first one of its switch
  std::map<std::string, std::string> first_of;
  std::map<std::string, std::size_t> members;
  std::set<std::string> chiplets;
  for (const LinkEnds& link : ends) {
    if (is_chiplet(network::take_apart(link.from))) chiplets.insert(link.from);
    if (!join_npus || !is_npu(link.from) || leader.count(link.from) != 0) continue;
    const std::string& first = first_of.emplace(switch_of(link.to), link.from).first->second;
    leader[link.from] = first;
    ++members[first];
  }
  const auto joined = [&](const std::string& name) {
    const auto npu = leader.find(name);
    return npu == leader.end() ? switch_of(name) : npu->second;
  };
  WaferBlocks blocks;
  std::vector<LinkEnds> coarse;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  for (const LinkEnds& link : ends) {
    const LinkEnds line{joined(link.from), joined(link.to)};
    const auto [it, is_new] = numbers.emplace(std::pair(line.from, line.to), numbers.size());
    if (is_new) coarse.push_back(line);
    blocks.line_of.push_back(it->second);
  }
  blocks.plan = fred_plan(coarse);
  for (const LinkEnds& line : coarse) {
    blocks.lines.push_back({blocks.plan.find(line.from), blocks.plan.find(line.to), "@ to %"});
  }
  std::map<std::string, std::size_t> in_switch;
  for (const std::string& name : chiplets) ++in_switch[switch_of(name)];
  for (const auto& [name, count] : in_switch) {
    blocks.plan.rename(blocks.plan.find(name), fmt::format("{}, {} chiplets", logical_switch_of(name), count));
  }
  for (const auto& [name, count] : members) {
    if (count > 1) blocks.plan.rename(blocks.plan.find(name), fmt::format("{} and {} more", name, count - 1));
  }
  blocks.text = join_npus ? "all chiplets of a logical switch are one, and all its NPUs"
                          : "all chiplets of a logical switch are one";
  return blocks;
}

}  // namespace

WaferBlocks mesh_blocks(int size_x, int size_y, const std::vector<BorderIo>& controllers,
                        const std::vector<LinkEnds>& ends, const std::vector<std::string>& labels, std::size_t most) {
  return MeshBlocks(size_x, size_y, controllers, ends, labels).blocks(most);
}

WaferBlocks fred_blocks(const std::vector<LinkEnds>& ends, std::size_t most) {
  for (const bool join_npus : {false, true}) {
    WaferBlocks blocks = fred_attempt(ends, join_npus);
    if (blocks.lines.size() <= most) return blocks;
  }
  return {};
}

}  // namespace weft::report
