// SPDX-License-Identifier: Apache-2.0
#include "report/floor_plan.h"

#include <algorithm>
#include <utility>

#include "network/names.h"

namespace weft::report {
namespace {

constexpr double kTile = 10;

DrawingFacts tiles() {
  DrawingFacts facts;
  facts.text = "One tile per NPU, its router in the lower left corner; y grows upwards.";
  facts.directions = "y grows upwards.";
  facts.grid = true;
  return facts;
}

}  // namespace

int FloorPlan::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

void FloorPlan::add(Outline outline) {
  numbers_.emplace(outline.name, static_cast<int>(outlines_.size()));
  outlines_.push_back(std::move(outline));
}

void FloorPlan::rename(int outline, std::string name) {
  outlines_.at(static_cast<std::size_t>(outline)).name = std::move(name);
}

void FloorPlan::close(double margin) {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  bool first = true;
  for (const Outline& outline : outlines_) {
    left = first ? outline.x : std::min(left, outline.x);
    top = first ? outline.y : std::min(top, outline.y);
    right = first ? outline.x + outline.w : std::max(right, outline.x + outline.w);
    bottom = first ? outline.y + outline.h : std::max(bottom, outline.y + outline.h);
    first = false;
  }
  for (Outline& outline : outlines_) {
    outline.x += margin - left;
    outline.y += margin - top;
  }
  width_ = right - left + 2 * margin;
  height_ = bottom - top + 2 * margin;
}

FloorPlan mesh_plan(int size_x, int size_y, const std::vector<BorderIo>& controllers) {
  FloorPlan plan(tiles());
  plan.add({"wafer", OutlineKind::kWafer, -1, -1, size_x * kTile + 2, size_y * kTile + 2});
  for (int y = 0; y < size_y; ++y) {
    for (int x = 0; x < size_x; ++x) {
      const double left = x * kTile;
      const double top = (size_y - 1 - y) * kTile;
      plan.add({network::npu_name(static_cast<std::size_t>(y) * size_x + x), OutlineKind::kNpu, left + 3.4, top + 0.6,
                6, 6});
      plan.add({network::router_name(x, y), OutlineKind::kRouter, left + 0.6, top + 7.4, 2, 2});
    }
  }
  for (std::size_t i = 0; i < controllers.size(); ++i) {
    const BorderIo& io = controllers[i];
    double x = io.x * kTile + 2.5;
    double y = (size_y - 1 - io.y) * kTile + 2.5;
    if (io.side == "left") x = -6.5;
    if (io.side == "right") x = size_x * kTile + 2.5;
    if (io.side == "bottom") y = size_y * kTile + 2.5;
    if (io.side == "top") y = -6.5;
    plan.add({network::io_name(i), OutlineKind::kIo, x, y, 4, 4});
  }
  plan.close(2);
  return plan;
}

}  // namespace weft::report
