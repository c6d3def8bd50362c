// SPDX-License-Identifier: Apache-2.0
// Bench of what has valid and ready: an elastic register, a uSwitch. The model is ElasticDatapath.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "switch/network/elastic_datapath.h"
#include "tb/bench/block_bench.h"
#include "tb/bench/lane_words.h"

namespace weft::tb {

/// What an element does: one datapath per operation.
struct StageMode {
  struct Datapath {
    std::vector<int> inputs;   ///< one, or two that are added
    std::vector<int> outputs;  ///< one, or two that get copies
  };
  std::string name;
  std::vector<Datapath> datapaths;
  std::uint64_t setting = 0;
};

/// Where the wires of inputs and outputs are; `side` and `setting` may be missing.
struct StagePorts {
  struct Pin {
    std::string valid, ready, data, side, setting;
    std::uint32_t number = 0;
  };
  std::vector<Pin> inputs;
  std::vector<Pin> outputs;
  std::uint32_t data_bits = 0;
  std::uint32_t side_bits = 0;
  std::uint32_t match_bits = 0;  ///< lowest side bits, the same in two operands
  std::uint32_t setting_bits = 0;
};

struct StageSpec {
  std::string name;  ///< what names of bins begin with
  StagePorts ports;
  std::vector<StageMode> modes;
  bool skid = false;
  std::uint32_t pass_stages = 1;
  std::uint32_t sum_stages = 1;
  std::size_t lanes = 0;  ///< 0 = data are plain bits
  bool accumulate_fp32 = false;
};

/// Epochs of random modes, formats and operations; each ends with an empty element.
class StageBench : public BlockBench {
 public:
  StageBench(const BenchSetup& setup, StageSpec spec);
  void reset() override;
  void drive(std::uint64_t now, bool draining) override;
  std::optional<Mismatch> check(std::uint64_t now) override;
  bool empty() const override;
  std::uint64_t progress(std::uint64_t) const override { return delivered_; }

 private:
  static constexpr std::size_t kRing = 1024;  ///< beats that are remembered of each input

  struct Beat {
    std::vector<std::uint8_t> data;    ///< as the wires carry it
    std::vector<std::uint32_t> words;  ///< the same as the model knows it, where there are lanes
    std::vector<std::uint8_t> side;
  };
  struct Input {
    RtlModel::Port valid, ready, data, side, setting;
    std::uint32_t number = 0;
    bool holds = false;
    std::uint64_t made = 0;   ///< beats so far, the one that is held included
    std::uint64_t taken = 0;  ///< those that the block has
    std::size_t expected_ready = 0;
    std::vector<Beat> ring;
  };
  struct Output {
    RtlModel::Port valid, ready, data, side;
    std::uint32_t number = 0;
    bool takes = false;
    std::uint64_t taken = 0;
    bool took_before = false;  ///< in the last cycle
    std::size_t expected_valid = 0, expected_data = 0, expected_side = 0;
    int datapath = -1;
    bool waited = false;  ///< showed a beat that was not taken, in the last cycle
  };
  struct Running {
    StageMode::Datapath pins;
    std::unique_ptr<fred::ElasticDatapath> datapath;
  };

  void connect();
  void start_epoch();
  void make_beat(Input& input, int other);
  void offer(Input& input, bool draining);
  void step_model();
  void show(const Running& running, const fred::ElasticDatapath& shown);
  void count_events();
  bool idle() const;
  Beat result(const Running& running, std::uint64_t sequence) const;
  std::string flow_of(const Running& running, std::size_t output, std::uint64_t sequence) const;
  std::optional<Mismatch> check_order(std::uint64_t now);
  std::optional<Mismatch> check_output(Output& output, std::uint64_t now);

  StageSpec spec_;
  fred::SwitchSpec switch_spec_;
  fred::WordPool pool_{1};
  fred::DatapathContext context_{switch_spec_, pool_};
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<Running> running_;
  std::size_t mode_ = 0;
  RtlFormat format_{};
  ReduceOp op_ = ReduceOp::kSum;
  std::unique_ptr<LaneWords> lanes_;
  std::uint64_t epoch_left_ = 0;
  std::uint64_t delivered_ = 0;
  std::vector<std::size_t> mode_bins_;
  std::vector<std::size_t> sum_bins_;
  std::size_t in_stall_bin_, out_stall_bin_, full_bin_, back_to_back_bin_, emptied_bin_, reset_bin_;
  /// By operand that has to wait, by copy that is ahead; where there are any.
  std::array<std::size_t, 2> uneven_bins_{}, ahead_bins_{};
};

}  // namespace weft::tb
