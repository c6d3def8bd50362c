// SPDX-License-Identifier: Apache-2.0
// A look at I/O controllers sees what they do, and whose messages and timers lie in an interface that they share with
// an NPU.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sc_models/memory/io_memory_port.h"
#include "sc_models/memory/load_store_service.h"
#include "sc_models/shared_interface.h"
#include "tests/sc_models/support/fake_interface.h"
#include "tests/support/told_apart.h"

namespace weft::sc_models {
namespace {

using weft::test::expect_told_apart;
using weft::test::look_equal;
using IoLook = weft::test::Look;

/// Has packets of 32 bytes as long as it wants to, which may enter the fabric when a test says so.
class IoPackets final : public IoService {
 public:
  std::uint64_t next_packet() override { return left > 0 ? 32 : 0; }
  bool may_enter() const override { return enters; }
  npu::Message take_packet() override {
    --left;
    return {};
  }
  void on_data(const npu::Delivery&) override {}
  void on_timer(std::uint64_t) override {}
  void put_state(StateForm& form) override { form.same(state); }
  void keep(Checkpoint&) override {}

  int left = 1;
  bool enters = true;
  std::uint64_t state = 0;
};

/// A controller whose line takes 32/3 cycles for a packet.
struct ControllerBench {
  FakeInterface network;
  IoController controller{{NodeId{7}, {}, "io"}, {{3, 8}, 8}, network};
  IoPackets packets;

  ControllerBench() { controller.set_service(packets); }
  /// The line begins to bring a packet.
  void bring() { controller.go_on(); }
  /// It has brought it.
  void brought(bool may_enter) {
    packets.enters = may_enter;
    network.tell_timer(network.timers.size() - 1);
  }
  /// What was sent last has entered the fabric.
  void sent() { controller.on_sent(npu::MessageId(static_cast<std::uint32_t>(network.sent.size() - 1))); }
};

IoLook of_controller(const std::function<void(ControllerBench&)>& bring_there) {
  return [=](StateForm& form) {
    ControllerBench bench;
    bring_there(bench);
    bench.controller.put_state(form);
  };
}

// The line has taken the same time for a packet in all of these.
TEST(IoForm, where_the_packet_of_a_line_is_is_looked_at) {
  expect_told_apart({{"on the line", of_controller([](ControllerBench& b) { b.bring(); })},
                     {"at its end", of_controller([](ControllerBench& b) {
                        b.bring();
                        b.brought(false);
                      })},
                     {"on its way into the fabric", of_controller([](ControllerBench& b) {
                        b.bring();
                        b.brought(true);
                      })},
                     {"away", of_controller([](ControllerBench& b) {
                        b.bring();
                        b.brought(true);
                        b.sent();
                      })}});
}

// A packet of 32 bytes takes 10 2/3 cycles: the phase of one is that of four.
TEST(IoForm, how_long_a_line_is_busy_is_looked_at) {
  const auto after = [](int packets) {
    return of_controller([=](ControllerBench& b) {
      b.packets.left = packets;
      for (int i = 0; i < packets; ++i) {
        b.bring();
        b.brought(true);
        b.sent();
      }
    });
  };
  expect_told_apart({{"free", after(0)}, {"one packet", after(1)}, {"two packets", after(2)}, {"four", after(4)}});
  EXPECT_TRUE(look_equal(after(0), after(1), 11));
}

TEST(IoForm, what_drives_a_controller_is_looked_at) {
  const auto state = [](std::uint64_t word) {
    return of_controller([=](ControllerBench& b) { b.packets.state = word; });
  };
  expect_told_apart({{"one", state(1)}, {"another", state(2)}});
}

// Two messages beside the line are under way, too.
TEST(IoForm, which_message_is_the_packet_of_the_line_is_looked_at) {
  const auto message = [](std::uint32_t id, bool has_left) {
    return [=](StateForm& form) {
      ControllerBench bench;
      bench.controller.send({});
      bench.bring();
      bench.brought(true);
      if (has_left) bench.sent();
      bench.controller.put_message(form, npu::MessageId{id});
    };
  };
  EXPECT_FALSE(look_equal(message(0, false), message(1, false)));
  EXPECT_FALSE(look_equal(message(1, true), message(1, false)));
  EXPECT_TRUE(look_equal(message(0, false), message(0, true)));
}

/// Two planes of switches with four NPUs and two controllers that are nodes, or a mesh with two at its border.
Config config_of(FabricKind kind) {
  Config config;
  config.fabric.kind = kind;
  config.fabric.size_x = 2;
  config.fabric.size_y = 2;
  config.fabric.flit_bytes = 8;
  config.fabric.io.controllers = 2;
  config.fabric.fred.planes = kind == FabricKind::kFred ? 2 : 1;
  config.npu.packet_bytes = 32;
  config.memory.piece = 128;
  return config;
}

/// The service of controller 1, with groups of two NPUs.
struct ServiceBench {
  explicit ServiceBench(FabricKind kind) : config(config_of(kind)) { plan.use_groups({group(0), group(1)}); }
  static npu::SharedGroup group(std::uint32_t number) {
    return std::make_shared<npu::CommGroup>(
        npu::CommGroup{number, "group", {NodeId{2 * number}, NodeId{2 * number + 1}}, {}});
  }
  /// NPU 0 loads `bytes` bytes for group 1 as the given piece.
  void ask(std::uint64_t bytes, std::uint32_t piece = 0) {
    mem::IoTag tag;
    tag.grouped = true;
    tag.who = 1;
    tag.piece = piece;
    tag.controller = 1;
    const auto request = to_payload(mem::IoRequest{bytes});
    npu::Delivery delivery;
    delivery.src = NodeId{0};
    delivery.tag = for_controller(tag);
    delivery.bytes = delivery.message_bytes = request->size();
    delivery.last = true;
    delivery.data = request->data();
    controller.on_data(delivery);
  }
  /// The memory has served it.
  void serve() { network.tell_timer(network.timers.size() - 1); }

  Config config;
  IoPlan plan{config, nullptr};
  FakeInterface network;
  IoController controller{plan.sites()[1], {{1, 1}, 8}, network};
  LoadStoreService service{plan, 1, controller};
};

IoLook of_service(FabricKind kind, const std::function<void(ServiceBench&)>& bring_there) {
  return [=](StateForm& form) {
    ServiceBench bench(kind);
    bring_there(bench);
    bench.controller.put_state(form);
  };
}

/// The last look of three must fail where what it looks at has grown as `shares` say, each of so many packets.
bool loads_repeat(const std::vector<std::vector<std::uint64_t>>& shares) {
  StateForm form;
  std::size_t look = 0;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    form.begin(pass, 0, 1);
    of_service(FabricKind::kFred, [&](ServiceBench& b) {
      for (const std::uint64_t packets : shares[look]) {
        b.ask(32 * packets);
        b.serve();
      }
    })(form);
    ++look;
    if (!form.end()) return false;
  }
  return true;
}

// Loads of a group take the planes in turn, packet by packet: which of two planes is next is part of the state. Bytes
// and shares grow evenly in all of these.
TEST(IoForm, the_plane_of_the_next_packet_is_looked_at) {
  EXPECT_TRUE(loads_repeat({{}, {2}, {2, 2}}));
  EXPECT_FALSE(loads_repeat({{}, {1}, {1, 1}}));
}

TEST(IoForm, loads_at_a_controller_are_looked_at) {
  expect_told_apart({{"none", of_service(FabricKind::kMesh, [](ServiceBench&) {})},
                     {"one", of_service(FabricKind::kMesh, [](ServiceBench& b) { b.ask(32); })},
                     {"a longer one", of_service(FabricKind::kMesh, [](ServiceBench& b) { b.ask(64); })}});
  // The tag of a load grows from piece to piece.
  const auto look = [](std::uint32_t piece) {
    return of_service(FabricKind::kMesh, [=](ServiceBench& b) { b.ask(32, piece); });
  };
  EXPECT_TRUE(look_equal(look(0), look(1)));
}

/// An endpoint behind a shared interface.
class SilentEndpoint final : public npu::Endpoint {
 public:
  explicit SilentEndpoint(npu::NetworkInterface& network) { network.attach(*this); }
  void on_data(const npu::Delivery&) override {}
  void on_sent(npu::MessageId) override {}
  void on_timer(std::uint64_t) override {}
  void put_timer(StateForm& form, std::uint64_t cookie) override { form.same(cookie + state); }
  void put_message(StateForm& form, npu::MessageId) override { form.same(state); }
  void put_state(StateForm& form) override { form.same(state); }

  std::uint64_t state = 0;
};

/// An NPU and two controllers at one interface. All have sent a message, in the given order, and set a timer.
struct SharedBench {
  FakeInterface network;
  SharedInterface shared{network};
  npu::NetworkInterface* interfaces[3] = {&shared.for_npu(), &shared.for_controller(3), &shared.for_controller(4)};
  SilentEndpoint endpoints[3] = {SilentEndpoint(*interfaces[0]), SilentEndpoint(*interfaces[1]),
                                 SilentEndpoint(*interfaces[2])};

  SharedBench() {
    for (npu::NetworkInterface* interface : interfaces) {
      interface->send({}, 0);
      interface->schedule(5, 17);
    }
  }
};

TEST(IoForm, who_is_behind_a_shared_interface_is_looked_at) {
  const auto timer = [](std::size_t whose, std::uint64_t state = 0) {
    return [=](StateForm& form) {
      SharedBench made;
      made.endpoints[whose].state = state;
      made.shared.put_timer(form, made.network.timers[whose].second);
    };
  };
  expect_told_apart({{"NPU", timer(0)},
                     {"NPU with another state", timer(0, 1)},
                     {"controller 3", timer(1)},
                     {"controller 3 with another state", timer(1, 1)},
                     {"controller 4", timer(2)}});
  const auto message = [](std::uint32_t whose, std::uint64_t state = 0) {
    return [=](StateForm& form) {
      SharedBench made;
      made.endpoints[whose].state = state;
      made.shared.put_message(form, npu::MessageId{whose});
    };
  };
  expect_told_apart({{"NPU", message(0)},
                     {"NPU with another state", message(0, 1)},
                     {"controller 3", message(1)},
                     {"controller 3 with another state", message(1, 1)},
                     {"controller 4", message(2)}});
  const auto state = [](std::size_t whose) {
    return [=](StateForm& form) {
      SharedBench made;
      made.endpoints[whose].state = 1;
      made.shared.put_state(form);
    };
  };
  expect_told_apart({{"NPU", state(0)}, {"controller 3", state(1)}, {"controller 4", state(2)}});
}

/// The loads and stores of NPU 0. A message to all members of a group counts as often as it was sent.
struct PortBench {
  Config config = config_of(FabricKind::kMesh);
  IoPlan plan{config, nullptr};
  FakeInterface network;
  IoMemoryPort port{plan, RankId{0}, network, [](std::uint64_t) {}, nullptr, false};

  explicit PortBench(std::uint64_t bytes) {
    npu::MemoryOrder order;
    order.bytes = bytes;
    port.start(order);
  }
};

TEST(IoForm, loads_of_a_port_and_their_messages_are_looked_at) {
  const auto state = [](std::uint64_t bytes) {
    return [=](StateForm& form) { PortBench(bytes).port.put_state(form); };
  };
  expect_told_apart({{"one piece", state(100)}, {"two pieces", state(200)}});
  const auto message = [](bool is_its_own) {
    return [=](StateForm& form) {
      PortBench made(100);
      EXPECT_EQ(made.port.put_message(form, npu::MessageId{is_its_own ? 0U : 99U}), is_its_own);
    };
  };
  expect_told_apart({{"its own", message(true)}, {"another one's", message(false)}});
}

}  // namespace
}  // namespace weft::sc_models
