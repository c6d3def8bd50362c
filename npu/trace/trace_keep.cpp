// SPDX-License-Identifier: Apache-2.0
// Traces that are being played in a checkpoint: the nodes that are known and not finished, and how much of the file has
// been read.
#include "npu/trace/chakra_feeder.h"
#include "npu/trace/trace_node_keep.h"

namespace weft::npu {

void keep(Checkpoint& checkpoint, TraceNode& node) {
  checkpoint.text(node.name);
  checkpoint.values(node.id, node.type, node.duration_us, node.is_cpu_op, node.assumed_kind, node.comm_bytes,
                    node.priority, node.tag);
  checkpoint.list(node.deps);
  checkpoint.optional(node.num_ops);
  checkpoint.optional(node.tensor_bytes);
  checkpoint.optional(node.collective);
  checkpoint.text(node.group);
  checkpoint.bits(node.involved_dims);
  checkpoint.optional(node.src);
  checkpoint.optional(node.dst);
}

// A file that has not been read is read again as far as it was, and what was read before is dropped. Of one that has
// been read further, what was remembered comes once more.
void ChakraFeeder::keep(Checkpoint& checkpoint) {
  const bool fresh = nodes_read_ == 0;
  WEFT_CHECK(!checkpoint.loads() || fresh || remembers_, "a trace has been read before its state is loaded");
  checkpoint.values(end_, nodes_read_, absent_references_, ignored_control_edges_, running_, peak_live_);
  if (checkpoint.loads() && !fresh) {
    again_.insert(again_.begin(), remembered_.begin(), remembered_.end());
    remembered_.clear();
  }
  if (checkpoint.loads() && fresh) {
    for (std::uint64_t record = 0; record < nodes_read_; ++record) {
      if (!reader_->next()) throw InputError(reader_->name() + ": is shorter than when the run began");
    }
  }
  checkpoint.hashed(live_, [&](Live& live) {
    npu::keep(checkpoint, live.node);
    checkpoint.list(live.control_only);
    checkpoint.values(live.sequence, live.waits_for, live.running);
  });
  checkpoint.hashed(dependents_, [&](std::vector<std::uint64_t>& waiting) { checkpoint.list(waiting); });
  std::vector<Ready> ready;
  for (auto rest = ready_; !rest.empty(); rest.pop()) ready.push_back(rest.top());
  checkpoint.each(ready, [&](Ready& each) { checkpoint.values(each.first, each.second); });
  if (checkpoint.loads()) ready_ = {};
  for (const Ready& each : ready) {
    if (checkpoint.loads()) ready_.push(each);
  }
  finished_.keep(checkpoint);
}

void IdSet::keep(Checkpoint& checkpoint) {
  checkpoint.hashed(partial_, [&](std::uint64_t& bits) { checkpoint.values(bits); });
  checkpoint.map(full_, [&](std::uint64_t& first, std::uint64_t& last) { checkpoint.values(first, last); });
  checkpoint.values(size_);
}

}  // namespace weft::npu
