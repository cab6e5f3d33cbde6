#include "fovea/cli/stop_signal.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace fovea::cli {
namespace {

std::atomic<bool> signalled = false;

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

void wait_for_signals(const char* message) {
  const sigset_t set = stop_signals();
  using Clock = std::chrono::steady_clock;
  constexpr auto kSameRequest = std::chrono::milliseconds(500);  // some programs signal a process and its group
  Clock::time_point first{};
  for (int signal = 0; sigwait(&set, &signal) == 0;) {
    if (signalled && Clock::now() - first > kSameRequest) _exit(128 + signal);
    if (signalled) continue;
    first = Clock::now();
    signalled = true;
    static_cast<void>(!::write(STDERR_FILENO, message, std::strlen(message)));
  }
}

}  // namespace

// No handler: a handler runs on the stack of whatever it interrupts, and the kernels that oneDNN generates move the stack pointer into
// their working memory. A thread of its own waits for signals; every other thread has them blocked.
void catch_stop_signals(const char* message) {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread(wait_for_signals, message).detach();
}

bool stop_signalled() { return signalled; }

}  // namespace fovea::cli
