// SPDX-License-Identifier: Apache-2.0
#include "tb/build/rtl_interface.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/scratch_folder.h"
#include "base/text_distance.h"
#include "tb/build/child_output.h"
#include "tb/build/xml_walk.h"

namespace weft::tb {
namespace {

/// The types of a design by their numbers: bits of each.
class TypeTable {
 public:
  void add(const XmlTag& tag) {
    Type type;
    const std::string_view name = tag.name;
    if (name == "basicdtype") {
      type.bits = basic_bits(tag);
    } else if (name == "unpackarraydtype" || name == "brackarraydtype" || name == "queuedtype") {
      type.unpacked = true;
      type.of = tag.get("sub_dtype_id");
    } else if (!tag.get("sub_dtype_id").empty()) {  // typedef, enum, parameter, packed array
      type.of = tag.get("sub_dtype_id");
    } else {
      type.group = name == "uniondtype" ? Group::kUnion : Group::kStruct;
    }
    types_[tag.get("id")] = type;
  }
  void add_range(const std::string& id, long long left, long long right) {
    types_[id].times = static_cast<std::uint32_t>(std::llabs(left - right) + 1);
  }
  void add_member(const std::string& id, const std::string& member) { types_[id].members.push_back(member); }
  std::uint32_t bits(const std::string& id) const {
    const auto found = types_.find(id);
    if (found == types_.end()) return 1;
    const Type& type = found->second;
    if (!type.of.empty()) return type.times * bits(type.of);
    if (type.members.empty()) return type.bits;
    std::uint32_t sum = 0;
    for (const std::string& member : type.members) {
      sum = type.group == Group::kUnion ? std::max(sum, bits(member)) : sum + bits(member);
    }
    return sum;
  }
  bool unpacked(const std::string& id) const {
    const auto found = types_.find(id);
    return found != types_.end() && (found->second.unpacked || unpacked(found->second.of));
  }

 private:
  enum class Group { kStruct, kUnion };
  struct Type {
    std::uint32_t bits = 1;
    std::uint32_t times = 1;
    bool unpacked = false;
    Group group = Group::kStruct;
    std::string of;
    std::vector<std::string> members;
  };
  static std::uint32_t basic_bits(const XmlTag& tag) {
    const std::string left = tag.get("left");
    if (left.empty()) return 1;
    return static_cast<std::uint32_t>(std::llabs(std::atoll(left.c_str()) - std::atoll(tag.get("right").c_str())) + 1);
  }
  std::map<std::string, Type> types_;
};

/// What of the netlist matters here, tag by tag.
class InterfaceReader final : public XmlVisitor {
 public:
  void enter(const XmlTag& tag) override {
    if (tag.name == "module_files") in_module_files_ = true;
    if (tag.name == "file" && in_module_files_) found_.files.emplace_back(tag.get("filename"));
    if (tag.name == "module") in_top_ = !tag.get("topModule").empty();
    if (in_top_ && tag.name == "module") found_.top = tag.get("origName");
    if (tag.name == "typetable") in_types_ = true;
    if (in_types_) return read_type(tag);
    if (in_top_) read_variable(tag);
    read_comparison(tag);
  }
  void leave(const std::string& name) override {
    if (name == "module_files") in_module_files_ = false;
    if (name == "module") in_top_ = false;
    if (name == "typetable") in_types_ = false;
    if (name == "var") in_parameter_ = false;
    if (name == "eq" || name == "neq") end_comparison();
  }
  RtlInterface result() {
    for (std::size_t i = 0; i < found_.ports.size(); ++i) {
      found_.ports[i].width = types_.bits(port_types_[i]);
      found_.ports[i].unpacked = types_.unpacked(port_types_[i]);
    }
    return found_;
  }

 private:
  void read_variable(const XmlTag& tag) {
    if (tag.name == "const" && in_parameter_) {
      found_.parameters.back().text = tag.get("name");
      in_parameter_ = false;
    }
    if (tag.name != "var") return;
    const std::string direction = tag.get("dir");
    if (!direction.empty()) {
      const PortDirection direction_of_port = direction == "input"    ? PortDirection::kInput
                                              : direction == "output" ? PortDirection::kOutput
                                                                      : PortDirection::kInout;
      found_.ports.push_back({tag.get("origName"), direction_of_port, 1, false});
      port_types_.push_back(tag.get("dtype_id"));
    } else if (tag.get("param") == "true") {
      found_.parameters.push_back({tag.get("origName"), ""});
      in_parameter_ = true;
    }
  }
  /// seeded_fault == 8'd30 and !=, a constant and a variable in either order.
  void read_comparison(const XmlTag& tag) {
    if (tag.name == "eq" || tag.name == "neq") {
      compared_.clear();
      with_fault_ = false;
    } else if (tag.name == "const") {
      compared_ = tag.get("name");
    } else if (tag.name == "varref" && tag.get("name") == "seeded_fault") {
      with_fault_ = true;
    }
  }
  void end_comparison() {
    if (with_fault_ && !compared_.empty()) found_.seeded_faults.insert(static_cast<int>(parse_number(compared_)));
    compared_.clear();
    with_fault_ = false;
  }
  void read_type(const XmlTag& tag) {
    if (tag.name == "memberdtype") {
      types_.add_member(group_, tag.get("sub_dtype_id"));
    } else if (tag.name == "const" && !group_.empty()) {
      range_.push_back(parse_number(tag.get("name")));
      if (range_.size() == 2) types_.add_range(group_, range_[0], range_[1]);
    } else if (tag.name.size() > 5 && tag.name.compare(tag.name.size() - 5, 5, "dtype") == 0) {
      types_.add(tag);
      group_ = tag.name == "enumdtype" ? "" : tag.get("id");
      range_.clear();
    }
  }

  RtlInterface found_;
  std::vector<std::string> port_types_;
  TypeTable types_;
  std::string group_;             ///< type whose members or range follow
  std::vector<long long> range_;  ///< its ends
  std::string compared_;          ///< constant of the comparison that is being read
  bool with_fault_ = false;       ///< its other side is seeded_fault
  bool in_module_files_ = false;
  bool in_top_ = false;
  bool in_types_ = false;
  bool in_parameter_ = false;
};

/// What Verilator says without the lines that say how many errors there were.
std::string complaint(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::string kept;
  while (std::getline(in, line)) {
    if (line.rfind("%Error: Exiting due to", 0) != 0) kept += (kept.empty() ? "" : "\n") + line;
  }
  return kept;
}

RtlInterface elaborate(const RtlDesign& design, const std::vector<std::string>& parameters, const Tools& tools) {
  for (const auto* sources : {&design.files, &design.includes, &design.lists}) {
    for (const std::filesystem::path& source : *sources) require_readable_source(source);
  }
  const ScratchFolder scratch;
  require_readable_source(scratch.path());
  std::vector<std::string> arguments = {tools.verilator.string(), "--xml-only", "-Wall", "-Wno-fatal", "--Mdir",
                                        scratch.path().string()};
  for (const std::string& each : source_arguments(design)) arguments.push_back(each);
  for (const std::string& each : parameters) arguments.push_back(each);
  const ChildOutput said = run_program(arguments);
  if (said.status != 0) {
    throw InputError(fmt::format("Verilator refuses the sources of {}:\n{}", design.top, complaint(said.text)));
  }
  std::ifstream file(scratch.path() / fmt::format("V{}.xml", design.top));
  std::stringstream xml;
  xml << file.rdbuf();
  RtlInterface found = parse_interface(xml.str());
  if (found.top.empty()) throw InputError(fmt::format("Verilator finds no module {}", design.top));
  found.warnings = complaint(said.text);
  return found;
}

}  // namespace

std::string_view name_of(PortDirection direction) {
  switch (direction) {
    case PortDirection::kInput:
      return "input";
    case PortDirection::kOutput:
      return "output";
    case PortDirection::kInout:
      return "inout";
  }
  return "";
}

long long RtlParameter::value() const { return parse_number(text); }

long long parse_number(const std::string& text) {
  std::string digits = text;
  int base = 10;
  const std::size_t tick = text.find('\'');
  if (tick != std::string::npos) {
    std::size_t at = tick + 1;
    if (at < text.size() && (text[at] == 's' || text[at] == 'S')) ++at;
    const char letter = at < text.size() ? text[at] : '\0';
    base = letter == 'h' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : letter == 'd' ? 10 : 0;
    digits = base == 0 ? "" : text.substr(at + 1);
  } else if (text.rfind("0x", 0) == 0) {
    base = 16;
    digits = text.substr(2);
  }
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(digits.c_str(), &end, base == 0 ? 10 : base);
  if (digits.empty() || *end != '\0') throw InputError(fmt::format("'{}' is no whole number", text));
  if (errno == ERANGE) throw InputError(fmt::format("'{}' does not fit into 64 bits", text));
  return value;
}

std::vector<std::string> source_arguments(const RtlDesign& design) {
  std::vector<std::string> arguments = {"-sv", "--top-module", design.top};
  for (const std::string& each : design.defines) arguments.push_back("-D" + each);
  for (const auto& each : design.includes) arguments.push_back("-I" + each.string());
  for (const auto& each : design.lists) {
    arguments.emplace_back("-f");
    arguments.push_back(each.string());
  }
  for (const auto& each : design.files) arguments.push_back(each.string());
  return arguments;
}

std::vector<std::string> parameter_arguments(const RtlDesign& design) {
  std::vector<std::string> arguments;
  arguments.reserve(design.parameters.size());
  for (const auto& [name, value] : design.parameters) arguments.push_back(fmt::format("-G{}={}", name, value));
  return arguments;
}

RtlInterface parse_interface(const std::string& xml) {
  InterfaceReader reader;
  walk_xml(xml, "Verilator's description of the design", reader);
  return reader.result();
}

RtlInterface read_interface(const RtlDesign& design, const Tools& tools) {
  RtlInterface found = elaborate(design, {}, tools);
  if (design.parameters.empty()) return found;
  std::vector<std::string_view> known;
  known.reserve(found.parameters.size());
  for (const RtlParameter& each : found.parameters) known.push_back(each.name);
  std::string unknown;
  for (const auto& [name, value] : design.parameters) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view nearest = nearest_name(name, known);
    unknown += fmt::format("\nmodule {} has no parameter {}{}; it has: {}", design.top, name,
                           nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest),
                           known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
  }
  if (!unknown.empty()) throw InputError(unknown.substr(1));
  return elaborate(design, parameter_arguments(design), tools);
}

}  // namespace weft::tb
