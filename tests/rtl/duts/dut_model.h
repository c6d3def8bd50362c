// SPDX-License-Identifier: Apache-2.0
// What the classes around Verilated models share: the model of this build (WEFT_DUT, in WEFT_DUT_HEADER) with a context
// of its own, and bits in and out of wide ports.
#pragma once

#include <verilated.h>

#include <memory>
#include <stdexcept>

#include WEFT_DUT_HEADER

namespace weft::rtl_test {

template <typename Model>
struct DutModel {
  explicit DutModel(int mutant, unsigned seed = 1) {
    context.fatalOnError(false);  // a failed assertion is an answer, not the end
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    model = std::make_unique<Model>(&context);
#ifdef WEFT_MUTANTS
    model->mutant_i = static_cast<CData>(mutant);
#else
    if (mutant != 0) throw std::logic_error("this build has no seeded faults");
#endif
  }
  ~DutModel() { model->final(); }
  DutModel(const DutModel&) = delete;
  DutModel& operator=(const DutModel&) = delete;

  bool failed() const { return context.gotError(); }

  VerilatedContext context;  // must outlive the model
  std::unique_ptr<Model> model;
};

}  // namespace weft::rtl_test
