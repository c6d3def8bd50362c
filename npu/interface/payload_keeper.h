// SPDX-License-Identifier: Apache-2.0
// Data of messages in a checkpoint: each of them once, whoever refers to it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/checkpoint.h"
#include "npu/interface/payload_holder.h"

namespace weft::npu {

/// Keeps the payloads of the messages and packets of one part.
class PayloadKeeper {
 public:
  explicit PayloadKeeper(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  /// Keeps one reference, which may be null.
  void keep(PayloadHolder*& payload) {
    std::uint32_t number = 0;  // 0 = none; others in the order of their first reference
    bool first = false;
    if (!checkpoint_.loads() && payload != nullptr) {
      const auto found = numbers_.emplace(payload, static_cast<std::uint32_t>(numbers_.size() + 1));
      number = found.first->second;
      first = found.second;
    }
    checkpoint_.values(number);
    if (checkpoint_.loads()) {
      first = number > loaded_.size();
      if (first) loaded_.push_back(new PayloadHolder{std::make_shared<Payload>(), 0, 0});
      payload = number == 0 ? nullptr : share(loaded_.at(number - 1));
    }
    if (!first) return;
    checkpoint_.values(payload->first);
    checkpoint_.list(*payload->data);
  }

 private:
  Checkpoint& checkpoint_;
  std::map<const PayloadHolder*, std::uint32_t> numbers_;
  std::vector<PayloadHolder*> loaded_;
};

}  // namespace weft::npu
