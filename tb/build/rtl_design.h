// SPDX-License-Identifier: Apache-2.0
// What a model is made of: sources, top module and its parameters.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tb {

struct RtlDesign {
  std::string top;
  std::vector<std::filesystem::path> files;     ///< in order: packages before their users
  std::vector<std::filesystem::path> lists;     ///< files of arguments, as Verilator's -f takes them
  std::vector<std::filesystem::path> includes;  ///< folders for `include and for modules by name
  std::vector<std::string> defines;             ///< NAME or NAME=VALUE
  std::map<std::string, std::string> parameters;
  bool trace = false;     ///< can write waves
  bool asserts = false;   ///< with the assertions of the sources; without, the define WEFT_NO_ASSERTIONS
  bool coverage = false;  ///< counts lines and toggles
};
enum class PortDirection { kInput, kOutput, kInout };
std::string_view name_of(PortDirection direction);

struct RtlPort {
  std::string name;
  PortDirection direction = PortDirection::kInput;
  std::uint32_t width = 1;  ///< bits
  bool unpacked = false;    ///< an unpacked array or structure, which has no bits in one row
};

struct RtlParameter {
  std::string name;
  std::string text;  ///< its value as Verilator says it: 32'h4
  /// The value as a number; throws InputError for strings and reals.
  long long value() const;
};

/// What a top module shows to the outside.
struct RtlInterface {
  std::string top;
  std::vector<RtlPort> ports;
  std::vector<RtlParameter> parameters;
  std::vector<std::filesystem::path> files;  ///< all that were read
  std::string warnings;                      ///< what Verilator has to say
  /// The numbers of the seeded faults (tb/faults) that the design has with these parameters: those that it compares
  /// fault_pkg::seeded_fault with. Empty for a design without faults.
  std::set<int> seeded_faults;
};

}  // namespace weft::tb
