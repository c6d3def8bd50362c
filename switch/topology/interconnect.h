// SPDX-License-Identifier: Apache-2.0
// The interconnect Fred_m(P) as a description: uSwitches, the wires between them, names and numbers. Model, routing and
// RTL generator are built from it and from nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::fred {

/// Legal sizes of an interconnect.
inline constexpr int kMostPorts = 256;
inline constexpr int kMostMiddles = 16;

/// What an element is. R, D and RD are uSwitches; a demux and a mux join the last port of an odd interconnect to all
/// middle stages.
enum class ElementKind : std::uint8_t {
  kReduce,      ///< R: 2 inputs, m outputs; both inputs may be added
  kDistribute,  ///< D: m inputs, 2 outputs; one input may be copied to both
  kBoth,        ///< RD: 2 inputs, 2 outputs, adds and copies
  kDemux,       ///< 1 input, m outputs
  kMux,         ///< m inputs, 1 output
};

/// "R", "D", "RD", "demux", "mux".
std::string_view name_of(ElementKind kind);
constexpr bool is_uswitch(ElementKind kind) { return kind != ElementKind::kDemux && kind != ElementKind::kMux; }

/// One end of a wire: a pin of an element, or a port of the interconnect.
struct Terminal {
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};
  std::uint32_t element = kOutside;  ///< index into Interconnect::elements
  std::uint32_t pin = 0;             ///< pin of the element; where kOutside the port
  bool outside() const { return element == kOutside; }
  friend bool operator==(Terminal a, Terminal b) { return a.element == b.element && a.pin == b.pin; }
};

/// A uSwitch, a demux or a mux, and where its wires end.
struct Element {
  ElementKind kind = ElementKind::kBoth;
  int depth = 0;                  ///< recursions around it; 0 = the outermost stages
  std::string path;               ///< such as in[2], mid[1].out[0], mid[0].mid[2].rd, mid[1].demux
  std::vector<Terminal> sources;  ///< sources of each input pin
  std::vector<Terminal> sinks;    ///< sinks of each output pin
};

/// One Fred_m(size) of the recursion. Its element numbers are those of one stage after the other.
struct Stage {
  std::string path;  ///< "" for the whole interconnect, mid[1], mid[1].mid[0], ...
  int size = 2;      ///< ports
  int depth = 0;
  std::uint32_t first_in = 0;   ///< R of ports 0 and 1, the others follow; where size = 2 the RD
  std::uint32_t first_out = 0;  ///< D of ports 0 and 1, the others follow
  std::uint32_t demux = 0;      ///< demux of the last input port where the size is odd
  std::uint32_t mux = 0;
  std::vector<std::uint32_t> middles;  ///< stages within, indices into Interconnect::stages

  bool base() const { return size == 2; }
  bool odd() const { return size % 2 != 0; }
  int pairs() const { return size / 2; }
};

/// Fred_m(P). Elements are numbered in topological order: every wire leads from a lower number to a higher one; within
/// a stage R, demux, middle stages one after the other, D, mux.
struct Interconnect {
  int m = 3;
  int ports = 2;
  std::vector<Element> elements;
  std::vector<Stage> stages;      ///< the whole one first
  std::vector<Terminal> inputs;   ///< where input port p leads
  std::vector<Terminal> outputs;  ///< where output port p comes from

  /// R, D and RD only.
  std::size_t uswitches() const;
  /// "Fred_3(12)".
  std::string name() const;
};

/// Builds Fred_m(P): P = 2r has r R-, r D-uSwitches and m middle stages Fred_m(r); P = 2r + 1 has middle stages
/// Fred_m(r + 1) whose last port is joined to port P - 1 by demux and mux; Fred_m(2) is one RD-uSwitch. Throws
/// InputError unless 2 <= m <= kMostMiddles and 2 <= P <= kMostPorts.
Interconnect build_interconnect(int m, int ports);

/// Checks what every user relies on: both ends of each wire agree, numbers are topological. Throws ViolationError.
void check_interconnect(const Interconnect& interconnect);

}  // namespace weft::fred
