// SPDX-License-Identifier: Apache-2.0
// Keys of the input-queued VC router.
#include "router/keys.h"

#include "base/colour_plan.h"
#include "config/key_builders.h"

namespace weft::router {
namespace {

constexpr std::uint64_t kMostDelay = 1000;

template <typename Field>
ConfigKey delay_key(const std::string& name, std::uint64_t low, const std::string& fallback, const std::string& doc,
                    Field field) {
  return integer_key("fabric.router." + name, low, kMostDelay, fallback, doc, field);
}

void add_delay_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(delay_key(
      "routing_delay", 0, "0", "Cycles of route computation; 0 = the router before has done it (look-ahead).",
      [](auto& c) -> auto& { return c.fabric.router.routing_delay; }));
  keys.push_back(delay_key(
      "vc_alloc_delay", 1, "1", "Cycles of VC allocation.",
      [](auto& c) -> auto& { return c.fabric.router.vc_alloc_delay; }));
  keys.push_back(delay_key(
      "switch_alloc_delay", 1, "1", "Cycles of switch allocation.",
      [](auto& c) -> auto& { return c.fabric.router.switch_alloc_delay; }));
  keys.push_back(delay_key(
      "traversal_delay", 1, "1", "Cycles of switch traversal.",
      [](auto& c) -> auto& { return c.fabric.router.traversal_delay; }));
  keys.push_back(delay_key(
      "credit_delay", 0, "2", "Cycles between a credit's arrival and its use.",
      [](auto& c) -> auto& { return c.fabric.router.credit_delay; }));
  keys.push_back(delay_key(
      "hop_cycles", 0, "0", "Cycles added to every hop.", [](auto& c) -> auto& { return c.fabric.router.hop_cycles; }));
  keys.push_back(delay_key(
      "turn_cycles", 0, "0", "Cycles added where a packet leaves in another dimension than it came in.",
      [](auto& c) -> auto& { return c.fabric.router.turn_cycles; }));
}

}  // namespace

void add_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(integer_key(
      "fabric.router.vcs", 1, 25, "4", "Virtual channels per port.",
      [](auto& c) -> auto& { return c.fabric.router.vcs; }));
  keys.push_back(integer_key(
      "fabric.router.buffer_flits", 1, 65535, "8",
      "Buffer of each VC at each input, in flits. Below rate x round trip the link cannot be kept busy.",
      [](auto& c) -> auto& { return c.fabric.router.buffer_flits; }));
  add_delay_keys(keys);
  keys.push_back(word_key(
      "fabric.router.vc_reuse", vc_reuse_names(), "tail_sent",
      "When an output VC may be given to the next packet: when the tail flit has won switch allocation, or when the "
      "tail's credit is back.",
      [](auto& c) -> auto& { return c.fabric.router.vc_reuse; }));
  keys.push_back(boolean_key(
      "fabric.router.speculative", "false", "Head flits ask for the switch in the cycle of their VC allocation.",
      [](auto& c) -> auto& { return c.fabric.router.speculative; }));
  keys.push_back(name_key(
      "fabric.router.allocator", allocator_names(), "separable_input_first", "Allocator of VCs and of the switch.",
      [](auto& c) -> auto& { return c.fabric.router.allocator; }));
  keys.push_back(integer_key(
      "fabric.router.allocator_iterations", 1, 16, "1", "Iterations of the allocator in one cycle.",
      [](auto& c) -> auto& { return c.fabric.router.allocator_iterations; }));
  keys.push_back(name_key(
      "fabric.router.arbiter", arbiter_names(), "round_robin",
      "Arbiter inside of the allocator; both allocators have this one.",
      [](auto& c) -> auto& { return c.fabric.router.arbiter; }));
  keys.push_back(integer_key(
      "fabric.router.colours", 0, kMostColours, "0",
      "Colours: routes that are set up before the run, for wafer algorithms of a single collective. A flit on such a "
      "route takes the link latency per hop and nothing else. 0 = messages go through VCs.",
      [](auto& c) -> auto& { return c.fabric.router.colours; }));
  keys.push_back(boolean_key(
      "fabric.router.multicast", "false",
      "Routers copy the packets of a message to several ranks, for a single collective; otherwise each rank gets a "
      "message of its own. On set-up routes they always do.",
      [](auto& c) -> auto& { return c.fabric.router.multicast; }));
  keys.push_back(delay_key(
      "merge_cycles", 1, "1", "Latency of merging two flits in a router (in-router reduction); one merge per cycle.",
      [](auto& c) -> auto& { return c.fabric.router.merge_cycles; }));
}

}  // namespace weft::router
