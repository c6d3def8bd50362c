// SPDX-License-Identifier: Apache-2.0
// Matching `greedy`: maximal, so at least half of what would be possible.
#include "switch/network/unicast_matching.h"

namespace weft::fred {
namespace {

class GreedyMatching final : public UnicastMatching {
 public:
  explicit GreedyMatching(int ports) : input_used_(ports), output_used_(ports) {}

  const std::vector<std::uint32_t>& match(const std::vector<UnicastRequest>& requests) override {
    chosen_.clear();
    input_used_.assign(input_used_.size(), 0);
    output_used_.assign(output_used_.size(), 0);
    for (std::uint32_t i = 0; i < requests.size(); ++i) {
      const UnicastRequest request = requests[i];
      if (input_used_[request.input] != 0 || output_used_[request.output] != 0) continue;
      input_used_[request.input] = output_used_[request.output] = 1;
      chosen_.push_back(i);
    }
    return chosen_;
  }

 private:
  std::vector<std::uint8_t> input_used_;
  std::vector<std::uint8_t> output_used_;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace

extern const MatchingPolicy kGreedy;
const MatchingPolicy kGreedy{
    {"greedy", "one after the other, as long as input and output are free"},
    [](int ports) -> std::unique_ptr<UnicastMatching> { return std::make_unique<GreedyMatching>(ports); }};

}  // namespace weft::fred
