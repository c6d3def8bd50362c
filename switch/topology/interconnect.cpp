// SPDX-License-Identifier: Apache-2.0
#include "switch/topology/interconnect.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::fred {
namespace {

/// Builds one stage after the other; a stage takes the ends of wires that come to it and gives those that leave it.
class Builder {
 public:
  explicit Builder(Interconnect& net) : net_(net) {}

  /// Builds Fred_m(from.size()) whose input port p comes from `from[p]`; returns where its output ports come from.
  std::vector<Terminal> stage(const std::string& path, int depth, const std::vector<Terminal>& from,
                              std::uint32_t& number) {
    number = static_cast<std::uint32_t>(net_.stages.size());
    net_.stages.emplace_back();
    Stage stage;
    stage.path = path;
    stage.size = static_cast<int>(from.size());
    stage.depth = depth;
    stage.first_in = next();
    const std::vector<Terminal> outputs = stage.base() ? base(stage, from) : recursive(stage, from);
    net_.stages[number] = stage;
    return outputs;
  }

 private:
  std::uint32_t next() const { return static_cast<std::uint32_t>(net_.elements.size()); }

  std::vector<Terminal> base(Stage& stage, const std::vector<Terminal>& from) {
    stage.first_out = stage.first_in;
    const std::uint32_t rd = add(ElementKind::kBoth, stage, "rd", from, 2);
    return {{rd, 0}, {rd, 1}};
  }

  std::vector<Terminal> recursive(Stage& stage, const std::vector<Terminal>& from) {
    for (std::size_t p = 0; p + 1 < from.size(); p += 2) {
      add(ElementKind::kReduce, stage, fmt::format("in[{}]", p / 2), {from[p], from[p + 1]}, net_.m);
    }
    if (stage.odd()) stage.demux = add(ElementKind::kDemux, stage, "demux", {from.back()}, net_.m);
    std::vector<std::vector<Terminal>> returned;
    for (int k = 0; k < net_.m; ++k) returned.push_back(middle(stage, k));
    std::vector<Terminal> outputs;
    stage.first_out = next();
    for (int i = 0; i < stage.pairs(); ++i) {
      const std::uint32_t d = add(ElementKind::kDistribute, stage, fmt::format("out[{}]", i), column(returned, i), 2);
      outputs.push_back({d, 0});
      outputs.push_back({d, 1});
    }
    if (stage.odd()) {
      stage.mux = add(ElementKind::kMux, stage, "mux", column(returned, stage.pairs()), 1);
      outputs.push_back({stage.mux, 0});
    }
    return outputs;
  }

  /// Output k of every R and of the demux leads to middle stage k.
  std::vector<Terminal> middle(Stage& outer, int k) {
    const auto pin = static_cast<std::uint32_t>(k);
    std::vector<Terminal> from;
    for (int i = 0; i < outer.pairs(); ++i) from.push_back({outer.first_in + i, pin});
    if (outer.odd()) from.push_back({outer.demux, pin});
    std::uint32_t number = 0;
    const std::string path = fmt::format("{}{}mid[{}]", outer.path, outer.path.empty() ? "" : ".", k);
    std::vector<Terminal> returned = stage(path, outer.depth + 1, from, number);
    outer.middles.push_back(number);
    return returned;
  }

  static std::vector<Terminal> column(const std::vector<std::vector<Terminal>>& rows, int column) {
    std::vector<Terminal> entries;
    for (const auto& row : rows) entries.push_back(row[column]);
    return entries;
  }

  std::uint32_t add(ElementKind kind, const Stage& stage, const std::string& name, const std::vector<Terminal>& sources,
                    int outputs) {
    const std::uint32_t number = next();
    Element element;
    element.kind = kind;
    element.depth = stage.depth;
    element.path = stage.path.empty() ? name : stage.path + "." + name;
    element.sources = sources;
    element.sinks.resize(outputs);
    for (std::uint32_t pin = 0; pin < sources.size(); ++pin) sink_of(sources[pin]) = {number, pin};
    net_.elements.push_back(std::move(element));
    return number;
  }

  Terminal& sink_of(Terminal source) {
    return source.outside() ? net_.inputs[source.pin] : net_.elements[source.element].sinks[source.pin];
  }

  Interconnect& net_;
};

}  // namespace

std::string_view name_of(ElementKind kind) {
  constexpr std::string_view kNames[] = {"R", "D", "RD", "demux", "mux"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::size_t Interconnect::uswitches() const {
  return std::count_if(elements.begin(), elements.end(), [](const Element& e) { return is_uswitch(e.kind); });
}

std::string Interconnect::name() const { return fmt::format("Fred_{}({})", m, ports); }

Interconnect build_interconnect(int m, int ports) {
  if (m < 2 || m > kMostMiddles) {
    throw InputError(fmt::format("Fred_m(P): m = {}; a switch has 2 to {} middle stages", m, kMostMiddles));
  }
  if (ports < 2 || ports > kMostPorts) {
    throw InputError(fmt::format("Fred_m(P): P = {}; a switch has 2 to {} ports", ports, kMostPorts));
  }
  Interconnect net;
  net.m = m;
  net.ports = ports;
  net.inputs.resize(ports);
  std::vector<Terminal> outside(ports);
  for (int p = 0; p < ports; ++p) outside[p].pin = static_cast<std::uint32_t>(p);
  std::uint32_t whole = 0;
  net.outputs = Builder(net).stage("", 0, outside, whole);
  for (std::uint32_t p = 0; p < net.outputs.size(); ++p) {
    net.elements[net.outputs[p].element].sinks[net.outputs[p].pin] = {Terminal::kOutside, p};
  }
  return net;
}

void check_interconnect(const Interconnect& net) {
  for (std::uint32_t number = 0; number < net.elements.size(); ++number) {
    const Element& element = net.elements[number];
    for (std::uint32_t pin = 0; pin < element.sources.size(); ++pin) {
      const Terminal source = element.sources[pin];
      WEFT_CHECK(source.outside() || source.element < number,
                 fmt::format("{}: input {} of {} comes from a later element", net.name(), pin, element.path));
      const Terminal back =
          source.outside() ? net.inputs.at(source.pin) : net.elements[source.element].sinks.at(source.pin);
      WEFT_CHECK((back == Terminal{number, pin}),
                 fmt::format("{}: the wire to input {} of {} has two ends that differ", net.name(), pin, element.path));
    }
    for (std::uint32_t pin = 0; pin < element.sinks.size(); ++pin) {
      const Terminal sink = element.sinks[pin];
      const Terminal back =
          sink.outside() ? net.outputs.at(sink.pin) : net.elements.at(sink.element).sources.at(sink.pin);
      WEFT_CHECK(
          (back == Terminal{number, pin}),
          fmt::format("{}: the wire of output {} of {} has two ends that differ", net.name(), pin, element.path));
    }
  }
}

}  // namespace weft::fred
