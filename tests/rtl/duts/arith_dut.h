// SPDX-License-Identifier: Apache-2.0
// The Verilated arithmetic blocks (tops/arith_top.sv) as a plain class.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace weft::rtl_test {

class ArithDut {
 public:
  struct In {
    int format = 0;  ///< fred_pkg::format_e
    int op = 0;      ///< fred_pkg::op_e
    std::array<std::uint32_t, 4> a{};
    std::array<std::uint32_t, 4> b{};
    bool en = true;
  };
  struct Out {
    std::uint32_t scalar = 0;
    std::uint32_t widen_fp16 = 0;
    std::uint32_t widen_bf16 = 0;
    std::uint32_t round_fp16 = 0;
    std::uint32_t round_bf16 = 0;
    std::array<std::uint32_t, 2> narrow{};
    std::array<std::uint32_t, 4> wide{};
    std::array<std::uint32_t, 4> enter{};
    std::array<std::uint32_t, 2> leave{};
  };

  /// `mutant` chooses a seeded fault; 0 = none. Others need the build with the faults.
  explicit ArithDut(int mutant = 0);
  ~ArithDut();
  Out eval(const In& in);

 private:
  struct Verilated;
  std::unique_ptr<Verilated> verilated_;
};

}  // namespace weft::rtl_test
