// SPDX-License-Identifier: Apache-2.0
#include "waves/recorder_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/colour_plan.h"
#include "base/error.h"
#include "network/names.h"

namespace weft::waves {

std::string credit_signal(const LinkWave& link, int number) {
  if (!link.vc_names.empty()) return "credits_" + link.vc_names[static_cast<std::size_t>(number)];
  if (number < link.vcs) return "credits_vc" + std::to_string(number);
  return "credits_colour" + std::to_string(number - link.vcs);
}

int credit_index(int vcs, VcId vc) { return is_colour(vc) ? vcs + colour_of(vc) : index(vc); }

std::vector<std::string> link_signals(const LinkWave& link) {
  std::vector<std::string> names = {"valid"};
  if (link.several) names.emplace_back("flits");
  for (const char* name : {"packet", "vc", "head", "tail"}) names.emplace_back(name);
  if (link.stalls) names.emplace_back("stall");
  if (link.credits > 0) names.emplace_back("occupancy");
  for (int number = 0; link.credits > 0 && number < link.vcs + link.colours; ++number) {
    names.push_back(credit_signal(link, number));
  }
  return names;
}

const std::vector<std::string>& npu_signals(const NpuWave& npu) {
  static const std::vector<std::string> kNpu{"running", "collective", "group", "instance",
                                             "chunk",   "step",       "flow",  "phase"};
  static const std::vector<std::string> kChiplet{"running", "stored_setting", "flow", "phase"};
  return npu.chiplet ? kChiplet : kNpu;
}

const std::vector<std::string>& wire_signals(bool data) {
  static const std::vector<std::string> kPlain{"valid", "ready", "packet", "vc", "head", "tail"};
  static const std::vector<std::string> kWithData{"valid", "ready", "packet", "vc", "head", "tail", "data"};
  return data ? kWithData : kPlain;
}

const std::vector<std::string>& action_names() {
  static const std::vector<std::string> kNames{"none", "pass", "cross", "add", "copy", "add_copy"};
  return kNames;
}

const std::vector<std::string>& stall_names() {
  static const std::vector<std::string> kNames{"none", "no_credit", "lost_arbitration", "waiting_operand"};
  return kNames;
}

const std::vector<std::string>& phase_names() {
  static const std::vector<std::string> kNames{"none", "mp", "pp", "dp", "control"};
  return kNames;
}

std::vector<std::string> scope_patterns(const std::vector<std::string>& scope) {
  std::vector<std::string> patterns;
  for (const std::string& text : scope) {
    if (text != "collective") {
      patterns.push_back(text);
      continue;
    }
    for (const char* signal :
         {"valid", "packet", "vc", "running", "collective", "group", "instance", "chunk", "step", "flow", "phase"}) {
      patterns.push_back(std::string("**.") + signal);
    }
  }
  return patterns;
}

namespace {

/// Takes one level that begins so out of a name; "" where there is none.
std::string without_level(const std::string& name, std::string_view level) {
  const std::size_t at = name.find("." + std::string(level));
  if (at == std::string::npos) return "";
  const std::size_t end = name.find('.', at + 1);
  return name.substr(0, at) + (end == std::string::npos ? "" : name.substr(end));
}

/// A name as patterns may write it: `plane[..]` and `slice[..]` of a chiplet may be left out, and, with `shadow`, the
/// level `model`.
std::vector<std::string> variants_of(const std::string& name, bool shadow) {
  std::vector<std::string> variants{name};
  if (network::node_in_front(name).kind != network::NameKind::kSwitch) return variants;
  std::vector<std::string_view> levels(network::kChipletLevels.begin(), network::kChipletLevels.end());
  if (shadow) levels.push_back("model.");
  for (const std::string_view level : levels) {
    const std::size_t count = variants.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::string shorter = without_level(variants[i], level);
      if (!shorter.empty()) variants.push_back(std::move(shorter));
    }
  }
  return variants;
}

bool names_level(const ScopePattern& pattern, std::string_view level) {
  for (std::size_t i = 0; i < pattern.levels(); ++i) {
    if (std::string_view(pattern.level(i)).substr(0, level.size()) == level) return true;
  }
  return false;
}

}  // namespace

bool asks_inside(const ScopePattern& pattern) { return names_level(pattern, kInsideLevel); }

bool selects(const ScopePattern& pattern, const std::string& name) {
  const std::vector<std::string> variants = variants_of(name, false);
  return std::any_of(variants.begin(), variants.end(), [&pattern](const std::string& variant) {
    return pattern.match(variant) == ScopeMatch::kSelected;
  });
}

void visit_inside(const SwitchWave& fabric_switch, const std::function<void(const std::string&)>& use) {
  for (const std::string& branch : {std::string(), std::string(kShadowLevel) + "."}) {
    if (!branch.empty() && !fabric_switch.shadow) continue;
    const std::string front = fabric_switch.name + "." + branch;
    for (const SwitchWave::Element& element : fabric_switch.elements) {
      if (element.setting) use(front + element.name + ".setting");
    }
    for (const std::string& wire : fabric_switch.wires) {
      for (const std::string& signal : wire_signals(fabric_switch.data_bits > 0)) use(front + wire + "." + signal);
    }
    for (std::uint32_t port = 0; !branch.empty() && port < fabric_switch.ports; ++port) {
      for (const char* signal : {"valid", "packet"}) use(front + network::numbered_port("port", port) + "." + signal);
    }
  }
}

ScopeChoice::ScopeChoice(const std::vector<std::string>& scope) {
  for (const std::string& text : scope_patterns(scope)) patterns_.emplace_back(text);
  if (patterns_.empty()) patterns_.emplace_back("**");
  found_.assign(patterns_.size(), false);
  for (const ScopePattern& pattern : patterns_) {
    inside_.push_back(names_level(pattern, kInsideLevel) || names_level(pattern, kShadowLevel));
  }
}

bool ScopeChoice::asks_inside() const { return std::find(inside_.begin(), inside_.end(), true) != inside_.end(); }

ScopeMatch ScopeChoice::match(const std::string& name) { return match_variants(variants_of(name, false), false); }

ScopeMatch ScopeChoice::match_inside(const std::string& name) { return match_variants(variants_of(name, true), true); }

ScopeMatch ScopeChoice::match_variants(const std::vector<std::string>& variants, bool inside) {
  ScopeMatch result = ScopeMatch::kNone;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (inside && !inside_[i]) continue;
    for (const std::string& name : variants) {
      const ScopeMatch match = patterns_[i].match(name);
      if (match == ScopeMatch::kSelected) found_[i] = true;
      if (match > result) result = match;
    }
  }
  return result;
}

bool ScopeChoice::all_found() const { return std::find(found_.begin(), found_.end(), false) == found_.end(); }

void ScopeChoice::require_all_found(const RecorderSetup& setup) const {
  const NameVisitor visit = [&setup](const std::function<void(std::string_view)>& use_name) {
    const auto use = [&use_name](const std::string& name) {
      for (const std::string& variant : variants_of(name, true)) use_name(variant);
    };
    for (std::size_t n = 0; n < setup.links; ++n) {
      const LinkWave link = setup.link(static_cast<LinkId>(n));
      if (link.name.empty()) continue;
      for (const std::string& signal : link_signals(link)) use(link.name + "." + signal);
    }
    for (std::size_t n = 0; n < setup.nodes; ++n) {
      const NpuWave npu = setup.npu(static_cast<NodeId>(n));
      for (const std::string& signal : npu_signals(npu)) use(npu.name + "." + signal);
    }
    for (std::size_t n = 0; n < setup.switches; ++n) visit_inside(setup.fabric_switch(n), use);
  };
  std::string text;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (found_[i]) continue;
    if (!text.empty()) text += '\n';
    if (setup.switches == 0 && waves::asks_inside(patterns_[i])) {
      text += fmt::format("waves.scope: '{}' matches nothing: this fabric has no FRED switches", patterns_[i].text());
    } else {
      text += explain_no_match(patterns_[i], visit);
    }
  }
  if (!text.empty()) throw InputError(text);
}

}  // namespace weft::waves
