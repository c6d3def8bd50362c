// SPDX-License-Identifier: Apache-2.0
// What a recorder must know about the fabric: clocks, links and NPUs with their names. The fabric's builder gives it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "config/config.h"
#include "waves/scope_pattern.h"

namespace weft::waves {

/// One clock domain; its cycle number is the variable `<name>.cycle`.
struct ClockWave {
  std::string name = "clock";
  ClockSpec clock;
};

/// One directed link. Its signals lie beneath `name`, for example `fabric.router[3,2].east`.
struct LinkWave {
  std::string name;  ///< "" = a number that no link has
  std::string from;  ///< who sends, for people
  std::string to;    ///< who receives
  int vcs = 1;       ///< 1 to 256
  int colours = 0;   ///< colours of set-up routes beside them; on the link their VC is kFirstColourVc + colour
  int credits = 0;   ///< per VC at the start; 0 = the receiver always accepts, no credits are shown
  /// Names of the VCs, where they have some: `vc` shows them, and credits are `credits_<name>`. One for each VC.
  std::vector<std::string> vc_names;
  /// Credits per VC at the start, where they differ; `credits` is then the largest of them.
  std::vector<int> vc_credits;
  bool stalls = false;    ///< its sender says why it carries nothing
  bool several = false;   ///< more than one flit may be sent in a cycle
  std::size_t clock = 0;  ///< domain of the sender
};

/// One NPU, or a chiplet of switches. Its signals lie beneath `name`, for example `npu[3]`.
struct NpuWave {
  std::string name;
  std::size_t clock = 0;
  bool chiplet = false;
};

/// The inside of a switch: wires with valid and ready between elements. Their names are relative to that of the switch:
/// `uswitch.in[2].out[0]`. They are recorded only where a pattern names one of kInsideLevels.
struct SwitchWave {
  struct Element {
    std::string name;  ///< `uswitch.in[2]`
    bool setting = false;
    std::uint32_t first_wire = 0;  ///< the wires of its outputs, one after the other
    std::uint32_t wires = 0;
  };
  std::string name;                ///< `fabric.l1[0].plane[0]`
  std::size_t clock = 0;           ///< domain
  std::vector<std::string> wires;  ///< by number
  std::uint32_t ports = 0;         ///< input ports, whose wires come first
  std::vector<Element> elements;
  std::vector<std::string> vc_names;
  int data_bits = 0;    ///< bits of data on a wire; 0 = no data
  bool shadow = false;  ///< it is compared with a model, whose signals lie beneath `model`
};

/// Levels of names whose signals are recorded only where a pattern has them.
inline constexpr std::string_view kInsideLevel = "uswitch";
inline constexpr std::string_view kShadowLevel = "model";

/// The fabric as a generator of names, so that a million links need no memory here.
struct RecorderSetup {
  std::vector<ClockWave> clocks{ClockWave{}};
  std::size_t links = 0;  ///< LinkId 0 .. links - 1
  std::function<LinkWave(LinkId)> link;
  std::size_t nodes = 0;  ///< NodeId 0 .. nodes - 1
  std::function<NpuWave(NodeId)> npu;
  std::size_t switches = 0;  ///< with wires inside
  std::function<SwitchWave(std::size_t)> fabric_switch;
};

/// Names of the signals beneath a link, in the order in which they are declared.
std::vector<std::string> link_signals(const LinkWave& link);
/// Names of the signals beneath an NPU or a chiplet, in the order in which they are declared.
const std::vector<std::string>& npu_signals(const NpuWave& npu);
/// Names of the signals beneath a wire of a switch.
const std::vector<std::string>& wire_signals(bool data);
/// Calls `use` with every name of a switch's inside.
void visit_inside(const SwitchWave& fabric_switch, const std::function<void(const std::string&)>& use);
/// Names of what a uSwitch does, by value.
const std::vector<std::string>& action_names();
/// Names of stall reasons, by value.
const std::vector<std::string>& stall_names();
/// Names of phases; the first stands for none.
const std::vector<std::string>& phase_names();
/// Signal with the credits of the VC or colour of that `number`.
std::string credit_signal(const LinkWave& link, int number);
/// Where the credits of `vc` stand: VCs first, then colours.
int credit_index(int vcs, VcId vc);

/// The patterns that `scope` means: a preset's, where it is the name of one ("collective": what tells of collectives on
/// links and at NPUs), else those that it holds.
std::vector<std::string> scope_patterns(const std::vector<std::string>& scope);

/// Whether a pattern names the level of what is inside of switches, `uswitch`.
bool asks_inside(const ScopePattern& pattern);
/// Whether a pattern selects a name; it may leave out `plane[..]` and `slice[..]` of a chiplet.
bool selects(const ScopePattern& pattern, const std::string& name);

/// Decides which signals are recorded and remembers which patterns have found something.
class ScopeChoice {
 public:
  /// No pattern at all chooses everything. Throws InputError for a bad pattern.
  explicit ScopeChoice(const std::vector<std::string>& patterns);

  /// What all patterns together say about a name. A pattern that selects it has found something.
  ScopeMatch match(const std::string& name);
  /// The same for what lies inside a switch: only patterns that name a level `uswitch` or `model` choose it. They may
  /// leave out `model`: they then choose the model's signals, too.
  ScopeMatch match_inside(const std::string& name);
  /// Whether a pattern names such a level.
  bool asks_inside() const;
  /// True when every pattern has selected something.
  bool all_found() const;
  /// Throws InputError if a pattern has matched nothing; tells the nearest names of the fabric.
  void require_all_found(const RecorderSetup& setup) const;

 private:
  ScopeMatch match_variants(const std::vector<std::string>& variants, bool inside);

  std::vector<ScopePattern> patterns_;
  std::vector<bool> inside_;  ///< the pattern names a level of the inside
  std::vector<bool> found_;
};

}  // namespace weft::waves
