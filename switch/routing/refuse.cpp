// SPDX-License-Identifier: Apache-2.0
// Answer "refuse": a phase that does not route is bad input.
#include <fmt/format.h>

#include "base/error.h"
#include "switch/routing/conflict_answer.h"

namespace weft::fred {
namespace {

class Refuse final : public ConflictAnswer {
 public:
  void answer(const Interconnect& net, const std::vector<RouteResult>& results, const RouteLimits&,
              RoutePlan& plan) const override {
    std::string text;
    for (std::size_t p = 0; p < results.size(); ++p) {
      if (results[p].status == RouteStatus::kRouted) continue;
      text += fmt::format("{}phase '{}': {}", text.empty() ? "" : "; ", plan.phases[p].name,
                          describe(net, plan.phases[p].flows, results[p]));
    }
    throw InputError(
        fmt::format("{}. Take more middle stages (m is {}), another placement, or another answer to conflicts: "
                    "serialize, decompose, replace",
                    text, net.m));
  }
};

}  // namespace

extern const AnswerPolicy kRefuse;
const AnswerPolicy kRefuse{{"refuse", "end with an error"},
                           []() -> std::unique_ptr<ConflictAnswer> { return std::make_unique<Refuse>(); }};

}  // namespace weft::fred
