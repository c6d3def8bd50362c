// SPDX-License-Identifier: Apache-2.0
// What the classes around Verilated models share: the model of this build (WEFT_DUT, in WEFT_DUT_HEADER; the package of
// its seeded faults in WEFT_DUT_FAULTS) with a context of its own, and bits in and out of wide ports.
#pragma once

#include <verilated.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include WEFT_DUT_HEADER
#ifdef WEFT_DUT_FAULTS
#include WEFT_DUT_FAULTS
#endif

namespace weft::rtl_test {

template <typename Model>
struct DutModel {
  explicit DutModel(int mutant, unsigned seed = 1) {
    context.fatalOnError(false);  // a failed assertion is an answer, not the end
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    model = std::make_unique<Model>(&context);
#ifdef WEFT_DUT_FAULTS
    model->__PVT__fault_pkg->seeded_fault = static_cast<CData>(mutant);
#else
    if (mutant != 0) throw std::logic_error("this build has no seeded faults");
#endif
  }
  ~DutModel() {
    model->final();
#ifdef WEFT_RTL_COVERAGE
    // One file per run, merged by scripts/rtl_coverage; the counters die with the model.
    static int runs = 0;
    const char* folder = std::getenv("WEFT_RTL_COVERAGE");
    const std::string file = (folder != nullptr ? folder : ".") + std::string("/" WEFT_RTL_COVERAGE "_");
    context.coveragep()->write((file + std::to_string(runs++) + ".dat").c_str());
#endif
  }
  DutModel(const DutModel&) = delete;
  DutModel& operator=(const DutModel&) = delete;

  /// To be called after the first edge, which is in reset: what has changed until then says nothing about coverage,
  /// because registers and inputs start with random bits.
  void started() {
#ifdef WEFT_RTL_COVERAGE
    if (!started_) context.coveragep()->zero();
    started_ = true;
#endif
  }
  bool failed() const { return context.gotError(); }

  VerilatedContext context;  // must outlive the model
  std::unique_ptr<Model> model;
#ifdef WEFT_RTL_COVERAGE
  bool started_ = false;
#endif
};

}  // namespace weft::rtl_test
