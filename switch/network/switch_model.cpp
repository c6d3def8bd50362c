// SPDX-License-Identifier: Apache-2.0
#include "switch/network/switch_model.h"

#include <fmt/format.h>

#include "base/checkpoint.h"
#include "base/error.h"
#include "switch/network/fred_switch.h"

namespace weft::fred {

void SwitchModel::keep(Checkpoint& /*checkpoint*/) {
  Checkpoint::refuse(fmt::format("switches with fabric.model {} are not kept", model()));
}

std::unique_ptr<SwitchModel> make_tlm_switch(const SwitchSpec& spec, const std::string& path,
                                             const std::string& model) {
  if (model != "tlm") {
    throw InputError(fmt::format("{}: there is no switch of model '{}' here; known: tlm", path, model));
  }
  return std::make_unique<FredSwitch>(spec);
}

}  // namespace weft::fred
