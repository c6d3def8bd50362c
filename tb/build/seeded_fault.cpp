// SPDX-License-Identifier: Apache-2.0
#include "tb/build/seeded_fault.h"

#include <fmt/format.h>

#include <iterator>

#include "base/error.h"

namespace weft::tb {

std::string ranges_text(const std::set<int>& numbers) {
  std::string text;
  for (auto from = numbers.begin(); from != numbers.end();) {
    auto last = from;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    if (!text.empty()) text += ", ";
    text += *from == *last ? fmt::format("{}", *from) : fmt::format("{} to {}", *from, *last);
    from = std::next(last);
  }
  return text;
}

void seed_fault(ModelBuilder& builder, RtlDesign& design, int number) {
  design.defines.emplace_back("WEFT_MUTANTS");
  const std::set<int> there = builder.interface(design).seeded_faults;
  if (there.count(number) != 0) return;
  throw InputError(fmt::format("{} with these parameters has no seeded fault {}; legal: {} (rtl/mutants.md)",
                               design.top, number, there.empty() ? "none" : ranges_text(there)));
}

}  // namespace weft::tb
