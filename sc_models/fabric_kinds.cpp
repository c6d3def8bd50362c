// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fabric_kinds.h"

#include <algorithm>

#include "base/error.h"
#include "network/graph_network.h"
#include "network/grid_network.h"
#include "sc_models/graph_fabric.h"
#include "sc_models/mesh_fabric.h"
#include "sc_models/switch_fabric.h"
#include "switch/fabric/fred_network.h"

namespace weft::sc_models {
namespace {

template <typename Built>
std::shared_ptr<const network::Network> build_network(const Config& config) {
  return std::make_shared<const Built>(config);
}

/// `network` is what build_network<Shape> has built.
template <typename Shape, typename Built>
std::unique_ptr<Fabric> build_fabric(const network::Network& network, const FabricSetup& setup) {
  return std::make_unique<Built>(static_cast<const Shape&>(network), setup);
}

struct Entry {
  FabricKind kind;
  std::shared_ptr<const network::Network> (*network)(const Config&);
  std::unique_ptr<Fabric> (*fabric)(const network::Network&, const FabricSetup&);
  std::unique_ptr<FabricSketch> (*sketch)(const NetworkPointer&, const Config&);
};

template <typename Shape, typename Built>
constexpr Entry entry(FabricKind kind, std::unique_ptr<FabricSketch> (*sketch)(const NetworkPointer&, const Config&)) {
  return {kind, build_network<Shape>, build_fabric<Shape, Built>, sketch};
}

constexpr Entry kEntries[] = {
    entry<network::GridNetwork, MeshFabric>(FabricKind::kMesh, sketch_of_grid),
    entry<network::GridNetwork, MeshFabric>(FabricKind::kTorus, sketch_of_grid),
    entry<fred::FredNetwork, SwitchFabric>(FabricKind::kFred, sketch_of_switches),
    entry<network::GraphNetwork, GraphFabric>(FabricKind::kFirstGraph, sketch_of_graph),
};

const Entry& entry_of(const Config& config) {
  for (const Entry& entry : kEntries) {
    if (entry.kind == std::min(config.fabric.kind, FabricKind::kFirstGraph)) return entry;
  }
  violation("a kind of fabric has no builder");
}

}  // namespace

std::shared_ptr<const network::Network> make_network(const Config& config) { return entry_of(config).network(config); }

std::vector<ConfigProblem> check_network(const Config& config) {
  try {
    make_network(config);
  } catch (const InputError& error) {
    return {network_problem(error.what())};
  }
  return {};
}

ConfigProblem network_problem(const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (text.rfind("fabric.", 0) != 0 || colon == std::string::npos) return {"fabric.size", text};
  return {text.substr(0, colon), text.substr(colon + 2)};
}

std::unique_ptr<FabricSketch> make_sketch(const Config& config) {
  return entry_of(config).sketch(make_network(config), config);
}

std::unique_ptr<Fabric> make_fabric(const network::Network& network, const FabricSetup& setup) {
  return entry_of(setup.config).fabric(network, setup);
}

}  // namespace weft::sc_models
