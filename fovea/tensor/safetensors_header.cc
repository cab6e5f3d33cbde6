#include "fovea/tensor/safetensors_header.h"

#include <nlohmann/json.hpp>

#include "fovea/base/quote.h"

namespace fovea {
namespace {

using json = nlohmann::json;

// Follows the only structure a header may have. Depth 1 is the header, 2 a tensor or the metadata, 3 a list
// of sizes.
class Reader : public json::json_sax_t {
 public:
  Reader(std::string_view source, SafetensorsHeader& header) : source_(source), header_(header) {}

  bool start_object(std::size_t) override {
    if (depth_ == 1 && !in_metadata_) entry_ = &header_.tensors.at(name_);
    if (depth_ > 1 || in_list_) unexpected("an object");
    ++depth_;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1 && entry_) {
      check(seen_dtype_ && seen_shape_ && offsets_ == 2, kWho,
            "{}: {}: expected dtype, shape and two data_offsets", source_, quote(name_));
      entry_ = nullptr;
    }
    if (depth_ == 1) in_metadata_ = false;
    return true;
  }

  bool key(std::string& text) override {
    key_ = text;
    if (depth_ == 1) {
      name_ = text;
      in_metadata_ = text == "__metadata__";
      seen_dtype_ = seen_shape_ = false;
      offsets_ = -1;
      const bool fresh =
          in_metadata_ ? !std::exchange(seen_metadata_, true) : header_.tensors.try_emplace(text).second;
      if (!fresh) twice();
      if (!in_metadata_) header_.tensors.at(text).name = text;
    } else if (in_metadata_) {
      if (!header_.metadata.try_emplace(text).second) twice();
    } else if (key_ == "dtype"   ? std::exchange(seen_dtype_, true)
               : key_ == "shape" ? std::exchange(seen_shape_, true)
                                 : key_ == "data_offsets" && offsets_ >= 0) {
      twice();
    }
    return true;
  }

  bool string(std::string& text) override {
    if (depth_ == 2 && in_metadata_)
      header_.metadata[key_] = text;
    else if (depth_ == 2 && entry_ && !in_list_ && key_ == "dtype")
      entry_->dtype = text;
    else
      unexpected("a string");
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != 2 || !entry_ || in_list_ || (key_ != "shape" && key_ != "data_offsets"))
      unexpected("a list");
    if (key_ == "data_offsets") offsets_ = 0;
    in_list_ = true;
    return true;
  }
  bool end_array() override {
    in_list_ = false;
    return true;
  }

  bool number_unsigned(std::uint64_t n) override {
    if (!in_list_) unexpected("a number");
    check(n <= static_cast<uint64_t>(INT64_MAX), kWho, "{}: {}: the number {} in {}", source_, quote(name_),
          n, key_);
    if (key_ == "shape") {
      check(entry_->shape.rank() < Shape::kMaxRank, kWho,
            "{}: {}: more than {} axes, which is the most a tensor has", source_, quote(name_),
            Shape::kMaxRank);
      entry_->shape.push_back(static_cast<int64_t>(n));
    } else {
      check(offsets_ < 2, kWho, "{}: {}: more than two data_offsets", source_, quote(name_));
      (offsets_++ == 0 ? entry_->begin : entry_->end) = n;
    }
    return true;
  }
  bool number_integer(std::int64_t n) override { unexpected(fmt::format("the number {}", n)); }
  bool number_float(double, const std::string& text) override { unexpected("the number " + quote(text)); }
  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool binary(json::binary_t&) override { unexpected("binary data"); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    fail(kWho, "{}: the header is no valid JSON at byte {}", source_, at);
  }

 private:
  static constexpr std::string_view kWho = "safetensors";

  [[noreturn]] void unexpected(std::string_view what) const {
    if (depth_ == 0) fail(kWho, "{}: the header is {}: expected an object", source_, what);
    if (depth_ == 1) fail(kWho, "{}: {}: met {}, expected an object", source_, quote(name_), what);
    fail(kWho, "{}: {}: met {} in {}", source_, quote(name_), what, quote(key_));
  }
  [[noreturn]] void twice() const {
    fail(kWho, "{}: the key {} occurs twice in the header", source_, quote(key_));
  }

  std::string_view source_;
  SafetensorsHeader& header_;
  Safetensors::Entry* entry_ = nullptr;
  std::string name_, key_;
  int depth_ = 0, offsets_ = -1;
  bool in_metadata_ = false, in_list_ = false, seen_metadata_ = false, seen_dtype_ = false,
       seen_shape_ = false;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, std::string_view source) {
  SafetensorsHeader header;
  Reader reader(source, header);
  // A string is one that nlohmann reads to the end of its range; it stops by our exception, and by no other.
  json::sax_parse(text.begin(), text.end(), &reader);
  return header;
}

}  // namespace fovea
