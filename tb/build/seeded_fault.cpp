// SPDX-License-Identifier: Apache-2.0
#include "tb/build/seeded_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace weft::tb {
namespace {

/// The design of the files that have seeded faults, of which none is chosen.
RtlDesign with_faults(ModelBuilder& builder, RtlDesign design) {
  const std::filesystem::path own = builder.own_rtl();
  const std::filesystem::path faulty = builder.faulty_rtl();
  for (std::filesystem::path& file : design.files) {
    const std::filesystem::path name = file.lexically_relative(own);
    if (!name.empty() && *name.begin() != "..") file = faulty / name;
  }
  // Packages come before their users, what is said to Verilator before all.
  const auto first = std::find_if(design.files.begin(), design.files.end(),
                                  [](const std::filesystem::path& file) { return file.extension() == ".sv"; });
  design.files.insert(first, faulty / "fault_pkg.sv");
  return design;
}

}  // namespace

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

std::set<int> seeded_faults(ModelBuilder& builder, const RtlDesign& design) {
  return builder.interface(with_faults(builder, design)).seeded_faults;
}

void seed_fault(ModelBuilder& builder, RtlDesign& design, int number) {
  RtlDesign faulty = with_faults(builder, design);
  const std::set<int> there = builder.interface(faulty).seeded_faults;
  if (there.count(number) == 0) {
    throw InputError(fmt::format("{} with these parameters has no seeded fault {}; legal: {} (tb/faults/README.md)",
                                 design.top, number, there.empty() ? "none" : ranges_text(there)));
  }
  faulty.defines.push_back(fmt::format("WEFT_FAULT={}", number));
  design = std::move(faulty);
}

}  // namespace weft::tb
