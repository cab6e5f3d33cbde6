#include "fovea/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fovea/base/error.h"

namespace fovea::cli {
namespace {

[[noreturn]] void give_up(int error) {
  if (error == EPIPE) throw OutputClosed();
  fail("output", "standard output cannot be written: {}", std::strerror(error));
}

}  // namespace

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) give_up(errno);
}

void flush_output() {
  if (std::fflush(stdout) != 0) give_up(errno);
}

}  // namespace fovea::cli
