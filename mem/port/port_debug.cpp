// SPDX-License-Identifier: Apache-2.0
// Debug accesses and pointers of a port: neither takes time.
#include <algorithm>

#include "mem/port/port_core.h"

namespace weft::mem {

using tlm::tlm_generic_payload;

Request PortCore::plain_request(int index, const tlm_generic_payload& payload) const {
  Request request;
  request.initiator = static_cast<std::uint32_t>(index);
  request.command = payload.is_write() ? Command::kWrite : Command::kRead;
  request.address = payload.get_address();
  request.bytes = payload.get_data_length();
  return request;
}

unsigned PortCore::transport_dbg(int index, tlm_generic_payload& payload) {
  accept(domain_.reached());
  Request request = plain_request(index, payload);
  const bool moves = payload.is_read() || payload.is_write();
  if (!moves || payload.get_data_ptr() == nullptr || request.address >= options_.address_space) return 0;
  request.bytes = std::min(request.bytes, options_.address_space - request.address);
  if (request.bytes == 0) return 0;
  Verdict verdict = access_check_.judge_debug(request);
  if (!verdict.allowed && (!options_.debug_all || verdict.reason == Reason::kOutside)) return 0;
  if (payload.is_write()) {
    storage_.write(verdict.physical, payload.get_data_ptr(), request.bytes);
  } else {
    storage_.read(verdict.physical, payload.get_data_ptr(), request.bytes);
  }
  return static_cast<unsigned>(request.bytes);
}

bool PortCore::get_direct_mem_ptr(int index, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  Request request = plain_request(index, payload);
  request.bytes = 1;
  DmiRange range;
  if (options_.dmi && request.address < options_.address_space) range = access_check_.dmi_range(request);
  const bool allowed = payload.is_write() ? range.can_write : range.can_read;
  if (!allowed) {
    dmi.set_start_address(options_.dmi ? request.address : 0);
    dmi.set_end_address(options_.dmi ? request.address : ~std::uint64_t{0});
    return false;
  }
  // Pointers reach as far as the page in which the address lies.
  const std::uint64_t physical = range.physical + (request.address - range.first);
  const std::uint64_t offset = physical % Storage::kPageBytes;
  const std::uint64_t before = std::min(offset, request.address - range.first);
  const std::uint64_t last = std::min(range.last, options_.address_space - 1);
  const std::uint64_t after = std::min(Storage::kPageBytes - 1 - offset, last - request.address);
  dmi.set_dmi_ptr(storage_.page(physical) + (offset - before));
  dmi.set_start_address(request.address - before);
  dmi.set_end_address(request.address + after);
  if (range.can_read && range.can_write) {
    dmi.allow_read_write();
  } else if (range.can_write) {
    dmi.allow_write();
  } else {
    dmi.allow_read();
  }
  ++figures_.dmi_granted;
  return true;
}

void PortCore::invalidate_dmi(std::uint64_t first, std::uint64_t last) {
  for (Initiator& initiator : initiators_) initiator.back->invalidate_direct_mem_ptr(first, last);
}

}  // namespace weft::mem
