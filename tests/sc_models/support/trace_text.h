// SPDX-License-Identifier: Apache-2.0
// Small traces written by tests.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/sc_models/support/run_into.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {

using weft::test::read_text;
using weft::test::TempDir;

/// Nodes of one rank's trace, as a list of Chakra's JSON form.
class TraceText {
 public:
  int load(std::uint64_t bytes, const std::string& group, int after = -1) { return memory(2, bytes, group, after); }
  int store(std::uint64_t bytes, const std::string& group, int after = -1) { return memory(3, bytes, group, after); }
  int all_reduce(std::uint64_t bytes, int after = -1, const std::string& group = "") {
    return add(fmt::format("\"Name\": \"a{}\", \"NodeType\": 7, \"comm_type\": 0, \"comm_size\": {}{}", nodes_, bytes,
                           group.empty() ? "" : fmt::format(", \"pg_name\": \"{}\"", group)),
               after);
  }
  int barrier(int after = -1) {
    return add(fmt::format("\"Name\": \"b{}\", \"NodeType\": 7, \"comm_type\": 9, \"comm_size\": 0", nodes_), after);
  }
  int work(std::uint64_t operations, std::uint64_t bytes) {
    return add(fmt::format("\"Name\": \"w{}\", \"NodeType\": 4, \"num_ops\": {}, \"tensor_size\": {}", nodes_,
                           operations, bytes),
               -1);
  }
  int send(int to, std::uint64_t bytes, int after = -1) { return transfer(5, "comm_dst", to, bytes, after); }
  int receive(int from, std::uint64_t bytes, int after = -1) { return transfer(6, "comm_src", from, bytes, after); }
  int compute(int microseconds, int after = -1) {
    return add(fmt::format("\"Name\": \"c{}\", \"NodeType\": 4, \"runtime\": {}", nodes_, microseconds), after);
  }
  /// Work of a recorded duration.
  int recorded(int microseconds, std::uint64_t operations, std::uint64_t bytes) {
    return add(fmt::format("\"Name\": \"r{}\", \"NodeType\": 4, \"runtime\": {}, \"num_ops\": {}, \"tensor_size\": {}",
                           nodes_, microseconds, operations, bytes),
               -1);
  }
  void write(const std::string& path) const { std::ofstream(path) << "{\"workload_graph\": [" << text_ << "]}"; }

 private:
  int transfer(int type, const char* peer_key, int peer, std::uint64_t bytes, int after) {
    return add(fmt::format("\"Name\": \"p{}\", \"NodeType\": {}, \"{}\": {}, \"comm_size\": {}", nodes_, type, peer_key,
                           peer, bytes),
               after);
  }
  int memory(int type, std::uint64_t bytes, const std::string& group, int after) {
    return add(fmt::format("\"Name\": \"m{}\", \"NodeType\": {}, \"tensor_size\": {}, \"pg_name\": \"{}\"", nodes_,
                           type, bytes, group),
               after);
  }
  int add(const std::string& fields, int after) {
    text_ += fmt::format("{}{{\"Id\": {}, {}{}}}", nodes_ == 0 ? "" : ",\n", nodes_, fields,
                         after < 0 ? "" : fmt::format(", \"data_deps\": [{}]", after));
    return nodes_++;
  }
  std::string text_;
  int nodes_ = 0;
};

/// A folder with the traces of `ranks` ranks.
class Traces {
 public:
  template <typename Make>
  Traces(int ranks, const Make& make) {
    for (int rank = 0; rank < ranks; ++rank) {
      TraceText text;
      make(text, rank);
      text.write((folder_ / fmt::format("t.{}.json", rank)).string());
    }
  }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TempDir folder_;
};

inline std::uint64_t cycles(const TempDir& folder) {
  const std::string text = read_text(folder / "summary.json");
  return std::stoull(text.substr(text.find("\"cycles\":") + 9));
}

}  // namespace weft::sc_models
