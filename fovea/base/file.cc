#include "fovea/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// Reads to the end. Throws past `limit` bytes.
std::vector<std::byte> read_stream(int fd, size_t limit, const std::string& path, std::string_view who) {
  std::vector<std::byte> bytes;
  size_t used = 0;
  while (true) {
    if (used == bytes.size()) bytes.resize(std::max(used * 2, size_t{1} << 16));
    const ssize_t n = ::read(fd, bytes.data() + used, bytes.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_on(who, path, errno);
    if (n == 0) break;
    used += static_cast<size_t>(n);
    check(used <= limit, who, "{}: more than {} bytes, which is the limit", path, limit);
  }
  bytes.resize(used);
  return bytes;
}

// The open descriptor that /dev/stdout, /dev/stderr or /dev/fd/N names, else -1. These are written through
// the descriptor: what a shell has opened for `> file` or `>> file` must not be replaced by another file.
int descriptor_of(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix) || path.size() == prefix.size()) continue;
    char* end = nullptr;
    const long n = std::strtol(path.c_str() + prefix.size(), &end, 10);
    if (*end == '\0' && n >= 0 && n <= INT_MAX) return static_cast<int>(n);
  }
  return -1;
}

// Directory part of a path, for the fsync that makes a rename last.
std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

MappedFile::MappedFile(const std::string& path, std::string_view who) {
  const OpenFile file(path, O_RDONLY, who);
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) fail_on(who, path, errno);
  if (S_ISDIR(info.st_mode)) fail_on(who, path, EISDIR);
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    void* address = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file.fd(), 0);
    if (address != MAP_FAILED) {
      data_ = static_cast<const std::byte*>(address);
      size_ = static_cast<size_t>(info.st_size);
      mapped_ = true;
      return;
    }
  }
  read_ = read_stream(file.fd(), kMaxStream, path, who);
  data_ = read_.data();
  size_ = read_.size();
}

void MappedFile::release(std::span<const std::byte> part) const {
  const bool inside = part.data() >= data_ && part.data() + part.size() <= data_ + size_;
  if (!mapped_ || !inside) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(part.data()) + page - 1) / page * page,
                  end = reinterpret_cast<uintptr_t>(part.data() + part.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, false)),
      read_(std::move(other.read_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  std::swap(read_, other.read_);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapped_) ::munmap(const_cast<std::byte*>(data_), size_);
}

std::string read_file(const std::string& path, size_t limit, std::string_view who) {
  const MappedFile file(path, who);
  check(file.bytes().size() <= limit, who, "{}: {} bytes, more than the limit of {}", path,
        file.bytes().size(), limit);
  return std::string(file.text());
}

StagedFile::StagedFile(const std::string& path, std::string_view who)
    : path_(path), who_(who), target_(path) {
  if (const int open_already = descriptor_of(path); open_already >= 0) {
    const int fd = ::fcntl(open_already, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) fail_with(errno);
    file_ = OpenFile(fd, path_, who_);
    return;
  }
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) fail_with(errno);
  if (exists && S_ISDIR(info.st_mode)) fail_with(EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    file_ = OpenFile(path_, O_WRONLY, who_);
    return;
  }
  if (exists) {
    if (::access(path.c_str(), W_OK) != 0) fail_with(errno);
    if (char* real = ::realpath(path.c_str(), nullptr)) {
      target_ = real;
      std::free(real);
    }
  }
  staged_ = true;
  // Without a name nothing is left of it, however the process ends; commit() gives it one.
  int fd = -1;
  if (::access("/proc/self/fd", X_OK) == 0)
    fd = ::open(directory_of(target_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (fd < 0)
    take_name([&] {
      fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return fd >= 0;
    });
  file_ = OpenFile(fd, path_, who_);
  if (exists) static_cast<void>(::fchmod(fd, info.st_mode & 07777));
}

template <typename F>
void StagedFile::take_name(F&& made) {
  static std::atomic<unsigned> counter{0};
  do {
    temporary_ = fmt::format("{}.tmp-{}-{}", target_, ::getpid(), counter++);
    if (made()) return;
  } while (errno == EEXIST);
  const int error = errno;
  temporary_.clear();
  fail_with(error);
}

StagedFile::~StagedFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void StagedFile::fail_with(int error) const { fail_on(who_, path_, error); }

void StagedFile::write(std::span<const std::byte> bytes) {
  check(file_.is_open() && !finished_, who_, "{}: written after it was finished", path_);
  if (!staged_)
    held_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  else
    file_.write(bytes);
}

void StagedFile::finish() {
  if (finished_) return;
  if (staged_) file_.sync();
  finished_ = true;
}

void StagedFile::commit() {
  check(file_.is_open(), who_, "{}: committed twice", path_);
  finish();
  if (!staged_) file_.write(held_);
  if (staged_ && temporary_.empty()) {
    const std::string open_file = fmt::format("/proc/self/fd/{}", file_.fd());
    take_name([&] {
      return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    });
  }
  file_.close();
  if (!staged_) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_with(errno);
  temporary_.clear();
  try {
    OpenFile(directory_of(target_), O_RDONLY | O_DIRECTORY, who_).sync();
  } catch (const Error&) {  // the file is in place whether or not this works
  }
}

void write_atomically(const std::string& path, std::span<const std::byte> bytes, std::string_view who) {
  StagedFile file(path, who);
  file.write(bytes);
  file.commit();
}

void write_atomically(const std::string& path, std::string_view text, std::string_view who) {
  write_atomically(path, std::as_bytes(std::span(text.data(), text.size())), who);
}

StagedFile& PendingFiles::add(const std::string& path, std::string_view who) {
  auto file = std::make_unique<StagedFile>(path, who);
  for (const auto& other : files_)
    check(other->target() != file->target() || path.starts_with("/dev/"), who, "{}: named for two outputs",
          path);
  return *files_.emplace_back(std::move(file));
}

void PendingFiles::commit() {
  for (const auto& file : files_) file->finish();
  for (const auto& file : files_) file->commit();
  files_.clear();
}

}  // namespace fovea
