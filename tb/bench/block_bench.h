// SPDX-License-Identifier: Apache-2.0
// What the bench of a block has to do: stimulus for its RTL and the model's answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "tb/bench/coverage.h"
#include "tb/bench/shape.h"
#include "tb/build/rtl_model.h"

namespace weft::tb {

/// How RTL and model are compared.
enum class Compare {
  kCycle,  ///< every output in every cycle
  kOrder,  ///< data of each flow, in order, with bounded latency
};

/// The first thing that differs. Values are hexadecimal, or words where there is no value.
struct Mismatch {
  std::uint64_t cycle = 0;
  std::string port;
  std::string flow;  ///< flow and sequence: "input 0 -> output 1, word 27"
  std::string expected;
  std::string actual;
};

/// What one run of a bench is made of; outlives it.
struct BenchSetup {
  RtlModel& rtl;
  Coverage& coverage;
  Shape shape;
  std::uint64_t seed = 1;
  double stall = 0.2;  ///< chance, per cycle and side, that nothing is offered or taken
  Compare compare = Compare::kCycle;
};

/// A part of an output with the value that the model gives it.
struct Expected {
  std::string name;  ///< name of the port, with the number of the part where it is a row: "out_data_o[1]"
  RtlModel::Port port;
  std::uint32_t lsb = 0;
  std::uint32_t width = 1;
  bool known = false;               ///< the model says what it must be
  std::vector<std::uint8_t> value;  ///< lowest byte first
  std::string flow;

  void set(std::uint64_t number);
  void set(const std::uint8_t* bytes);
  bool agrees() const;
};

/// The bench of a block. A cycle is drive(), the RTL settles, check(), clock edge, advance().
class BlockBench {
 public:
  explicit BlockBench(const BenchSetup& setup) : rtl_(setup.rtl), coverage_(setup.coverage), setup_(setup) {}
  BlockBench(const BlockBench&) = delete;
  BlockBench& operator=(const BlockBench&) = delete;
  virtual ~BlockBench() = default;

  /// Everything is forgotten: the RTL is in reset.
  virtual void reset() {}
  /// Resets come once in so many cycles, on average.
  virtual std::uint64_t reset_once_in() const { return 20000; }
  /// Sets the RTL's inputs for this cycle and `expected()`. `draining`: nothing new comes, everybody takes.
  virtual void drive(std::uint64_t now, bool draining) = 0;
  /// What differs; by default the first of expected().
  virtual std::optional<Mismatch> check(std::uint64_t now);
  /// The clock's edge has come.
  virtual void advance(std::uint64_t now) { (void)now; }
  /// Nothing is under way.
  virtual bool empty() const { return true; }
  /// Counts words that have come out: without progress the watchdog bites.
  virtual std::uint64_t progress(std::uint64_t now) const { return now; }
  /// Cycles without progress, while something is under way, that are too many.
  virtual std::uint64_t patience() const { return 2000; }

  const std::vector<Expected>& expected() const { return expected_; }

 protected:
  /// A random number.
  RandomStream& random() { return random_; }
  bool chance(double p) { return random_.unit() <= p; }
  bool stalls() { return chance(setup_.stall); }
  /// Declares a part of an output; returns its number.
  std::size_t expect(const std::string& port, std::uint32_t lsb, std::uint32_t width, const std::string& name);
  std::size_t expect(const std::string& port) { return expect(port, 0, rtl_.port(port).width, port); }
  Expected& at(std::size_t number) { return expected_[number]; }
  /// Nothing is known of this cycle yet.
  void forget() {
    for (Expected& each : expected_) each.known = false;
  }
  long long shape(const std::string& name) const;

  RtlModel& rtl_;
  Coverage& coverage_;
  BenchSetup setup_;

 private:
  std::vector<Expected> expected_;
  RandomStream random_{setup_.seed, NodeId{1}};
};

/// 0x..., without leading zeros.
std::string hex_of(const std::uint8_t* bytes, std::size_t size);
/// Bits lsb .. lsb + width - 1 of a port as bytes.
std::vector<std::uint8_t> bytes_of(const RtlModel::Port& port, std::uint32_t lsb, std::uint32_t width);

}  // namespace weft::tb
