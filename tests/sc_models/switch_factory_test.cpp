// SPDX-License-Identifier: Apache-2.0
// Switches of another make in a wafer: built by a factory that the run is given, driven like the built-in ones.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "config/load.h"
#include "runs/run.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

struct Calls {
  std::vector<std::string> made;
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t freed = 0;
};

/// A built-in switch that counts what the fabric does with it.
class CountedSwitch final : public fred::SwitchModel {
 public:
  CountedSwitch(std::unique_ptr<fred::SwitchModel> inner, Calls& calls) : inner_(std::move(inner)), calls_(calls) {}

  std::string_view model() const override { return inner_->model(); }
  const fred::SwitchSpec& spec() const override { return inner_->spec(); }
  const fred::Interconnect& interconnect() const override { return inner_->interconnect(); }
  fred::SettingStore& settings() override { return inner_->settings(); }
  const fred::SettingStore& settings() const override { return inner_->settings(); }
  void receive(PortId port, const fred::PortFlit& flit, const std::uint8_t* data) override {
    ++calls_.received;
    inner_->receive(port, flit, data);
  }
  void credit(PortId port, std::uint8_t traffic_class) override { inner_->credit(port, traffic_class); }
  void step(Cycle now) override {
    inner_->step(now);
    calls_.sent += inner_->sent().size();
    calls_.freed += inner_->freed().size();
  }
  Cycle next_work(Cycle now) const override { return inner_->next_work(now); }
  const std::vector<fred::SentFlit>& sent() const override { return inner_->sent(); }
  const std::vector<fred::FreedSlot>& freed() const override { return inner_->freed(); }
  const std::vector<std::uint32_t>& absorbed() const override { return inner_->absorbed(); }
  bool busy() const override { return inner_->busy(); }
  std::uint32_t credits(PortId port, int traffic_class) const override { return inner_->credits(port, traffic_class); }
  std::uint32_t credits_known(PortId port, int traffic_class) const override {
    return inner_->credits_known(port, traffic_class);
  }
  std::uint32_t active_setting() const override { return inner_->active_setting(); }
  std::uint64_t uswitch_hops() const override { return inner_->uswitch_hops(); }
  const fred::SwitchCounters& counters() const override { return inner_->counters(); }
  std::uint64_t flits_inside() const override { return inner_->flits_inside(); }
  std::uint64_t state_hash(Cycle now) const override { return inner_->state_hash(now); }
  void require_empty() const override { inner_->require_empty(); }
  std::vector<std::string> waiting() const override { return inner_->waiting(); }

 private:
  std::unique_ptr<fred::SwitchModel> inner_;
  Calls& calls_;
};

/// An all-reduce of 2 KiB with data by 6 NPUs below two switches and a third one: 8 packets of 8 flits.
Config config_of(const std::string& top_model) {
  Config config = load_config_text(
      "fabric: {kind: fred, levels: [{groups: 2, uplinks: 1}, {groups: 1}]}\n"
      "npu: {count: 6, packet_bytes: 256}\n"
      "workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 2 KiB, data: values}}\n",
      "factory.yaml");
  config.fabric.fred.levels[1].model = top_model;
  return config;
}

TEST(SwitchFactory, switches_of_a_level_come_from_outside) {
  Calls calls;
  RunSetup setup;
  setup.make_switch = [&calls](const fred::SwitchSpec& spec, const std::string& path,
                               const std::string& model) -> std::unique_ptr<fred::SwitchModel> {
    calls.made.push_back(path + " " + model);
    if (model != "counted") return fred::make_tlm_switch(spec, path, model);
    return std::make_unique<CountedSwitch>(fred::make_tlm_switch(spec, path, "tlm"), calls);
  };
  RunControl control;
  const RunResult result = run(config_of("counted"), control, setup);
  ASSERT_TRUE(result.finished) << result.stop_text;
  EXPECT_EQ(result.verified_collectives, 1u);
  EXPECT_EQ(calls.made, (std::vector<std::string>{"fabric.l1[0] tlm", "fabric.l1[1] tlm", "fabric.l2[0] counted"}));
  // Two operands come up, two copies go down.
  EXPECT_EQ(calls.received, 2u * 64);
  EXPECT_EQ(calls.freed, 2u * 64);
  EXPECT_EQ(calls.sent, 2u * 64);
}

TEST(SwitchFactory, without_one_other_models_are_refused) {
  RunControl control;
  EXPECT_THROW(run(config_of("counted"), control), InputError);
}

}  // namespace
}  // namespace weft::sc_models
