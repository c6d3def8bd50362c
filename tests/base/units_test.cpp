// SPDX-License-Identifier: Apache-2.0
// Quantities: exact reading, printing, conversion to cycles and flits. Expected values are worked out by hand.
#include "base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
// rapidcheck extends gtest, which must come first.
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/rational_math.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string error_of(const std::string& text, Dimension dimension) {
  try {
    parse_quantity(text, dimension);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Units, reads_decimal_and_binary_units_exactly) {
  EXPECT_EQ(parse_quantity("750 GB/s", Dimension::kBandwidth), (Rational{750'000'000'000u, 1}));
  EXPECT_EQ(parse_quantity("1.5 TB/s", Dimension::kBandwidth), (Rational{1'500'000'000'000u, 1}));
  EXPECT_EQ(parse_quantity("50 GiB/s", Dimension::kBandwidth), (Rational{53'687'091'200u, 1}));
  EXPECT_EQ(parse_quantity("400 Gbit/s", Dimension::kBandwidth), (Rational{50'000'000'000u, 1}));
  EXPECT_EQ(parse_quantity("24 KiB", Dimension::kBytes), (Rational{24'576, 1}));
  EXPECT_EQ(parse_quantity("1.5 KiB", Dimension::kBytes), (Rational{1536, 1}));
  EXPECT_EQ(parse_quantity("24 kB", Dimension::kBytes), (Rational{24'000, 1}));
  EXPECT_EQ(parse_quantity("976.5625 MHz", Dimension::kFrequency), (Rational{976'562'500, 1}));
  EXPECT_EQ(parse_quantity("20 ns", Dimension::kDuration), (Rational{1, 50'000'000}));
  EXPECT_EQ(parse_quantity("900 TFLOP/s", Dimension::kComputeRate), (Rational{900'000'000'000'000u, 1}));
}

TEST(Units, takes_exponents_fractions_and_no_space) {
  EXPECT_EQ(parse_quantity("7.5e2GB/s", Dimension::kBandwidth), (Rational{750'000'000'000u, 1}));
  EXPECT_EQ(parse_quantity("32/3 GB/s", Dimension::kBandwidth), (Rational{32'000'000'000u, 3}));
  EXPECT_EQ(parse_quantity("  2E-3   s ", Dimension::kDuration), (Rational{1, 500}));
  EXPECT_EQ(parse_quantity("1.50000000000000000000000 ns", Dimension::kDuration), (Rational{3, 2'000'000'000}));
}

TEST(Units, digits_may_exceed_64_bits_while_the_fraction_does_not) {
  EXPECT_EQ(parse_rational("18.446744928076171875"), (Rational{377'789'336'127u, 20'480'000'000u}));
  EXPECT_EQ(parse_rational("0.00000000023283064365386962890625"), (Rational{1, std::uint64_t{1} << 32}));
  // 63 digits would not be read back: a fraction is.
  EXPECT_EQ(to_text(Rational{1, std::uint64_t{1} << 63}), "1/9223372036854775808");
}

TEST(Units, names_what_is_wrong) {
  EXPECT_THAT(error_of("750", Dimension::kBandwidth), HasSubstr("'750' has no unit; legal units: TB/s, GB/s, MB/s"));
  EXPECT_THAT(
      error_of("750 Gb/s", Dimension::kBandwidth),
      AllOf(HasSubstr("unknown unit 'Gb/s' in '750 Gb/s'; legal units: TB/s"), HasSubstr("; did you mean 'Gbit/s'?")));
  EXPECT_THAT(error_of("400 Gbps", Dimension::kBandwidth), HasSubstr("; did you mean 'Gbit/s'?"));
  EXPECT_THAT(error_of("400 GBps", Dimension::kBandwidth), HasSubstr("; did you mean 'GB/s'?"));
  EXPECT_THAT(error_of("fast", Dimension::kBandwidth), HasSubstr("'fast' is not a bandwidth such as '750 GB/s'"));
  EXPECT_THAT(error_of("-1 ns", Dimension::kDuration), HasSubstr("'-1' is negative"));
  EXPECT_THAT(error_of("1.2.3 ns", Dimension::kDuration), HasSubstr("'1.2.3' is not a number"));
  EXPECT_THAT(error_of("0.5 B", Dimension::kBytes), HasSubstr("'0.5 B' is not a whole number of bytes"));
  EXPECT_THAT(error_of("1e30 GB/s", Dimension::kBandwidth), HasSubstr("more digits than can be kept exactly"));
  EXPECT_THAT(error_of("99999999999999 TB/s", Dimension::kBandwidth), HasSubstr("too large or too precise"));
  EXPECT_THAT(error_of("1/0 GB/s", Dimension::kBandwidth), HasSubstr("divides by zero"));
}

TEST(Units, prints_in_the_fitting_unit) {
  EXPECT_EQ(format_quantity({750'000'000'000u, 1}, Dimension::kBandwidth), "750 GB/s");
  EXPECT_EQ(format_quantity({1'500'000'000'000u, 1}, Dimension::kBandwidth), "1.5 TB/s");
  EXPECT_EQ(format_quantity({32'000'000'000u, 3}, Dimension::kBandwidth), "32/3 GB/s");
  EXPECT_EQ(format_quantity({976'562'500, 1}, Dimension::kFrequency), "976.5625 MHz");
  EXPECT_EQ(format_quantity({1, 50'000'000}, Dimension::kDuration), "20 ns");
  EXPECT_EQ(format_quantity({67'108'864, 1}, Dimension::kBytes), "64 MiB");
  EXPECT_EQ(format_quantity({1'000'000'000'000u, 1}, Dimension::kBytes), "1 TB");
  EXPECT_EQ(format_quantity({513, 1}, Dimension::kBytes), "513 B");
  EXPECT_EQ(format_quantity({0, 1}, Dimension::kDuration), "0 ns");
  EXPECT_EQ(format_quantity({0, 1}, Dimension::kBandwidth), "0 B/s");
}

TEST(Units, rounds_time_up_to_cycles) {
  const Rational ghz{1'000'000'000, 1};
  EXPECT_EQ(cycles_of(Rational{1, 50'000'000}, ghz), 20u);         // 20 ns
  EXPECT_EQ(cycles_of(Rational{201, 10'000'000'000u}, ghz), 21u);  // 20.1 ns
  EXPECT_EQ(cycles_of(Rational{1, 1'000'000'000'000u}, ghz), 1u);  // 1 ps
  EXPECT_EQ(cycles_of(Rational{0, 1}, ghz), 0u);
  // 20 ns x 976.5625 MHz = 19.53125
  EXPECT_EQ(cycles_of(Rational{1, 50'000'000}, Rational{976'562'500, 1}), 20u);
}

TEST(Units, gives_the_exact_rate_of_a_link) {
  // 750e9 / (512 x 1e9) = 375/256; 3e12 / (512 x 1e9) = 375/64; 50 GB/s over 24 B at 1 GHz = 25/12.
  const Rational ghz{1'000'000'000, 1};
  EXPECT_EQ(flits_per_cycle({750'000'000'000u, 1}, 512, ghz), (Rational{375, 256}));
  EXPECT_EQ(flits_per_cycle({3'000'000'000'000u, 1}, 512, ghz), (Rational{375, 64}));
  EXPECT_EQ(flits_per_cycle({50'000'000'000u, 1}, 24, ghz), (Rational{25, 12}));
  EXPECT_EQ(bandwidth_of({25, 12}, 24, ghz), (Rational{50'000'000'000u, 1}));
}

RC_GTEST_PROP(UnitsLaw, printing_and_reading_gives_the_same_amount, ()) {
  const auto dimension = static_cast<Dimension>(*rc::gen::inRange(0, 5));
  const auto num = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 60);
  const auto den = dimension == Dimension::kBytes ? 1 : *rc::gen::inRange<std::uint64_t>(1, 5000);
  const Rational amount = make_rational(num, den);
  RC_ASSERT(parse_quantity(format_quantity(amount, dimension), dimension) == amount);
}

RC_GTEST_PROP(UnitsLaw, cycles_are_the_smallest_number_that_covers_the_time, ()) {
  const Rational seconds = make_rational(*rc::gen::inRange<std::uint64_t>(0, 1000000), 1'000'000'000'000u);
  const Rational hertz{*rc::gen::inRange<std::uint64_t>(1, 4'000'000'000u), 1};
  const Cycle cycles = cycles_of(seconds, hertz);
  // cycles / hertz >= seconds > (cycles - 1) / hertz, in whole numbers.
  const auto product = static_cast<UInt128>(seconds.num) * hertz.num;
  RC_ASSERT(static_cast<UInt128>(cycles) * seconds.den >= product);
  RC_ASSERT(cycles == 0 || static_cast<UInt128>(cycles - 1) * seconds.den < product);
}

RC_GTEST_PROP(UnitsLaw, every_double_is_read_back, ()) {
  const double value = std::ldexp(static_cast<double>(*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 53)),
                                  *rc::gen::inRange(-10, 10));
  RC_ASSERT(to_double(parse_rational(to_text(from_double(value)))) == value);
}

}  // namespace
}  // namespace weft
