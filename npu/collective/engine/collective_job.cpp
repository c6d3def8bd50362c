// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/collective_job.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "config/names.h"
#include "npu/collective/engine/chunk_run.h"

namespace weft::npu {
namespace {

std::uint64_t element_unit(const CollectiveRequest& request) {
  const std::uint64_t bytes = element_bytes(request.dtype);
  if (request.bytes % bytes == 0) return bytes;
  if (request.data == DataMode::kTiming) return 1;
  throw InputError(fmt::format("collective {}: {} bytes are no whole number of {}-byte elements", request.name,
                               request.bytes, bytes));
}

std::uint64_t data_elements(const CollectiveRequest& request, std::uint64_t unit) {
  return request.kind == CollectiveKind::kBarrier ? 0 : request.bytes / unit;
}

}  // namespace

CollectiveJob::CollectiveJob(const CollectiveRequest& given, std::shared_ptr<const CollectivePlan> its_plan)
    : request(given),
      plan(std::move(its_plan)),
      program(plan->program),
      unit(element_unit(request)),
      geometry(program->shape(), data_elements(request, unit), request.chunks) {
  if (!values()) return;
  memory.resize(kBuffers);
  const ProgramShape& shape = program->shape();
  for (int b = 0; b < kBuffers; ++b) {
    const auto buffer = static_cast<Buffer>(b);
    const bool real = buffer == Buffer::kScratch || shape.canonical(rank(), {buffer, 0, 1, 1}).buffer == buffer;
    if (real) memory[static_cast<std::size_t>(b)].resize(geometry.total(rank(), buffer) * unit);
  }
  if (!shape.has_input(rank())) return;
  const Slice input = shape.canonical(rank(), {Buffer::kInput, 0, 1, 1});
  const std::uint64_t bytes = geometry.total(rank(), Buffer::kInput) * unit;
  if (bytes == 0) return;
  WEFT_CHECK(request.input != nullptr && request.input->size() == bytes,
             fmt::format("collective {}: rank {} must bring an input of {} bytes", request.name, rank(), bytes));
  const std::uint64_t offset = geometry.offset(rank(), input.buffer, input.first, 0) * unit;
  std::memcpy(memory[static_cast<std::size_t>(input.buffer)].data() + offset, request.input->data(), bytes);
}

CollectiveJob::~CollectiveJob() = default;

std::shared_ptr<const Payload> CollectiveJob::result() const {
  if (!values()) return nullptr;
  auto result = std::make_shared<Payload>();
  if (!program->shape().has_output(rank())) return result;
  const Slice output = program->shape().canonical(rank(), {Buffer::kOutput, 0, 1, 1});
  const Payload& from = memory[static_cast<std::size_t>(output.buffer)];
  const auto offset = static_cast<std::ptrdiff_t>(geometry.offset(rank(), output.buffer, output.first, 0) * unit);
  const auto bytes = static_cast<std::ptrdiff_t>(geometry.total(rank(), Buffer::kOutput) * unit);
  result->assign(from.begin() + offset, from.begin() + offset + bytes);
  return result;
}

}  // namespace weft::npu
