// SPDX-License-Identifier: Apache-2.0
// The programs of a run: made once per kind, group and root, shared by all NPUs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "kernel/config.h"
#include "npu/program/program.h"

namespace weft::npu {

/// How the collectives of a workload are carried out. The workload must not be synthetic traffic.
const CollectiveSpec& collective_spec(const Config& config);

/// A group of NPUs as collectives see it. Immutable and shared by its members.
struct CommGroup {
  std::uint32_t number = 0;  ///< names the group, the same at all members and unlike any other group's
  std::string name;
  std::vector<NodeId> nodes;  ///< members in their order
};

/// Makes programs and remembers them. A program is a pure function of what it is asked for, so it does not matter who
/// asks first; may be used by several threads.
class ProgramCache {
 public:
  /// `spec` gives the algorithm (and the file, with algorithm `file`), `fabric` the mesh that rings follow. A file is
  /// read and checked here; InputError as load_program, and with the checker's sentences if it is not sound.
  ProgramCache(const CollectiveSpec& spec, const FabricSpec& fabric);
  /// For the workload of `config`, which is no synthetic traffic. A single collective may use the fabric's colours.
  explicit ProgramCache(const Config& config);

  /// The program of a collective of `group`. InputError where algorithm, kind and group do not suit each other.
  std::shared_ptr<const Program> get(CollectiveKind kind, const CommGroup& group, std::uint32_t root);
  const std::string& algorithm() const { return algorithm_; }
  /// Colours whose routes are set up for these programs; 0 = their messages go through VCs.
  int colours() const { return colours_; }
  /// Whether routers copy the packets of messages to several ranks on their way through VCs.
  bool multicast() const { return multicast_; }

 private:
  std::shared_ptr<const Program> make(CollectiveKind kind, const CommGroup& group, std::uint32_t root) const;

  std::string algorithm_;
  std::string file_;
  int size_x_;
  int size_y_;
  bool torus_;
  int colours_ = 0;
  bool multicast_ = false;
  std::uint64_t elements_ = 0;  ///< of a single collective
  Cycle ramp_cycles_;
  Cycle hop_cycles_;
  std::shared_ptr<const Program> from_file_;
  std::mutex mutex_;
  std::map<std::tuple<CollectiveKind, std::uint32_t, std::uint32_t>, std::shared_ptr<const Program>> programs_;
};

}  // namespace weft::npu
