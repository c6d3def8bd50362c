// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/duts/uswitch_dut.h"

#include "tests/rtl/duts/dut_model.h"

namespace weft::rtl_test {
namespace {

constexpr unsigned kShapes = 13;
constexpr unsigned kVariants = 6;

CData with_bit(CData bits, unsigned pin, bool value) {
  return static_cast<CData>((bits & ~(1U << pin)) | (value ? 1U << pin : 0U));
}

bool built(int kind, int m, unsigned variant) {
#ifdef WEFT_FEW_SHAPES
  return m == 2 && (variant == 0 || variant == (kind == 0 || kind == 2 ? 3U : 1U));
#endif
  if (kind == 2) return true;
  if (m == 2) return kind == 0 || variant < 3;
  return m == 3 ? variant == 0 || (kind == 0 && variant == 3) : variant == 1 || (kind == 0 && variant == 2);
}

}  // namespace

const std::vector<UswitchShape>& uswitch_shapes() {
  static const std::vector<UswitchShape> kAll = [] {
    constexpr unsigned kPlaces[kVariants] = {1, 1, 3, 2, 2, 3};
    std::vector<UswitchShape> shapes;
    for (unsigned g = 0; g < kShapes * kVariants; ++g) {
      const unsigned s = g % kShapes;
      const unsigned variant = g / kShapes;
      UswitchShape shape;
      shape.index = g;
      shape.kind = s < 3 ? 0 : s < 6 ? 1 : s < 7 ? 2 : s < 10 ? 3 : 4;
      shape.m = static_cast<int>(s < 6 ? 2 + s % 3 : s == 6 ? 2 : 2 + (s - 7) % 3);
      if (!built(shape.kind, shape.m, variant)) continue;
      shape.lanes = s == 6 && variant == 1 ? 2 : 1;
      shape.skid = variant % 2 != 0;
      shape.accumulate_fp32 = shape.skid;
      shape.reduce_cycles = kPlaces[variant];
      const auto m = static_cast<unsigned>(shape.m);
      shape.inputs = shape.kind == 3 ? 1 : shape.kind == 1 || shape.kind == 4 ? m : 2;
      shape.outputs = shape.kind == 4 ? 1 : shape.kind == 0 || shape.kind == 3 ? m : 2;
      shapes.push_back(shape);
    }
    return shapes;
  }();
  return kAll;
}

struct UswitchDut::Verilated : DutModel<WEFT_DUT> {
  using DutModel::DutModel;
};

UswitchDut::UswitchDut(const UswitchShape& shape, int format, int op, unsigned seed, int mutant)
    : verilated_(std::make_unique<Verilated>(mutant, seed)) {
  verilated_->model->sel_i = static_cast<CData>(shape.index);
  verilated_->model->format_i = static_cast<CData>(format);
  verilated_->model->op_i = static_cast<CData>(op);
  verilated_->model->in_valid_i = 0;  // inputs start with random bits
}
UswitchDut::~UswitchDut() = default;

void UswitchDut::reset(bool active) { verilated_->model->rst_ni = active ? 0 : 1; }

void UswitchDut::offer(unsigned pin, const Beat& beat, std::uint8_t setting) {
  auto& model = *verilated_->model;
  model.in_valid_i = with_bit(model.in_valid_i, pin, true);
  model.in_side_i = (model.in_side_i & ~(std::uint64_t{0xFFFF} << 16 * pin)) | std::uint64_t{beat.side} << 16 * pin;
  model.in_setting_i = (model.in_setting_i & ~(0xFFU << 8 * pin)) | std::uint32_t{setting} << 8 * pin;
  for (unsigned w = 0; w < 4; ++w) model.in_data_i[4 * pin + w] = beat.data[w];
}

void UswitchDut::offer_nothing(unsigned pin) {
  verilated_->model->in_valid_i = with_bit(verilated_->model->in_valid_i, pin, false);
}

void UswitchDut::receive(unsigned pin, bool ready) {
  verilated_->model->out_ready_i = with_bit(verilated_->model->out_ready_i, pin, ready);
}

void UswitchDut::settle() {
  verilated_->model->clk_i = 0;
  verilated_->model->eval();
}

bool UswitchDut::ready(unsigned pin) const { return (verilated_->model->in_ready_o >> pin & 1) != 0; }
bool UswitchDut::valid(unsigned pin) const { return (verilated_->model->out_valid_o >> pin & 1) != 0; }

UswitchDut::Beat UswitchDut::beat(unsigned pin) const {
  Beat beat;
  beat.side = static_cast<std::uint16_t>(verilated_->model->out_side_o >> 16 * pin);
  for (unsigned w = 0; w < 4; ++w) beat.data[w] = verilated_->model->out_data_o[4 * pin + w];
  return beat;
}

bool UswitchDut::clock() {
  verilated_->model->clk_i = 1;
  verilated_->model->eval();
  verilated_->started();
  return !verilated_->failed();
}

}  // namespace weft::rtl_test
