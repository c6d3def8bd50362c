// SPDX-License-Identifier: Apache-2.0
// The Verilated elastic_reg in all its parameters (tops/elastic_top.sv) as a plain class.
#pragma once

#include <cstdint>
#include <memory>

namespace weft::rtl_test {

class ElasticDut {
 public:
  static constexpr unsigned kCount = 6;  ///< instances
  static bool skid(unsigned g) { return g % 2 != 0; }
  static unsigned depth(unsigned g) { return 1 + g / 2; }

  explicit ElasticDut(unsigned seed, int mutant = 0);
  ~ElasticDut();
  void reset(bool active);
  void offer(unsigned g, bool valid, std::uint32_t data);
  void receive(unsigned g, bool ready);
  /// Combinational outputs of the cycle that comes to its end.
  void settle();
  bool ready(unsigned g) const;
  bool valid(unsigned g) const;
  std::uint32_t data(unsigned g) const;
  /// The clock edge; false where a checker's assertion has failed so far.
  bool clock();

 private:
  struct Verilated;
  std::unique_ptr<Verilated> verilated_;
};

}  // namespace weft::rtl_test
