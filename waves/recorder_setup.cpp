// SPDX-License-Identifier: Apache-2.0
#include "waves/recorder_setup.h"

#include <algorithm>

#include "kernel/colour_plan.h"
#include "kernel/error.h"

namespace weft::waves {

std::string credit_signal(const LinkWave& link, int place) {
  if (!link.vc_names.empty()) return "credits_" + link.vc_names[static_cast<std::size_t>(place)];
  if (place < link.vcs) return "credits_vc" + std::to_string(place);
  return "credits_colour" + std::to_string(place - link.vcs);
}

int credit_place(int vcs, VcId vc) { return is_colour(vc) ? vcs + colour_of(vc) : index(vc); }

std::vector<std::string> link_signals(const LinkWave& link) {
  std::vector<std::string> names = {"valid"};
  if (link.several) names.emplace_back("flits");
  for (const char* name : {"packet", "vc", "head", "tail"}) names.emplace_back(name);
  if (link.stalls) names.emplace_back("stall");
  if (link.credits > 0) names.emplace_back("occupancy");
  for (int place = 0; link.credits > 0 && place < link.vcs + link.colours; ++place) {
    names.push_back(credit_signal(link, place));
  }
  return names;
}

const std::vector<std::string>& npu_signals(const NpuWave& npu) {
  static const std::vector<std::string> kNpu{"running", "collective", "group", "instance",
                                             "chunk",   "step",       "flow",  "phase"};
  static const std::vector<std::string> kChiplet{"running", "configuration", "flow", "phase"};
  return npu.chiplet ? kChiplet : kNpu;
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

ScopeChoice::ScopeChoice(const std::vector<std::string>& scope) {
  for (const std::string& text : scope_patterns(scope)) patterns_.emplace_back(text);
  if (patterns_.empty()) patterns_.emplace_back("**");
  found_.assign(patterns_.size(), false);
}

ScopeMatch ScopeChoice::match(const std::string& name) {
  ScopeMatch result = ScopeMatch::kNone;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const ScopeMatch match = patterns_[i].match(name);
    if (match == ScopeMatch::kSelected) found_[i] = true;
    if (match > result) result = match;
  }
  return result;
}

bool ScopeChoice::all_found() const { return std::find(found_.begin(), found_.end(), false) == found_.end(); }

void ScopeChoice::require_all_found(const RecorderSetup& setup) const {
  const NameVisitor visit = [&setup](const std::function<void(std::string_view)>& use) {
    for (std::size_t n = 0; n < setup.links; ++n) {
      const LinkWave link = setup.link(static_cast<LinkId>(n));
      if (link.name.empty()) continue;
      for (const std::string& signal : link_signals(link)) use(link.name + "." + signal);
    }
    for (std::size_t n = 0; n < setup.nodes; ++n) {
      const NpuWave npu = setup.npu(static_cast<NodeId>(n));
      for (const std::string& signal : npu_signals(npu)) use(npu.name + "." + signal);
    }
  };
  std::string text;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (!found_[i]) text += (text.empty() ? "" : "\n") + explain_no_match(patterns_[i], visit);
  }
  if (!text.empty()) throw InputError(text);
}

}  // namespace weft::waves
