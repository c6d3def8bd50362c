// SPDX-License-Identifier: Apache-2.0
// A plain memory manager for payloads, which counts those that are out.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

namespace weft::mem::test {

class PayloadPool final : public tlm::tlm_mm_interface {
 public:
  /// A payload that is held once and has an incomplete response.
  tlm::tlm_generic_payload& take() {
    if (free_.empty()) free_.push_back(all_.emplace_back(std::make_unique<tlm::tlm_generic_payload>(this)).get());
    tlm::tlm_generic_payload& payload = *free_.back();
    free_.pop_back();
    ++out;
    payload.acquire();
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_dmi_allowed(false);
    payload.set_byte_enable_ptr(nullptr);
    return payload;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    --out;
    free_.push_back(payload);
  }
  int out = 0;

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

/// Fills in an ordinary read or write.
inline void set_access(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                       unsigned char* data, unsigned length) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_byte_enable_length(0);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace weft::mem::test
