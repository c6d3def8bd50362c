// SPDX-License-Identifier: Apache-2.0
#include "report/floor_plan.h"

#include <algorithm>
#include <utility>

#include "network/names.h"

namespace weft::report {
namespace {

constexpr double kTile = 10;

}  // namespace

int FloorPlan::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

void FloorPlan::add(Place place) {
  numbers_.emplace(place.name, static_cast<int>(places_.size()));
  places_.push_back(std::move(place));
}

void FloorPlan::rename(int place, std::string name) {
  places_.at(static_cast<std::size_t>(place)).name = std::move(name);
}

void FloorPlan::close(double margin) {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  bool first = true;
  for (const Place& place : places_) {
    left = first ? place.x : std::min(left, place.x);
    top = first ? place.y : std::min(top, place.y);
    right = first ? place.x + place.w : std::max(right, place.x + place.w);
    bottom = first ? place.y + place.h : std::max(bottom, place.y + place.h);
    first = false;
  }
  for (Place& place : places_) {
    place.x += margin - left;
    place.y += margin - top;
  }
  width_ = right - left + 2 * margin;
  height_ = bottom - top + 2 * margin;
}

FloorPlan mesh_plan(int size_x, int size_y, const std::vector<BorderIo>& controllers) {
  FloorPlan plan;
  plan.add({"wafer", PlaceKind::kWafer, -1, -1, size_x * kTile + 2, size_y * kTile + 2});
  for (int y = 0; y < size_y; ++y) {
    for (int x = 0; x < size_x; ++x) {
      const double left = x * kTile;
      const double top = (size_y - 1 - y) * kTile;
      plan.add(
          {network::npu_name(static_cast<std::size_t>(y) * size_x + x), PlaceKind::kNpu, left + 3.4, top + 0.6, 6, 6});
      plan.add({network::router_name(x, y), PlaceKind::kRouter, left + 0.6, top + 7.4, 2, 2});
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
    plan.add({network::io_name(i), PlaceKind::kIo, x, y, 4, 4});
  }
  plan.close(2);
  return plan;
}

}  // namespace weft::report
