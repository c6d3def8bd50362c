// SPDX-License-Identifier: Apache-2.0
#include "tests/npu/collective/algorithms/route_checker.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

namespace weft::npu::testing {
namespace {

/// A send and what it waits for. Flowing = its elements move; passed = the last of them is through.
class RouteGraph {
 public:
  RouteGraph(const Program& program, const std::vector<NodeId>& nodes, int size_x)
      : program_(program), nodes_(nodes), size_x_(size_x) {
    number();
    routes();
    for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) connect(rank);
  }

  std::string error() const { return error_.empty() ? circle() : error_; }

 private:
  struct Sender {
    std::uint32_t rank;
    Instruction in;
  };
  // Events of instruction number i: start, flowing, done.
  static std::size_t start(std::size_t i) { return 3 * i; }
  static std::size_t flowing(std::size_t i) { return 3 * i + 1; }
  static std::size_t done(std::size_t i) { return 3 * i + 2; }
  void edge(std::size_t before, std::size_t after) { next_[before].insert(after); }

  void number() {
    for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank) {
      first_.push_back(all_.size());
      for (std::uint32_t i = 0; i < program_.length(rank); ++i) {
        all_.push_back({rank, program_.at(rank, i)});
        const Instruction& in = all_.back().in;
        for (const std::uint32_t to : in.to) sends_[{rank, to, in.send_tag}] = all_.size() - 1;
      }
    }
    next_.resize(3 * all_.size());
  }

  std::set<int> routers(std::size_t i) const {
    std::set<int> all;
    for (const std::uint32_t to : all_[i].in.to) {
      const int from = static_cast<int>(nodes_[all_[i].rank]);
      const int end = static_cast<int>(nodes_[to]);
      for (int x = from % size_x_;; x += x < end % size_x_ ? 1 : -1) {
        all.insert(from / size_x_ * size_x_ + x);
        if (x == end % size_x_) break;
      }
      for (int y = from / size_x_;; y += y < end / size_x_ ? 1 : -1) {
        all.insert(y * size_x_ + end % size_x_);
        if (y == end / size_x_) break;
      }
    }
    return all;
  }

  void routes() {
    std::map<std::pair<int, int>, std::map<std::uint32_t, std::size_t>> order;  // (router, colour), tag
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!op_sends(all_[i].in.op) || all_[i].in.hints.colour < 0) continue;
      for (const int router : routers(i)) {
        const auto [other, fresh] = order[{router, all_[i].in.hints.colour}].emplace(all_[i].in.send_tag, i);
        if (!fresh) {
          error_ =
              fmt::format("ranks {} and {} send with colour {} and tag {} through router {}", all_[other->second].rank,
                          all_[i].rank, all_[i].in.hints.colour, all_[i].in.send_tag, router);
        }
      }
    }
    for (const auto& [place, messages] : order) {
      for (auto m = messages.begin(); m != messages.end() && std::next(m) != messages.end(); ++m) {
        edge(done(m->second), flowing(std::next(m)->second));
      }
    }
  }

  void connect(std::uint32_t rank) {
    for (std::uint32_t k = 0; k < program_.length(rank); ++k) {
      const std::size_t i = first_[rank] + k;
      const Instruction& in = all_[i].in;
      edge(start(i), flowing(i));
      edge(flowing(i), done(i));
      for (const std::uint32_t dep : in.deps) edge(done(first_[rank] + dep), start(i));
      if (!op_receives(in.op)) continue;
      // Nothing flows before it is received; what is received is through when it was sent, and sent when through.
      const std::size_t from = sends_.at({in.from, rank, in.recv_tag});
      edge(start(i), flowing(from));
      edge(flowing(from), done(i));
      if (op_sends(in.op)) {
        // In a stream both move together: neither flows before all that the other waits for.
        joined_.emplace_back(from, i);
      }
    }
  }

  // Events that happen together are one node: the flowing of all messages of a stream.
  std::string circle() const {
    std::vector<std::size_t> same(next_.size());
    for (std::size_t e = 0; e < same.size(); ++e) same[e] = e;
    const auto find = [&](std::size_t e) {
      while (same[e] != e) e = same[e] = same[same[e]];
      return e;
    };
    for (const auto& [a, b] : joined_) same[find(flowing(a))] = find(flowing(b));
    std::vector<std::set<std::size_t>> next(next_.size());
    std::vector<std::size_t> missing(next_.size(), 0);
    for (std::size_t e = 0; e < next_.size(); ++e) {
      for (const std::size_t after : next_[e]) {
        if (find(e) == find(after)) {
          return fmt::format("rank {} waits for its own stream (tag {})", all_[e / 3].rank, all_[e / 3].in.send_tag);
        }
        next[find(e)].insert(find(after));
      }
    }
    for (const auto& afters : next)
      for (const std::size_t after : afters) ++missing[after];
    std::vector<std::size_t> ready;
    std::size_t left = 0;
    for (std::size_t e = 0; e < next.size(); ++e) {
      if (find(e) != e) continue;
      ++left;
      if (missing[e] == 0) ready.push_back(e);
    }
    for (; !ready.empty(); --left) {
      const std::size_t e = ready.back();
      ready.pop_back();
      for (const std::size_t after : next[e])
        if (--missing[after] == 0) ready.push_back(after);
    }
    return left == 0 ? "" : fmt::format("{} events wait for each other", left);
  }

  const Program& program_;
  const std::vector<NodeId>& nodes_;
  int size_x_;
  std::vector<Sender> all_;
  std::vector<std::size_t> first_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> sends_;
  std::vector<std::set<std::size_t>> next_;
  std::vector<std::pair<std::size_t, std::size_t>> joined_;
  std::string error_;
};

}  // namespace

std::string check_routes(const Program& program, const std::vector<NodeId>& nodes, int size_x) {
  return RouteGraph(program, nodes, size_x).error();
}

}  // namespace weft::npu::testing
