// SPDX-License-Identifier: Apache-2.0
// Where everything of a wafer is drawn: NPUs, routers or chiplets, I/O controllers. Lengths are in tenths of a mesh
// tile; y grows downwards, as in pictures.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::report {

enum class OutlineKind { kWafer, kFrame, kNpu, kRouter, kChiplet, kIo };

/// A rectangle with a name.
struct Outline {
  std::string name;  ///< as in links.csv: npu[3], router[0,1], l1[0].plane[2]; a frame is a logical switch, l1[0]
  OutlineKind kind = OutlineKind::kNpu;
  double x = 0;
  double y = 0;
  double w = 0;
  double h = 0;
};

/// An I/O controller of a mesh: the tile whose port it shares, and the side.
struct BorderIo {
  int x = 0;
  int y = 0;
  std::string side;  ///< left, right, bottom, top
};

/// Ends of a link, as links.csv names them.
struct LinkEnds {
  std::string from;
  std::string to;
};

/// What a reader of a drawing, and the page that makes it, have to know of it.
struct DrawingFacts {
  std::string text;        ///< what stands where, in whole sentences
  std::string directions;  ///< of them, what is true of blocks, too; "" where nothing is
  bool grid = false;   ///< routers have coordinates: links are told apart by direction, those to the far end are stubs
  bool dense = false;  ///< many links lie close beside each other
};

/// A drawn wafer.
class FloorPlan {
 public:
  FloorPlan() = default;
  explicit FloorPlan(DrawingFacts facts) : facts_(std::move(facts)) {}

  const DrawingFacts& facts() const { return facts_; }
  double width() const { return width_; }
  double height() const { return height_; }
  const std::vector<Outline>& outlines() const { return outlines_; }
  /// Number of the outline of this name; -1 = there is none.
  int find(const std::string& name) const;
  void add(Outline outline);
  /// Gives an outline another name, by which it is not found.
  void rename(int outline, std::string name);
  /// Moves everything so that the picture begins at `margin`, and sets its size.
  void close(double margin);

 private:
  DrawingFacts facts_;
  double width_ = 0;
  double height_ = 0;
  std::vector<Outline> outlines_;
  std::map<std::string, int> numbers_;
};

/// Routers on a circle, NPUs around it: for routers that are joined in any way.
FloorPlan graph_plan(const std::vector<LinkEnds>& links);

/// Tiles of a mesh or torus, y upwards as in the configuration: the router in the lower left corner of its NPU's tile.
FloorPlan mesh_plan(int size_x, int size_y, const std::vector<BorderIo>& controllers);

/// FRED switches, from the names at the ends of their links. The configuration gives them no coordinates: half of the
/// groups lie above their L2 switch and half below, I/O controllers at the outer border; higher levels stand between
/// what they join.
FloorPlan fred_plan(const std::vector<LinkEnds>& links);

}  // namespace weft::report
