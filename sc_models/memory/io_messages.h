// SPDX-License-Identifier: Apache-2.0
// Loads and stores over I/O controllers as messages of network interfaces: whose tags they are, and what they carry.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "mem/io/io_protocol.h"
#include "npu/interface/network_interface.h"
#include "npu/player/point_to_point.h"

namespace weft::sc_models {

/// A tag or cookie for the port of an NPU.
constexpr std::uint64_t for_npu(mem::IoTag tag) {
  return npu::kMemoryOwner << npu::kOwnerShift | mem::pack_io_tag(tag);
}
/// A tag for a controller.
constexpr std::uint64_t for_controller(mem::IoTag tag) {
  return npu::kIoOwner << npu::kOwnerShift | mem::pack_io_tag(tag);
}
constexpr mem::IoTag io_tag_of(std::uint64_t tag) { return mem::unpack_io_tag(npu::without_owner(tag)); }

/// All tags of a load or store are of one family: those of its pieces, and of who asks for them. 0: those of others.
constexpr std::uint64_t io_tag_family(std::uint64_t tag) {
  const std::uint64_t owner = npu::owner_of(tag);
  if (owner != npu::kMemoryOwner && owner != npu::kIoOwner) return 0;
  return npu::kMemoryOwner << npu::kOwnerShift | mem::job_of(io_tag_of(tag));
}

template <typename Words>
std::shared_ptr<npu::Payload> to_payload(const Words& words) {
  auto payload = std::make_shared<npu::Payload>(sizeof(words));
  std::memcpy(payload->data(), &words, sizeof(words));
  return payload;
}
template <typename Words>
Words from_payload(const std::uint8_t* data) {
  Words words;
  std::memcpy(&words, data, sizeof(words));
  return words;
}

}  // namespace weft::sc_models
