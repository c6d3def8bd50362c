// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/packet_reducer.h"

#include "npu/collective/engine/program_cache.h"
#include "npu/collective/form/values.h"
#include "npu/interface/payload_holder.h"

namespace weft::npu {
namespace {

class PacketReducer final : public PacketData {
 public:
  PacketReducer(ReduceOp op, DataType dtype) : op_(op), dtype_(dtype) {}

  void copied(const Packet& packet) override {
    if (packet.payload != nullptr) __atomic_add_fetch(&packet.payload->refs, 1, __ATOMIC_RELAXED);
  }
  void merged(Packet& into, const Packet& from) override {
    WEFT_CHECK(into.payload != nullptr && from.payload != nullptr, "a packet without data meets one in a merge");
    // A sum of its own: the sender's data may still be on the way elsewhere.
    auto sum = std::make_shared<Payload>(bytes_of(into), bytes_of(into) + into.bytes);
    reduce_elements(op_, dtype_, sum->data(), bytes_of(from), into.bytes / element_bytes(dtype_));
    drop(into.payload);
    drop(from.payload);
    into.payload = hold_payload(std::move(sum), into.offset);
  }
  const std::uint8_t* bytes(const Packet& packet) const override { return bytes_of(packet); }
  void read(Packet& packet) override {
    drop(packet.payload);
    packet.payload = nullptr;
  }
  void made(Packet& packet, std::vector<std::uint8_t> bytes) override {
    packet.payload = hold_payload(std::make_shared<Payload>(std::move(bytes)), packet.offset);
  }

 private:
  static const std::uint8_t* bytes_of(const Packet& packet) {
    return packet.payload->data->data() + (packet.offset - packet.payload->first);
  }

  ReduceOp op_;
  DataType dtype_;
};

}  // namespace

std::unique_ptr<PacketData> make_packet_data(const Config& config) {
  if (std::holds_alternative<TrafficWorkload>(config.workload)) return nullptr;
  if (const auto* io = std::get_if<IoWorkload>(&config.workload)) {
    // Copied on the way, never reduced.
    if (io->data == DataMode::kTiming) return nullptr;
    return std::make_unique<PacketReducer>(ReduceOp::kSum, DataType::kInt32);
  }
  const CollectiveSpec& spec = collective_spec(config);
  if (spec.data == DataMode::kTiming) return nullptr;
  return std::make_unique<PacketReducer>(spec.op, spec.dtype);
}

}  // namespace weft::npu
