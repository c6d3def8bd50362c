// SPDX-License-Identifier: Apache-2.0
// Whose folders are trusted, and which files are those that were sealed.
#include "tb/build/private_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tb/build/model_builder.h"
#include "tb/build/sealed_file.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_dir.h"

namespace weft::tb {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using weft::test::refusal;

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

TEST(PrivateFolder, is_made_for_its_owner_alone) {
  const test::TempDir folder;
  const mode_t before = umask(0);
  make_private_folder(folder / "a" / "b");
  umask(before);
  EXPECT_EQ(mode_of(folder / "a"), 0700U);
  EXPECT_EQ(mode_of(folder / "a" / "b"), 0700U);
  chmod((folder / "a" / "b").c_str(), 0755);
  make_private_folder(folder / "a" / "b");  // that others may read it does no harm
  EXPECT_EQ(mode_of(folder / "a" / "b"), 0755U);
}

TEST(PrivateFolder, that_others_may_write_bad) {
  const test::TempDir folder;
  make_private_folder(folder / "a");
  for (const mode_t mode : {0777U, 0770U, 01777U, 0720U, 0702U}) {
    chmod((folder / "a").c_str(), mode);
    EXPECT_THAT(refusal([&] { make_private_folder(folder / "a"); }),
                AllOf(HasSubstr((folder / "a").string() + " may be written by others (mode "), HasSubstr("chmod go-w"),
                      HasSubstr("--build-dir")));
    EXPECT_THAT(refusal([&] { ModelBuilder(folder / "a"); }), HasSubstr("may be written by others"));
  }
}

TEST(PrivateFolder, of_another_user_bad) {
  const test::TempDir folder;
  std::filesystem::path foreign = "/usr";  // root's
  if (geteuid() == 0) {
    foreign = folder / "a";
    std::filesystem::create_directory(foreign);
    ASSERT_EQ(chown(foreign.c_str(), 65534, 65534), 0);
  }
  EXPECT_THAT(refusal([&] { require_private(foreign); }),
              AllOf(HasSubstr(foreign.string() + " belongs to user "),
                    HasSubstr("runs as user " + std::to_string(geteuid())), HasSubstr("WEFT_RTL_DIR")));
}

TEST(PrivateFolder, that_cannot_be_made_bad) {
  const test::TempDir folder;
  test::write_text(folder / "file", "");
  EXPECT_THAT(refusal([&] { make_private_folder(folder / "file" / "a"); }),
              HasSubstr("cannot be made: Not a directory"));
  EXPECT_THAT(refusal([&] { make_private_folder(folder / "file"); }), HasSubstr("cannot be made: Not a directory"));
}

/// Without HOME it is the home directory of the list of users, never the current directory.
TEST(DefaultBuildDir, never_the_current_directory) {
  for (const char* name : {"WEFT_RTL_DIR", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
  const struct passwd* me = getpwuid(geteuid());
  ASSERT_NE(me, nullptr);
  const std::filesystem::path mine = std::filesystem::path(me->pw_dir) / ".cache/weft/rtl";
  EXPECT_EQ(default_build_dir(), mine);
  setenv("HOME", ".", 1);
  setenv("XDG_CACHE_HOME", "cache", 1);
  EXPECT_EQ(default_build_dir(), mine);
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(default_build_dir(), "/home/somebody/.cache/weft/rtl");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(default_build_dir(), "/cache/weft/rtl");
  setenv("WEFT_RTL_DIR", "here", 1);
  EXPECT_EQ(default_build_dir(), "here");
}

TEST(ModelBuilder, a_name_that_verilator_cannot_read_bad) {
  const test::TempDir folder;
  for (const std::string name : {"a$HOME", "a)", "b}", "c\nd"}) {
    EXPECT_THAT(refusal([&] { ModelBuilder(folder / name); }),
                AllOf(HasSubstr("Verilator cannot use '"), HasSubstr("its name has '")));
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
  EXPECT_EQ(refusal([&] { ModelBuilder(folder / "a (b' {\"c;&d#e"); }), "nothing was refused");
}

/// The digest of "abc" is that of FIPS 180-2, appendix B.1.
TEST(SealedFile, holds_the_sha_256_in_the_form_of_sha256sum) {
  const test::TempDir folder;
  test::write_text(folder / "m", "abc");
  seal(folder / "m");
  EXPECT_EQ(test::read_text(folder / "m.sha256"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  m\n");
  const SealedFile file(folder / "m");
  std::filesystem::remove(folder / "m");
  test::write_text(folder / "m", "other");
  EXPECT_EQ(test::read_text(file.path()), "abc");  // whatever becomes of the name
}

TEST(SealedFile, that_is_not_what_was_sealed_bad) {
  const test::TempDir folder;
  test::write_text(folder / "m", "abc");
  EXPECT_THAT(refusal([&] { SealedFile(folder / "m"); }),
              AllOf(HasSubstr("m has no SHA-256 beside it"), HasSubstr("delete the folder " + folder.path().string())));
  seal(folder / "m");
  test::write_text(folder / "m", "abd");
  EXPECT_THAT(refusal([&] { SealedFile(folder / "m"); }), HasSubstr("m is not what was built there"));
  test::write_text(folder / "n", "abc");
  std::filesystem::remove(folder / "m");
  std::filesystem::create_symlink(folder / "n", folder / "m");
  EXPECT_THAT(refusal([&] { SealedFile(folder / "m"); }), HasSubstr("cannot be read"));
}

TEST(SealedFile, that_others_may_write_bad) {
  namespace fs = std::filesystem;
  const test::TempDir folder;
  test::write_text(folder / "m", "abc");
  fs::permissions(folder / "m", fs::perms::all);
  seal(folder / "m");
  EXPECT_EQ(fs::status(folder / "m").permissions(), fs::perms(0755));
  EXPECT_EQ(refusal([&] { SealedFile(folder / "m"); }), "nothing was refused");
  fs::permissions(folder / "m", fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(refusal([&] { SealedFile(folder / "m"); }), HasSubstr("m may be written by others (mode 0757)"));
  if (geteuid() != 0) return;  // only root can give a file away
  fs::permissions(folder / "m", fs::perms(0755));
  ASSERT_EQ(chown((folder / "m").c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal([&] { SealedFile(folder / "m"); }), HasSubstr("m belongs to user 65534"));
}

}  // namespace
}  // namespace weft::tb
