// SPDX-License-Identifier: Apache-2.0
// Which unicasts start: by hand, and against trying all choices.
#include "switch/network/unicast_matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/random.h"
#include "config/names.h"

namespace weft::fred {
namespace {

using ::testing::ElementsAre;
using Requests = std::vector<UnicastRequest>;

/// Largest number of requests without a common input or output, by trying.
std::size_t most(const Requests& requests, std::size_t from, const std::set<int>& inputs,
                 const std::set<int>& outputs) {
  std::size_t best = 0;
  for (std::size_t i = from; i < requests.size(); ++i) {
    if (inputs.count(requests[i].input) > 0 || outputs.count(requests[i].output) > 0) continue;
    std::set<int> more_inputs = inputs;
    std::set<int> more_outputs = outputs;
    more_inputs.insert(requests[i].input);
    more_outputs.insert(requests[i].output);
    best = std::max(best, 1 + most(requests, i + 1, more_inputs, more_outputs));
  }
  return best;
}

/// Input 0 could send to 1 or up to 4; port 4 has something for 1 only.
TEST(UnicastMatching, maximum_makes_way_where_greedy_does_not) {
  const Requests requests{{0, 1, 8}, {0, 4, 8}, {4, 1, 8}};
  EXPECT_THAT(make_unicast_matching("maximum", 6)->match(requests), ElementsAre(1, 2));
  EXPECT_THAT(make_unicast_matching("greedy", 6)->match(requests), ElementsAre(0));
}

TEST(UnicastMatching, maximum_serves_the_longest_queue_of_an_input) {
  EXPECT_THAT(make_unicast_matching("maximum", 6)->match({{0, 1, 8}, {0, 4, 16}}), ElementsAre(1));
  EXPECT_THAT(make_unicast_matching("maximum", 6)->match({{0, 1, 8}, {2, 1, 16}}), ElementsAre(1));
  EXPECT_THAT(make_unicast_matching("greedy", 6)->match({{0, 1, 8}, {2, 1, 16}}), ElementsAre(0));
}

TEST(UnicastMatching, maximum_is_the_most_and_greedy_at_least_half) {
  RandomStream random(5, NodeId{0});
  for (int trial = 0; trial < 2000; ++trial) {
    const auto ports = static_cast<std::uint32_t>(2 + random.below(5));
    Requests requests;
    for (std::uint64_t left = 1 + random.below(9); left > 0; --left) {
      requests.push_back({static_cast<std::uint8_t>(random.below(ports)),
                          static_cast<std::uint8_t>(random.below(ports)), static_cast<std::uint32_t>(random.below(4))});
    }
    const std::size_t best = most(requests, 0, {}, {});
    for (const std::string_view name : unicast_matching_names()) {
      const auto policy = make_unicast_matching(name, static_cast<int>(ports));
      const std::vector<std::uint32_t> chosen = policy->match(requests);
      std::set<int> inputs;
      std::set<int> outputs;
      for (const std::uint32_t i : chosen) {
        EXPECT_TRUE(inputs.insert(requests[i].input).second) << name;
        EXPECT_TRUE(outputs.insert(requests[i].output).second) << name;
      }
      if (name == "maximum") {
        EXPECT_EQ(chosen.size(), best);
      }
      EXPECT_GE(2 * chosen.size(), best) << name;
    }
  }
}

TEST(UnicastMatching, name_bad) { EXPECT_THROW(make_unicast_matching("islip", 4), InputError); }

}  // namespace
}  // namespace weft::fred
