// SPDX-License-Identifier: Apache-2.0
// What the lanes of a FRED switch compute with: the element's format at the ports and its format between uSwitches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace weft::fred {

/// Formats of the elements that a switch reduces. With FP32 accumulation elements are widened, exactly, at the input
/// port; all sums are FP32; one rounding at the output port makes elements of them again.
struct LaneFormat {
  DataType element = DataType::kFp32;  ///< at the ports
  bool fp32_accumulation = false;      ///< for FP16 and BF16 only

  /// Format between uSwitches.
  DataType word() const { return fp32_accumulation ? DataType::kFp32 : element; }
};

/// Names of all formats: fp32, int32, fp16, bf16, fp16_fp32, bf16_fp32 (elements, then sums, where they differ).
const std::vector<std::string_view>& lane_format_names();
/// The format of that name; throws InputError with the known names.
LaneFormat lane_format(std::string_view name);

/// Elements as they come to an input port -> words between uSwitches, one per element, bits in the lower half if
/// narrow.
void enter_lanes(const LaneFormat& format, const std::uint8_t* elements, std::uint32_t* words, std::size_t count);
/// What a uSwitch in mode `reduce` does: accumulator[i] = accumulator[i] (op) operand[i].
void reduce_lanes(const LaneFormat& format, ReduceOp op, std::uint32_t* accumulator, const std::uint32_t* operand,
                  std::size_t count);
/// Words -> elements as they leave an output port.
void leave_lanes(const LaneFormat& format, const std::uint32_t* words, std::uint8_t* elements, std::size_t count);

}  // namespace weft::fred
