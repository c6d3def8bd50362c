// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/spec_numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::npu {

SpecNumber iterations_number(std::uint64_t& value) {
  return {"iterations", "one after the other; each waits for the weights of the one before", &value, 1, 1000};
}

std::vector<SpecNumber> without(std::vector<SpecNumber> numbers, const std::vector<std::string>& names) {
  const auto unwanted = [&](const SpecNumber& number) {
    return std::find(names.begin(), names.end(), number.name) != names.end();
  };
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(), unwanted), numbers.end());
  return numbers;
}

void SpecProblems::ranges(const std::vector<SpecNumber>& numbers) {
  for (const SpecNumber& number : numbers) {
    const std::uint64_t value = *number.value;
    if (value >= number.least && value <= number.most) continue;
    add(fmt::format("{} is {}; legal are {} to {}", number.name, value, number.least, number.most));
  }
}

bool SpecProblems::divides(const std::string& name, std::uint64_t value, const std::string& by_name, std::uint64_t by) {
  if (by == 0 || value % by == 0) return true;
  add(fmt::format("{} ({}) is not a multiple of {} ({})", name, value, by_name, by));
  return false;
}

void SpecProblems::add(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + text; }

void SpecProblems::throw_if_any() const {
  if (!text_.empty()) throw InputError(text_);
}

}  // namespace weft::npu
