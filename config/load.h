// SPDX-License-Identifier: Apache-2.0
// From a YAML file and --set options to the resolved configuration, and back to YAML. Start reading here: load_config
// is layers (config_layers) -> raw (config_raw) -> resolved (config_resolve), with the table of keys (config_key).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace weft {

/// Access to files while a configuration is loaded; a test or a fuzzer brings its own.
class ConfigFiles {
 public:
  virtual ~ConfigFiles() = default;
  /// Text of a file. Throws InputError with the reason, without a place.
  virtual std::string read(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  /// True when some file `<prefix>.<anything>` exists.
  virtual bool prefix_exists(const std::string& prefix) const = 0;
};

/// The files of this machine.
const ConfigFiles& disk_files();

/// Something wrong with a configuration that is legal by itself: the key to blame, and a sentence.
struct ConfigProblem {
  std::string path;
  std::string sentence;
};
/// A check beyond what the keys say, such as of what stands in the files that they name. It sees only configurations
/// without other errors; what it finds is reported like those, at the places of the keys.
using ConfigCheck = std::function<std::vector<ConfigProblem>(const Config&)>;

/// Reads `path` with what it includes, applies the options `sets` ("path=value"), checks everything and fills in what
/// is left open. Relative file names in a file are looked up beside that file, then from the current directory. Throws
/// one InputError with a line for each problem: "file:line:column: ..." or "--set path=value: ...".
Config load_config(const std::string& path, const std::vector<std::string>& sets = {},
                   const ConfigFiles& files = disk_files(), const ConfigCheck& check = {});

/// The same for text that is no file; `name` stands in messages and gives relative names their folder.
Config load_config_text(const std::string& text, const std::string& name = "config.yaml",
                        const std::vector<std::string>& sets = {}, const ConfigFiles& files = disk_files(),
                        const ConfigCheck& check = {});

/// The complete configuration as YAML (`config.resolved.yaml`). Loading it gives the same Config again.
std::string to_yaml(const Config& config);

}  // namespace weft
