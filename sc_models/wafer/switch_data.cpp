// SPDX-License-Identifier: Apache-2.0
#include "wafer/switch_data.h"

#include <variant>

#include "npu/program/program_cache.h"

namespace weft::wafer {

SwitchData switch_data(const Config& config) {
  if (const auto* io = std::get_if<IoWorkload>(&config.workload)) return {io->data == DataMode::kValues, {}, {}};
  const CollectiveSpec& collective = npu::collective_spec(config);
  return {
      collective.data == DataMode::kValues, {collective.dtype, config.fabric.fred.fp32_accumulation}, collective.op};
}

}  // namespace weft::wafer
