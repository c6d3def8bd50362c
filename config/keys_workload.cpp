// SPDX-License-Identifier: Apache-2.0
// Keys of the workload: exactly one of trace, collective, traffic, io.
#include <fmt/ranges.h>

#include "config/key_builders.h"

namespace weft {
namespace {

/// The resolved file does not have the key where it is 0, as it is in most.
template <typename Spec>
ConfigKey chunk_bytes_key(const std::string& section, Spec spec) {
  ConfigKey key = bytes_key(
      section + "chunk_bytes", ValueType::kBytes, 0, std::uint64_t{1} << 50, "0 B",
      "Small collectives have fewer chunks: one for each so many bytes of their size, rounded up, at most `chunks`; "
      "0 B = always `chunks`.",
      [spec](auto& c) -> auto& { return spec(c).chunk_bytes; });
  key.show = [spec, show = key.show](const Config& c) { return spec(c).chunk_bytes == 0 ? std::string() : show(c); };
  return key;
}

/// The resolved file does not have the key where there is no table, as in most.
template <typename Spec>
ConfigKey algorithm_table_key(const std::string& section, Spec spec) {
  ConfigKey key =
      text_key(
          section + "algorithm_table", ValueType::kFile, "",
          "With algorithm `auto`, the table of the fastest algorithms that `weft advise collectives` writes: "
          "each collective is carried out by the first one that suits its group, by `ring` if none does.",
          [spec](auto& c) -> auto& { return spec(c).algorithm_table; })
          .noted("none")
          .or_empty();
  key.show = [spec, show = key.show](const Config& c) {
    return spec(c).algorithm_table.empty() ? std::string() : show(c);
  };
  return key;
}

/// Keys that a single collective and the collectives of a trace share. `spec` finds the CollectiveSpec in a Config.
template <typename Spec>
void add_method_keys(std::vector<ConfigKey>& keys, const std::string& section, Spec spec) {
  keys.push_back(name_key(
      section + "algorithm", algorithm_names(), "ring",
      "How collectives are carried out.", [spec](auto& c) -> auto& { return spec(c).algorithm; }));
  keys.push_back(
      text_key(
          section + "algorithm_file", ValueType::kFile, "",
          "The program that algorithm `file` plays.", [spec](auto& c) -> auto& { return spec(c).algorithm_file; })
          .noted("none")
          .or_empty());
  keys.push_back(algorithm_table_key(section, spec));
  keys.push_back(integer_key(
      section + "chunks", 1, kMostChunks, "1",
      "Chunks of the data, which run through the algorithm one behind the other.", [spec](auto& c) -> auto& {
        return spec(c).chunks;
      }));
  keys.push_back(chunk_bytes_key(section, spec));
  keys.push_back(integer_key(
      section + "active_chunks", 0, kMostChunks, "0",
      "Of those, how many are in flight at once; 0 = all.", [spec](auto& c) -> auto& {
        return spec(c).active_chunks;
      }));
  keys.push_back(word_key(
      section + "op", reduce_op_names(), "sum",
      "Operator of reductions.", [spec](auto& c) -> auto& { return spec(c).op; }));
  keys.push_back(word_key(
      section + "dtype", data_type_names(), "fp32",
      "Type of the elements.", [spec](auto& c) -> auto& { return spec(c).dtype; }));
  keys.push_back(word_key(
      section + "data", data_mode_names(), "timing",
      "`timing` moves sizes only; `values` carries numbers through the fabric and compares every rank's result with "
      "the exact reduction.",
      [spec](auto& c) -> auto& { return spec(c).data; }));
}

void add_trace_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(text_key(
                     "workload.trace.chakra", ValueType::kTracePrefix, "",
                     "Prefix of the execution traces `<prefix>.<rank>.et`, one file per rank; relative to this file, "
                     "or else to the current directory.",
                     [](auto& c) -> auto& { return std::get<TraceWorkload>(c.workload).chakra; })
                     .must_be_given());
  keys.push_back(text_key(
                     "workload.trace.groups", ValueType::kFile, "",
                     "Communicator groups, a JSON file `{\"1\": [0, 1], ...}`.",
                     [](auto& c) -> auto& { return std::get<TraceWorkload>(c.workload).groups; })
                     .noted("from the trace's metadata, or none")
                     .or_empty());
  keys.push_back(text_key(
                     "workload.trace.phases", ValueType::kFile, "",
                     "Training phase of the groups, a JSON file `{\"mp\": [\"1\", \"tp*\"], \"dp\": [\"11\"]}`. The "
                     "first rule that matches a "
                     "group decides; a star stands for any text. Flows in FRED switches have the traffic class of the "
                     "phase, but PP, "
                     "which has no flows; so have messages, where switches have no flows at all.",
                     [](auto& c) -> auto& { return std::get<TraceWorkload>(c.workload).phases; })
                     .noted("from descriptions and names of the groups")
                     .or_empty());
  keys.push_back(boolean_key(
      "workload.trace.strict", "false", "Refuses traces with dependencies on absent nodes instead of warning.",
      [](auto& c) -> auto& { return std::get<TraceWorkload>(c.workload).strict; }));
  add_method_keys(
      keys, "workload.trace.", [](auto& c) -> auto& { return std::get<TraceWorkload>(c.workload).collective; });
}

constexpr auto kCollective = [](auto& c) -> auto& { return std::get<CollectiveWorkload>(c.workload).collective; };

/// Whether groups and roots follow from a parallelism.
bool in_phases(const Config& c) { return !std::get<CollectiveWorkload>(c.workload).parallelism.empty(); }

ConfigKey group_key() {
  ConfigKey key =
      basic_key("workload.collective.group", ValueType::kIntegers, "all", "Ranks that take part, or `all`.");
  key.words = {"all"};
  key.range.high = Rational{0xffff'ffffu, 1};
  key.apply = [](Config& c, const Value& v) {
    const auto* list = std::get_if<std::vector<std::uint64_t>>(&v);
    kCollective(c).group = list != nullptr ? to_ids<RankId>(*list) : std::vector<RankId>();
  };
  key.show = [](const Config& c) {
    if (in_phases(c)) return std::string();
    return kCollective(c).group.empty() ? std::string("all") : show_ids(kCollective(c).group);
  };
  return key;
}

ConfigKey parallelism_key() {
  ConfigKey key = basic_key("workload.collective.parallelism", ValueType::kIntegers, "",
                            "`[MP, PP, DP]`: instead of one group, all groups of `phase` do the collective at the same "
                            "time. Ranks are numbered "
                            "MP first, then PP, then DP; the root is each group's first rank.");
  key.note = "one group";
  key.range = {Rational{1, 1}, Rational{0xffff'ffffu, 1}};
  key.apply = [](Config& c, const Value& v) {
    auto& list = std::get<CollectiveWorkload>(c.workload).parallelism;
    for (const std::uint64_t size : std::get<std::vector<std::uint64_t>>(v)) {
      list.push_back(static_cast<std::uint32_t>(size));
    }
  };
  key.show = [](const Config& c) {
    const auto& list = std::get<CollectiveWorkload>(c.workload).parallelism;
    return list.empty() ? std::string() : fmt::format("[{}]", fmt::join(list, ", "));
  };
  return key;
}

void add_collective_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(word_key(
      "workload.collective.kind", collective_kind_names(), "all_reduce", "What the ranks do together.",
      [](auto& c) -> auto& { return kCollective(c).kind; }));
  keys.push_back(bytes_key(
                     "workload.collective.size", ValueType::kBytes, 0, std::uint64_t{1} << 50, "",
                     "Bytes as Chakra's comm_size: what one rank contributes to an all-gather or gather, the whole "
                     "buffer of a rank otherwise.",
                     [](auto& c) -> auto& { return kCollective(c).bytes; })
                     .noted("must be given, but for a barrier"));
  keys.push_back(group_key());
  ConfigKey root = integer_key(
      "workload.collective.root", 0, 0xffff'ffffu, "",
      "The root's rank in broadcast, reduce, gather, scatter, and in an all_reduce whose algorithm reduces to one "
      "rank.",
      [](auto& c) -> auto& { return kCollective(c).root; });
  root.note = "the group's first rank";
  root.needs = {"workload.collective.group"};
  root.derive = [](Config& c) {
    kCollective(c).root = kCollective(c).group.empty() ? RankId{0} : kCollective(c).group[0];
  };
  root.show = [](const Config& c) {
    return in_phases(c) ? std::string() : fmt::format("{}", index(kCollective(c).root));
  };
  keys.push_back(root);
  keys.push_back(parallelism_key());
  ConfigKey phase = word_key(
      "workload.collective.phase", training_phase_names(), "mp",
      "Which groups of `parallelism` do the collective: tensor-, pipeline- or data-parallel ones.",
      [](auto& c) -> auto& { return std::get<CollectiveWorkload>(c.workload).phase; });
  phase.show = [](const Config& c) {
    const auto& workload = std::get<CollectiveWorkload>(c.workload);
    return workload.parallelism.empty() ? std::string() : std::string(name_of(workload.phase));
  };
  keys.push_back(phase);
  add_method_keys(keys, "workload.collective.", kCollective);
}

constexpr auto kTraffic = [](auto& c) -> auto& { return std::get<TrafficWorkload>(c.workload); };

ConfigKey rate_per_node_key() {
  ConfigKey key = basic_key("workload.traffic.rate", ValueType::kReal, "0.1",
                            "Offered load in flits per node and cycle. Each node and cycle starts a packet with "
                            "probability rate / packet_flits.");
  key.range = {Rational{0, 1}, Rational{65535, 1}};
  key.apply = [](Config& c, const Value& v) { kTraffic(c).rate = std::get<double>(v); };
  key.show = [](const Config& c) { return fmt::format("{}", kTraffic(c).rate); };
  return key;
}

ConfigKey hotspots_key() {
  ConfigKey key =
      basic_key("workload.traffic.hotspots", ValueType::kIntegers, "", "Nodes that pattern `hotspot` sends to.");
  key.note = "none";
  key.range.high = Rational{0xffff'ffffu, 1};
  key.apply = [](Config& c, const Value& v) {
    kTraffic(c).hotspots = to_ids<NodeId>(std::get<std::vector<std::uint64_t>>(v));
  };
  key.show = [](const Config& c) { return show_ids(kTraffic(c).hotspots); };
  return key;
}

void add_traffic_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(name_key(
      "workload.traffic.pattern", pattern_names(), "uniform",
      "Where packets go. " + described(policies().patterns) + ".",
      [](auto& c) -> auto& { return kTraffic(c).pattern; }));
  keys.push_back(rate_per_node_key());
  keys.push_back(integer_key(
      "workload.traffic.packet_flits", 1, 65535, "1", "Flits per packet.",
      [](auto& c) -> auto& { return kTraffic(c).packet_flits; }));
  keys.push_back(integer_key(
      "workload.traffic.warmup_cycles", 0, kMostCycles, "5000", "Cycles before the measurement.",
      [](auto& c) -> auto& { return kTraffic(c).warmup_cycles; }));
  keys.push_back(integer_key(
      "workload.traffic.measure_cycles", 1, kMostCycles, "10000",
      "Cycles of the measurement: latency counts the packets created in them.",
      [](auto& c) -> auto& { return kTraffic(c).measure_cycles; }));
  keys.push_back(integer_key(
      "workload.traffic.drain_cycles", 0, kMostCycles, "100000",
      "Most cycles to wait for measured packets; a run that needs more is saturated.",
      [](auto& c) -> auto& { return kTraffic(c).drain_cycles; }));
  keys.push_back(hotspots_key());
  keys.push_back(text_key(
                     "workload.traffic.file", ValueType::kFile, "", "The destinations of pattern `permutation`.",
                     [](auto& c) -> auto& { return kTraffic(c).file; })
                     .noted("none")
                     .or_empty());
}

constexpr auto kIo = [](auto& c) -> auto& { return std::get<IoWorkload>(c.workload); };

void add_stream_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(
      bytes_key(
          "workload.io.size", ValueType::kBytes, 1, std::uint64_t{1} << 50, "",
          "Bytes of the stream of each controller; every NPU gets all of them. Where the fabric copies, they "
          "leave the controller once; FRED switches that do not copy get them once per NPU.",
          [](auto& c) -> auto& { return kIo(c).bytes; })
          .must_be_given());
  keys.push_back(bytes_key(
      "workload.io.window", ValueType::kBytes, 0, std::uint64_t{1} << 50, "0 B",
      "Streams in step: each NPU has room for so much of every stream. It takes the next packet of all streams when it "
      "has that of each, and a controller sends what all NPUs have room for. 0 = room for everything.",
      [](auto& c) -> auto& { return kIo(c).window; }));
  keys.push_back(npu_delay_key(
      "workload.io.window_latency", 1, "1",
      "From an NPU that has taken packets to a controller that may send more; beside the fabric, no flits are sent. "
      "Cycles of the NPU's clock, or a time that is rounded up to them.",
      [](auto& c) -> auto& { return kIo(c).window_latency; }));
  keys.push_back(word_key(
      "workload.io.data", data_mode_names(), "timing",
      "`timing` moves sizes only; `values` carries numbers and compares what every NPU gets with what was sent.",
      [](auto& c) -> auto& { return kIo(c).data; }));
}

}  // namespace

void add_workload_keys(std::vector<ConfigKey>& keys) {
  add_trace_keys(keys);
  add_collective_keys(keys);
  add_traffic_keys(keys);
  add_stream_keys(keys);
}

}  // namespace weft
