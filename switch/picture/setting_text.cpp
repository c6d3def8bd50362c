// SPDX-License-Identifier: Apache-2.0
#include "switch/picture/setting_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::fred {
namespace {

std::string middle(int select) { return fmt::format("mid[{}]", select - 1); }

/// R: each input has an output.
std::string reduce_text(const UswitchSetting& s) {
  if (s.reduce) return "0+1 -> " + middle(s.select[0]);
  std::vector<std::string> parts;
  for (int in = 0; in < 2; ++in)
    if (s.select[in] != 0) parts.push_back(fmt::format("{} -> {}", in, middle(s.select[in])));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// D: each output has an input.
std::string distribute_text(const UswitchSetting& s) {
  if (s.distribute) return middle(s.select[0]) + " -> 0,1";
  std::vector<std::string> parts;
  for (int out = 0; out < 2; ++out)
    if (s.select[out] != 0) parts.push_back(fmt::format("{} -> {}", middle(s.select[out]), out));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// RD: each output has a mask of inputs.
std::string both_text(const UswitchSetting& s) {
  constexpr const char* kInputs[] = {"", "0", "1", "0+1"};
  if (s.distribute) return fmt::format("{} -> 0,1", kInputs[s.select[0]]);
  std::vector<std::string> parts;
  for (int out = 0; out < 2; ++out)
    if (s.select[out] != 0) parts.push_back(fmt::format("{} -> {}", kInputs[s.select[out]], out));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string setting_text(ElementKind kind, const UswitchSetting& uswitch_setting) {
  if (uswitch_setting.select[0] == 0 && uswitch_setting.select[1] == 0) return "";
  switch (kind) {
    case ElementKind::kReduce:
      return reduce_text(uswitch_setting);
    case ElementKind::kDistribute:
      return distribute_text(uswitch_setting);
    case ElementKind::kBoth:
      return both_text(uswitch_setting);
    case ElementKind::kDemux:
      return "-> " + middle(uswitch_setting.select[0]);
    case ElementKind::kMux:
      return middle(uswitch_setting.select[0]) + " ->";
  }
  return "";
}

std::string middles_text(const std::vector<int>& middles) {
  std::string text;
  for (const int each : middles) text += fmt::format("{}mid[{}]", text.empty() ? "" : ".", each);
  return text.empty() ? "-" : text;
}

}  // namespace weft::fred
