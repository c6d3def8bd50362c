// SPDX-License-Identifier: Apache-2.0
// The numbers of a transformer and of its split over ranks; every generator of training steps starts from them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "npu/tracegen/spec_numbers.h"

namespace weft::npu {

/// What becomes of heads and d_ff that do not divide over tp ranks, and of layers that do not divide over pp stages.
enum class Uneven {
  kRefuse,   ///< an error
  kLargest,  ///< every rank of a tensor parallel group has the largest share
  kIdeal,    ///< every rank of a tensor parallel group has the same fraction, rounded up to operations and elements
};

const NameTable<Uneven>& uneven_names();

/// The order of the forward and backward passes of the micro-batches on a pipeline stage.
enum class PipelineSchedule {
  kGpipe,     ///< all forward passes, then all backward passes
  kOneFOneB,  ///< one of each in turn, behind as many forward passes as there are stages after this one
};

const NameTable<PipelineSchedule>& schedule_names();

/// A decoder-only transformer and how a step of it is split. Sizes are those of the whole model.
struct TransformerSpec {
  std::uint64_t layers = 4;
  std::uint64_t d_model = 1024;
  std::uint64_t d_ff = 4096;
  std::uint64_t seq = 512;
  std::uint64_t batch = 16;
  std::uint64_t heads = 16;
  std::uint64_t vocab = 32000;
  std::uint64_t dp = 1;
  std::uint64_t tp = 1;
  std::uint64_t pp = 1;
  std::uint64_t microbatches = 1;
  std::uint64_t bytes_per_element = 2;
  std::uint64_t zero = 0;
  std::uint64_t scale = 1;  ///< divides operations and bytes of every node
  Uneven uneven = Uneven::kRefuse;
  PipelineSchedule schedule = PipelineSchedule::kOneFOneB;
  std::uint64_t iterations = 1;  ///< each starts when the weights of the one before have been updated
  bool overlap = true;           ///< TransformerTrace alone: gradients are reduced beside the backward pass
};

/// All numbers of the specification, in order.
std::vector<SpecNumber> transformer_numbers(TransformerSpec& spec);

/// Throws InputError, with all reasons, where a number is out of range or does not divide as needed.
void check_transformer(const TransformerSpec& spec);

/// The published shape of a model.
struct ModelPreset {
  const char* name;
  const char* help;
  std::uint64_t layers;
  std::uint64_t d_model;
  std::uint64_t d_ff;
  std::uint64_t seq;
  std::uint64_t heads;
  std::uint64_t vocab;
};

/// All presets, in order.
const std::vector<ModelPreset>& model_presets();

/// Takes over the preset's shape; the split, the batch and the rest stay. InputError, with the nearest and all legal
/// names, if there is no such preset.
void apply_preset(TransformerSpec& spec, std::string_view name);

/// Sets dp so that `ranks` = dp x tp x pp. InputError if that does not divide, or if `dp_given` and dp says otherwise.
void spread_over(TransformerSpec& spec, std::uint64_t ranks, bool dp_given);

}  // namespace weft::npu
