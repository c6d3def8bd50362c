// SPDX-License-Identifier: Apache-2.0
// Models made at run time: what they do, and that they are made once.
#include "tb/build/model_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tb/build/child_output.h"
#include "tb/build/sealed_file.h"
#include "tests/support/temp_dir.h"
#include "tests/tb/build/rtl_files.h"

namespace weft::tb {
namespace {

using testing::HasSubstr;

RtlDesign register_design(const test::TempDir& folder, int width) {
  RtlDesign made;
  made.top = "register";
  made.files = {test::write_file(folder / "register.sv", test::kRegister)};
  made.parameters["Width"] = std::to_string(width);
  return made;
}

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// With the objects of Verilator's run time that all tests share.
ModelBuilder builder_in(const test::TempDir& folder, const ModelBuilder::Say& say = {}) {
  return ModelBuilder(folder / "models", say, WEFT_TEST_MODELS);
}

/// With models that all tests share.
ModelBuilder shared() { return ModelBuilder(WEFT_TEST_MODELS); }

void clock(RtlModel& model) {
  model.port("clk_i").set(1);
  model.eval();
  model.port("clk_i").set(0);
  model.eval();
}

void reset(RtlModel& model) {
  model.port("rst_ni").set(0);
  model.eval();  // the first one sees no edges
  clock(model);
  model.port("rst_ni").set(1);
  model.eval();
}

TEST(ModelBuilder, makes_a_model_that_works) {
  const test::TempDir folder;
  ModelBuilder builder = shared();
  RtlModel model(builder.build(register_design(folder, 77)), 1);
  reset(model);
  EXPECT_EQ(model.port("valid_o").get(), 0U);
  EXPECT_EQ(model.port("ready_o").get(), 1U);
  const RtlModel::Port data = model.port("data_i");
  EXPECT_EQ(data.width, 77U);
  data.clear();
  data.set(60, 17, 0x1abcd);
  data.set(3, 40, 0x123456789aULL);
  model.port("valid_i").set(1);
  model.port("ready_i").set(0);
  model.eval();
  clock(model);
  EXPECT_EQ(model.port("valid_o").get(), 1U);
  EXPECT_EQ(model.port("ready_o").get(), 0U);
  EXPECT_EQ(model.port("data_o").get(60, 17), 0x1abcdU);
  EXPECT_EQ(model.port("data_o").get(3, 40), 0x123456789aULL);
  EXPECT_EQ(model.port("data_o").get(0, 3), 0U);
  EXPECT_EQ(model.port("data_o").get(0, 64), 0x123456789aULL << 3 | std::uint64_t{0xd} << 60);
}

TEST(ModelBuilder, instances_share_nothing) {
  const test::TempDir folder;
  ModelBuilder builder = shared();
  const auto library = builder.build(register_design(folder, 8));
  RtlModel first(library, 1);
  RtlModel second(library, 2);
  for (RtlModel* model : {&first, &second}) reset(*model);
  first.port("data_i").set(5);
  first.port("valid_i").set(1);
  clock(first);
  EXPECT_EQ(first.port("valid_o").get(), 1U);
  EXPECT_EQ(second.port("valid_o").get(), 0U);
}

/// A public signal makes a scope, which signs off at a context when its model ends. Freed memory is filled, so that one
/// that is gone cannot be taken for one that is there.
TEST(ModelBuilder, instances_may_end_in_any_order) {
  const test::TempDir folder;
  RtlDesign design;
  design.top = "seen";
  design.files = {test::write_file(folder / "seen.sv",
                                   "module seen(input logic clk_i, input logic a_i, output logic y_o);\n"
                                   "  logic kept /* verilator public_flat_rd */;\n"
                                   "  always_ff @(posedge clk_i) kept <= a_i;\n"
                                   "  assign y_o = kept;\n"
                                   "endmodule\n")};
  const auto library = shared().build(design);
#if !defined(WEFT_SANITIZED)  // which finds the use of freed memory without it
  ASSERT_EQ(mallopt(M_PERTURB, 0x5a), 1);
#endif
  RtlModel first(library, 1);
  {
    RtlModel second(library, 2);
    clock(second);
  }
  first.port("a_i").set(1);
  clock(first);
  EXPECT_EQ(first.port("y_o").get(), 1U);
  auto third = std::make_unique<RtlModel>(library, 3);
  auto fourth = std::make_unique<RtlModel>(library, 4);
  third.reset();  // the context used last is that of the fourth
  fourth.reset();
}

/// data_o has no reset: what it holds before the first word comes from the seed.
TEST(ModelBuilder, registers_start_with_bits_of_the_seed) {
  const test::TempDir folder;
  ModelBuilder builder = shared();
  const auto library = builder.build(register_design(folder, 64));
  const auto start = [&](std::uint64_t seed) {
    RtlModel model(library, seed);
    reset(model);
    return model.port("data_o").get();
  };
  EXPECT_EQ(start(7), start(7));
  EXPECT_NE(start(7), start(8));
}

TEST(ModelBuilder, finds_a_model_again_and_makes_another_one_for_other_parameters_or_sources) {
  const test::TempDir folder;
  int built = 0;
  const auto say = [&](const std::string& text) {
    EXPECT_THAT(text, HasSubstr("building register in "));
    ++built;
  };
  RtlDesign design = register_design(folder, 8);
  builder_in(folder, say).build(design);
  builder_in(folder, say).build(design);
  EXPECT_EQ(built, 1);
  design.parameters["Width"] = "9";
  builder_in(folder, say).build(design);
  EXPECT_EQ(built, 2);
  test::write_file(folder / "register.sv", std::string(test::kRegister) + "// changed\n");
  builder_in(folder, say).build(design);
  EXPECT_EQ(built, 3);
  EXPECT_EQ(entries(folder / "models"), 3U);  // and nothing else
}

/// A file that only an argument list names counts, too.
TEST(ModelBuilder, follows_changes_of_files_in_lists) {
  const test::TempDir folder;
  int built = 0;
  const auto say = [&](const std::string&) { ++built; };
  RtlDesign design = register_design(folder, 8);
  test::write_file(folder / "list.f", (folder / "register.sv").string() + "\n");
  design.files.clear();
  design.lists = {folder / "list.f"};
  builder_in(folder, say).build(design);
  builder_in(folder, say).build(design);
  EXPECT_EQ(built, 1);
  test::write_file(folder / "register.sv", std::string(test::kRegister) + "// changed\n");
  builder_in(folder, say).build(design);
  EXPECT_EQ(built, 2);
}

TEST(ModelBuilder, two_processes_may_build_the_same) {
  const test::TempDir folder;
  const RtlDesign design = register_design(folder, 8);
  const auto child = [&] {
    const pid_t pid = fork();
    if (pid == 0) {
      RtlModel model(builder_in(folder).build(design), 1);
      reset(model);
      _exit(model.port("ready_o").get() == 1 ? 0 : 1);
    }
    return pid;
  };
  for (const pid_t pid : {child(), child()}) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries(folder / "models"), 1U);
}

TEST(ModelBuilder, leaves_nothing_behind_where_it_fails_bad) {
  const test::TempDir folder;
  ModelBuilder builder = builder_in(folder);
  RtlDesign design = register_design(folder, 8);
  test::write_file(folder / "register.sv", "module register(input logic clk_i;\n");
  EXPECT_THROW(builder.build(design), InputError);
  EXPECT_EQ(entries(folder / "models"), 0U);
  design.files = {folder / "none.sv"};
  EXPECT_THROW(builder.build(design), InputError);
}

TEST(ModelBuilder, waves_hold_what_happened) {
  const test::TempDir folder;
  ModelBuilder builder = shared();
  RtlDesign design = register_design(folder, 8);
  design.trace = true;
  {
    RtlModel model(builder.build(design), 1);
    model.open_trace(folder / "w.vcd");
    reset(model);
    model.dump(0);
    model.port("valid_i").set(1);
    model.port("data_i").set(0xa5);
    clock(model);
    model.dump(1000);
    model.close_trace();
  }
  const std::string text = test::read_text(folder / "w.vcd");
  EXPECT_THAT(text, HasSubstr("data_o [7:0]"));
  EXPECT_THAT(text, HasSubstr("#1000\n"));
  EXPECT_THAT(text, HasSubstr("b10100101 "));
}

TEST(RtlModel, cannot_write_waves_unless_it_was_built_for_them_bad) {
  const test::TempDir folder;
  RtlModel model(shared().build(register_design(folder, 8)), 1);
  EXPECT_THROW(model.open_trace(folder / "w.vcd"), std::runtime_error);
}

TEST(RtlModel, an_assertion_that_fails_is_a_violation_with_its_words_bad) {
  const test::TempDir folder;
  RtlDesign design;
  design.top = "guarded";
  design.asserts = true;
  design.files = {test::write_file(folder / "guarded.sv",
                                   "module guarded(input logic clk_i, input logic a_i);\n"
                                   "  always_ff @(posedge clk_i) assert (a_i) else $error(\"a_i is low\");\n"
                                   "endmodule\n")};
  RtlModel model(shared().build(design), 1);
  model.port("a_i").set(1);
  clock(model);
  model.port("a_i").set(0);
  try {
    clock(model);
    FAIL() << "nothing was said";
  } catch (const ViolationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a_i is low"));
  }
  EXPECT_THROW(model.eval(), ViolationError);  // and it stays stopped
}

TEST(RtlModel, names_a_port_that_is_not_there_bad) {
  const test::TempDir folder;
  RtlModel model(shared().build(register_design(folder, 8)), 1);
  EXPECT_THROW(model.port("data"), InputError);
  EXPECT_FALSE(model.has_port("data"));
  EXPECT_TRUE(model.has_port("data_i"));
}

/// A library that notes in a file that its code ran.
std::filesystem::path planted(const test::TempDir& folder) {
  const auto source = test::write_file(folder / "planted.c",
                                       "#include <stdio.h>\n__attribute__((constructor)) void f(void) "
                                       "{ fclose(fopen(\"" +
                                           (folder / "ran").string() + "\", \"w\")); }\n");
  const auto library = folder / "planted.so";
  EXPECT_EQ(run_program({"cc", "-shared", "-fPIC", source.string(), "-o", library.string()}).status, 0);
  return library;
}

/// In the place of a model: its contents are not those of the build, or its folder is open to others.
TEST(RtlLibrary, code_that_was_planted_does_not_run_bad) {
  const test::TempDir folder;
  const RtlDesign design = register_design(folder, 8);
  const std::filesystem::path model = builder_in(folder).build(design)->file();
  const std::filesystem::path code = planted(folder);
  std::filesystem::remove(model);
  std::filesystem::copy_file(code, model);
  EXPECT_THROW(builder_in(folder).build(design), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
  seal(model);
  std::filesystem::permissions(model.parent_path(), std::filesystem::perms::all);
  EXPECT_THROW(builder_in(folder).build(design), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
  std::filesystem::permissions(model.parent_path(), std::filesystem::perms::owner_all);
  EXPECT_THROW(builder_in(folder).build(design), std::runtime_error);  // no model, but the code of the user
  EXPECT_TRUE(std::filesystem::exists(folder / "ran"));
}

/// Each is loaded by the number of its open file, and numbers are used again.
TEST(RtlLibrary, one_after_another) {
  const test::TempDir folder;
  ModelBuilder builder = shared();
  for (const int width : {8, 77, 8}) {
    const auto file = builder.build(register_design(folder, width))->file();
    const RtlModel model(std::make_shared<const RtlLibrary>(file), 1);
    EXPECT_EQ(model.port("data_i").width, static_cast<std::uint32_t>(width));
  }
}

TEST(RtlLibrary, refuses_another_file_bad) {
  const test::TempDir folder;
  const auto file = test::write_file(folder / "x.so", "text");
  seal(file);
  EXPECT_THROW(RtlLibrary{file}, std::runtime_error);
}

}  // namespace
}  // namespace weft::tb
