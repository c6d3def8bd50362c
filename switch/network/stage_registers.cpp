// SPDX-License-Identifier: Apache-2.0
#include "switch/network/stage_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"

namespace weft::fred {
namespace {

/// Depth-first search along wires that leave elements without registers.
class CircleSearch {
 public:
  CircleSearch(const Interconnect& net, const std::vector<std::uint8_t>& registered)
      : net_(net), registered_(registered), state_(net.elements.size(), State::kNew) {}

  void run() {
    for (std::uint32_t e = 0; e < state_.size(); ++e) visit(e);
  }

 private:
  enum class State : std::uint8_t { kNew, kVisiting, kDone };

  void visit(std::uint32_t e) {
    if (state_[e] == State::kDone || registered_[e] != 0) return;
    if (state_[e] == State::kVisiting) refuse(e);
    state_[e] = State::kVisiting;
    route_.push_back(e);
    for (const Terminal sink : net_.elements[e].sinks) {
      if (!sink.outside()) visit(sink.element);
    }
    route_.pop_back();
    state_[e] = State::kDone;
  }

  [[noreturn]] void refuse(std::uint32_t first) const {
    std::string names;
    for (auto at = std::find(route_.begin(), route_.end(), first); at != route_.end(); ++at)
      names += net_.elements[*at].path + " -> ";
    throw InputError(fmt::format("{}: data could run in a circle without a register: {}{}; one of them must have one",
                                 net_.name(), names, net_.elements[first].path));
  }

  const Interconnect& net_;
  const std::vector<std::uint8_t>& registered_;
  std::vector<State> state_;
  std::vector<std::uint32_t> route_;
};

}  // namespace

std::vector<std::uint8_t> stage_registers(const Interconnect& net, int every) {
  std::vector<int> number(net.elements.size(), 1);  // on a route, the first element has 1
  std::vector<std::uint8_t> registered(net.elements.size(), 0);
  for (std::size_t e = 0; e < net.elements.size(); ++e) {
    const Element& element = net.elements[e];
    for (const Terminal source : element.sources) {
      if (!source.outside()) number[e] = std::max(number[e], number[source.element] + 1);
    }
    const bool last =
        std::any_of(element.sinks.begin(), element.sinks.end(), [](Terminal sink) { return sink.outside(); });
    registered[e] = last || number[e] % every == 0 ? 1 : 0;
  }
  return registered;
}

void require_settled(const Interconnect& net, const std::vector<std::uint8_t>& registered) {
  CircleSearch(net, registered).run();
}

}  // namespace weft::fred
