// SPDX-License-Identifier: Apache-2.0
#include "sc_models/waiting_report.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace weft::sc_models {
namespace {

using router::Waiting;

constexpr std::size_t kShown = 32;

/// An input VC of the fabric.
using VcKey = std::tuple<std::uint32_t, std::uint8_t, std::uint8_t>;

std::string packet_name(PacketIdentity packet) { return fmt::format("{}.{}", index(packet.src), packet.sequence); }

std::string vc_name(VcId vc) {
  return is_colour(vc) ? fmt::format("colour {}", colour_of(vc)) : fmt::format("VC {}", index(vc));
}

std::string sentence(const router::Grid& grid, const Waiting& waiting) {
  const router::Coordinates at = grid.coordinates(waiting.router);
  std::string text =
      fmt::format("router [{},{}], input {}, {}: packet {} to node {} waits for ", at.x, at.y,
                  router::port_name(waiting.in), vc_name(waiting.vc), packet_name(waiting.packet), index(waiting.dst));
  if (!waiting.reason.empty()) return text + waiting.reason;
  if (waiting.out_vc >= 0) {
    return text + fmt::format("a credit of output {}, VC {}", router::port_name(waiting.out), waiting.out_vc);
  }
  text += fmt::format("a free VC of output {}", router::port_name(waiting.out));
  for (std::size_t i = 0; i < waiting.holders.size(); ++i) {
    text += (i == 0 ? ", held by packet " : ", ") + packet_name(waiting.holders[i]);
  }
  return text;
}

/// The input VCs that `waiting` waits for: the buffer behind its output VC, or the VCs of its own router whose packets
/// hold the outputs it wants.
std::vector<std::size_t> waits_for(const router::Grid& grid, const std::vector<Waiting>& all, const Waiting& waiting,
                                   const std::map<VcKey, std::size_t>& by_vc) {
  const std::uint32_t here = index(waiting.router);
  std::vector<std::size_t> targets;
  if (!waiting.reason.empty()) return targets;  // set-up routes hold no VCs
  if (waiting.out_vc >= 0) {
    router::Coordinates there;
    if (!grid.neighbour(grid.coordinates(waiting.router), waiting.out, &there)) return targets;
    const auto next = by_vc.find(
        {index(grid.node(there)), index(router::opposite(waiting.out)), static_cast<std::uint8_t>(waiting.out_vc)});
    if (next != by_vc.end()) targets.push_back(next->second);
    return targets;
  }
  const auto end = by_vc.lower_bound({here + 1, std::uint8_t{0}, std::uint8_t{0}});
  for (auto entry = by_vc.lower_bound({here, std::uint8_t{0}, std::uint8_t{0}}); entry != end; ++entry) {
    const Waiting& other = all[entry->second];
    if (other.out == waiting.out && other.out_vc >= 0) targets.push_back(entry->second);
  }
  return targets;
}

/// Depth-first search for a circle; returns the positions on it, in order.
class CircleSearch {
 public:
  explicit CircleSearch(std::vector<std::vector<std::size_t>> edges)
      : edges_(std::move(edges)), state_(edges_.size()) {}

  std::vector<std::size_t> find() {
    for (std::size_t start = 0; start < edges_.size(); ++start) {
      if (state_[start] == kNew && visit(start)) return circle_;
    }
    return {};
  }

 private:
  enum State : char { kNew, kOnPath, kDone };

  bool visit(std::size_t root) {
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};
    state_[root] = kOnPath;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (next == edges_[at].size()) {
        state_[at] = kDone;
        path.pop_back();
        continue;
      }
      const std::size_t to = edges_[at][next++];
      if (state_[to] == kOnPath) {
        std::size_t first = 0;
        while (path[first].first != to) ++first;
        for (; first < path.size(); ++first) circle_.push_back(path[first].first);
        return true;
      }
      if (state_[to] == kNew) {
        state_[to] = kOnPath;
        path.emplace_back(to, 0);
      }
    }
    return false;
  }

  std::vector<std::vector<std::size_t>> edges_;
  std::vector<State> state_;
  std::vector<std::size_t> circle_;
};

}  // namespace

std::string describe_waiting(const router::Grid& grid, const std::vector<Waiting>& waiting) {
  if (waiting.empty()) return "";
  std::map<VcKey, std::size_t> by_vc;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    by_vc[{index(waiting[i].router), index(waiting[i].in), index(waiting[i].vc)}] = i;
  }
  std::vector<std::vector<std::size_t>> edges;
  for (const Waiting& one : waiting) edges.push_back(waits_for(grid, waiting, one, by_vc));
  std::vector<std::size_t> shown = CircleSearch(std::move(edges)).find();
  std::string text;
  if (!shown.empty()) {
    text = fmt::format("{} input VCs wait for each other in a circle:\n", shown.size());
  } else {
    text = fmt::format("{} input VCs wait:\n", waiting.size());
    for (std::size_t i = 0; i < waiting.size(); ++i) shown.push_back(i);
  }
  for (std::size_t i = 0; i < shown.size() && i < kShown; ++i) {
    text += "  " + sentence(grid, waiting[shown[i]]) + "\n";
  }
  if (shown.size() > kShown) text += fmt::format("  ... and {} more\n", shown.size() - kShown);
  return text;
}

}  // namespace weft::sc_models
