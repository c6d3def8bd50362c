// SPDX-License-Identifier: Apache-2.0
// Matching `maximum`: no other choice starts more unicasts; longest queues first. An input that has an output in the
// matching keeps one, though perhaps to another of its outputs, so longer queues' inputs are never left out for others.
#include <algorithm>

#include "switch/network/unicast_matching.h"

namespace weft::fred {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

class MaximumMatching final : public UnicastMatching {
 public:
  explicit MaximumMatching(int ports) : of_input_(ports), of_output_(ports), seen_(ports) {}

  const std::vector<std::uint32_t>& match(const std::vector<UnicastRequest>& requests) override {
    requests_ = &requests;
    order_.resize(requests.size());
    for (std::uint32_t i = 0; i < requests.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return requests[a].waiting > requests[b].waiting; });
    std::fill(of_input_.begin(), of_input_.end(), kNone);
    std::fill(of_output_.begin(), of_output_.end(), kNone);
    for (const std::uint32_t i : order_) {
      if (of_input_[requests[i].input] != kNone) continue;
      std::fill(seen_.begin(), seen_.end(), 0);
      match(requests[i].input);
    }
    chosen_.clear();
    for (const std::uint32_t request : of_input_) {
      if (request != kNone) chosen_.push_back(request);
    }
    std::sort(chosen_.begin(), chosen_.end());
    return chosen_;
  }

 private:
  /// Finds an output for an input; inputs that hold it look for another one (an augmenting path).
  bool match(std::uint8_t input) {
    for (const std::uint32_t i : order_) {
      const UnicastRequest request = (*requests_)[i];
      if (request.input != input || seen_[request.output] != 0) continue;
      seen_[request.output] = 1;
      const std::uint32_t rival = of_output_[request.output];
      if (rival != kNone && !match((*requests_)[rival].input)) continue;
      of_output_[request.output] = i;
      of_input_[input] = i;
      return true;
    }
    return false;
  }

  const std::vector<UnicastRequest>* requests_ = nullptr;
  std::vector<std::uint32_t> order_;      ///< requests, longest queue first
  std::vector<std::uint32_t> of_input_;   ///< request that an input has, by port
  std::vector<std::uint32_t> of_output_;  ///< request that has an output, by port
  std::vector<std::uint8_t> seen_;        ///< outputs on the path
  std::vector<std::uint32_t> chosen_;
};

}  // namespace

extern const MatchingPolicy kMaximum;
const MatchingPolicy kMaximum{
    {"maximum", "as many as possible, those of higher priority first"},
    [](int ports) -> std::unique_ptr<UnicastMatching> { return std::make_unique<MaximumMatching>(ports); }};

}  // namespace weft::fred
