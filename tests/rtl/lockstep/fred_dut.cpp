// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/lockstep/fred_dut.h"

#include <map>
#include <stdexcept>

#include "fred_shape.h"
#include "switch/rtl/rtl_registers.h"
#include "tests/rtl/duts/dut_model.h"
#include "tests/rtl/lockstep/verilated_bits.h"

namespace weft::rtl_test {

struct FredDut::Verilated : DutModel<WEFT_DUT> {
  using DutModel::DutModel;

#ifdef FRED_REGISTERS
  void write(const std::vector<fred::RtlRegisterWrite>& writes) {
    model->reg_we_i = 1;
    for (const fred::RtlRegisterWrite& write : writes) {
      model->reg_address_i = write.address;
      model->reg_data_i = write.data;
      model->eval();
      edge();
    }
    model->reg_we_i = 0;
    edge();  // the last one has its effect
  }
#else
  void strap(const std::string& port, const std::vector<std::uint8_t>& bytes) {
    WEFT_DUT& m = *model;
    if (port == "format_i") return put_all(m.format_i, bytes);
    if (port == "op_i") return put_all(m.op_i, bytes);
    if (port == "reconfigure_cycles_i") return put_all(m.reconfigure_cycles_i, bytes);
    if (port == "stay_packets_i") return put_all(m.stay_packets_i, bytes);
    if (port == "first_uplink_i") return put_all(m.first_uplink_i, bytes);
    if (port == "uplinks_i") return put_all(m.uplinks_i, bytes);
    if (port == "whole_packets_i") return put_all(m.whole_packets_i, bytes);
    if (port == "credits_i") return put_all(m.credits_i, bytes);
    if (port == "control_credits_i") return put_all(m.control_credits_i, bytes);
    if (port == "output_flits_i") return put_all(m.output_flits_i, bytes);
    if (port == "rate_unit_i") return put_all(m.rate_unit_i, bytes);
    if (port == "rate_flit_i") return put_all(m.rate_flit_i, bytes);
    if (port == "rate_header_i") return put_all(m.rate_header_i, bytes);
    throw std::logic_error("no strap " + port);
  }
#endif
  void edge() {
    model->clk_i = 1;
    model->eval();
    started();
    model->clk_i = 0;
    model->eval();
  }
};

FredDut::FredDut(unsigned seed, int mutant) : verilated_(std::make_unique<Verilated>(mutant, seed)) {}
FredDut::~FredDut() = default;

FredShape FredDut::shape() {
  FredShape shape;
  shape.m = FRED_M;
  shape.ports = FRED_PORTS;
  const std::map<std::string, std::uint32_t> parameters{FRED_PARAMETERS};
  const auto of = [&](const char* name, std::uint32_t missing) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? missing : found->second;
  };
  shape.lanes = of("Lanes", 4);
  shape.beats = of("Beats", 1);
  shape.accumulate_fp32 = of("AccumulateFp32", 0) != 0;
  shape.traffic_classes = static_cast<int>(of("TrafficClasses", 4));
  shape.settings = of("StoredSettings", 8);
  shape.buffer_flits = of("BufferFlits", 16);
  shape.control_buffer_flits = of("ControlBufferFlits", 4);
  shape.output_flits = of("OutputFlits", 32);
  shape.reduce_cycles = of("ReduceCycles", 1);
  shape.skid = of("Skid", 0) != 0;
  return shape;
}

#ifdef FRED_REGISTERS
namespace {

/// Any data to all registers, and to addresses that have none; what is written afterwards counts. The index, which
/// would store a setting, is left out.
std::vector<fred::RtlRegisterWrite> noise() {
  std::vector<fred::RtlRegisterWrite> writes;
  const auto put = [&](unsigned address) {
    if ((address & 0xf00f) == 5) return;
    for (const std::uint32_t data : {0xffff'ffffU, 0U, 0x0123'4567U}) {
      writes.push_back({static_cast<std::uint16_t>(address), data});
    }
  };
  for (unsigned kind = 0; kind < 4; ++kind) {
    for (unsigned port = 0; port <= FRED_PORTS; ++port) {
      for (unsigned word = 0; word < 16; ++word) put(kind << 12 | port << 4 | word);
    }
  }
  for (unsigned word = 0; word < 8; ++word) put(0x8000 + word);
  for (std::uint32_t format = 0; format < 8; ++format) writes.push_back({0, format | format << 8});
  return writes;
}

}  // namespace
#endif

void FredDut::reset(const fred::SwitchSpec& spec) {
  WEFT_DUT& m = *verilated_->model;
#ifdef FRED_REGISTERS
  m.reg_we_i = 0;
#else
  const std::vector<fred::RtlStrap> straps = fred::rtl_straps(spec);
  for (const fred::RtlStrap& strap : straps) verilated_->strap(strap.port, strap.bytes);
  m.cfg_we_i = 0;
  m.cfg_clk_i = 0;
#endif
  m.in_valid_i = 0;
  for (std::size_t port = 0; port < FRED_PORTS; ++port) put_bits(m.credit_i, port * 4, 4, 0);
  m.clk_i = 0;
  // The first evaluation sees no edges: reset falls in the second one, before the clock comes.
  m.rst_ni = 1;
  m.eval();
  m.rst_ni = 0;
  m.eval();
  verilated_->edge();
#ifndef FRED_REGISTERS
  // Straps may be anything until the last edge in reset; formats and operations are those that there are.
  for (fred::RtlStrap strap : straps) {
    if (strap.port == "format_i" || strap.port == "op_i") continue;
    for (std::uint8_t& byte : strap.bytes) byte = static_cast<std::uint8_t>(~byte);
    verilated_->strap(strap.port, strap.bytes);
  }
  verilated_->edge();
  for (const fred::RtlStrap& strap : straps) verilated_->strap(strap.port, strap.bytes);
  verilated_->edge();
#endif
  m.rst_ni = 1;
  m.eval();
#ifdef FRED_REGISTERS
  verilated_->write(noise());
  verilated_->write(fred::rtl_register_writes(spec));
#endif
}

void FredDut::write(std::uint32_t index, const fred::RtlSetting& setting) {
#ifdef FRED_REGISTERS
  verilated_->write(fred::rtl_register_writes(setting, FRED_PORTS, index));
#else
  WEFT_DUT& m = *verilated_->model;
  m.cfg_we_i = 1;
  m.cfg_index_i = static_cast<SData>(index);
  put_all(m.cfg_settings_i, setting.uswitch_settings);
  put_all(m.cfg_inputs_i, setting.inputs);
  put_all(m.cfg_outputs_i, setting.outputs);
  m.eval();
  m.cfg_clk_i = 1;
  m.eval();
  m.cfg_clk_i = 0;
  m.cfg_we_i = 0;
  m.eval();
  // An edge that writes nothing.
  m.cfg_index_i = static_cast<SData>(~index);
  for (const std::uint8_t byte : {std::uint8_t{0x55}, std::uint8_t{0xaa}}) {
    put_all(m.cfg_settings_i, std::vector<std::uint8_t>(setting.uswitch_settings.size(), byte));
    put_all(m.cfg_inputs_i, std::vector<std::uint8_t>(setting.inputs.size(), byte));
    put_all(m.cfg_outputs_i, std::vector<std::uint8_t>(setting.outputs.size(), byte));
    m.cfg_clk_i = 1;
    m.eval();
    m.cfg_clk_i = 0;
    m.eval();
  }
#endif
}

void FredDut::receive(std::size_t port, const fred::PortFlit& flit, const std::uint8_t* data) {
  WEFT_DUT& m = *verilated_->model;
  put_bits(m.in_valid_i, port, 1, 1);
  put_bits(m.in_head_i, port, 1, flit.head ? 1 : 0);
  put_bits(m.in_tail_i, port, 1, flit.tail ? 1 : 0);
  put_bits(m.in_traffic_class_i, port * 2, 2, flit.traffic_class);
  put_bits(m.in_output_i, port * 8, 8, flit.output);
  put_bits(m.in_stored_setting_i, port * 16, 16, flit.setting);
  put_bits(m.in_packet_i, port * 32, 32, flit.packet);
  put_bits(m.in_packet_flits_i, port * 16, 16, flit.packet_flits);
  put_bits(m.in_match_i, port * 64, 64, flit.match);
  const FredShape s = shape();
  const std::size_t bytes = std::size_t{s.lanes} * s.beats * 4;
  put_bytes(m.in_data_i, port * bytes, data, bytes);
}

void FredDut::credit(std::size_t port, std::uint8_t traffic_class) {
  put_bits(verilated_->model->credit_i, port * 4 + traffic_class, 1, 1);
}

void FredDut::clock() {
  WEFT_DUT& m = *verilated_->model;
  verilated_->edge();
  m.in_valid_i = 0;
  for (std::size_t port = 0; port < FRED_PORTS; ++port) put_bits(m.credit_i, port * 4, 4, 0);
}

bool FredDut::sent(std::size_t port, fred::PortFlit* flit, std::uint8_t* data) const {
  const WEFT_DUT& m = *verilated_->model;
  if (get_bits(m.out_valid_o, port, 1) == 0) return false;
  flit->head = get_bits(m.out_head_o, port, 1) != 0;
  flit->tail = get_bits(m.out_tail_o, port, 1) != 0;
  flit->traffic_class = static_cast<std::uint8_t>(get_bits(m.out_traffic_class_o, port * 2, 2));
  flit->setting = static_cast<std::uint32_t>(get_bits(m.out_stored_setting_o, port * 16, 16));
  flit->packet = static_cast<std::uint32_t>(get_bits(m.out_packet_o, port * 32, 32));
  flit->packet_flits = static_cast<std::uint16_t>(get_bits(m.out_packet_flits_o, port * 16, 16));
  const FredShape s = shape();
  const std::size_t bytes = std::size_t{s.lanes} * s.beats * 4;
  get_bytes(m.out_data_o, port * bytes, data, bytes);
  return true;
}

bool FredDut::freed(std::size_t port, std::uint8_t* traffic_class) const {
  const WEFT_DUT& m = *verilated_->model;
  *traffic_class = static_cast<std::uint8_t>(get_bits(m.freed_traffic_class_o, port * 2, 2));
  return get_bits(m.freed_valid_o, port, 1) != 0;
}

std::uint32_t FredDut::active() const {
  return verilated_->model->active_valid_o != 0 ? verilated_->model->active_o : ~std::uint32_t{0};
}
bool FredDut::idle() const { return verilated_->model->idle_o != 0; }
bool FredDut::settled() const { return verilated_->model->settled_o != 0; }
bool FredDut::failed() const { return verilated_->failed(); }

}  // namespace weft::rtl_test
