// SPDX-License-Identifier: Apache-2.0
// Verilated uSwitches of many shapes (tops/uswitch_top.sv) as a plain class.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::rtl_test {

/// One instance of the top.
struct UswitchShape {
  unsigned index = 0;
  int kind = 0;  ///< fred_pkg::Kind*, fred::ElementKind
  int m = 2;
  unsigned lanes = 1;
  bool accumulate_fp32 = false;
  bool skid = false;
  unsigned reduce_cycles = 1;
  unsigned inputs = 2;
  unsigned outputs = 2;
};
const std::vector<UswitchShape>& uswitch_shapes();

class UswitchDut {
 public:
  using Data = std::array<std::uint32_t, 4>;
  struct Beat {
    std::uint16_t side = 0;
    Data data{};
  };

  UswitchDut(const UswitchShape& shape, int format, int op, unsigned seed, int mutant = 0);
  ~UswitchDut();
  void reset(bool active);
  void offer(unsigned pin, const Beat& beat, std::uint8_t setting);
  void offer_nothing(unsigned pin);
  void receive(unsigned pin, bool ready);
  /// Combinational outputs of the cycle that comes to its end.
  void settle();
  bool ready(unsigned pin) const;
  bool valid(unsigned pin) const;
  Beat beat(unsigned pin) const;
  /// The clock edge; false where a checker's assertion has failed so far.
  bool clock();

 private:
  struct Verilated;
  std::unique_ptr<Verilated> verilated_;
};

}  // namespace weft::rtl_test
