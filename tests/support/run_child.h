// SPDX-License-Identifier: Apache-2.0
// Runs a program as a child and keeps what it says.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace weft::test {

/// How a child ended, and its words.
struct ChildResult {
  int status = 0;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;
};

/// A child that may still run. Its outputs are files, so it sees no terminal.
class Child {
 public:
  /// Starts `arguments[0]` in `directory`.
  explicit Child(const std::vector<std::string>& arguments, const std::string& directory = ".") {
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    // The files are there before the child is, since it may be killed before it has done anything.
    const int out_file = new_file("out");
    const int err_file = new_file("err");
    pid_ = fork();
    if (pid_ != 0) {
      close(out_file);
      close(err_file);
      return;
    }
    dup2(out_file, STDOUT_FILENO);
    dup2(err_file, STDERR_FILENO);
    if (chdir(directory.c_str()) != 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }

  pid_t pid() const { return pid_; }
  /// Waits for the end.
  ChildResult wait() {
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_) throw std::runtime_error("the child is gone");
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, read_text(files_ / "out"), read_text(files_ / "err")};
  }

 private:
  int new_file(const char* name) const {
    return open((files_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }

  TempDir files_;
  pid_t pid_ = -1;
};

inline ChildResult run_child(const std::vector<std::string>& arguments, const std::string& directory = ".") {
  return Child(arguments, directory).wait();
}

}  // namespace weft::test
