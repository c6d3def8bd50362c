// SPDX-License-Identifier: Apache-2.0
// The Verilated FRED switch of one shape, driven like the model: flits and credits of a cycle, a clock edge, what was
// sent and freed.
#pragma once

#include <cstdint>
#include <memory>

#include "switch/network/beat.h"
#include "switch/network/switch_spec.h"
#include "switch/rtl/rtl_spec.h"
#include "tb/bench/switch_traffic.h"

namespace weft::rtl_test {

using FredShape = tb::SwitchShape;

class FredDut {
 public:
  /// `seed` of the values that registers without reset begin with. `mutant`: seeded fault, 0 = none.
  FredDut(unsigned seed, int mutant);
  ~FredDut();
  FredDut(const FredDut&) = delete;
  FredDut& operator=(const FredDut&) = delete;

  static FredShape shape();
  void reset(const fred::SwitchSpec& spec);
  void write(std::uint32_t index, const fred::RtlSetting& setting);
  void receive(std::size_t port, const fred::PortFlit& flit, const std::uint8_t* data);
  void credit(std::size_t port, std::uint8_t traffic_class);
  /// A clock edge; inputs are idle again.
  void clock();
  /// False if the port sent nothing. `data` = a flit.
  bool sent(std::size_t port, fred::PortFlit* flit, std::uint8_t* data) const;
  bool freed(std::size_t port, std::uint8_t* traffic_class) const;
  /// ~0 = none.
  std::uint32_t active() const;
  bool idle() const;
  bool settled() const;
  /// Whether an assertion of the checkers has failed.
  bool failed() const;

 private:
  struct Verilated;
  std::unique_ptr<Verilated> verilated_;
};

}  // namespace weft::rtl_test
