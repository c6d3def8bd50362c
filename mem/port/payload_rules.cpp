// SPDX-License-Identifier: Apache-2.0
#include "mem/port/payload_rules.h"

#include <algorithm>

namespace weft::mem {
namespace {

bool has_good_byte_enables(const tlm::tlm_generic_payload& payload) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) return true;
  const unsigned length = payload.get_byte_enable_length();
  return length > 0 && std::all_of(enables, enables + length, [](unsigned char enable) {
           return enable == TLM_BYTE_ENABLED || enable == TLM_BYTE_DISABLED;
         });
}

void move_bytes(Storage& storage, const tlm::tlm_generic_payload& payload, std::uint64_t physical) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const std::uint64_t width = pass_bytes(payload);
  for (std::uint64_t i = 0; i < payload.get_data_length(); ++i) {
    if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == TLM_BYTE_DISABLED) continue;
    unsigned char* byte = payload.get_data_ptr() + i;
    if (payload.is_write()) {
      storage.write(physical + i % width, byte, 1);
    } else {
      storage.read(physical + i % width, byte, 1);
    }
  }
}

}  // namespace

tlm::tlm_response_status check_attributes(const tlm::tlm_generic_payload& payload, std::uint64_t size) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_data_length() == 0 || payload.get_streaming_width() == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (!has_good_byte_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::uint64_t bytes = pass_bytes(payload);
  if (bytes > size || payload.get_address() > size - bytes) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

std::uint64_t pass_bytes(const tlm::tlm_generic_payload& payload) {
  return std::min(payload.get_streaming_width(), payload.get_data_length());
}

void move_data(Storage& storage, const tlm::tlm_generic_payload& payload, std::uint64_t physical) {
  if (payload.get_byte_enable_ptr() != nullptr || pass_bytes(payload) < payload.get_data_length()) {
    move_bytes(storage, payload, physical);
  } else if (payload.is_write()) {
    storage.write(physical, payload.get_data_ptr(), payload.get_data_length());
  } else {
    storage.read(physical, payload.get_data_ptr(), payload.get_data_length());
  }
}

}  // namespace weft::mem
