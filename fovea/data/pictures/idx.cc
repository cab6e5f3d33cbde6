#include "fovea/data/pictures/idx.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/data/byte_stream.h"

namespace fovea::data {
namespace {

constexpr int kU8Elements = 8;

// The next n bytes of a stream, whose blocks have lengths of their own.
class Bytes {
 public:
  Bytes(const std::string& path, std::string_view who) : stream_(path, who) {}

  const std::string& name() const { return stream_.name(); }
  // As many of n bytes as there are, added to `to`.
  void take(int64_t n, std::vector<uint8_t>& to) {
    while (n > 0 && fill()) {
      const auto some = std::min<size_t>(static_cast<size_t>(n), block_.size());
      to.insert(to.end(), block_.begin(), block_.begin() + some);
      block_.remove_prefix(some);
      n -= static_cast<int64_t>(some);
    }
  }
  bool at_end() { return !fill(); }

 private:
  bool fill() {
    if (block_.empty()) block_ = stream_.read();
    return !block_.empty();
  }

  ByteStream stream_;
  std::string_view block_;
};

int64_t big_endian(const uint8_t* p) {
  return int64_t{p[0]} << 24 | int64_t{p[1]} << 16 | int64_t{p[2]} << 8 | int64_t{p[3]};
}

}  // namespace

Idx read_idx(const std::string& path, int rank, std::string_view who) {
  Bytes bytes(path, who);
  std::vector<uint8_t> head;
  bytes.take(4, head);
  check(head.size() == 4 && head[0] == 0 && head[1] == 0, who,
        "{}: no IDX file, by its first bytes: expected the format of MNIST, plain or gzip", bytes.name());
  check(head[2] == kU8Elements, who, "{}: an IDX file with elements of type {}: expected {}, bytes",
        bytes.name(), head[2], kU8Elements);
  check(head[3] == rank, who, "{}: an IDX array of {} dimensions: expected {}; {}", bytes.name(), head[3],
        rank, rank == 1 ? "labels have one" : "pictures have three: number, height, width");
  bytes.take(4 * rank, head);
  check(head.size() == static_cast<size_t>(4 + 4 * rank), who,
        "{}: the file ends within its header: it is not complete", bytes.name());
  Idx idx;
  int64_t size = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t n = big_endian(head.data() + 4 + 4 * axis);
    idx.shape.push_back(n);
    check(n > 0, who, "{}: an IDX array with a side of 0: expected at least 1", bytes.name());
    check(size <= kMaxIdxBytes / n, who, "{}: an IDX array of more than {} bytes: expected fewer",
          bytes.name(), grouped(kMaxIdxBytes));
    size *= n;
  }
  bytes.take(size, idx.values);
  check(static_cast<int64_t>(idx.values.size()) == size, who,
        "{}: {} bytes of elements where the header has {}: the file is not complete", bytes.name(),
        grouped(static_cast<int64_t>(idx.values.size())), grouped(size));
  check(bytes.at_end(), who, "{}: more bytes than the {} that the header has: expected the end", bytes.name(),
        grouped(size));
  return idx;
}

Picture IdxPictures::picture(int64_t i) const {
  Picture out(height(), width(), 1);
  std::ranges::copy(pixels(i), out.pixels.begin());
  return out;
}

int IdxPictures::classes() const { return *std::max_element(labels.values.begin(), labels.values.end()) + 1; }

IdxPictures read_idx_pictures(const std::string& images, const std::string& labels, std::string_view who) {
  IdxPictures all{read_idx(images, 3, who), read_idx(labels, 1, who)};
  check_picture_size(all.height(), all.width(), images, who);
  check(all.labels.shape[0] == all.size(), who, "{} has {} pictures and {} {} labels: they must match",
        images, grouped(all.size()), labels, grouped(all.labels.shape[0]));
  return all;
}

}  // namespace fovea::data
