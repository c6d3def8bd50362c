// SPDX-License-Identifier: Apache-2.0
#include "tb/switch/switch_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "switch/rtl/interconnect_sv.h"
#include "switch/rtl/rtl_spec.h"
#include "tb/build/embedded_rtl.h"
#include "tb/switch/rtl_switch.h"

namespace weft::tb {
namespace {

/// Bits that a register starts with are different in every chiplet.
std::uint64_t seed_of(const std::string& path) {
  std::uint64_t seed = 1;
  for (const char c : path) seed = mix64(seed ^ static_cast<std::uint8_t>(c));
  return seed;
}

}  // namespace

RtlDesign switch_design(ModelBuilder& builder, int m, int ports, const fred::SwitchWatch& watch) {
  const fred::Interconnect net = fred::build_interconnect(m, ports);
  const std::string suffix = fred::rtl_suffix(net);
  RtlDesign design;
  design.top = "fred_switch_" + suffix;
  const std::filesystem::path own = builder.own_rtl();
  for (const char* list : {"primitives.f", "switch.f"}) {
    for (const std::string& name : embedded_list(list)) design.files.push_back(own / name);
  }
  const std::string inner = "fred_interconnect_" + suffix + ".sv";
  const std::string outer = design.top + ".sv";
  const std::filesystem::path written = builder.keep(
      design.top + "-sv", {{inner, fred::interconnect_sv(net, watch)}, {outer, fred::fred_switch_sv(net, watch)}});
  design.files.push_back(written / inner);
  design.files.push_back(written / outer);
  return design;
}

RtlDesign switch_design(ModelBuilder& builder, const fred::SwitchSpec& spec) {
  fred::check_rtl_spec(spec);
  const fred::Interconnect net = fred::build_interconnect(spec.m, spec.ports);
  const fred::SettingStore store(net, spec.memory_bytes,
                                 fred::StageTiming{spec.reduce_cycles, fred::stage_registers(net, 1)});
  RtlDesign design = switch_design(builder, spec.m, spec.ports, spec.watch);
  for (const auto& [name, value] : fred::rtl_parameters(spec, store.capacity() + 1)) {
    design.parameters[name] = std::to_string(value);
  }
  share_functions(builder, design);
  return design;
}

void share_functions(ModelBuilder& builder, RtlDesign& design) {
  constexpr long kManyLanes = 16;  // with 4 the switch was a third slower, with 16 three times as fast
  if (std::stol(design.parameters.at("Lanes")) < kManyLanes) return;
  design.files.insert(design.files.begin(), builder.own_rtl() / "sharing.vlt");
}

fred::SwitchFactory switch_factory(std::function<std::shared_ptr<ModelBuilder>()> builder,
                                   std::function<LockstepOptions(const std::string& path)> options) {
  const auto made = std::make_shared<std::shared_ptr<ModelBuilder>>();
  return [builder = std::move(builder), options = std::move(options), made](
             const fred::SwitchSpec& spec, const std::string& path,
             const std::string& model) -> std::unique_ptr<fred::SwitchModel> {
    if (model != "rtl" && model != "lockstep") return fred::make_tlm_switch(spec, path, model);
    if (!*made) *made = builder();
    try {
      fred::SwitchSpec watched = spec;
      if (model == "lockstep") watched.watch.reasons = false;  // the model's are shown
      RtlDesign design = switch_design(**made, watched);
      if (model == "rtl") return std::make_unique<RtlSwitch>(spec, (*made)->build(design), seed_of(path));
      LockstepOptions lockstep = options ? options(path) : LockstepOptions();
      design.trace = lockstep.waves.has_value();
      return std::make_unique<LockstepSwitch>(watched, (*made)->build(design), seed_of(path), path,
                                              std::move(lockstep));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} as {}: {}", path, model, error.what()));
    }
  };
}

}  // namespace weft::tb
