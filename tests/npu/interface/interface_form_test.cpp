// SPDX-License-Identifier: Apache-2.0
// A look at the state of network interfaces into routers sees every field of it.
#include <gtest/gtest.h>

#include "tests/npu/support/interface_state.h"

namespace weft::npu {
namespace {

TEST(InterfaceState, each_field_of_what_is_sent_is_looked_at) {
  expect_all_seen(false, {{"packets that enter", [](auto& s) { ++s.sender().entering; }},
                          {"injector that is next", [](auto& s) { ++s.sender().next_injector; }},
                          {"messages sent", [](auto& s) { ++s.sender().message_sequence; }},
                          {"tickets given", [](auto& s) { ++s.sender().tickets; }},
                          {"number of the next packet", [](auto& s) { ++s.sender().packet_sequence; }},
                          {"packets sent", [](auto& s) { ++s.sender().packets_sent; }},
                          {"flits that are left of a packet", [](auto& s) { --s.injector().flits_left; }},
                          {"flits of a packet", [](auto& s) { ++s.injector().flits; }},
                          {"message of a packet", [](auto& s) { s.injector().message ^= 1; }},
                          {"VC of a packet", [](auto& s) { ++s.injector().vc; }},
                          {"whether it is the last one", [](auto& s) { s.injector().last ^= true; }},
                          {"bytes of a packet", [](auto& s) { ++s.packet().bytes; }},
                          {"which packet enters", [](auto& s) { s.enter_another_packet(); }},
                          {"tag of a message", [](auto& s) { ++s.message().tag; }},
                          {"bytes of a message", [](auto& s) { ++s.message().bytes; }},
                          {"destination of a message", [](auto& s) { s.message().dst = NodeId{0}; }},
                          {"order of a message", [](auto& s) { ++s.message().order; }},
                          {"flow of a message", [](auto& s) { ++s.message().switch_flow; }},
                          {"colour of a message", [](auto& s) { ++s.message().colour; }},
                          {"priority of a message", [](auto& s) { ++s.message().priority; }},
                          {"class of a message", [](auto& s) { s.message().message_class = MessageClass::kReply; }},
                          {"whether routers copy it", [](auto& s) { s.message().multicast ^= true; }},
                          {"whether it is an operand", [](auto& s) { s.message().flow ^= true; }},
                          {"whether all is in packets", [](auto& s) { s.outgoing().all_formed ^= true; }},
                          {"whether another queue has it", [](auto& s) { s.outgoing().kept ^= true; }},
                          {"number of a message", [](auto& s) { ++s.outgoing().sequence; }},
                          {"bytes that may leave", [](auto& s) { ++s.outgoing().released; }},
                          {"bytes in packets", [](auto& s) { ++s.outgoing().formed; }},
                          {"ticket of a message", [](auto& s) { ++s.outgoing().ticket; }},
                          {"when its bytes became ready", [](auto& s) { ++s.outgoing().ready_since; }},
                          {"a message less", [](auto& s) { s.sender().messages[1].in_use = false; }},
                          {"need of ready messages", [](auto& s) { ++s.ready().need; }},
                          {"rank of a ready message", [](auto& s) { ++s.ready().heap.at(0).precedence.rank; }},
                          {"ticket of a ready message", [](auto& s) { ++s.ready().heap.at(0).precedence.ticket; }},
                          {"rank of all ready messages",
                           [](auto& s) {
                             for (auto& entry : s.ready().heap) ++entry.precedence.rank;
                           }},
                          {"which message is ready", [](auto& s) { s.ready().heap.at(0).slot ^= 1; }},
                          {"nodes to ask", [](auto& s) { s.active().push_back(1); }},
                          {"a credit under way", [](auto& s) { s.credit_comes(2, 30); }},
                          {"VC of a credit under way", [](auto& s) { ++s.vc_of_credit; }},
                          {"what a message is for",
                           [](auto& s) { ++dynamic_cast<SilentEndpoint&>(s.sending_endpoint()).state_of_messages; }},
                          {"why a link carries nothing", [](auto& s) { s.link_waits(18); }},
                          {"when a link was used", [](auto& s) { s.link_sent(40); }}});
}

TEST(InterfaceState, each_field_of_ports_is_looked_at) {
  const Changes changes{{"free VCs", [](auto& s) { s.port().free ^= 1; }},
                        {"VCs that drain", [](auto& s) { s.port().draining ^= 1; }},
                        {"VC of the last packet", [](auto& s) { ++s.port().last_vc; }},
                        {"credits",
                         [](auto& s) {
                           auto& credits = s.port().credits[3];
                           credits = CreditCount<std::uint16_t>(credits.left() + 1u);
                         }},
                        {"flits of a link", [](auto& s) { ++s.port().flits; }},
                        {"when a link is free", [](auto& s) { s.port().link = LinkRate(); }}};
  expect_all_seen(false, changes);
}

TEST(InterfaceState, each_field_of_colours_is_looked_at) {
  const Changes changes{{"messages of colours", [](auto& s) { s.line().pop_back(); }},
                        {"order of messages of colours", [](auto& s) { std::swap(s.line().at(0), s.line().at(1)); }},
                        {"colours that a packet takes", [](auto& s) { s.taken_colours() ^= 1; }},
                        {"credits of a colour", [](auto& s) {
                           auto& credits = s.colour_credits();
                           credits = CreditCount<std::uint16_t>(credits.left() + 1u);
                         }}};
  expect_all_seen(true, changes);
}

TEST(InterfaceState, each_field_of_what_is_received_is_looked_at) {
  expect_all_seen(false,
                  {{"cycle", [](auto& s) { ++s.now(); }},
                   {"state of an endpoint", [](auto& s) { ++dynamic_cast<SilentEndpoint&>(s.endpoint()).state; }},
                   {"packets received", [](auto& s) { ++s.node().packets_received; }},
                   {"flits received", [](auto& s) { ++s.node().flits_received; }},
                   {"bytes of a message that are there", [](auto& s) { ++s.incoming().second.delivered; }},
                   {"a message of which nothing is there", [](auto& s) { s.forget_message(); }},
                   {"sender of a message", [](auto& s) { s.come_from(std::uint64_t{1} << 32); }},
                   {"number of a message", [](auto& s) { s.come_from(4); }},
                   {"when a flit comes", [](auto& s) { ++s.arrives_at; }},
                   {"where a flit comes", [](auto& s) { s.arrival.node = 0; }},
                   {"VC of a flit that comes", [](auto& s) { ++s.arrival.vc; }},
                   {"which flit comes", [](auto& s) { s.arrival.flit = Flit(0, true, false); }},
                   {"when a near timer fires", [](auto& s) { ++s.near.at; }},
                   {"whose near timer it is", [](auto& s) { s.near.node = 1; }},
                   {"what a near timer is for", [](auto& s) { ++s.near.cookie; }},
                   {"order of two timers of a node in one cycle",
                    [](auto& s) { std::swap(s.in_one_cycle[0].cookie, s.in_one_cycle[1].cookie); }},
                   {"when a far timer fires", [](auto& s) { ++s.far.at; }},
                   {"whose far timer it is", [](auto& s) { s.far.node = 1; }},
                   {"what a far timer is for", [](auto& s) { ++s.far.cookie; }},
                   {"place of a far timer in the order", [](auto& s) { ++s.far.order; }},
                   {"when a timer that stays fires", [](auto& s) { ++s.staying.at; }},
                   {"whose timer that stays it is", [](auto& s) { s.staying.node = 1; }},
                   {"what a timer that stays is for", [](auto& s) { ++s.staying.cookie; }},
                   {"place of a timer that stays in the order", [](auto& s) { ++s.staying.order; }},
                   {"whether a far timer stays", [](auto& s) { s.far.cookie = 108; }},
                   {"timers set", [](auto& s) { ++s.timers_set(); }},
                   {"hops", [](auto& s) { ++s.statistics().hops; }},
                   {"packets of all nodes", [](auto& s) { ++s.statistics().packets_received; }},
                   {"flits of all nodes", [](auto& s) { ++s.statistics().flits_received; }}});
}

}  // namespace
}  // namespace weft::npu
