// SPDX-License-Identifier: Apache-2.0
#include "sc_models/switch_data.h"

#include <variant>

#include "npu/collective/engine/program_cache.h"

namespace weft::sc_models {

SwitchData switch_data(const Config& config) {
  if (const auto* io = std::get_if<IoWorkload>(&config.workload)) return {io->data == DataMode::kValues, {}, {}};
  const CollectiveSpec& collective = npu::collective_spec(config);
  return {
      collective.data == DataMode::kValues, {collective.dtype, config.fabric.fred.fp32_accumulation}, collective.op};
}

}  // namespace weft::sc_models
