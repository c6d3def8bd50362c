// SPDX-License-Identifier: Apache-2.0
// RTL and model of a FRED switch side by side.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "switch/network/fred_switch.h"
#include "tb/switch/rtl_switch.h"

namespace weft::tb {

/// A first difference.
struct LockstepMismatch {
  std::string path;  ///< name of the switch
  Cycle cycle = 0;
  std::string text;
};

/// Cycles of a switch whose waves are wanted. The run goes on past a difference until the last of them.
struct LockstepWaves {
  Cycle from = 0;
  Cycle to = 0;
  std::filesystem::path file;
};

struct LockstepOptions {
  std::function<void(const LockstepMismatch&)> report;  ///< called before the throw
  std::optional<LockstepWaves> waves;                   ///< waves of a library that was built for them
};

/// The RTL drives the fabric; the model is its shadow with the same inputs. The first difference in a flit sent, a
/// slot freed, a packet absorbed, the active setting or emptiness throws ViolationError: where, in which cycle,
/// which port and flow, what the model says and what the RTL does.
class LockstepSwitch final : public fred::SwitchModel {
 public:
  LockstepSwitch(const fred::SwitchSpec& spec, std::shared_ptr<const RtlLibrary> library, std::uint64_t seed,
                 std::string path, LockstepOptions options = {});
  ~LockstepSwitch() override;

  std::string_view model() const override { return "lockstep"; }
  const fred::SwitchSpec& spec() const override { return model_.spec(); }
  const fred::Interconnect& interconnect() const override { return model_.interconnect(); }
  fred::SettingStore& settings() override { return model_.settings(); }
  const fred::SettingStore& settings() const override { return model_.settings(); }
  void receive(PortId port, const fred::PortFlit& flit, const std::uint8_t* data) override;
  void credit(PortId port, std::uint8_t traffic_class) override;
  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  const std::vector<fred::SentFlit>& sent() const override { return rtl_.sent(); }
  const std::vector<fred::FreedSlot>& freed() const override { return rtl_.freed(); }
  const std::vector<std::uint32_t>& absorbed() const override { return rtl_.absorbed(); }
  bool busy() const override { return rtl_.busy(); }
  std::uint32_t credits(PortId port, int traffic_class) const override { return model_.credits(port, traffic_class); }
  std::uint32_t credits_known(PortId port, int traffic_class) const override {
    return model_.credits_known(port, traffic_class);
  }
  std::uint32_t active_setting() const override { return rtl_.active_setting(); }
  bool stalls(std::vector<StallReason>* reasons) const override { return model_.stalls(reasons); }
  const fred::WireWatch* wires() const override { return rtl_.wires(); }
  const fred::SwitchModel* shadow() const override { return &model_; }
  std::uint64_t uswitch_hops() const override { return model_.uswitch_hops(); }
  const fred::SwitchCounters& counters() const override { return model_.counters(); }
  std::uint64_t flits_inside() const override { return model_.flits_inside(); }
  std::uint64_t state_hash(Cycle now) const override { return model_.state_hash(now); }
  void require_empty() const override;
  std::uint64_t compared_cycles() const override { return compared_; }
  std::vector<std::string> waiting() const override { return model_.waiting(); }

  RtlSwitch& rtl() { return rtl_; }

 private:
  void compare_sent(Cycle now) const;
  void compare_freed(Cycle now) const;
  void compare_state(Cycle now) const;
  std::string flow_of(const fred::PortFlit& flit, std::size_t output) const;
  void differ(Cycle now, const std::string& port, const std::string& flow, const std::string& expected,
              const std::string& actual) const;
  void compare(Cycle now) const;
  void declare_waves();
  void record(Cycle now);

  fred::FredSwitch model_;
  RtlSwitch rtl_;
  std::string path_;
  LockstepOptions options_;
  std::uint64_t compared_ = 0;  ///< steps without a difference
  std::unique_ptr<WaveRecorder> waves_;
  std::vector<Expected> shown_;  ///< the model's values in the waves: five of each port
};

}  // namespace weft::tb
