// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_gen.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "cli/name_option.h"
#include "config/names.h"
#include "npu/tracegen/collective_trace.h"
#include "npu/tracegen/moe_trace.h"
#include "npu/tracegen/resnet_trace.h"
#include "npu/tracegen/weight_streaming_trace.h"
#include "npu/tracegen/zero2_trace.h"

namespace weft::cli {
namespace {

void add_out_prefix(const Command& command, std::string& out) {
  command
      .option("--out", out,
              "files are OUT.RANK.et; groups, if any, go to comm_group.json, their training phases to "
              "group_phases.json beside them")
      .required()
      .type_name("PREFIX");
}

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  try {
    return parse_quantity(text, Dimension::kBytes).num;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}", option, text, error.what()));
  }
}

Option add_number(const Command& command, const npu::SpecNumber& number) {
  const std::string names = number.name == "tp" ? "--tp,--mp" : "--" + number.name;
  return command.option(names, *number.value, number.help).show_default().range(number.least, number.most);
}

// The options of a training step: its numbers, a preset that they override, and the number of ranks instead of dp.
class StepOptions {
 public:
  void add_to(const Command& command, const std::vector<npu::SpecNumber>& numbers) {
    for (const npu::SpecNumber& number : numbers) {
      const Option option = add_number(command, number);
      options_.emplace_back(option, number.value);
      if (number.name == "dp") dp_ = option;
    }
    std::string models =
        "the shape of a model (layers, d-model, d-ff, seq, heads, vocab), which other options override:";
    for (const npu::ModelPreset& preset : npu::model_presets()) {
      models += fmt::format("\n{}: {}", preset.name, preset.help);
    }
    command.option("--model", model_, models).type_name("NAME");
    command
        .option(
            "--uneven", uneven_,
            "what becomes of heads, d-ff and vocab that are no multiples of tp, and of layers that are none of pp:\n"
            "refuse: an error\n"
            "largest: every rank of a tp group has the work and bytes of the one with the most, since all wait for it\n"
            "ideal: heads and d-ff are divided as real numbers; work and bytes are rounded up to operations and "
            "elements\n"
            "In the last two, vocab is padded to a multiple of tp and the first stages have one layer more.")
        .show_default()
        .type_name("WORD");
    npus_ = command.option("--npus", ranks_, "ranks in all; dp is what tp and pp leave of them").type_name("UINT");
    add_out_prefix(command, out);
  }

  /// Puts preset and number of ranks into `spec`, whose numbers add_to was given.
  void settle(npu::TransformerSpec& spec) const {
    if (!model_.empty()) {
      std::vector<std::pair<std::uint64_t*, std::uint64_t>> given;
      for (const auto& [option, value] : options_) {
        if (option.given()) given.emplace_back(value, *value);
      }
      npu::apply_preset(spec, model_);
      for (const auto& [value, number] : given) *value = number;
    }
    spec.uneven = enum_of("--uneven", uneven_, npu::uneven_names());
    if (npus_->given()) npu::spread_over(spec, ranks_, dp_->given());
  }

  std::string out;

 private:
  std::vector<std::pair<Option, std::uint64_t*>> options_;
  std::optional<Option> dp_;
  std::optional<Option> npus_;
  std::uint64_t ranks_ = 0;
  std::string model_;
  std::string uneven_ = "refuse";
};

void add_gen_collective(const Command& gen) {
  struct Options {
    npu::CollectiveTraceSpec spec;
    std::string kind = "all_reduce";
    std::string size = "1 MiB";
    std::string out;
  };
  const Command command = gen.subcommand("collective", "Collectives over all ranks, one after the other");
  auto o = std::make_shared<Options>();
  command.option("--kind", o->kind, "all_reduce, all_gather, ...: as in workload.collective.kind").show_default();
  command.option("--ranks", o->spec.ranks, "number of ranks").show_default();
  command.option("--size", o->size, "as Chakra's comm_size, with unit").show_default();
  command.option("--count", o->spec.count, "how many").show_default();
  add_out_prefix(command, o->out);
  command.footer(
      "Example:\n  weft trace gen collective --kind all_gather --ranks 16 --size \"64 KiB\" --out traces/ag");
  command.action([o] {
    o->spec.kind = enum_of("--kind", o->kind, collective_kind_names());
    o->spec.bytes = o->spec.kind == CollectiveKind::kBarrier ? 0 : parse_bytes("--size", o->size);
    npu::write_trace(npu::CollectiveTrace(o->spec), o->out, std::cout);
  });
}

npu::TransformerSpec& model_of(npu::TransformerSpec& spec) { return spec; }
template <typename Spec>
npu::TransformerSpec& model_of(Spec& spec) {
  return spec.model;
}

// A generator of training steps: a command that makes a `Trace` of a `Spec`.
template <typename Trace, typename Spec>
struct StepCommand {
  Command app;
  std::shared_ptr<Spec> spec;  ///< for options that are no numbers

  StepCommand(const Command& gen, const std::string& name, const std::string& text,
              std::vector<npu::SpecNumber> (*numbers)(Spec&), const std::string& footer)
      : app(gen.subcommand(name, text)), spec(std::make_shared<Spec>()) {
    auto step = std::make_shared<StepOptions>();
    step->add_to(app, numbers(*spec));
    add_number(app, npu::iterations_number(model_of(*spec).iterations));
    app.footer(footer);
    app.action([spec = spec, step] {
      step->settle(model_of(*spec));
      npu::write_trace(Trace(*spec), step->out, std::cout);
    });
  }
};

void add_schedule(const Command& command, npu::TransformerSpec& spec) {
  const auto take = [&spec](const std::string& word) {
    spec.schedule = enum_of("--schedule", word, npu::schedule_names());
  };
  command
      .option_with("--schedule", take,
                   "the order of the passes of micro-batches on a pipeline stage:\n"
                   "gpipe: all forward passes, then all backward passes\n"
                   "1f1b: one forward and one backward pass in turn; a stage holds at most as many micro-batches as\n"
                   "there are stages from it to the last one")
      .show_default("1f1b")
      .type_name("WORD");
}

void add_gen_transformer(const Command& gen) {
  const StepCommand<npu::TransformerTrace, npu::TransformerSpec> command(
      gen, "transformer", "One training step of a decoder-only transformer", npu::transformer_numbers,
      "Ranks are dp x tp x pp. Example:\n  weft trace gen transformer --layers 8 --dp 5 --tp 2 --pp 2 "
      "--batch 40 --microbatches 2 --out traces/step");
  add_schedule(command.app, *command.spec);
  command.app.flag(
      "--overlap,!--no-overlap", command.spec->overlap,
      "reduce the gradients of each layer beside the backward pass of the layers before it (the default), or "
      "all of\na rank at once behind its last backward pass");
}

void add_gen_weight_streaming(const Command& gen) {
  const StepCommand<npu::WeightStreamingTrace, npu::WeightStreamingSpec> command(
      gen, "weight-streaming", "A transformer step whose weights are streamed through the wafer",
      npu::weight_streaming_numbers,
      "A layer has W = 4 d-model^2 + 2 d-model d-ff weights. Each rank loads W / tp of them in the forward and again "
      "in "
      "the\nbackward pass and stores as many gradients; embedding and head, vocab x d-model each, are loaded and "
      "stored "
      "once.\nWithout parts loads and stores name the dp group: one tensor for all replicas, one sum of all "
      "gradients.\nExample:\n"
      "  weft trace gen weight-streaming --model gpt3-like --scale 1000 --npus 20 --mp 2 --pp 2 --batch 80 "
      "--microbatches 4 --out traces/gpt3");
  command.app.flag("--loads-first", command.spec->loads_first,
                   "the gradients of a layer leave when the load that starts at the end of its work has ended; by "
                   "default both start\ntogether");
}

void add_gen_zero2(const Command& gen) {
  const StepCommand<npu::Zero2Trace, npu::Zero2Spec> command(
      gen, "zero2", "A data parallel transformer step with ZeRO stage 2", npu::zero2_numbers,
      "Every micro-batch reduce-scatters its gradients, bucket by bucket, during its backward pass; then each rank "
      "updates\n1/dp of every bucket and an all-gather gives everybody the weights.\nExample:\n"
      "  weft trace gen zero2 --npus 20 --layers 8 --batch 40 --microbatches 2 --bucket \"8 MiB\" --out traces/zero2");
  const auto bucket = [spec = command.spec](const std::string& text) {
    spec->bucket_bytes = parse_bytes("--bucket", text);
  };
  command.app.option_with("--bucket", bucket, "gradients of one reduce-scatter at most, before scaling, with unit")
      .show_default("25 MiB");
}

void add_gen_moe(const Command& gen) {
  const StepCommand<npu::MoeTrace, npu::MoeSpec> command(
      gen, "moe", "A transformer step with a mixture of experts in every layer", npu::moe_numbers,
      "With T tokens of a micro-batch a rank gives every expert C = ceil(T top-k capacity / (100 experts)) places; "
      "dispatch\nand combine are all-to-alls of experts x C x d-model elements among ep ranks. A rank holds experts / "
      "ep "
      "experts of a\nlayer, 2 d-model d-ff / tp weights each.\nExample:\n"
      "  weft trace gen moe --npus 16 --ep 8 --experts 16 --batch 32 --experts-from-pool --out traces/moe");
  add_schedule(command.app, command.spec->model);
  command.app.flag("--experts-from-pool", command.spec->experts_from_pool,
                   "load the experts' weights before every use, store their gradients");
}

void add_gen_resnet(const Command& gen) {
  struct Options {
    npu::ResnetSpec spec;
    std::string out;
  };
  const Command command = gen.subcommand("resnet", "Data parallel training of ResNet-152");
  auto o = std::make_shared<Options>();
  for (const npu::SpecNumber& number : npu::resnet_numbers(o->spec)) add_number(command, number);
  command.flag(
      "--overlap", o->spec.overlap,
      "an all-reduce for the gradients of each layer, beside the backward passes of the layers before it; without "
      "it there\nis one of all gradients behind the whole backward pass");
  add_out_prefix(command, o->out);
  command.footer(
      "A forward pass has 23.03e9 operations a sample (a multiply-add is two), a backward pass twice as many; there "
      "are "
      "60192808\nparameters.\nExample:\n  weft trace gen resnet --npus 20 --batch 320 --iterations 2 --out "
      "traces/resnet");
  command.action([o] { npu::write_trace(npu::ResnetTrace(o->spec), o->out, std::cout); });
}

}  // namespace

void add_trace_gen(const Command& trace) {
  const Command gen = trace.subcommand("gen", "Make a trace from a few numbers");
  gen.require_subcommand();
  gen.footer(R"(Examples:
  weft trace gen collective --kind all_reduce --ranks 8 --size "1 MiB" --out traces/ar
  weft trace gen transformer --layers 8 --dp 5 --tp 2 --pp 2 --batch 20 --out traces/step
`weft trace gen KIND --help` lists the numbers of a kind.)");
  add_gen_collective(gen);
  add_gen_transformer(gen);
  add_gen_weight_streaming(gen);
  add_gen_zero2(gen);
  add_gen_moe(gen);
  add_gen_resnet(gen);
}

}  // namespace weft::cli
