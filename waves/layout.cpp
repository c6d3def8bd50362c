// SPDX-License-Identifier: Apache-2.0
#include "waves/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text_distance.h"
#include "network/names.h"
#include "waves/recorder_setup.h"

namespace weft::waves {
namespace {

/// Signals with the same scope, in the order of the file.
struct Scope {
  std::string name;
  std::vector<const WaveSignal*> signals;
};

std::string scope_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::string leaf_of(const std::string& name) { return name.substr(name.rfind('.') + 1); }

std::vector<Scope> scopes_of(const WaveHeader& header) {
  std::vector<Scope> scopes;
  std::map<std::string, std::size_t> index_of;
  for (const WaveSignal& signal : header.signals) {
    const std::string scope = scope_of(signal.name);
    const auto [found, is_new] = index_of.emplace(scope, scopes.size());
    if (is_new) scopes.push_back({scope, {}});
    scopes[found->second].signals.push_back(&signal);
  }
  return scopes;
}

template <std::size_t Size>
bool is_one_of(const std::string& text, const std::array<const char*, Size>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

GtkwSignal show(const WaveSignal& signal) {
  GtkwSignal line;
  line.name = signal.viewer_name();
  const std::string leaf = leaf_of(signal.name);
  switch (signal.kind) {
    case WaveKind::kString:
      line.format = GtkwFormat::kText;
      break;
    case WaveKind::kEnum:
      line.format = GtkwFormat::kEnum;
      break;
    case WaveKind::kInteger:
      line.format = GtkwFormat::kDecimal;
      break;
    case WaveKind::kWire: {
      static constexpr std::array<const char*, 4> kNumbers{"vc", "occupancy", "flits", "cycle"};
      const bool number = is_one_of(leaf, kNumbers) || leaf.rfind("credits_", 0) == 0;
      line.format = signal.bits == 1 && !number ? GtkwFormat::kBinary
                    : number                    ? GtkwFormat::kDecimal
                                                : GtkwFormat::kHex;
    }
  }
  if (leaf == "collective" || leaf == "running") line.colour = GtkwColour::kYellow;
  if (leaf == "packet") line.colour = GtkwColour::kOrange;
  if (leaf == "stall") line.colour = GtkwColour::kRed;
  if (leaf == "phase" || leaf == "flow" || leaf == "setting") line.colour = GtkwColour::kBlue;
  line.detail = leaf.rfind("credits_", 0) == 0;
  return line;
}

/// Says whether a signal of a scope is wanted, and as what.
using Choice = std::function<bool(const std::string& leaf, GtkwSignal& line)>;

void add_group(const Scope& scope, const WaveHeader& header, const Choice& choice, bool folded, GtkwLayout* layout) {
  GtkwGroup group;
  group.title = scope.name.empty() ? "top" : scope.name;
  group.folded = folded;
  const auto remark = header.remarks.find(scope.name);
  // From where to where; the rest would make the column of names too wide.
  if (remark != header.remarks.end()) group.remark = remark->second.substr(0, remark->second.find(", "));
  for (const WaveSignal* signal : scope.signals) {
    GtkwSignal line = show(*signal);
    if (choice(leaf_of(signal->name), line)) group.signals.push_back(std::move(line));
  }
  if (!group.signals.empty()) layout->groups.push_back(std::move(group));
}

bool everything(const std::string&, GtkwSignal&) { return true; }

bool has(const Scope& scope, const char* leaf) {
  return std::any_of(scope.signals.begin(), scope.signals.end(),
                     [&](const WaveSignal* signal) { return leaf_of(signal->name) == leaf; });
}

/// A wire or uSwitch inside of a switch, or something of a shadow.
bool is_inside(const Scope& scope) {
  const auto has_level = [&scope](std::string_view level) {
    return (scope.name + ".").find("." + std::string(level) + ".") != std::string::npos;
  };
  return has_level(kInsideLevel) || has_level(kShadowLevel);
}
bool is_clock(const Scope& scope) { return has(scope, "cycle"); }
bool is_link(const Scope& scope) {
  return !is_inside(scope) && (has(scope, "valid") || has(scope, "packet") || has(scope, "vc"));
}
bool is_npu(const Scope& scope) {
  return scope.name.find('.') == std::string::npos && (has(scope, "running") || has(scope, "collective"));
}
bool is_chiplet(const Scope& scope) {
  return scope.name.find('.') != std::string::npos &&
         (has(scope, "running") || has(scope, "stored_setting") || has(scope, "flow"));
}

bool for_collective(const std::string& leaf, GtkwSignal& line) {
  static constexpr std::array<const char*, 9> kWanted{"running", "collective", "chunk", "step",  "phase",
                                                      "flow",    "valid",      "vc",    "packet"};
  static constexpr std::array<const char*, 3> kDetails{"group", "instance", "stall"};
  line.detail = is_one_of(leaf, kDetails);
  return line.detail || is_one_of(leaf, kWanted);
}

void collective_layout(const std::vector<Scope>& scopes, const WaveHeader& header, GtkwLayout* layout) {
  for (const Scope& scope : scopes) {
    if (is_npu(scope) || is_chiplet(scope)) add_group(scope, header, for_collective, false, layout);
  }
  constexpr std::ptrdiff_t kMostOpenLinks = 12;
  const bool folded = std::count_if(scopes.begin(), scopes.end(), is_link) > kMostOpenLinks;
  for (const Scope& scope : scopes) {
    if (is_link(scope)) add_group(scope, header, for_collective, folded, layout);
  }
}

bool below(const std::string& name, const std::string& prefix) { return name.rfind(prefix, 0) == 0; }

/// Whether the signals are those of a node of this kind, or of its links.
bool is_at(const Scope& scope, network::NameKind kind) { return network::node_in_front(scope.name).kind == kind; }

void router_layout(const std::vector<Scope>& scopes, const WaveHeader& header, GtkwLayout* layout) {
  for (const Scope& scope : scopes) {
    if (is_at(scope, network::NameKind::kRouter)) add_group(scope, header, everything, false, layout);
  }
}

void switch_layout(const std::vector<Scope>& scopes, const WaveHeader& header, GtkwLayout* layout) {
  constexpr std::ptrdiff_t kMostOpenWires = 24;
  const bool folded = std::count_if(scopes.begin(), scopes.end(), is_inside) > kMostOpenWires;
  for (const Scope& scope : scopes) {
    if (is_at(scope, network::NameKind::kSwitch))
      add_group(scope, header, everything, folded && is_inside(scope), layout);
  }
}

void npu_layout(const std::vector<Scope>& scopes, const WaveHeader& header, GtkwLayout* layout) {
  for (const Scope& scope : scopes) {
    if (is_at(scope, network::NameKind::kNpu) || is_at(scope, network::NameKind::kIo)) {
      add_group(scope, header, everything, false, layout);
    }
  }
}

/// Two signals, one below the other.
void add_pair(const WaveSignal& rtl, const WaveSignal& model, GtkwGroup* group) {
  group->signals.push_back(show(rtl));
  group->signals.back().colour = GtkwColour::kOrange;
  group->signals.push_back(show(model));
  group->signals.back().colour = GtkwColour::kGreen;
}

/// Pairs of switches in lockstep, `fabric.l1[0].plane[0].a.b` and `fabric.l1[0].plane[0].model.a.b`.
void shadow_layout(const std::vector<Scope>& scopes, const WaveHeader& header, GtkwLayout* layout) {
  const std::string level = "." + std::string(kShadowLevel) + ".";
  std::map<std::string, const WaveSignal*> models;  // by the name of the RTL's
  for (const WaveSignal& signal : header.signals) {
    const std::size_t at = signal.name.find(level);
    if (at == std::string::npos) continue;
    models[signal.name.substr(0, at + 1) + signal.name.substr(at + level.size())] = &signal;
  }
  for (const Scope& scope : scopes) {
    GtkwGroup group;
    group.title = scope.name;
    for (const WaveSignal* signal : scope.signals) {
      const auto model = models.find(signal->name);
      if (model != models.end()) add_pair(*signal, *model->second, &group);
    }
    if (!group.signals.empty()) layout->groups.push_back(std::move(group));
  }
}

/// What both sides have stands one below the other: `rtl.a.b` and `model.a.b`.
void lockstep_layout(const std::vector<Scope>& scopes, const WaveHeader& header, GtkwLayout* layout) {
  shadow_layout(scopes, header, layout);
  if (!layout->groups.empty()) return;
  std::map<std::string, const WaveSignal*> models;
  for (const WaveSignal& signal : header.signals) {
    if (below(signal.name, "model.")) models[signal.name.substr(std::string("model.").size())] = &signal;
  }
  for (const Scope& scope : scopes) {
    if (!below(scope.name, "rtl.") && scope.name != "rtl") continue;
    GtkwGroup group;
    group.title = scope.name.size() > 4 ? scope.name.substr(4) : scope.name;
    for (const WaveSignal* signal : scope.signals) {
      const auto model = models.find(signal->name.substr(std::string("rtl.").size()));
      if (model == models.end()) continue;
      add_pair(*signal, *model->second, &group);
    }
    if (!group.signals.empty()) layout->groups.push_back(std::move(group));
  }
  // Verilator's own waves: the ports of the top beside what the model expects of them.
  for (const Scope& scope : scopes) {
    if (!layout->groups.empty() && layout->groups.front().title != "model") break;
    if (scope.name == "model") add_group(scope, header, everything, false, layout);
  }
  if (!models.empty() && !scopes.empty() && layout->groups.size() == 1 && layout->groups.front().title == "model") {
    add_group(scopes.front(), header, everything, false, layout);
  }
}

struct Question {
  const char* name;
  void (*make)(const std::vector<Scope>&, const WaveHeader&, GtkwLayout*);
};

constexpr std::array<Question, 5> kQuestions = {{
    {"collective", collective_layout},
    {"router", router_layout},
    {"switch", switch_layout},
    {"npu", npu_layout},
    {"lockstep", lockstep_layout},
}};

/// A file "value name" per line, the value as GTKWave shows it in hexadecimal.
void write_filter(const std::filesystem::path& file, const WaveSignal& signal) {
  constexpr int kBitsPerDigit = 4;
  std::ostringstream out;
  for (std::size_t value = 0; value < signal.names.size(); ++value) {
    out << fmt::format("{:0{}x} {}\n", value, (signal.bits + kBitsPerDigit - 1) / kBitsPerDigit, signal.names[value]);
  }
  write_output(file, out.str());
}

/// Gives the enums of a layout files beside `file` that hold their names; signals with the same names share one.
void use_filters(const std::filesystem::path& file, const WaveHeader& header, GtkwLayout* layout) {
  std::map<std::string, const WaveSignal*> enums;
  for (const WaveSignal& signal : header.signals) {
    if (signal.kind == WaveKind::kEnum) enums[signal.viewer_name()] = &signal;
  }
  std::map<std::vector<std::string>, std::string> written;
  for (GtkwGroup& group : layout->groups) {
    for (GtkwSignal& line : group.signals) {
      if (line.format != GtkwFormat::kEnum) continue;
      const WaveSignal& signal = *enums.at(line.name);
      std::string& filter = written[signal.names];
      if (filter.empty()) {
        std::filesystem::path path = file;
        path.replace_extension("." + leaf_of(signal.name) + ".txt");
        write_filter(path, signal);
        filter = std::filesystem::absolute(path).lexically_normal().string();
      }
      line.format = GtkwFormat::kFilter;
      line.filter = filter;
    }
  }
}

}  // namespace

const std::vector<std::string>& layout_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Question& question : kQuestions) names.emplace_back(question.name);
    return names;
  }();
  return kNames;
}

namespace {

const Question& find_question(const std::string& question) {
  const auto* const found =
      std::find_if(kQuestions.begin(), kQuestions.end(), [&](const Question& each) { return question == each.name; });
  if (found == kQuestions.end()) {
    const std::vector<std::string_view> known(layout_names().begin(), layout_names().end());
    throw InputError(fmt::format("there is no layout '{}'; legal: {}{}", question, fmt::join(layout_names(), ", "),
                                 did_you_mean(question, known)));
  }
  return *found;
}

}  // namespace

bool answers(const std::string& question, const WaveHeader& header) {
  GtkwLayout layout;
  find_question(question).make(scopes_of(header), header, &layout);
  return !layout.groups.empty();
}

GtkwLayout make_layout(const std::string& question, const WaveHeader& header) {
  const Question& found = find_question(question);
  const std::vector<Scope> scopes = scopes_of(header);
  GtkwLayout layout;
  found.make(scopes, header, &layout);
  if (layout.groups.empty()) {
    for (const Scope& scope : scopes) {
      if (!is_clock(scope)) add_group(scope, header, everything, false, &layout);
    }
  }
  GtkwLayout clocks;
  for (const Scope& scope : scopes) {
    if (is_clock(scope)) add_group(scope, header, everything, false, &clocks);
  }
  layout.groups.insert(layout.groups.begin(), clocks.groups.begin(), clocks.groups.end());
  return layout;
}

void write_layout(const std::filesystem::path& file, const std::filesystem::path& wave, const std::string& question,
                  const WaveHeader& header, const GtkwView& view) {
  GtkwLayout layout = make_layout(question, header);
  layout.view = view;
  std::string ending = wave.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending != ".fst") use_filters(file, header, &layout);
  write_gtkw(file, wave, layout);
}

}  // namespace weft::waves
