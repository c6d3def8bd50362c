// SPDX-License-Identifier: Apache-2.0
#include "runs/run_checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.h"
#include "base/output_file.h"
#include "config/config.h"
#include "runs/build_commit.h"
#include "runs/run_logging.h"
#include "runs/summary.h"
#include "sc_models/supervisor.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"

namespace weft::runs {
namespace {

constexpr const char* kMagic = "weft checkpoint";
/// State is mostly zeros and small numbers: the fastest level makes it several times smaller.
constexpr int kLevel = 1;

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kLevel);
  WEFT_CHECK(status == Z_OK, "the state of a run cannot be compressed");
  out.resize(size);
  return out;
}

std::uint64_t check_sum(const std::string& head, const std::string& body) {
  const auto add = [](uLong sum, const std::string& bytes) {
    return crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  };
  return add(add(crc32_z(0, nullptr, 0), head), body);
}

/// A file or folder that has been opened only to have it on the disk.
class Synced {
 public:
  explicit Synced(const std::filesystem::path& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Synced() {
    if (file_ >= 0) close(file_);
  }
  Synced(const Synced&) = delete;
  Synced& operator=(const Synced&) = delete;
  bool sync() const { return file_ >= 0 && fsync(file_) == 0; }
  /// The same for all files that lie in its file system.
  void sync_all() const {
    if (file_ >= 0) syncfs(file_);
  }

 private:
  int file_;
};

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& how) {
  throw InputError(fmt::format("{}: is damaged, or no checkpoint: {}", path.string(), how));
}

}  // namespace

void CheckpointFile::write(const std::filesystem::path& path) const {
  const std::string body = packed(state);
  const nlohmann::json head{{"weft", version()},    {"commit", std::string(build_commit())},
                            {"cycle", cycle},       {"config", config},
                            {"folder", folder},     {"inputs", inputs},
                            {"every_ms", every_ms}, {"at", at},
                            {"cpu_s", cpu_s},       {"wall_s", wall_s},
                            {"state", state.size()}};
  std::string text;
  try {
    text = head.dump();
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error(path.string() + ": a name of a file or folder of this run is not UTF-8");
  }
  OutputFile output(path, OutputLinks::kReplace);
  std::ofstream file(output.path(), std::ios::binary);
  file << kMagic << " " << check_sum(text, body) << "\n" << text << "\n" << body;
  file.close();
  // The bytes are on the disk before the file takes the place of another: a machine that stops leaves one of the two.
  if (!file || !Synced(output.path()).sync()) {
    throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
  }
  output.complete();
  Synced(path.parent_path()).sync();
}

void CheckpointFile::remove(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return;
  Synced(path).sync_all();
  std::error_code none;
  std::filesystem::remove(path, none);
}

CheckpointFile CheckpointFile::read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: cannot be read", path.string()));
  std::string magic;
  std::string text;
  const std::string begins = std::string(kMagic) + " ";
  if (!std::getline(in, magic) || magic.rfind(begins, 0) != 0) damaged(path, "it does not begin as one");
  if (!std::getline(in, text)) damaged(path, "it ends in its head");
  const std::string body{std::istreambuf_iterator<char>(in), {}};
  if (magic.substr(begins.size()) != std::to_string(check_sum(text, body))) damaged(path, "its check sum is wrong");
  const nlohmann::json head = nlohmann::json::parse(text, nullptr, false);
  if (head.is_discarded()) damaged(path, "its head is no JSON");
  CheckpointFile found;
  std::size_t state_bytes = 0;
  try {
    const std::string by =
        fmt::format("{} (commit {})", head.at("weft").get<std::string>(), head.at("commit").get<std::string>());
    const std::string own = fmt::format("{} (commit {})", version(), build_commit());
    if (by != own) {
      throw InputError(fmt::format("{}: weft {} has written it, and this is weft {}: only the same build can go on",
                                   path.string(), by, own));
    }
    head.at("cycle").get_to(found.cycle);
    head.at("config").get_to(found.config);
    head.at("folder").get_to(found.folder);
    head.at("inputs").get_to(found.inputs);
    head.at("every_ms").get_to(found.every_ms);
    head.at("at").get_to(found.at);
    head.at("cpu_s").get_to(found.cpu_s);
    head.at("wall_s").get_to(found.wall_s);
    head.at("state").get_to(state_bytes);
  } catch (const nlohmann::json::exception& error) {
    damaged(path, error.what());
  }
  found.state.resize(state_bytes);
  uLongf size = state_bytes;
  const int status = uncompress(reinterpret_cast<Bytef*>(found.state.data()), &size,
                                reinterpret_cast<const Bytef*>(body.data()), body.size());
  if (status != Z_OK || size != state_bytes) damaged(path, "its state cannot be unpacked");
  return found;
}

// What all refer to comes first: the numbers of flows, then what the NPUs of a workload share.
void keep_run(Checkpoint& checkpoint, System& system, Workload& workload, Supervisor& supervisor, RunLogging* logging) {
  if (FlowDirectory* flows = system.fabric().flows()) flows->keep(checkpoint);
  workload.keep(checkpoint);
  system.keep(checkpoint);
  supervisor.keep(checkpoint);
  if (logging != nullptr) logging->keep(checkpoint);
}

std::string why_no_checkpoint(const Config& config) {
  if (!config.waves.file.empty()) return "waves.file: a recording of waves cannot be gone on with";
  for (const FredLevelSpec& level : config.fabric.fred.levels) {
    if (level.model != "tlm") return "fabric.model: " + level.model + ": the state of RTL is not kept";
  }
  if (config.run.fast_forward == FastForwardMode::kSteady) return "run.fast_forward: steady is not kept yet";
  return "";
}

}  // namespace weft::runs
