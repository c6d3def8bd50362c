// SPDX-License-Identifier: Apache-2.0
#include "mem/memory_check.h"

#include "base/error.h"
#include "mem/dram/dram_config.h"
#include "mem/pool/pool_config.h"
#include "mem/pool/remote_times.h"

namespace weft::mem {

std::vector<ConfigProblem> check_memory(const Config& config) {
  std::vector<ConfigProblem> problems;
  const auto check = [&problems](const char* key, const auto& use) {
    try {
      use();
    } catch (const InputError& error) {
      problems.push_back({key, error.what()});
    }
  };
  if (!config.memory.timing.empty()) check("memory.timing", [&config] { timing_of(config.memory); });
  if (config.memory.tensors == TensorMemory::kRemote) check("memory.remote", [&config] { formula_of(config); });
  if (config.memory.tensors == TensorMemory::kIo && !config.memory.pool.empty())
    check("memory.pool", [&config] { pool_of(config); });
  return problems;
}

}  // namespace weft::mem
