// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/arith_bench.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "base/random.h"
#include "base/reduce_arith.h"
#include "config/names.h"
#include "switch/arith/lane_format.h"
#include "tests/support/mpfr_number.h"

namespace weft::rtl_test {
namespace {

int number_of(DataType dtype) { return static_cast<int>(dtype); }
int number_of(ReduceOp op) { return static_cast<int>(op); }

std::optional<std::string> compare_pair(ArithDut& dut, DataType dtype, ReduceOp op, std::uint32_t a, std::uint32_t b) {
  ArithDut::In in;
  in.format = number_of(dtype);
  in.op = number_of(op);
  in.a[0] = a;
  in.b[0] = b;
  const std::uint32_t found = dut.eval(in).scalar;
  const std::uint32_t expected = reduce_bits(op, dtype, a, b);
  if (found == expected) return std::nullopt;
  return fmt::format("{} {}: {:#x} and {:#x} give {:#x}, not {:#x}", name_of(dtype), name_of(op), a, b, found,
                     expected);
}

/// Any bits: NaNs and infinities now and then, as finite pairs come from test::Operands.
std::uint32_t any_bits(RandomStream& random, DataType dtype) {
  auto bits = static_cast<std::uint32_t>(random.bits());
  if (dtype == DataType::kFp32 || dtype == DataType::kInt32) {
    if (random.below(8) == 0) bits |= 0x7F800000;
    if (random.below(16) == 0) bits &= 0xFF800000;
    return bits;
  }
  const std::uint32_t infinity = dtype == DataType::kFp16 ? 0x7C00 : 0x7F80;
  if (random.below(8) == 0) bits |= infinity;
  if (random.below(16) == 0) bits &= 0x8000 | infinity;
  return bits & 0xFFFF;
}

std::vector<std::uint32_t> corners_of(DataType dtype) {
  std::vector<std::uint32_t> corners;
  const auto around = [&corners](std::uint32_t bits, std::uint32_t sign) {
    for (int d = -2; d <= 2; ++d) {
      corners.push_back((bits + d) & (sign * 2 - 1));
      corners.push_back(((bits + d) ^ sign) & (sign * 2 - 1));
    }
  };
  if (dtype == DataType::kInt32) {
    for (const std::uint32_t bits : {0U, 0x7FFFFFFFU, 0x40000000U, 0xFFFFU}) around(bits, 0x80000000);
    return corners;
  }
  const test::Binary& format = test::binary_of(dtype);
  const std::uint32_t one = 1U << format.fraction_bits();
  const std::uint32_t middle = format.infinity() / 2 / one * one;
  for (const std::uint32_t bits :
       {0U, one, one / 2, 2 * one, format.infinity(), format.infinity() | one / 2, middle, middle + one / 2,
        middle + format.precision * one, middle + (format.precision - 1) * one, middle + (format.precision + 1) * one,
        format.infinity() - one}) {
    around(bits, format.sign());
  }
  return corners;
}

std::optional<std::string> compare_conversion(ArithDut& dut, DataType dtype, std::uint32_t bits) {
  ArithDut::In in;
  in.a[0] = bits;
  const ArithDut::Out out = dut.eval(in);
  const bool fp16 = dtype == DataType::kFp16;
  const std::uint32_t wide = widen_to_fp32(dtype, bits & 0xFFFF);
  const std::uint32_t narrow = round_from_fp32(dtype, bits);
  const std::uint32_t wide_found = fp16 ? out.widen_fp16 : out.widen_bf16;
  const std::uint32_t narrow_found = fp16 ? out.round_fp16 : out.round_bf16;
  if (wide_found != wide) {
    return fmt::format("{} {:#x} widened is {:#x}, not {:#x}", name_of(dtype), bits & 0xFFFF, wide_found, wide);
  }
  if (narrow_found != narrow) {
    return fmt::format("{:#x} rounded to {} is {:#x}, not {:#x}", bits, name_of(dtype), narrow_found, narrow);
  }
  return std::nullopt;
}

/// Words between uSwitches as they lie in lanes of 4 or 8 bytes.
template <std::size_t Words>
std::array<std::uint32_t, Words> in_lanes(const fred::LaneFormat& format, bool wide,
                                          const std::vector<std::uint32_t>& words) {
  std::array<std::uint32_t, Words> lanes{};
  const bool narrow_elements = element_bytes(format.element) == 2;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (format.fp32_accumulation) {
      lanes[i] = words[i];
    } else if (narrow_elements) {
      lanes[i / 2 * (wide ? 2 : 1)] |= words[i] << 16 * (i % 2);
    } else {
      lanes[i * (wide ? 2 : 1)] = words[i];
    }
  }
  return lanes;
}

}  // namespace

std::optional<std::string> scalar_difference(ArithDut& dut, DataType dtype, ReduceOp op, std::uint64_t count,
                                             std::uint64_t seed) {
  RandomStream random(seed, NodeId{1});
  test::Operands operands(test::binary_of(dtype), seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool finite = dtype != DataType::kInt32 && i % 8 != 0;
    const auto pair = finite ? operands.next() : std::pair(any_bits(random, dtype), any_bits(random, dtype));
    if (auto difference = compare_pair(dut, dtype, op, pair.first, pair.second)) return difference;
  }
  return std::nullopt;
}

std::optional<std::string> corner_difference(ArithDut& dut, DataType dtype, ReduceOp op) {
  const std::vector<std::uint32_t> corners = corners_of(dtype);
  for (const std::uint32_t a : corners) {
    for (const std::uint32_t b : corners) {
      if (auto difference = compare_pair(dut, dtype, op, a, b)) return difference;
    }
  }
  return std::nullopt;
}

std::optional<std::string> conversion_difference(ArithDut& dut, DataType dtype, std::uint64_t count) {
  RandomStream random(2, NodeId{3});
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (auto difference = compare_conversion(dut, dtype, bits)) return difference;
    // The number itself, and next to the middle between it and the next one.
    const std::uint32_t wide = widen_to_fp32(dtype, bits);
    const std::uint32_t half = dtype == DataType::kFp16 ? 0x1000 : 0x8000;
    for (const std::uint32_t near : {wide, wide + half - 1, wide + half, wide + half + 1}) {
      if (auto difference = compare_conversion(dut, dtype, near)) return difference;
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t bits = any_bits(random, DataType::kFp32);
    // Every second one in the range of FP16.
    if (i % 2 == 0) bits = (bits & 0x80FFFFFF) | static_cast<std::uint32_t>(0x30 + i / 2 % 0x20) << 24;
    if (auto difference = compare_conversion(dut, dtype, bits)) return difference;
  }
  return std::nullopt;
}

std::optional<std::string> lane_difference(ArithDut& dut, int format_number, ReduceOp op, std::uint64_t count) {
  const std::string_view name = fred::lane_format_names().at(static_cast<std::size_t>(format_number));
  const fred::LaneFormat format = fred::lane_format(name);
  const std::size_t elements = 8 / element_bytes(format.element);  // elements in two lanes at a port
  RandomStream random(5, NodeId{4});
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<std::uint32_t, 2> port{};
    std::vector<std::uint32_t> a(elements);
    std::vector<std::uint32_t> b(elements);
    const auto random_port = [&] {
      for (std::uint32_t& lane : port) {
        lane = any_bits(random, format.element);
        if (elements == 4) lane |= any_bits(random, format.element) << 16;
      }
    };
    random_port();
    fred::enter_lanes(format, reinterpret_cast<const std::uint8_t*>(port.data()), b.data(), elements);
    random_port();
    fred::enter_lanes(format, reinterpret_cast<const std::uint8_t*>(port.data()), a.data(), elements);

    ArithDut::In in;
    in.format = format_number;
    in.a = {port[0], port[1], 0, 0};
    const auto entered = in_lanes<4>(format, true, a);
    if (dut.eval(in).enter != entered) return fmt::format("{}: {:#x} enters wrongly", name, fmt::join(port, " "));

    in.op = number_of(op);
    const auto operate = [&](bool wide) {
      in.a = in_lanes<4>(format, wide, a);
      in.b = in_lanes<4>(format, wide, b);
      return dut.eval(in);
    };
    const ArithDut::Out narrow = operate(false);
    const ArithDut::Out wide = operate(true);
    fred::reduce_lanes(format, op, a.data(), b.data(), elements);
    if (wide.wide != in_lanes<4>(format, true, a)) {
      return fmt::format("{} {}: lanes of 8 bytes give {:#x}", name, name_of(op), fmt::join(wide.wide, " "));
    }
    if (!format.fp32_accumulation && narrow.narrow != in_lanes<2>(format, false, a)) {
      return fmt::format("{} {}: lanes of 4 bytes give {:#x}", name, name_of(op), fmt::join(narrow.narrow, " "));
    }
    in.a = in_lanes<4>(format, true, a);
    fred::leave_lanes(format, a.data(), reinterpret_cast<std::uint8_t*>(port.data()), elements);
    if (dut.eval(in).leave != port) return fmt::format("{}: {:#x} leaves wrongly", name, fmt::join(in.a, " "));
    in.op = 3;  // no operation
    if (dut.eval(in).scalar != 0 && format_number == number_of(DataType::kInt32))
      return std::string("operation 3 gives not 0");
    in.en = false;
    if (dut.eval(in).wide != std::array<std::uint32_t, 4>{}) return std::string("an isolated unit gives not 0");
  }
  return std::nullopt;
}

std::optional<std::string> any_arith_difference(ArithDut& dut, std::uint64_t count) {
  for (const DataType dtype : {DataType::kFp32, DataType::kInt32, DataType::kFp16, DataType::kBf16}) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) {
      if (auto difference = corner_difference(dut, dtype, op)) return difference;
      if (auto difference = scalar_difference(dut, dtype, op, count, 1)) return difference;
    }
  }
  for (const DataType dtype : {DataType::kFp16, DataType::kBf16}) {
    if (auto difference = conversion_difference(dut, dtype, count)) return difference;
  }
  for (int format = 0; format < 6; ++format) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) {
      if (auto difference = lane_difference(dut, format, op, count)) return difference;
    }
  }
  return std::nullopt;
}

}  // namespace weft::rtl_test
