// SPDX-License-Identifier: Apache-2.0
// Benches of fp_add, fp_minmax, int_alu, fp_widen, fp_round and reduce_lanes against kernel/reduce_arith.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.h"
#include "base/reduce_arith.h"
#include "switch/arith/lane_format.h"
#include "tb/bench/block_list.h"
#include "tb/bench/combinational_bench.h"
#include "tb/bench/lane_words.h"
#include "tb/bench/operands.h"

namespace weft::tb {
namespace {

constexpr std::array<ReduceOp, 3> kOps = {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax};  // fred_pkg::op_e

// Numbers of operand_classes().
constexpr std::size_t kZero = 0, kSubnormal = 1, kNormal = 2, kInfinity = 3, kNan = 4;

DataType float_type(const Shape& shape) {
  const long long exponent = shape.at("ExpBits");
  const long long fraction = shape.at("ManBits");
  if (exponent == 8 && fraction == 23) return DataType::kFp32;
  if (exponent == 5 && fraction == 10) return DataType::kFp16;
  if (exponent == 8 && fraction == 7) return DataType::kBf16;
  throw InputError(
      fmt::format("ExpBits {} with ManBits {} is no format of the model; 8 with 23 (FP32), 5 with 10 (FP16) "
                  "and 8 with 7 (BF16) are",
                  exponent, fraction));
}

void derive_float(Shape& shape) {
  float_type(shape);
  shape["Width"] = 1 + shape.at("ExpBits") + shape.at("ManBits");
}

void derive_narrow_float(Shape& shape) {
  if (float_type(shape) == DataType::kFp32) throw InputError("ExpBits 8 with ManBits 23 is FP32, which is not narrow");
  derive_float(shape);
}

/// a (op) b of one format. `pick` says which operation: an input of the block, or nothing.
class ElementBench : public CombinationalBench {
 public:
  ElementBench(const BenchSetup& setup, const std::string& name, DataType type, std::vector<ReduceOp> ops)
      : CombinationalBench(setup), type_(type), ops_(std::move(ops)), idle_(coverage_.bin(name + ".disabled")) {
    for (const ReduceOp op : ops_) pairs_.emplace_back(coverage_, name, op, type);
    if (type != DataType::kInt32 && ops_.front() == ReduceOp::kSum) {
      for (const char* each : {"overflow", "cancels", "subnormal_of_normals", "infinities_of_both_signs"}) {
        sums_.push_back(coverage_.bin(fmt::format("{}.{}.{}", name, name_of_type(type), each)));
      }
    }
    output_ = expect("y_o");
  }
  void drive(std::uint64_t, bool) override {
    const std::size_t k = random().below(ops_.size());
    const OperandPairs::Pair pair = pairs_[k].draw(random());
    const bool enabled = random().below(16) != 0;
    a_.set(pair.a);
    b_.set(pair.b);
    enable_.set(enabled ? 1 : 0);
    if (rtl_.has_port("max_i")) rtl_.port("max_i").set(ops_[k] == ReduceOp::kMax ? 1 : 0);
    if (rtl_.has_port("op_i")) rtl_.port("op_i").set(static_cast<std::uint64_t>(ops_[k]));
    if (!enabled) coverage_.hit(idle_);
    Expected& output = at(output_);
    const std::uint32_t result = reduce_bits(ops_[k], type_, pair.a, pair.b);
    if (enabled && !sums_.empty()) count_sum(pair, result);
    output.set(enabled ? result : 0);
    output.flow = fmt::format("{} {:#x} {:#x}", enabled ? name_of_op(ops_[k]) : "disabled", pair.a, pair.b);
  }

 private:
  /// By classes of operands and sum.
  void count_sum(const OperandPairs::Pair& pair, std::uint32_t sum) {
    const std::size_t a = operand_class(type_, pair.a);
    const std::size_t b = operand_class(type_, pair.b);
    const std::size_t of = operand_class(type_, sum);
    const auto small = std::max(a, b) <= kNormal;
    if (small && of == kInfinity) coverage_.hit(sums_[0]);
    if (small && std::min(a, b) > kZero && of == kZero) coverage_.hit(sums_[1]);
    if (a == kNormal && b == kNormal && of == kSubnormal) coverage_.hit(sums_[2]);
    if (a == kInfinity && b == kInfinity && of == kNan) coverage_.hit(sums_[3]);
  }

  DataType type_;
  std::vector<ReduceOp> ops_;
  std::vector<OperandPairs> pairs_;
  std::vector<std::size_t> sums_;  ///< bins
  std::size_t idle_;
  std::size_t output_ = 0;
  RtlModel::Port a_ = rtl_.port("a_i");
  RtlModel::Port b_ = rtl_.port("b_i");
  RtlModel::Port enable_ = rtl_.port("en_i");
};

/// FP32 from or to a narrow format.
class ConversionBench : public CombinationalBench {
 public:
  ConversionBench(const BenchSetup& setup, const std::string& name, DataType narrow, bool widens)
      : CombinationalBench(setup), narrow_(narrow), widens_(widens), from_(widens ? narrow : DataType::kFp32) {
    for (const std::string_view each : operand_classes(from_)) {
      bins_.push_back(coverage_.bin(fmt::format("{}.{}.{}", name, name_of_type(narrow), each)));
    }
    for (const char* each : {"exact", "away", "towards_zero", "overflow", "to_zero"}) {
      if (!widens) roundings_.push_back(coverage_.bin(fmt::format("{}.{}.{}", name, name_of_type(narrow), each)));
    }
    output_ = expect("y_o");
  }
  void drive(std::uint64_t, bool) override {
    std::uint32_t bits = draw_element(from_, random());
    // What rounds is near a number of the narrow format.
    if (!widens_ && random().below(2) == 0) {
      bits =
          widen_to_fp32(narrow_, draw_element(narrow_, random())) + static_cast<std::uint32_t>(random().below(9)) - 4;
      const std::uint32_t half = narrow_ == DataType::kBf16 ? 1U << 15 : 1U << 12;
      if (random().below(2) == 0) bits ^= half;
    }
    a_.set(bits);
    coverage_.hit(bins_[operand_class(from_, bits)]);
    const std::uint32_t result = widens_ ? widen_to_fp32(narrow_, bits) : round_from_fp32(narrow_, bits);
    if (!widens_ && operand_class(from_, bits) <= kNormal) count_rounding(bits, widen_to_fp32(narrow_, result));
    at(output_).set(result);
    at(output_).flow = fmt::format("{:#x}", bits);
  }

 private:
  /// Counts how a finite number was rounded; magnitudes compare as their bits do.
  void count_rounding(std::uint32_t bits, std::uint32_t rounded) {
    const std::uint32_t was = bits & 0x7fff'ffffU;
    const std::uint32_t is = rounded & 0x7fff'ffffU;
    coverage_.hit(roundings_[is == was ? 0 : is > was ? 1 : 2]);
    if (operand_class(from_, rounded) == kInfinity) coverage_.hit(roundings_[3]);
    if (is == 0 && was != 0) coverage_.hit(roundings_[4]);
  }

  DataType narrow_;
  bool widens_;
  DataType from_;
  std::vector<std::size_t> bins_;
  std::vector<std::size_t> roundings_;
  std::size_t output_ = 0;
  RtlModel::Port a_ = rtl_.port("a_i");
};

/// All lanes, all formats and operations.
class LanesBench : public CombinationalBench {
 public:
  explicit LanesBench(const BenchSetup& setup)
      : CombinationalBench(setup),
        lanes_(static_cast<std::size_t>(shape("Lanes"))),
        accumulate_(shape("AccumulateFp32") != 0),
        formats_(rtl_formats(accumulate_)),
        idle_(coverage_.bin("reduce_lanes.disabled")) {
    for (const RtlFormat& format : formats_) {
      const std::string name =
          fmt::format("reduce_lanes{}", format.lanes.fp32_accumulation ? fmt::format(".format{}", format.code) : "");
      for (const ReduceOp op : kOps) pairs_.emplace_back(coverage_, name, op, format.lanes.word());
    }
    output_ = expect("y_o");
  }
  void drive(std::uint64_t, bool) override {
    const std::size_t f = random().below(formats_.size());
    const std::size_t o = random().below(kOps.size());
    const LaneWords words(formats_[f].lanes, accumulate_, lanes_);
    a_words_.resize(words.count());
    b_words_.resize(words.count());
    for (std::size_t i = 0; i < words.count(); ++i) {
      const OperandPairs::Pair pair = pairs_[f * kOps.size() + o].draw(random());
      a_words_[i] = pair.a;
      b_words_[i] = pair.b;
    }
    const bool enabled = random().below(16) != 0;
    if (!enabled) coverage_.hit(idle_);
    words.pack(a_words_.data(), a_.bytes);
    words.pack(b_words_.data(), b_.bytes);
    enable_.set(enabled ? 1 : 0);
    format_.set(static_cast<std::uint64_t>(formats_[f].code));
    op_.set(o);
    sum_.assign(words.bytes(), 0);
    if (enabled) {
      fred::reduce_lanes(formats_[f].lanes, kOps[o], a_words_.data(), b_words_.data(), words.count());
      words.pack(a_words_.data(), sum_.data());
    }
    at(output_).set(sum_.data());
    at(output_).flow = fmt::format("format {}, {}", formats_[f].code, enabled ? name_of_op(kOps[o]) : "disabled");
  }

 private:
  std::size_t lanes_;
  bool accumulate_;
  std::vector<RtlFormat> formats_;
  std::vector<OperandPairs> pairs_;  ///< by format and operation
  std::size_t idle_;
  std::size_t output_ = 0;
  std::vector<std::uint32_t> a_words_;
  std::vector<std::uint32_t> b_words_;
  std::vector<std::uint8_t> sum_;
  RtlModel::Port a_ = rtl_.port("a_i");
  RtlModel::Port b_ = rtl_.port("b_i");
  RtlModel::Port enable_ = rtl_.port("en_i");
  RtlModel::Port format_ = rtl_.port("format_i");
  RtlModel::Port op_ = rtl_.port("op_i");
};

const std::vector<BlockParameter>& float_parameters() {
  static const std::vector<BlockParameter> parameters = {
      {"ExpBits", 8, 5, 8, "bits of the exponent: 8 for FP32 and BF16, 5 for FP16"},
      {"ManBits", 23, 7, 23, "bits of the fraction: 23 for FP32, 10 for FP16, 7 for BF16"}};
  return parameters;
}

const std::vector<Shape>& float_variants() {
  static const std::vector<Shape> variants = {
      {{"ExpBits", 8}, {"ManBits", 23}}, {{"ExpBits", 5}, {"ManBits", 10}}, {{"ExpBits", 8}, {"ManBits", 7}}};
  return variants;
}

Block fp_add() {
  Block block;
  block.name = block.module = "fp_add";
  block.purpose = "floating-point sum, rounded to nearest even";
  block.parameters = float_parameters();
  block.ports = {{"en_i", kIn, "1", "0: `y_o` is 0"},
                 {"a_i", kIn, "Width", "Width = 1 + `ExpBits` + `ManBits`"},
                 {"b_i", kIn, "Width", ""},
                 {"y_o", kOut, "Width", "the sum, in the same cycle"}};
  block.derive = derive_float;
  block.variants = float_variants();
  block.make = [](const BenchSetup& setup) {
    return std::make_unique<ElementBench>(setup, "fp_add", float_type(setup.shape),
                                          std::vector<ReduceOp>{ReduceOp::kSum});
  };
  return block;
}

Block fp_minmax() {
  Block block;
  block.name = block.module = "fp_minmax";
  block.purpose = "IEEE 754-2019 minimum and maximum";
  block.parameters = float_parameters();
  block.ports = {{"en_i", kIn, "1", "0: `y_o` is 0"},
                 {"max_i", kIn, "1", "1: the maximum, 0: the minimum"},
                 {"a_i", kIn, "Width", "Width = 1 + `ExpBits` + `ManBits`"},
                 {"b_i", kIn, "Width", ""},
                 {"y_o", kOut, "Width", "the smaller or larger one, in the same cycle"}};
  block.derive = derive_float;
  block.variants = float_variants();
  block.make = [](const BenchSetup& setup) {
    return std::make_unique<ElementBench>(setup, "fp_minmax", float_type(setup.shape),
                                          std::vector<ReduceOp>{ReduceOp::kMin, ReduceOp::kMax});
  };
  return block;
}

Block int_alu() {
  Block block;
  block.name = block.module = "int_alu";
  block.purpose = "sum, minimum and maximum of two's complement numbers";
  block.parameters = {{"Width", 32, 32, 32, "bits"}};
  block.ports = {{"en_i", kIn, "1", "0: `y_o` is 0"},
                 {"op_i", kIn, "2", "`fred_pkg::op_e`: 0 sum, 1 minimum, 2 maximum"},
                 {"a_i", kIn, "Width", ""},
                 {"b_i", kIn, "Width", ""},
                 {"y_o", kOut, "Width", "in the same cycle; sums wrap"}};
  block.make = [](const BenchSetup& setup) {
    return std::make_unique<ElementBench>(setup, "int_alu", DataType::kInt32,
                                          std::vector<ReduceOp>(kOps.begin(), kOps.end()));
  };
  return block;
}

Block conversion(const char* name, bool widens) {
  Block block;
  block.name = block.module = name;
  block.purpose = widens ? "a narrow floating-point number as FP32" : "FP32 rounded to a narrow format";
  block.parameters = {{"ExpBits", 5, 5, 8, "bits of the narrow exponent: 5 for FP16, 8 for BF16"},
                      {"ManBits", 10, 7, 10, "bits of the narrow fraction: 10 for FP16, 7 for BF16"}};
  block.ports = {{"a_i", kIn, widens ? "Width" : "32", widens ? "Width = 1 + `ExpBits` + `ManBits`" : "FP32"},
                 {"y_o", kOut, widens ? "32" : "Width",
                  widens ? "FP32, in the same cycle" : "Width = 1 + `ExpBits` + `ManBits`; in the same cycle"}};
  block.derive = derive_narrow_float;
  block.variants = {{{"ExpBits", 5}, {"ManBits", 10}}, {{"ExpBits", 8}, {"ManBits", 7}}};
  block.make = [name, widens](const BenchSetup& setup) {
    return std::make_unique<ConversionBench>(setup, name, float_type(setup.shape), widens);
  };
  return block;
}

Block reduce_lanes() {
  Block block;
  block.name = block.module = "reduce_lanes";
  block.purpose = "what a uSwitch computes: all lanes, formats and operations";
  block.parameters = {{"Lanes", 4, 1, 256, "lanes of 4 bytes"},
                      {"AccumulateFp32", 0, 0, 1, "1: formats 4 and 5 are there, a lane has 8 bytes"}};
  block.ports = {{"en_i", kIn, "1", "0: `y_o` is 0"},
                 {"format_i", kIn, "3", "`fred_pkg::format_e`"},
                 {"op_i", kIn, "2", "`fred_pkg::op_e`"},
                 {"a_i", kIn, "Lanes * LaneBits", "the left operand; the lowest address in the lowest bits"},
                 {"b_i", kIn, "Lanes * LaneBits", "the right one"},
                 {"y_o", kOut, "Lanes * LaneBits",
                  "in the same cycle; LaneBits = 32, with `AccumulateFp32` 64: of formats 0 to 3 the upper half is 0"}};
  block.derive = [](Shape& shape) { shape["LaneBits"] = shape.at("AccumulateFp32") != 0 ? 64 : 32; };
  block.variants = {{{"Lanes", 2}, {"AccumulateFp32", 1}}, {{"Lanes", 4}, {"AccumulateFp32", 0}}};
  block.make = [](const BenchSetup& setup) { return std::make_unique<LanesBench>(setup); };
  return block;
}

}  // namespace

void add_arithmetic_blocks(std::vector<Block>& list) {
  list.push_back(fp_add());
  list.push_back(fp_minmax());
  list.push_back(int_alu());
  list.push_back(conversion("fp_widen", true));
  list.push_back(conversion("fp_round", false));
  list.push_back(reduce_lanes());
}

}  // namespace weft::tb
