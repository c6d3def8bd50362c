// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "base/error.h"
#include "config/names.h"
#include "npu/trace/chakra_writer.h"
#include "npu/trace/process_groups.h"
#include "npu/tracegen/trace_generator.h"

namespace weft::npu {
namespace {

void make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: the folder cannot be made: {}", folder.string(), error.message()));
}

std::string write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.flush();
  if (!file) throw InputError(fmt::format("{}: the file cannot be written", path.string()));
  return path.string();
}

std::string write_groups(const TraceGenerator& generator, const std::filesystem::path& folder) {
  ProcessGroups groups;
  for (const auto& [name, members] : generator.groups()) groups.add(name, members, "generated trace");
  std::ostringstream text;
  groups.write_json(text);
  return write_text(folder / "comm_group.json", text.str());
}

std::string write_phases(const TraceGenerator& generator, const std::filesystem::path& folder) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::object();
  for (const TrainingPhase phase : {TrainingPhase::kMp, TrainingPhase::kPp, TrainingPhase::kDp}) {
    for (const auto& [name, members] : generator.groups()) {
      if (generator.phase_of(name) == phase) phases[std::string(name_of(phase))].push_back(name);
    }
  }
  return write_text(folder / "group_phases.json", phases.dump() + "\n");
}

}  // namespace

void write_trace(const TraceGenerator& generator, const std::string& prefix, std::ostream& out) {
  const std::filesystem::path folder = std::filesystem::path(prefix).parent_path();
  make_folder(folder);
  std::uint64_t nodes = 0;
  for (std::uint32_t rank = 0; rank < generator.ranks(); ++rank) {
    ChakraWriter writer(fmt::format("{}.{}.et", prefix, rank));
    for (const TraceNode& node : generator.nodes(RankId{rank})) writer.write(node);
    writer.close();
    nodes += writer.nodes_written();
  }
  out << fmt::format("wrote {}.{{0..{}}}.et: {} ranks, {} nodes\n", prefix, generator.ranks() - 1, generator.ranks(),
                     nodes);
  const std::size_t groups = generator.groups().size();
  if (groups == 0) return;
  out << fmt::format("wrote {}: {} groups\n", write_groups(generator, folder), groups);
  out << fmt::format("wrote {}: their training phases\n", write_phases(generator, folder));
}

}  // namespace weft::npu
