// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/block.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text_distance.h"
#include "tb/bench/block_list.h"
#include "tb/build/embedded_rtl.h"

namespace weft::tb {
namespace {

template <typename Rows>
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& each : rows) names.push_back(each.name);
  return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_name(name, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
}

}  // namespace

const std::vector<Block>& blocks() {
  static const std::vector<Block> all = [] {
    std::vector<Block> list;
    add_arithmetic_blocks(list);
    add_stage_blocks(list);
    add_switch_blocks(list);
    return list;
  }();
  return all;
}

const Block& find_block(std::string_view name) {
  for (const Block& block : blocks()) {
    if (block.name == name) return block;
  }
  const auto known = names_of(blocks());
  throw InputError(
      fmt::format("there is no block '{}'{}; known: {}", name, did_you_mean(name, known), fmt::join(known, ", ")));
}

Shape shape_of(const Block& block, const Shape& given) {
  Shape shape;
  for (const BlockParameter& each : block.parameters) shape[each.name] = each.standard;
  for (const auto& [name, value] : given) {
    const auto known = std::find_if(block.parameters.begin(), block.parameters.end(),
                                    [&, n = name](const BlockParameter& each) { return n == each.name; });
    if (known == block.parameters.end()) {
      const auto names = names_of(block.parameters);
      throw InputError(fmt::format("block {} has no parameter {}{}; it has: {}", block.name, name,
                                   did_you_mean(name, names),
                                   names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (value < known->least || value > known->most) {
      throw InputError(
          fmt::format("{} of block {} is {}; {} to {} are legal", name, block.name, value, known->least, known->most));
    }
    shape[name] = value;
  }
  for (const auto& [name, value] : block.fixed) shape[name] = value;
  if (block.derive) block.derive(shape);
  return shape;
}

Shape variant_of(const Block& block, const Shape& given, std::uint64_t n) {
  Shape shape = block.variants.empty() ? Shape() : block.variants[n % block.variants.size()];
  for (const auto& [name, value] : given) shape[name] = value;
  return shape_of(block, shape);
}

RtlDesign design_of(ModelBuilder& builder, const Block& block, const Shape& shape) {
  if (block.design) return block.design(builder, block, shape);
  RtlDesign design;
  design.top = block.module;
  const std::filesystem::path folder = builder.own_rtl();
  for (const std::string& name : embedded_list("primitives.f")) design.files.push_back(folder / name);
  design.asserts = true;
  for (const BlockParameter& each : block.parameters)
    design.parameters[each.name] = std::to_string(shape.at(each.name));
  for (const auto& [name, value] : block.fixed) design.parameters[name] = std::to_string(value);
  return design;
}

RtlDesign without_checkers(RtlDesign design) {
  design.asserts = false;
  return design;
}

std::vector<std::string> differences(const Block& block, const Shape& shape, const RtlInterface& found, bool order) {
  std::vector<std::string> sentences;
  const auto known = names_of(block.ports);
  for (const BlockPort& wanted : block.ports) {
    const auto port = std::find_if(found.ports.begin(), found.ports.end(),
                                   [&](const RtlPort& each) { return each.name == wanted.name; });
    const long long width = evaluate(wanted.width, shape);
    if (port == found.ports.end()) {
      sentences.push_back(fmt::format("missing port: {} {} of {} bits", name_of(wanted.direction), wanted.name, width));
      continue;
    }
    if (port->direction != wanted.direction) {
      sentences.push_back(fmt::format("port {} is an {}, it must be an {}", wanted.name, name_of(port->direction),
                                      name_of(wanted.direction)));
    }
    if (port->unpacked) {
      sentences.push_back(
          fmt::format("port {} is an unpacked array, it must be a flat vector of {} bits", wanted.name, width));
    } else if (port->width != width) {
      sentences.push_back(fmt::format("port {} has {} bits, it must have {} ({}; {})", wanted.name, port->width, width,
                                      wanted.width, text_of(shape)));
    }
  }
  for (const RtlPort& port : found.ports) {
    if (std::find(known.begin(), known.end(), port.name) != known.end()) continue;
    if (order && (port.name == "clk_i" || port.name == "rst_ni")) continue;
    sentences.push_back(
        fmt::format("extra port: {} {}{}", name_of(port.direction), port.name, did_you_mean(port.name, known)));
  }
  return sentences;
}

std::string ports_markdown(const Block& block) {
  std::string text;
  if (!block.parameters.empty()) text += "| parameter | default | legal | meaning |\n| --- | --- | --- | --- |\n";
  for (const BlockParameter& each : block.parameters) {
    text +=
        fmt::format("| `{}` | {} | {} to {} | {} |\n", each.name, each.standard, each.least, each.most, each.meaning);
  }
  if (!block.parameters.empty()) text += "\n";
  text += "| port | dir | bits | meaning |\n| --- | --- | --- | --- |\n";
  for (const BlockPort& each : block.ports) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", each.name, each.direction == PortDirection::kInput ? "in" : "out",
                        each.width, each.meaning);
  }
  return text;
}

}  // namespace weft::tb
