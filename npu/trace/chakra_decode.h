// SPDX-License-Identifier: Apache-2.0
// From protobuf messages of the Chakra schema to Weft's own types. Internal to the trace reader.
#pragma once

#include <string>

#include "npu/trace/trace_reader.h"

namespace weft::chakra {
class GlobalMetadata;
class Node;
}  // namespace weft::chakra

namespace weft::npu {

/// Decodes one node; `place` (file and byte) opens every error message. Fills everything but `offset`.
TraceRecord decode_node(const chakra::Node& message, const std::string& place);

/// Version and attributes as text.
TraceMetadata decode_metadata(const chakra::GlobalMetadata& message);

/// True for the PyTorch metadata node that holds the process groups in `inputs.values`.
bool holds_process_groups(const chakra::Node& message);

}  // namespace weft::npu
