// SPDX-License-Identifier: Apache-2.0
// The datapaths that unicasts have used in a switch.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/checkpoint.h"
#include "base/types.h"
#include "switch/network/elastic_datapath.h"

namespace weft::fred {

/// Datapaths of unicasts by input, output and route. There are many routes from each input to each output, so that only
/// some datapaths are kept: making one anew costs time and changes nothing.
class UnicastDatapaths {
 public:
  /// Keeps about `per_port` datapaths for each port.
  UnicastDatapaths(std::size_t ports, std::size_t per_port)
      : most_(ports * per_port), by_input_(ports), for_any_route_(ports * ports) {}

  /// The datapath along `route`, which is named by its output pins, or without any the one that serves all routes;
  /// null if it is not kept.
  ElasticDatapath* find(PortId input, PortId output, const std::vector<Terminal>& route) const;

  /// Keeps one more. Where there are as many as may be, the oldest ones go for which `let_go` is true. It is asked for
  /// a few, and drops all that the switch knows of a datapath for which it says so.
  template <typename LetGo>
  ElasticDatapath& add(PortId input, PortId output, const std::vector<Terminal>& route,
                       std::unique_ptr<ElasticDatapath> datapath, const LetGo& let_go) {
    for (int asked = 0; asked < kAsked && ages_.size() >= most_ && !ages_.empty(); ++asked) {
      const Age oldest = ages_.front();
      ages_.pop_front();
      if (let_go(*oldest.datapath)) {
        remove(oldest);
      } else {
        ages_.push_back(oldest);
      }
    }
    return keep(input, output, route, std::move(datapath));
  }

  /// Writes all of them into `checkpoint`, or makes them as it says, with `make(plan)`.
  void keep(Checkpoint& checkpoint, const std::function<std::unique_ptr<ElasticDatapath>(DatapathPlan)>& make);
  /// A datapath that is kept, by its age; 0 = the oldest.
  std::size_t age_of(const ElasticDatapath* datapath) const;
  ElasticDatapath& by_age(std::size_t age) const { return *find_kept(ages_.at(age)).datapath; }

  /// Datapaths that are kept.
  std::size_t size() const { return ages_.size(); }

 private:
  static constexpr int kAsked = 4;
  struct Kept {
    std::vector<Terminal> route;
    std::unique_ptr<ElasticDatapath> datapath;
  };
  struct Age {
    PortId input{};
    PortId output{};
    const ElasticDatapath* datapath = nullptr;
  };

  ElasticDatapath& keep(PortId input, PortId output, const std::vector<Terminal>& route,
                        std::unique_ptr<ElasticDatapath> datapath);
  void remove(const Age& age);
  const Kept& find_kept(const Age& age) const;

  std::size_t most_;
  std::vector<std::vector<std::vector<Kept>>> by_input_;  ///< by input and output
  std::vector<ElasticDatapath*> for_any_route_;           ///< by input and output: those that serve all routes
  std::deque<Age> ages_;                                  ///< the oldest first
};

}  // namespace weft::fred
