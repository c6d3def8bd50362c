// SPDX-License-Identifier: Apache-2.0
// The drawing of a wafer of FRED switches.
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "network/names.h"
#include "report/floor_plan.h"

namespace weft::report {
namespace {

constexpr double kPitch = 10;  // from one NPU to the next
constexpr double kNpuSize = 8;
constexpr double kChipWidth = 5;
constexpr double kChipHeight = 4.4;
constexpr double kChipPitch = 7;
constexpr double kLabel = 8;   // room for the name of a logical switch, left of its chiplets
constexpr double kFan = 16;    // height of the fan of links between an L1 switch and its NPUs
constexpr double kTrunk = 30;  // between levels

using network::NameKind;
using network::NameParts;

network::SwitchNumbers numbers_of(const std::string& chiplet) { return network::take_apart(chiplet).in_switch; }

/// "name[7]" before "name[10]".
struct ByNumbers {
  bool operator()(const std::string& a, const std::string& b) const {
    if (a.size() != b.size()) return a.size() < b.size();
    return a < b;
  }
};

/// A logical switch and what hangs below it.
struct Group {
  std::set<std::string, ByNumbers> chiplets;
  std::set<std::string, ByNumbers> npus;
  std::set<std::string, ByNumbers> controllers;
  std::set<int> children;  ///< groups of the level below
};

using Key = std::pair<int, int>;  // level, group

DrawingFacts switches() {
  DrawingFacts facts;
  facts.text =
      "Switches are drawn as they are wired; the configuration gives them no coordinates. Each number in a switch is a "
      "plane.";
  facts.dense = true;
  return facts;
}

class FredPlanner {
 public:
  explicit FredPlanner(const std::vector<LinkEnds>& links) {
    for (const LinkEnds& link : links) note(link);
  }

  FloorPlan plan() {
    if (groups_.empty()) return std::move(plan_);
    const int top = groups_.rbegin()->first.first;
    double x = 0;
    for (const auto& [key, group] : groups_) {
      if (key.first == top) x += lay(key, x, 0) + kPitch;
    }
    plan_.close(2);
    return std::move(plan_);
  }

 private:
  void note(const LinkEnds& link) {
    const NameParts sender = network::take_apart(link.from);
    const NameParts receiver = network::take_apart(link.to);
    const network::SwitchNumbers from = sender.in_switch;
    const network::SwitchNumbers to = receiver.in_switch;
    const bool from_switch = sender.kind == NameKind::kSwitch;
    const bool to_switch = receiver.kind == NameKind::kSwitch;
    if (from_switch && (from.plane >= 0 || from.slice >= 0))
      groups_[{from.level, from.group}].chiplets.insert(link.from);
    if (!from_switch && to_switch) {
      Group& group = groups_[{to.level, to.group}];
      (sender.kind == NameKind::kNpu ? group.npus : group.controllers).insert(link.from);
    }
    if (from_switch && to_switch && to.level == from.level + 1)
      groups_[{to.level, to.group}].children.insert(from.group);
  }

  double npu_columns(const Group& group) const {
    return static_cast<double>(std::max<std::size_t>({group.npus.size(), group.controllers.size(), 1}));
  }
  static int planes(const Group& group) {
    std::set<int> seen;
    for (const std::string& chiplet : group.chiplets) seen.insert(plane_of(chiplet));
    return std::max(1, static_cast<int>(seen.size()));
  }
  static int plane_of(const std::string& chiplet) { return std::max(0, numbers_of(chiplet).plane); }
  static int slice_of(const std::string& chiplet) { return std::max(0, numbers_of(chiplet).slice); }
  static int slices(const Group& group) {
    int most = 0;
    for (const std::string& chiplet : group.chiplets) most = std::max(most, slice_of(chiplet));
    return most + 1;
  }
  /// All slices beside each other, so that no link crosses one.
  static double frame_width(const Group& group) { return kLabel + slices(group) * planes(group) * kChipPitch + 1; }
  /// The switch between wafers stands upright, a column for each slice.
  static double column_width(const Group& group) { return kLabel + slices(group) * kChipPitch + 1; }
  static double column_height(const Group& group) { return planes(group) * (kChipHeight + 3) + 2; }
  static double frame_height(const Group& /*group*/) { return kChipHeight + 2; }

  /// Height of what lies at and below a group.
  double height(Key key) {
    const Group& group = groups_[key];
    if (key.first == 1) return 6 + kNpuSize + kFan + frame_height(group);
    double most = 0;
    for (const int child : group.children) most = std::max(most, height({key.first - 1, child}));
    if (key.first > 2) return std::max(most, column_height(group));
    return group.children.size() > 1 ? 2 * (most + kTrunk) + frame_height(group) : most + kTrunk + frame_height(group);
  }
  double width(Key key) {
    const Group& group = groups_[key];
    if (key.first == 1) return std::max(npu_columns(group) * kPitch, frame_width(group));
    double upper = 0;
    double lower = 0;
    std::size_t i = 0;
    for (const int child : group.children) {
      const double wide = width({key.first - 1, child}) + kPitch;
      (key.first > 2 || i++ < (group.children.size() + 1) / 2 ? upper : lower) += wide;
    }
    const double below = std::max(upper, lower) - kPitch;
    return key.first > 2 ? below + column_width(group) + 2 * kTrunk : std::max(below, frame_width(group));
  }

  /// Puts a group with its left upper corner at (x, y); returns its width.
  double lay(Key key, double x, double y) {
    if (key.first == 1) return lay_leaf(key, x, y, false);
    return key.first == 2 ? lay_wafer(key, x, y) : lay_joint(key, x, y);
  }

  void row(const std::set<std::string, ByNumbers>& names, OutlineKind kind, double x, double wide, double y, double w,
           double h) {
    double at = x + (wide - static_cast<double>(names.size()) * kPitch) / 2 + (kPitch - w) / 2;
    for (const std::string& name : names) {
      plan_.add({name, kind, at, y, w, h});
      at += kPitch;
    }
  }

  /// An L1 switch with its NPUs above it and I/O controllers at the border, or upside down.
  double lay_leaf(Key key, double x, double y, bool down) {
    const Group& group = groups_[key];
    const double wide = width(key);
    const double tall = height(key);
    const auto at = [&](double from, double h) { return down ? y + tall - from - h : y + from; };
    row(group.controllers, OutlineKind::kIo, x, wide, at(0, 4), 4, 4);
    row(group.npus, OutlineKind::kNpu, x, wide, at(6, kNpuSize), kNpuSize, kNpuSize);
    lay_frame(key, x + (wide - frame_width(group)) / 2, at(6 + kNpuSize + kFan, frame_height(group)));
    return wide;
  }

  void lay_frame(Key key, double x, double y) {
    const Group& group = groups_[key];
    plan_.add({network::switch_name({key.first, key.second}), OutlineKind::kFrame, x, y, frame_width(group),
               frame_height(group)});
    for (const std::string& chiplet : group.chiplets) {
      const int column = slice_of(chiplet) * planes(group) + plane_of(chiplet);
      plan_.add({chiplet, OutlineKind::kChiplet, x + kLabel + column * kChipPitch + (kChipPitch - kChipWidth) / 2,
                 y + 1, kChipWidth, kChipHeight});
    }
  }

  void lay_column(Key key, double x, double y) {
    const Group& group = groups_[key];
    plan_.add({network::switch_name({key.first, key.second}), OutlineKind::kFrame, x, y, column_width(group),
               column_height(group)});
    for (const std::string& chiplet : group.chiplets) {
      plan_.add({chiplet, OutlineKind::kChiplet,
                 x + kLabel + slice_of(chiplet) * kChipPitch + (kChipPitch - kChipWidth) / 2,
                 y + 1 + plane_of(chiplet) * (kChipHeight + 3) + 1.5, kChipWidth, kChipHeight});
    }
  }

  /// L1 switches above and below their L2 switch.
  double lay_wafer(Key key, double x, double y) {
    const Group& group = groups_[key];
    const double wide = width(key);
    const double tall = height(key);
    plan_.add({fmt::format("wafer[{}]", key.second), OutlineKind::kWafer, x - 3, y - 3, wide + 6, tall + 6});
    const std::vector<int> children(group.children.begin(), group.children.end());
    const std::size_t half = (children.size() + 1) / 2;
    lay_row(children, 0, half, key.first - 1, x, wide, y, false);
    if (half < children.size()) {
      const double bottom = height({key.first - 1, children[half]});
      lay_row(children, half, children.size(), key.first - 1, x, wide, y + tall - bottom, true);
    }
    const double middle = children.size() > 1 ? y + (tall - frame_height(group)) / 2 : y + tall - frame_height(group);
    lay_frame(key, x + (wide - frame_width(group)) / 2, middle);
    return wide;
  }

  void lay_row(const std::vector<int>& children, std::size_t from, std::size_t to, int level, double x, double wide,
               double y, bool down) {
    double total = -kPitch;
    for (std::size_t i = from; i < to; ++i) total += width({level, children[i]}) + kPitch;
    double at = x + (wide - total) / 2;
    for (std::size_t i = from; i < to; ++i) at += lay_leaf({level, children[i]}, at, y, down) + kPitch;
  }

  /// Wafers, or joints of wafers, side by side with the switch that joins them in the middle.
  double lay_joint(Key key, double x, double y) {
    const Group& group = groups_[key];
    const double tall = height(key);
    double at = x;
    std::size_t i = 0;
    for (const int child : group.children) {
      if (i++ == (group.children.size() + 1) / 2) {
        at += kTrunk - kPitch;
        lay_column(key, at, y + (tall - column_height(group)) / 2);
        at += column_width(group) + kTrunk;
      }
      at += lay({key.first - 1, child}, at, y) + kPitch;
    }
    if (group.children.size() < 2) lay_column(key, at + kTrunk, y + (tall - column_height(group)) / 2);
    return width(key);
  }

  FloorPlan plan_{switches()};
  std::map<Key, Group> groups_;
};

}  // namespace

FloorPlan fred_plan(const std::vector<LinkEnds>& links) { return FredPlanner(links).plan(); }

}  // namespace weft::report
