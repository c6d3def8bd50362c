// SPDX-License-Identifier: Apache-2.0
#include "npu/traffic/permutation_file.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"
#include "base/read_file.h"
#include "config/tree.h"

namespace weft::npu {
namespace {

constexpr NodeId kUnset{0xffffffff};

std::uint32_t node_number(const std::string& word, const std::string& where, std::uint32_t nodes) {
  std::size_t used = 0;
  unsigned long value = nodes;
  try {
    if (!word.empty() && word[0] != '-') value = std::stoul(word, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != word.size() || value >= nodes) {
    throw InputError(fmt::format("{}: '{}' is not a node; the fabric has nodes 0 to {}", where, word, nodes - 1));
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::vector<NodeId> read_permutation(const std::string& path, std::uint32_t nodes) {
  // Two numbers of at most eight digits make a line; the rest is for spaces and comments.
  constexpr std::uint64_t kMostBytesPerNode = 64;
  std::istringstream file(read_file(path, kMaxConfigBytes + kMostBytesPerNode * nodes));
  std::vector<NodeId> to(nodes, kUnset);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string where = fmt::format("{}:{}", path, number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string source, destination, rest;
    if (!(words >> source)) continue;
    if (!(words >> destination) || words >> rest) {
      throw InputError(fmt::format("{}: expected two numbers, 'source destination'", where));
    }
    const std::uint32_t from = node_number(source, where, nodes);
    if (to[from] != kUnset) throw InputError(fmt::format("{}: node {} has a destination already", where, from));
    to[from] = NodeId(node_number(destination, where, nodes));
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (to[node] == kUnset) {
      throw InputError(
          fmt::format("{}: node {} has no destination; every node from 0 to {} needs one line", path, node, nodes - 1));
    }
  }
  return to;
}

}  // namespace weft::npu
