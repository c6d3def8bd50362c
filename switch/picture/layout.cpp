// SPDX-License-Identifier: Apache-2.0
#include "switch/picture/layout.h"

#include <algorithm>

namespace weft::fred {
namespace {

class Placer {
 public:
  explicit Placer(const Interconnect& net) : net_(net) {
    for (const Stage& stage : net.stages) depth_ = std::max(depth_, stage.depth);
    layout_.columns = 1 + 2 * depth_;
    layout_.rows = height(net.stages[0]);
    layout_.elements.resize(net.elements.size());
    lay_stage(net.stages[0], 0);
  }
  Layout take() { return std::move(layout_); }

 private:
  static int rows_of_ends(const Stage& stage) { return stage.pairs() + (stage.odd() ? 1 : 0); }

  double height(const Stage& stage) const {
    if (stage.base()) return 1;
    return std::max<double>(rows_of_ends(stage), net_.m * height(net_.stages[stage.middles[0]]));
  }

  void lay_stage(const Stage& stage, double top) {
    const double tall = height(stage);
    if (stage.base()) {
      layout_.elements[stage.first_in] = {static_cast<double>(stage.depth), top + tall / 2};
      return;
    }
    const int rows = rows_of_ends(stage);
    for (int i = 0; i < rows; ++i) {
      const bool last = stage.odd() && i + 1 == rows;
      const double row = top + (i + 0.5) * tall / rows;
      const auto at = static_cast<std::uint32_t>(i);
      layout_.elements[last ? stage.demux : stage.first_in + at] = {static_cast<double>(stage.depth), row};
      layout_.elements[last ? stage.mux : stage.first_out + at] = {static_cast<double>(2 * depth_ - stage.depth), row};
    }
    for (std::size_t k = 0; k < stage.middles.size(); ++k)
      lay_stage(net_.stages[stage.middles[k]], top + static_cast<double>(k) * tall / net_.m);
  }

  const Interconnect& net_;
  int depth_ = 0;
  Layout layout_;
};

}  // namespace

Layout lay_out(const Interconnect& net) { return Placer(net).take(); }

}  // namespace weft::fred
