// SPDX-License-Identifier: Apache-2.0
// Makes models of RTL at run time and keeps them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/build/rtl_design.h"
#include "tb/build/rtl_model.h"
#include "tb/build/tools.h"

namespace weft::tb {

/// $WEFT_RTL_DIR, else $XDG_CACHE_HOME/weft/rtl, else .cache/weft/rtl in the home directory of the user. Throws
/// InputError where there is none of these: code is never loaded from the current directory unasked.
std::filesystem::path default_build_dir();

/// Builds a design once: the model lies in a folder of the build directory named after the module and a hash of
/// sources, parameters, options and tools, and is found there by later processes. Several processes may build the same
/// at once: each works in a folder of its own, the first to end puts its own in place. Code from there runs in this
/// process, so the folder must belong to its user, nobody else may write into it, and a library is loaded only if its
/// SHA-256 is that which was kept when it was built.
class ModelBuilder {
 public:
  /// Called with one line before a build that takes time.
  using Say = std::function<void(const std::string&)>;
  /// Objects of Verilator's run time lie in `runtime_dir`; empty: in the build directory, too. Throws InputError where
  /// a folder cannot be made or trusted, or has a name that Verilator cannot read.
  explicit ModelBuilder(std::filesystem::path build_dir = default_build_dir(), Say say = {},
                        std::filesystem::path runtime_dir = {});

  /// The library of the model. Throws InputError where a tool is missing or refuses the sources.
  std::shared_ptr<const RtlLibrary> build(const RtlDesign& design);
  /// Ports and parameters with the given parameters, without building.
  RtlInterface interface(const RtlDesign& design);
  /// The built-in RTL as files; written once. Names are those of `rtl/`, without folders.
  std::filesystem::path own_rtl();
  /// The same with the seeded faults of tb/faults, and their package fault_pkg.sv.
  std::filesystem::path faulty_rtl();
  /// A folder of the build directory with the given files, for sources that were generated; written once.
  std::filesystem::path keep(const std::string& name, const std::map<std::string, std::string>& files);
  const std::filesystem::path& build_dir() const { return build_dir_; }

 private:
  const Tools& tools();
  std::string key_of(const RtlDesign& design, const std::vector<std::filesystem::path>& files);
  std::vector<std::string> flags(const RtlDesign& design, const std::filesystem::path& folder);
  std::vector<std::filesystem::path> runtime(const RtlDesign& design);
  void make(const RtlDesign& design, const RtlInterface& interface, const std::filesystem::path& folder);

  std::filesystem::path build_dir_;
  std::filesystem::path runtime_dir_;
  Say say_;
  std::optional<Tools> tools_;
  std::map<std::string, std::shared_ptr<const RtlLibrary>> libraries_;  ///< by path
};

}  // namespace weft::tb
