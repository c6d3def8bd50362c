// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/duts/elastic_dut.h"

#include "tests/rtl/duts/dut_model.h"

namespace weft::rtl_test {
namespace {

CData with_bit(CData bits, unsigned g, bool value) {
  return static_cast<CData>((bits & ~(1U << g)) | (value ? 1U << g : 0U));
}

}  // namespace

struct ElasticDut::Verilated : DutModel<WEFT_DUT> {
  using DutModel::DutModel;
};

ElasticDut::ElasticDut(unsigned seed, int mutant) : verilated_(std::make_unique<Verilated>(mutant, seed)) {}
ElasticDut::~ElasticDut() = default;

void ElasticDut::reset(bool active) { verilated_->model->rst_ni = active ? 0 : 1; }

void ElasticDut::offer(unsigned g, bool valid, std::uint32_t data) {
  auto& model = *verilated_->model;
  model.valid_i = with_bit(model.valid_i, g, valid);
  model.data_i[g] = data;
}

void ElasticDut::receive(unsigned g, bool ready) {
  verilated_->model->ready_i = with_bit(verilated_->model->ready_i, g, ready);
}

void ElasticDut::settle() {
  verilated_->model->clk_i = 0;
  verilated_->model->eval();
}

bool ElasticDut::ready(unsigned g) const { return (verilated_->model->ready_o >> g & 1) != 0; }
bool ElasticDut::valid(unsigned g) const { return (verilated_->model->valid_o >> g & 1) != 0; }
std::uint32_t ElasticDut::data(unsigned g) const { return verilated_->model->data_o[g]; }

bool ElasticDut::clock() {
  verilated_->model->clk_i = 1;
  verilated_->model->eval();
  verilated_->started();
  return !verilated_->failed();
}

}  // namespace weft::rtl_test
