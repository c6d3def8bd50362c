// SPDX-License-Identifier: Apache-2.0
// The blocks that have a bench: their ports and parameters, their RTL, their bench.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tb/bench/block_bench.h"
#include "tb/build/model_builder.h"
#include "tb/build/rtl_design.h"

namespace weft::tb {

/// A parameter of the RTL, or of its generator.
struct BlockParameter {
  const char* name;
  long long standard;
  long long least;
  long long most;
  const char* meaning;
  bool generated = false;  ///< parameter of the generator: `-G` of own RTL cannot set it
};

/// A port; its width is an expression of the shape, see shape.h.
struct BlockPort {
  const char* name;
  PortDirection direction;
  const char* width;
  const char* meaning;
};

struct Block {
  std::string name;
  std::string purpose;
  std::string module;  ///< top of the built-in RTL
  std::vector<BlockParameter> parameters;
  std::vector<BlockPort> ports;
  /// Parameters that the bench's own RTL gets although they are no choice of the user: Kind of a uSwitch.
  std::vector<std::pair<std::string, long long>> fixed;
  /// Adds what follows from the parameters; throws InputError for combinations that are illegal.
  std::function<void(Shape&)> derive;
  /// Shapes that a regression goes through, as far as they are not set: seed n takes number n.
  std::vector<Shape> variants;
  std::function<std::unique_ptr<BlockBench>(const BenchSetup&)> make;
  /// The built-in RTL; empty = the files of rtl/ and the parameters.
  std::function<RtlDesign(ModelBuilder&, const Block&, const Shape&)> design;
};

/// All, in the order of `weft cosim --list`.
const std::vector<Block>& blocks();
/// By name; throws InputError with the nearest and all known names.
const Block& find_block(std::string_view name);

/// All parameters, the given ones in their order; throws InputError for unknown names and illegal values.
Shape shape_of(const Block& block, const Shape& given);
/// The shape that a regression's run number `n` takes: `given` where it says something.
Shape variant_of(const Block& block, const Shape& given, std::uint64_t n);
/// The block's own RTL of that shape.
RtlDesign design_of(ModelBuilder& builder, const Block& block, const Shape& shape);
/// The same without the assertions of the modules, which cost more than the RTL itself.
RtlDesign without_checkers(RtlDesign design);

/// Each thing by which a module differs from the block's ports: one sentence each. With `order` a block without a
/// clock may have one: clk_i and rst_ni are no extra ports.
std::vector<std::string> differences(const Block& block, const Shape& shape, const RtlInterface& found, bool order);

/// The block's part of docs/rtl_ports.md: tables of parameters and ports.
std::string ports_markdown(const Block& block);

}  // namespace weft::tb
