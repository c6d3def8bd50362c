// SPDX-License-Identifier: Apache-2.0
// The table of configuration keys. One entry says everything about a key: reading, checking, the JSON Schema, the
// reference page and the resolved file all come from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/rational.h"
#include "config/config.h"
#include "config/names.h"

namespace weft {

/// What a key takes.
enum class ValueType {
  kText,
  kFile,         ///< name of an existing file
  kNameOrFile,   ///< a name, or an existing file: what holds a `/` or ends in .yaml
  kTracePrefix,  ///< prefix of existing files `<prefix>.<rank>.et`
  kWord,         ///< one of `words`
  kInteger,
  kReal,
  kBoolean,
  kBandwidth,
  kComputeRate,
  kFrequency,
  kDuration,
  kBytes,
  kLatency,    ///< duration, or bare cycles
  kByteCount,  ///< bytes with a unit, or a bare number of bytes
  kSize,       ///< two integers
  kIntegers,   ///< list of integers
  kTexts,      ///< list of text, or one text
  kWords,      ///< list of some of `words`
  kMaps,       ///< list of maps, each with the keys `elements`; its value is their number
};

/// A value as read: cycles and counts as integers, quantities in base units (B/s, FLOP/s, Hz, s).
using Value = std::variant<bool, std::uint64_t, double, Rational, std::string, std::vector<std::uint64_t>,
                           std::vector<std::string>>;

/// Legal values, both ends included; of the elements where the value is a list.
struct ValueRange {
  Rational low{0, 1};
  Rational high{~std::uint64_t{0}, 1};
};

struct ConfigKey {
  std::string path;    ///< "fabric.router.vcs"
  std::string former;  ///< the path that it had before, which is read with a warning; "" = none
  ValueType type = ValueType::kText;
  std::string doc;                         ///< meaning and effect, one or two sentences
  std::string fallback;                    ///< the default as YAML; "" = none
  std::string note;                        ///< what an absent key means, where no fixed value says it
  std::vector<std::string_view> words;     ///< legal words; beside a number or list where `type` is another
  std::vector<std::string_view> reserved;  ///< words that will be legal one day, refused by name
  ValueRange range;
  bool required = false;
  bool empty_is_absent = false;    ///< text: "" and null mean the same as leaving the key out
  std::vector<std::string> needs;  ///< keys that `apply` looks at; it is left out when one of them is wrong
  FabricFeature feature = FabricFeature::kAny;   ///< what a fabric must have
  std::string instead;                           ///< what FRED switches have in its place; "" = nothing
  std::vector<std::vector<ConfigKey>> elements;  ///< kMaps: keys of element 0, 1, ...: "fabric.levels[0].groups"

  /// Puts a value into the configuration. Throws InputError without a place.
  std::function<void(Config&, const Value&)> apply;
  /// Fills the default that depends on other keys; may be empty.
  std::function<void(Config&)> derive;
  /// The resolved value as YAML; "" = leave the key out.
  std::function<std::string(const Config&)> show;

  ConfigKey& noted(std::string text);
  ConfigKey& needing(std::vector<std::string> paths);
  ConfigKey& derived(std::function<void(Config&)> function);
  ConfigKey& must_be_given();
  ConfigKey& or_empty();
  /// Was called `old_path` before, in the same section.
  ConfigKey& formerly(std::string old_path);
  ConfigKey& only_with(FabricFeature needed, std::string others_have = "");

  bool applies_to(const FabricSpec& fabric) const;
};

/// A group of keys, for the documentation.
struct ConfigSection {
  std::string path;
  std::string doc;
};

/// All keys, in the order of the documentation and of resolving; keys of one section stand together. Keys of the
/// elements of a list stand in the list's key.
const std::vector<ConfigKey>& config_keys();
const std::vector<ConfigSection>& config_sections();
/// The key with this path, or nullptr; also of an element of a list: "fabric.levels[1].groups".
const ConfigKey* find_config_key(std::string_view path);
/// The section with this path ("" = the whole file), or nullptr.
const ConfigSection* find_config_section(std::string_view path);
/// Names of the keys and sections directly in a section, which may be an element of a list.
std::vector<std::string_view> names_in_section(std::string_view section);
/// "trace", "collective", "traffic", "io" or "": the kind of workload that a path belongs to.
std::string_view workload_kind_of(std::string_view path);
/// The kind of workload that a configuration holds.
std::string_view workload_kind_of(const Config& config);

/// "mesh and torus", "fred": the kinds of fabric that have it; "" = all.
std::string kinds_with(FabricFeature feature);
/// "an integer from 1 to 25", for messages and documentation.
std::string legal_values(const ConfigKey& key);
/// `text` as a YAML scalar, quoted where it would be taken for something else.
std::string yaml_text(std::string_view text);
/// `text` in double quotes.
std::string yaml_quoted(std::string_view text);

// The parts of the table that no block owns; those of the blocks are in the catalog (config/policies.h).
void add_system_keys(std::vector<ConfigKey>& keys);
void add_fabric_keys(std::vector<ConfigKey>& keys);
void add_io_keys(std::vector<ConfigKey>& keys);
void add_workload_keys(std::vector<ConfigKey>& keys);
void add_log_keys(std::vector<ConfigKey>& keys);

}  // namespace weft
