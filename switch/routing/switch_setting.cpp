// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/switch_setting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "base/error.h"

namespace weft::fred {
namespace {

struct Shape {
  int selects;  ///< how many
  int most;     ///< largest value of a select
  bool reduces;
  bool distributes;
};

Shape shape_of(ElementKind kind, int m) {
  switch (kind) {
    case ElementKind::kReduce:
      return {2, m, true, false};
    case ElementKind::kDistribute:
      return {2, m, false, true};
    case ElementKind::kBoth:
      return {2, 3, true, true};
    case ElementKind::kDemux:
    case ElementKind::kMux:
      break;
  }
  return {1, m, false, false};
}

int bits_for(int most) {
  int bits = 0;
  while (most >> bits != 0) ++bits;
  return bits;
}

/// What is wrong with a uSwitch setting; "" if nothing.
std::string fault_of(ElementKind kind, int m, const UswitchSetting& s) {
  const Shape shape = shape_of(kind, m);
  const auto [first, second] = s.select;
  if (first > shape.most || second > (shape.selects == 2 ? shape.most : 0)) {
    return fmt::format("selects {} and {} are not in 0..{}", first, second, shape.most);
  }
  const bool equal = shape.selects == 2 && first == second && first != 0;
  if (kind == ElementKind::kBoth && !equal && (first & second) != 0) return "its outputs share one of two inputs";
  const bool reduces = kind == ElementKind::kBoth ? first == 3 || second == 3 : shape.reduces && equal;
  if (s.reduce != reduces) return fmt::format("reduce is {} where its inputs say {}", s.reduce, reduces);
  if (s.distribute != (shape.distributes && equal)) return "distribute is not what its outputs say";
  return "";
}

class BitWriter {
 public:
  void put(std::uint32_t value, int bits) {
    for (int i = 0; i < bits; ++i, ++count_) {
      if (count_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> i & 1) << count_ % 8);
    }
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t count_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
  std::uint8_t get(int bits) {
    std::uint32_t value = 0;
    for (int i = 0; i < bits; ++i, ++count_) value |= (bytes_[count_ / 8] >> count_ % 8 & 1U) << i;
    return static_cast<std::uint8_t>(value);
  }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t count_ = 0;
};

/// Input ports whose data a wire carries, in ascending order, each as often as it was added.
using Carried = std::vector<std::uint32_t>;

Carried at_port(const Interconnect& net, const std::vector<std::vector<Carried>>& carried, std::uint32_t port) {
  const Terminal source = net.outputs[port];
  Carried result = carried[source.element][source.pin];
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

bool feeds(ElementKind kind, const UswitchSetting& uswitch_setting, std::uint32_t input, std::uint32_t output) {
  switch (kind) {
    case ElementKind::kReduce:
      return uswitch_setting.select[input] == output + 1;
    case ElementKind::kDistribute:
      return uswitch_setting.select[output] == input + 1;
    case ElementKind::kBoth:
      return (uswitch_setting.select[output] >> input & 1) != 0;
    case ElementKind::kDemux:
      return uswitch_setting.select[0] == output + 1;
    case ElementKind::kMux:
      return uswitch_setting.select[0] == input + 1;
  }
  violation("an element of no known kind");
}

int uswitch_setting_bits(ElementKind kind, int m) {
  const Shape shape = shape_of(kind, m);
  return shape.selects * bits_for(shape.most) + (shape.reduces ? 1 : 0) + (shape.distributes ? 1 : 0);
}

std::size_t setting_bits(const Interconnect& net) {
  std::size_t bits = 0;
  for (const Element& element : net.elements) bits += uswitch_setting_bits(element.kind, net.m);
  return bits;
}

std::vector<std::uint8_t> encode(const Interconnect& net, const SwitchSetting& setting) {
  WEFT_CHECK(setting.size() == net.elements.size(), net.name() + ": a setting of another interconnect");
  BitWriter writer;
  for (std::size_t e = 0; e < net.elements.size(); ++e) {
    const Shape shape = shape_of(net.elements[e].kind, net.m);
    for (int i = 0; i < shape.selects; ++i) writer.put(setting[e].select[i], bits_for(shape.most));
    if (shape.reduces) writer.put(setting[e].reduce ? 1 : 0, 1);
    if (shape.distributes) writer.put(setting[e].distribute ? 1 : 0, 1);
  }
  return writer.take();
}

SwitchSetting decode(const Interconnect& net, const std::vector<std::uint8_t>& bits) {
  const std::size_t bytes = (setting_bits(net) + 7) / 8;
  if (bits.size() != bytes) {
    throw InputError(fmt::format("a stored setting of {} has {} bytes, not {}", net.name(), bytes, bits.size()));
  }
  BitReader reader(bits);
  SwitchSetting setting(net.elements.size());
  for (std::size_t e = 0; e < net.elements.size(); ++e) {
    const Element& element = net.elements[e];
    const Shape shape = shape_of(element.kind, net.m);
    for (int i = 0; i < shape.selects; ++i) setting[e].select[i] = reader.get(bits_for(shape.most));
    if (shape.reduces) setting[e].reduce = reader.get(1) != 0;
    if (shape.distributes) setting[e].distribute = reader.get(1) != 0;
    const std::string fault = fault_of(element.kind, net.m, setting[e]);
    if (!fault.empty()) throw InputError(fmt::format("stored setting of {}: {}: {}", net.name(), element.path, fault));
  }
  return setting;
}

void verify_setting(const Interconnect& net, const FlowSet& flows, const SwitchSetting& setting) {
  WEFT_CHECK(setting.size() == net.elements.size(), net.name() + ": a setting of another interconnect");
  std::vector<bool> gives(net.ports, false);
  std::vector<Carried> expected(net.ports);
  for (const Flow& flow : flows) {
    Carried inputs;
    for (const PortId port : flow.inputs) inputs.push_back(index(port));
    std::sort(inputs.begin(), inputs.end());
    for (const std::uint32_t port : inputs) gives[port] = true;
    for (const PortId port : flow.outputs) expected[index(port)] = inputs;
  }
  std::vector<std::vector<Carried>> carried(net.elements.size());  // by element and output pin
  for (std::size_t e = 0; e < net.elements.size(); ++e) {
    const Element& element = net.elements[e];
    const std::string fault = fault_of(element.kind, net.m, setting[e]);
    WEFT_CHECK(fault.empty(), fmt::format("{}: {}: {}", net.name(), element.path, fault));
    carried[e].resize(element.sinks.size());
    for (std::uint32_t i = 0; i < element.sources.size(); ++i) {
      const Terminal source = element.sources[i];
      Carried in;
      if (!source.outside()) in = carried[source.element][source.pin];
      if (source.outside() && gives[source.pin]) in = {source.pin};
      bool used = false;
      for (std::uint32_t o = 0; o < element.sinks.size(); ++o) {
        if (!feeds(element.kind, setting[e], i, o)) continue;
        used = true;
        carried[e][o].insert(carried[e][o].end(), in.begin(), in.end());
      }
      WEFT_CHECK(used || in.empty(), fmt::format("{}: data ends at input {} of {}", net.name(), i, element.path));
      WEFT_CHECK(!used || !in.empty(),
                 fmt::format("{}: {} waits at input {} for data that never comes", net.name(), element.path, i));
    }
  }
  for (std::uint32_t port = 0; port < expected.size(); ++port) {
    const Carried found = at_port(net, carried, port);
    WEFT_CHECK(found == expected[port], fmt::format("{}: output port {} gets the sum of inputs {}, not of {}",
                                                    net.name(), port, found, expected[port]));
  }
}

}  // namespace weft::fred
