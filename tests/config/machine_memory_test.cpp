// SPDX-License-Identifier: Apache-2.0
// Memory bounds from files as Linux writes them, and the warning that follows.
#include "config/machine_memory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace weft {
namespace {

using test::write_text;

class MachineMemory : public testing::Test {
 protected:
  /// Writes a file below the root of the machine.
  void file(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((dir_ / path).parent_path());
    write_text(dir_ / path, text);
  }
  void machine_of_8_mib() const { file("proc/meminfo", "MemTotal:        8192 kB\nMemFree:          100 kB\n"); }
  std::uint64_t bound() const { return memory_bound(dir_.path())->bytes; }

  test::TempDir dir_;
};

TEST_F(MachineMemory, of_the_machine) {
  machine_of_8_mib();
  EXPECT_EQ(bound(), 8192U * 1024);
  EXPECT_EQ(memory_bound(dir_.path())->source, "that this machine has");
}

TEST_F(MachineMemory, a_control_group_of_version_2_and_those_above_it) {
  machine_of_8_mib();
  file("proc/self/cgroup", "0::/batch/job\n");
  file("sys/fs/cgroup/batch/job/memory.max", "max\n");
  EXPECT_EQ(bound(), 8192U * 1024);
  file("sys/fs/cgroup/batch/memory.max", "3000000\n");
  EXPECT_EQ(bound(), 3000000U);
  EXPECT_EQ(memory_bound(dir_.path())->source, "that its control group may use");
  file("sys/fs/cgroup/batch/job/memory.max", "2000000\n");
  EXPECT_EQ(bound(), 2000000U);
}

// In a container the process sees the path of the host, and its own group at the mount.
TEST_F(MachineMemory, a_control_group_mounted_as_the_root) {
  machine_of_8_mib();
  file("proc/self/cgroup", "0::/host/path\n");
  file("sys/fs/cgroup/memory.max", "1000000\n");
  EXPECT_EQ(bound(), 1000000U);
}

TEST_F(MachineMemory, a_control_group_of_version_1) {
  machine_of_8_mib();
  file("proc/self/cgroup", "12:cpu,cpuacct:/a\n9:memory:/a\n");
  file("sys/fs/cgroup/a/memory.max", "5\n");  // not of the controller of memory
  file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4000000\n");
  EXPECT_EQ(bound(), 4000000U);
}

TEST(MemoryWarning, names_both_figures) {
  EXPECT_EQ(memory_warning(2e9, MemoryBound{2000000000, "that this machine has"}), "");
  EXPECT_EQ(memory_warning(2e9, std::nullopt), "");
  EXPECT_EQ(memory_warning(43.6e9, MemoryBound{25300000000, "that this machine has"}),
            "the run needs about 43.6 G bytes of memory, more than the 25.3 G bytes that this machine has: it will "
            "probably not get them");
}

}  // namespace
}  // namespace weft
