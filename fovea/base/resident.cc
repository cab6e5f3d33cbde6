#include "fovea/base/resident.h"

#include <fstream>
#include <string>
#include <string_view>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// A line of /proc/self/status, such as "VmHWM:   12345 kB".
int64_t status_bytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string name, rest; status >> name && std::getline(status, rest);)
    if (name == field) return std::stoll(rest) * 1024;
  fail("memory", "/proc/self/status has no {}: the memory in use is not known here", field);
}

}  // namespace

int64_t resident_bytes() { return status_bytes("VmRSS:"); }

int64_t resident_peak_bytes() { return status_bytes("VmHWM:"); }

bool reset_resident_peak() {
  std::ofstream refs("/proc/self/clear_refs");
  refs << "5" << std::flush;
  return refs.good();
}

}  // namespace fovea
