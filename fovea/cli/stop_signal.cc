#include "fovea/cli/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace fovea::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;
const char* told = "";

// Only what is allowed in a signal handler.
extern "C" void on_stop_signal(int signal) {
  if (signalled != 0) _exit(128 + signal);
  signalled = 1;
  static_cast<void>(!::write(STDERR_FILENO, told, std::strlen(told)));
}

}  // namespace

void catch_stop_signals(const char* message) {
  told = message;
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_signalled() { return signalled != 0; }

}  // namespace fovea::cli
