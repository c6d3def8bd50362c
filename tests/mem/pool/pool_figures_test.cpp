// SPDX-License-Identifier: Apache-2.0
// The lines of memory.csv that a pool has, by hand, and requests that are taken before their edge.
#include <gtest/gtest.h>

#include <deque>
#include <sstream>

#include "mem/pool/pool_controller.h"
#include "tests/mem/pool/pool_bench.h"

namespace weft::mem {
namespace {

struct Owner : RequestOwner {
  Request& make(std::uint32_t initiator, Command command, std::uint64_t address, std::uint64_t bytes) {
    Request& request = requests.emplace_back();
    request.id = requests.size() - 1;
    request.initiator = initiator;
    request.command = command;
    request.address = request.physical = address;
    request.bytes = bytes;
    request.owner = this;
    at.push_back(kNever);
    return request;
  }
  void served(Request& request, Cycle now) override { at[request.id] = now; }

  std::deque<Request> requests;
  std::vector<Cycle> at;
};

TEST(PoolFigures, lines_of_controllers_and_modules) {
  PoolSpec spec = test::small_pool();  // a read of 64 bytes takes 63 cycles
  spec.controllers = 2;
  Owner owner;
  PoolController pool(spec, 1 << 20);
  pool.take(owner.make(0, Command::kRead, 0, 64), 10);
  pool.take(owner.make(1, Command::kWrite, 4096, 128), 100);  // two flits: one cycle more there, one in the module
  pool.take(owner.make(2, Command::kRead, 0, 64), 200);       // the third socket uses the first controller
  pool.count_refused(owner.make(1, Command::kRead, 0, 8));
  EXPECT_EQ(pool.deadline(), 10U);
  pool.advance(999);
  EXPECT_EQ(owner.at[0], 73U);
  EXPECT_EQ(owner.at[1], 165U);
  EXPECT_EQ(owner.at[2], 263U);
  EXPECT_EQ(pool.deadline(), kNever);
  std::ostringstream table;
  write_memory_csv(pool.figures("pool"), table);
  // 1000 edges. At the first controller 2 x 63 cycles of one request; in the module from the edge of arrival to that of
  // the last flit sent: 51 cycles of each read, and 53 of the write, whose first flit comes a cycle before the last.
  EXPECT_EQ(table.str(), memory_csv_columns() +
                             "\npool.io,0,2,0,0,0,0,0,0.126,1,128,0,63,63\npool.io,1,0,1,0,0,0,0,0.065,1,128,1,65,65\n"
                             "pool.module,0,2,1,0,0,0,0,0.155,1,256,0,,\n");
}

TEST(PoolFigures, catching_up_late_gives_the_same_lines) {
  const auto lines = [](bool late) {
    PoolSpec spec;
    spec.controllers = 2;
    Owner owner;
    PoolController pool(spec, 1 << 20);
    for (std::uint64_t i = 0; i < 50; ++i) {
      Request& request = owner.make(i % 2, i % 3 == 0 ? Command::kWrite : Command::kRead, i * 700, 1 + i * 37);
      pool.take(request, i * 13);
      if (!late) pool.advance(i * 13);
    }
    pool.advance(5000);
    std::ostringstream table;
    write_memory_csv(pool.figures("pool"), table);
    return table.str();
  };
  EXPECT_EQ(lines(true), lines(false));
}

}  // namespace
}  // namespace weft::mem
