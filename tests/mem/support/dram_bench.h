// SPDX-License-Identifier: Apache-2.0
// DRAM channels driven without SystemC: requests at given cycles, command logs kept and checked.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "mem/dram/command_checker.h"
#include "mem/dram/dram_controller.h"

namespace weft::mem::test {

/// Keeps the log, and checks it.
class LogAndCheck final : public CommandObserver {
 public:
  explicit LogAndCheck(const DramTiming& timing) : checker(timing) {}
  void command(const DramCommand& command) override {
    checker.command(command);
    log.push_back(command);
  }
  /// "ACT 3", "RD 10", ... without place.
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const DramCommand& c : log) texts.push_back(std::string(command_name(c.kind)) + " " + std::to_string(c.at));
    return texts;
  }
  CommandChecker checker;
  std::vector<DramCommand> log;
};

class DramBench : public RequestOwner {
 public:
  /// The checker may know other times than the controller.
  DramBench(const DramTiming& timing, const DramOptions& options, const DramTiming& checked)
      : controller(timing, options) {
    for (std::uint32_t i = 0; i < controller.channels(); ++i) {
      logs.push_back(std::make_unique<LogAndCheck>(checked));
      controller.set_observer(i, logs.back().get());
    }
  }
  explicit DramBench(const DramTiming& timing, const DramOptions& options = {}) : DramBench(timing, options, timing) {}
  ~DramBench() override {
    for (const auto& log : logs) {
      if (!is_checked) continue;
      EXPECT_EQ(log->checker.findings(), std::vector<std::string>{});
    }
  }

  /// A request that arrives at `at`; the order of calls is that of arrival.
  Request& take(Command command, std::uint64_t address, std::uint64_t bytes, Cycle at, std::uint32_t initiator = 0) {
    Request& request = requests.emplace_back();
    request.id = requests.size() - 1;
    request.command = command;
    request.address = request.physical = address;
    request.bytes = bytes;
    request.arrival = at;
    request.initiator = initiator;
    request.owner = this;
    served_at.push_back(kNever);
    controller.take(request, at);
    return request;
  }
  void served(Request& request, Cycle at) override {
    EXPECT_EQ(served_at[request.id], kNever) << "served twice";
    served_at[request.id] = at;
    last = std::max(last, at);
  }
  LogAndCheck& log(std::size_t channel = 0) { return *logs[channel]; }

  DramController controller;
  std::vector<std::unique_ptr<LogAndCheck>> logs;
  std::deque<Request> requests;
  std::vector<Cycle> served_at;  ///< by request
  Cycle last = 0;
  bool is_checked = true;
};

}  // namespace weft::mem::test
