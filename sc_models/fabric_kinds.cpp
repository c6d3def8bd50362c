// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fabric_kinds.h"

#include <algorithm>

#include "base/error.h"
#include "network/graph_network.h"
#include "network/grid_network.h"
#include "sc_models/fred_wafer.h"
#include "sc_models/graph_wafer.h"
#include "sc_models/mesh_wafer.h"
#include "switch/fabric/fred_network.h"

namespace weft::sc_models {
namespace {

template <typename Built>
std::shared_ptr<const network::Network> build_network(const Config& config) {
  return std::make_shared<const Built>(config);
}

template <typename Built>
std::shared_ptr<Wafer> build_wafer(const sc_core::sc_module_name& name, const Config& config,
                                   const Observers& observers, const TestKnobs& knobs) {
  return std::make_shared<Built>(name, config, observers, knobs);
}

struct Entry {
  FabricKind kind;
  std::shared_ptr<const network::Network> (*network)(const Config&);
  std::shared_ptr<Wafer> (*wafer)(const sc_core::sc_module_name&, const Config&, const Observers&, const TestKnobs&);
};

constexpr Entry kEntries[] = {
    {FabricKind::kMesh, build_network<network::GridNetwork>, build_wafer<MeshWafer>},
    {FabricKind::kTorus, build_network<network::GridNetwork>, build_wafer<MeshWafer>},
    {FabricKind::kFred, build_network<fred::FredNetwork>, build_wafer<FredWafer>},
    {FabricKind::kFirstGraph, build_network<network::GraphNetwork>, build_wafer<GraphWafer>},
};

const Entry& entry_of(const Config& config) {
  for (const Entry& entry : kEntries) {
    if (entry.kind == std::min(config.fabric.kind, FabricKind::kFirstGraph)) return entry;
  }
  violation("a kind of fabric has no builder");
}

}  // namespace

std::shared_ptr<const network::Network> make_network(const Config& config) { return entry_of(config).network(config); }

std::shared_ptr<Wafer> make_wafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                                  const TestKnobs& knobs) {
  return entry_of(config).wafer(name, config, observers, knobs);
}

}  // namespace weft::sc_models
