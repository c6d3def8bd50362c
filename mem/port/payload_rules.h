// SPDX-License-Identifier: Apache-2.0
// What the attributes of a generic payload ask for, and the errors they call for (IEEE 1666-2011, 14.7 to 14.17).
#pragma once

#include <tlm>

#include "mem/storage.h"

namespace weft::mem {

/// The response that the attributes of a read or write alone call for; TLM_OK_RESPONSE when nothing is wrong with them.
/// `size` bytes can be addressed. TLM_IGNORE_COMMAND is always in order.
tlm::tlm_response_status check_attributes(const tlm::tlm_generic_payload& payload, std::uint64_t size);

/// Bytes of one pass: a streaming width below the data length starts again at the same address.
std::uint64_t pass_bytes(const tlm::tlm_generic_payload& payload);

/// Moves the data of a read or write, byte enables and streaming width obeyed. `physical` stands for its address.
void move_data(Storage& storage, const tlm::tlm_generic_payload& payload, std::uint64_t physical);

}  // namespace weft::mem
