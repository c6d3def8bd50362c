// SPDX-License-Identifier: Apache-2.0
// The threads that step the parts of a fabric.
#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "base/block.h"
#include "sc_models/fabric_part.h"
#include "sc_models/waitable_counter.h"

namespace weft::sc_models {

/// All parts of a fabric as one block, shared out to threads; the calling one of them steps its own parts, and then
/// those that their threads have not begun, because these have no core.
class PartThreads final : public Block {
 public:
  /// The parts outlive it. `threads`: at most one for each part; 0 = as many.
  PartThreads(std::vector<FabricPart*> parts, int threads);
  ~PartThreads() override;

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;

 private:
  void work(std::size_t thread);
  void step_parts(std::size_t first, std::size_t stride, std::uint64_t round);
  bool begin(std::size_t number, std::uint64_t round);
  void step_part(std::size_t number);

  const std::vector<FabricPart*> parts_;
  const std::size_t threads_;
  std::vector<std::thread> workers_;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::atomic<std::uint64_t>> begun_;  ///< by part: the last round in which somebody has begun it
  WaitableCounter round_;                          ///< steps that have been asked for
  WaitableCounter finished_;                       ///< steps of parts, over all rounds
  std::atomic<bool> quit_{false};
  Cycle now_ = 0;
};

}  // namespace weft::sc_models
