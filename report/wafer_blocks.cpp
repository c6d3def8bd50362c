// SPDX-License-Identifier: Apache-2.0
#include "report/wafer_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace weft::report {
namespace {

/// A part of a mesh: its kind and its tile. Parts of one kind at one tile differ in `number` only (controllers).
struct Part {
  PlaceKind kind = PlaceKind::kRouter;
  int x = 0;
  int y = 0;
  int number = 0;
};

/// The numbers in "router[3,0]" or "npu[7]".
std::pair<int, int> numbers_in(const std::string& name) {
  std::pair<int, int> numbers{-1, -1};
  const std::size_t bracket = name.find('[');
  if (bracket == std::string::npos) return numbers;
  const char* end = name.data() + name.size();
  const auto [next, error] = std::from_chars(name.data() + bracket + 1, end, numbers.first);
  if (error == std::errc() && next != end && *next == ',') std::from_chars(next + 1, end, numbers.second);
  return numbers;
}

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
  using Node = std::tuple<PlaceKind, int, int>;  // kind; the block, or the number of a group of controllers

  Part part(const std::string& name) const {
    const auto [first, second] = numbers_in(name);
    const bool in_range = first >= 0;
    if (name.rfind("router[", 0) == 0 && in_range && first < size_x_ && second >= 0 && second < size_y_) {
      return {PlaceKind::kRouter, first, second, 0};
    }
    if (name.rfind("npu[", 0) == 0 && in_range && first < size_x_ * size_y_) {
      return {PlaceKind::kNpu, first % size_x_, first / size_x_, 0};
    }
    if (name.rfind("io[", 0) == 0 && in_range && static_cast<std::size_t>(first) < controllers_.size()) {
      const BorderIo& io = controllers_[static_cast<std::size_t>(first)];
      return {PlaceKind::kIo, io.x, io.y, first};
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
    if (part.kind == PlaceKind::kIo) return {part.kind, group_of_[static_cast<std::size_t>(part.number)], 0};
    return {part.kind, part.x / side_, part.y / side_};
  }
  int blocks_x() const { return (size_x_ + side_ - 1) / side_; }
  int blocks_y() const { return (size_y_ + side_ - 1) / side_; }
  std::string plan_name(const Node& node) const {
    const auto& [kind, x, y] = node;
    if (kind == PlaceKind::kIo) return fmt::format("io[{}]", x);
    if (kind == PlaceKind::kNpu) return fmt::format("npu[{}]", y * blocks_x() + x);
    return fmt::format("router[{},{}]", x, y);
  }
  std::string range(int block, int size) const {
    const int first = block * side_;
    const int last = std::min(first + side_, size) - 1;
    return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  std::string shown_name(const Node& node) const {
    const auto& [kind, x, y] = node;
    if (kind == PlaceKind::kIo) {
      const std::vector<std::size_t>& all = members_[static_cast<std::size_t>(x)];
      return all.size() == 1 ? fmt::format("io[{}]", all.front())
                             : fmt::format("io[{}] ... io[{}]", all.front(), all.back());
    }
    const std::string tile = fmt::format("[{},{}]", range(x, size_x_), range(y, size_y_));
    return (kind == PlaceKind::kNpu ? "npu at router" : "router") + tile;
  }

  /// Lines of blocks of this size; gives up when they are too many.
  WaferBlocks attempt(std::size_t most) {
    WaferBlocks blocks;
    std::map<std::tuple<Node, Node, std::string>, std::size_t> numbers;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Node from = node(parts_[i].first);
      const Node to = node(parts_[i].second);
      const auto [it, is_new] =
          numbers.emplace(std::tuple(from, to, from == to ? "fabric.@.inside" : labels_[i]), numbers.size());
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
        for (const PlaceKind kind : {PlaceKind::kNpu, PlaceKind::kRouter}) {
          plan->rename(plan->find(plan_name({kind, x, y})), shown_name({kind, x, y}));
        }
      }
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Node node{PlaceKind::kIo, static_cast<int>(i), 0};
      plan->rename(plan->find(plan_name(node)), shown_name(node));
    }
  }

  int size_x_;
  int size_y_;
  int side_ = 2;
  const std::vector<BorderIo>& controllers_;
  const std::vector<std::string>& labels_;
  std::vector<std::pair<Part, Part>> parts_;
  std::vector<BorderIo> groups_;  ///< of controllers
  std::vector<int> group_of_;
  std::vector<std::vector<std::size_t>> members_;
};

bool is_chiplet(const std::string& name) {
  return !name.empty() && name[0] == 'l' && name.find(".plane[") != std::string::npos;
}

/// "l2[1].slice[0].plane[3]" as "l2[1].plane[0]"; other names as they are.
std::string switch_of(const std::string& name) {
  return is_chiplet(name) ? name.substr(0, name.find('.')) + ".plane[0]" : name;
}

bool is_npu(const std::string& name) { return name.rfind("npu[", 0) == 0; }

WaferBlocks fred_attempt(const std::vector<LinkEnds>& ends, bool join_npus) {
  std::map<std::string, std::string> leader;  // of an NPU: the first of its switch
  std::map<std::string, std::string> first_of;
  std::map<std::string, std::size_t> members;
  std::set<std::string> chiplets;
  for (const LinkEnds& link : ends) {
    if (is_chiplet(link.from)) chiplets.insert(link.from);
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
    blocks.plan.rename(blocks.plan.find(name), fmt::format("{}, {} chiplets", name.substr(0, name.find('.')), count));
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
