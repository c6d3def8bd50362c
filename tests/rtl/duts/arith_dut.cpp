// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/duts/arith_dut.h"

#include "tests/rtl/duts/dut_model.h"

namespace weft::rtl_test {

struct ArithDut::Verilated : DutModel<WEFT_DUT> {
  using DutModel::DutModel;
};

ArithDut::ArithDut(int mutant) : verilated_(std::make_unique<Verilated>(mutant)) {}
ArithDut::~ArithDut() = default;

ArithDut::Out ArithDut::eval(const In& in) {
  auto& model = *verilated_->model;
  model.en_i = in.en ? 1 : 0;
  model.format_i = static_cast<CData>(in.format);
  model.op_i = static_cast<CData>(in.op);
  for (std::size_t i = 0; i < 4; ++i) {
    model.a_i[i] = in.a[i];
    model.b_i[i] = in.b[i];
  }
  model.eval();
  verilated_->started();
  Out out;
  out.scalar = model.scalar_o;
  out.widen_fp16 = model.widen_fp16_o;
  out.widen_bf16 = model.widen_bf16_o;
  out.round_fp16 = model.round_fp16_o;
  out.round_bf16 = model.round_bf16_o;
  for (std::size_t i = 0; i < 4; ++i) {
    out.wide[i] = model.wide_o[i];
    out.enter[i] = model.enter_o[i];
  }
  for (std::size_t i = 0; i < 2; ++i) {
    out.narrow[i] = static_cast<std::uint32_t>(model.narrow_o >> 32 * i);
    out.leave[i] = static_cast<std::uint32_t>(model.leave_o >> 32 * i);
  }
  return out;
}

}  // namespace weft::rtl_test
