// SPDX-License-Identifier: Apache-2.0
// Operands that find faults of arithmetic: of each class of numbers, and pairs that nearly cancel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "tb/bench/coverage.h"

namespace weft::tb {

/// Classes of elements. Floating-point: zero, subnormal, normal, infinity, nan. INT32: zero, small, large, extreme.
const std::vector<std::string_view>& operand_classes(DataType type);
/// The class of an element, by its bits.
std::size_t operand_class(DataType type, std::uint32_t bits);

/// Two operands, and what is counted of them.
class OperandPairs {
 public:
  /// Bins "<prefix>.<op>.<format>.<class of a>.<class of b>".
  OperandPairs(Coverage& coverage, const std::string& prefix, ReduceOp op, DataType type);
  struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };
  /// The next pair; its bin is hit.
  Pair draw(RandomStream& random);

 private:
  Coverage& coverage_;
  DataType type_;
  std::size_t classes_;
  std::vector<std::size_t> bins_;  ///< by class of a, class of b
};

/// An element of a random class.
std::uint32_t draw_element(DataType type, RandomStream& random);

/// "sum", "min", "max".
std::string_view name_of_op(ReduceOp op);
/// "fp32", "int32", "fp16", "bf16".
std::string_view name_of_type(DataType type);

}  // namespace weft::tb
