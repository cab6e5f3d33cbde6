// PNG by libpng. Its errors leave by longjmp: functions that call it keep no object with a destructor, and what must be freed belongs to
// a struct whose owner is outside of setjmp.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "fovea/base/error.h"
#include "fovea/data/pictures/formats.h"

namespace fovea::data {
namespace {

// Deflate makes at most 1032 bytes of one: a file that claims more pixels than this allows is cut short or lies.
constexpr int64_t kMostInflated = 1032;
constexpr png_alloc_size_t kMaxChunk = 8 << 20;

struct PngError {
  std::jmp_buf back;
  char text[128] = "";
};

[[noreturn]] void png_failed(png_structp png, png_const_charp text) {
  auto* error = static_cast<PngError*>(png_get_error_ptr(png));
  std::strncpy(error->text, text, sizeof error->text - 1);
  std::longjmp(error->back, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

struct PngReading {
  PngError error;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> rest;
  bool keep_alpha;
  png_uint_32 width = 0, height = 0;
  int depth = 0, kind = 0;
  std::vector<png_bytep> rows;

  PngReading(std::span<const std::byte> bytes, Alpha alpha)
      : rest(bytes), keep_alpha(alpha != Alpha::kDropped) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &error, png_failed, ignore_warning);
    if (png) info = png_create_info_struct(png);
  }
  ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReading(const PngReading&) = delete;
  PngReading& operator=(const PngReading&) = delete;
};

void take_bytes(png_structp png, png_bytep to, size_t n) {
  auto* reading = static_cast<PngReading*>(png_get_io_ptr(png));
  if (n > reading->rest.size()) png_error(png, "the file ends too early");
  std::memcpy(to, reading->rest.data(), n);
  reading->rest = reading->rest.subspan(n);
}

// Runs one part of reading; false where libpng found a fault.
bool guarded(PngReading& reading, void (*part)(PngReading&)) {
  if (setjmp(reading.error.back) != 0) return false;
  part(reading);
  return true;
}

void read_header(PngReading& reading) {
  png_structp png = reading.png;
  png_set_read_fn(png, &reading, take_bytes);
  png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);  // check_picture_size has the say
  png_set_chunk_malloc_max(png, kMaxChunk);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_read_info(png, reading.info);
  png_get_IHDR(png, reading.info, &reading.width, &reading.height, &reading.depth, &reading.kind, nullptr,
               nullptr, nullptr);
}

// To 8 bits; grey, grey and alpha, RGB or RGBA.
void choose_form(PngReading& reading) {
  png_structp png = reading.png;
  if (reading.kind == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (reading.kind == PNG_COLOR_TYPE_GRAY && reading.depth < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (reading.depth == 16) png_set_strip_16(png);
  if (reading.keep_alpha) {
    if (png_get_valid(png, reading.info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
  } else {
    png_set_strip_alpha(png);
  }
  png_set_interlace_handling(png);
  png_read_update_info(png, reading.info);
}

void read_rows(PngReading& reading) {
  png_read_image(reading.png, reading.rows.data());
  png_read_end(reading.png, nullptr);
}

Picture without_alpha(const Picture& from, int background) {
  const int64_t colours = from.channels - 1;
  Picture to(from.height, from.width, colours);
  uint8_t* out = to.pixels.data();
  for (const uint8_t* p = from.pixels.data(); p != from.pixels.data() + from.pixels.size();
       p += from.channels) {
    const int a = p[colours];
    for (int64_t c = 0; c < colours; ++c)
      *out++ = static_cast<uint8_t>((p[c] * a + background * (255 - a) + 127) / 255);
  }
  return to;
}

struct PngWriting {
  PngError error;
  png_structp png = nullptr;
  png_infop info = nullptr;
  const Picture& picture;
  std::string bytes;
  bool no_memory = false;

  explicit PngWriting(const Picture& picture) : picture(picture) {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &error, png_failed, ignore_warning);
    if (png) info = png_create_info_struct(png);
  }
  ~PngWriting() { png_destroy_write_struct(&png, &info); }
  PngWriting(const PngWriting&) = delete;
  PngWriting& operator=(const PngWriting&) = delete;
};

void give_bytes(png_structp png, png_bytep from, size_t n) {
  auto* writing = static_cast<PngWriting*>(png_get_io_ptr(png));
  try {  // no exception may cross libpng
    writing->bytes.append(reinterpret_cast<const char*>(from), n);
  } catch (const std::bad_alloc&) {
    writing->no_memory = true;
  }
  if (writing->no_memory) png_error(png, "no memory");
}

bool write_all(PngWriting& writing) {
  if (setjmp(writing.error.back) != 0) return false;
  png_structp png = writing.png;
  const Picture& picture = writing.picture;
  png_set_write_fn(png, &writing, give_bytes, nullptr);
  png_set_IHDR(png, writing.info, static_cast<png_uint_32>(picture.width),
               static_cast<png_uint_32>(picture.height), 8,
               picture.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, writing.info);
  for (int64_t y = 0; y < picture.height; ++y) png_write_row(png, picture.at(y, 0));
  png_write_end(png, writing.info);
  return true;
}

}  // namespace

Picture parse_png(std::span<const std::byte> bytes, std::string_view name, Alpha alpha,
                  std::string_view who) {
  PngReading reading(bytes, alpha);
  check(reading.info, who, "{}: no memory to read it", name);
  const auto run = [&](void (*part)(PngReading&)) {
    check(guarded(reading, part), who, "{}: a damaged PNG: {}", name, reading.error.text);
  };
  // libpng would refuse these sizes in its own words: the first chunk has width and height after its length and name.
  const auto* first = reinterpret_cast<png_const_bytep>(bytes.data()) + 8;
  if (bytes.size() >= 8 + 16 && std::memcmp(first + 4, "IHDR", 4) == 0)
    check_picture_size(png_get_uint_32(first + 12), png_get_uint_32(first + 8), name, who);
  run(read_header);
  run(choose_form);
  const auto height = static_cast<int64_t>(reading.height), width = static_cast<int64_t>(reading.width);
  check_picture_size(height, width, name, who);
  const int64_t bits = height * width * reading.depth;
  check(bits / 8 <= (static_cast<int64_t>(bytes.size()) + 1) * kMostInflated, who,
        "{}: {} bytes cannot hold a PNG of {} x {} pixels: the file is not complete", name, bytes.size(),
        width, height);
  Picture picture(height, width, png_get_channels(reading.png, reading.info));
  check(png_get_rowbytes(reading.png, reading.info) == static_cast<size_t>(width * picture.channels), who,
        "{}: a PNG of {} bits a pixel that does not become 8 a channel", name, reading.depth);
  reading.rows.resize(static_cast<size_t>(height));
  for (int64_t y = 0; y < height; ++y) reading.rows[static_cast<size_t>(y)] = picture.at(y, 0);
  run(read_rows);
  if (picture.channels % 2 == 1) return picture;
  return without_alpha(picture, alpha == Alpha::kOnWhite ? 255 : 0);
}

std::string to_png(const Picture& picture) {
  check_picture_size(picture.height, picture.width, "a picture to write");
  check(picture.channels == 1 || picture.channels == 3, "pictures",
        "a picture of {} channels cannot be written as PNG: expected 1 or 3", picture.channels);
  PngWriting writing(picture);
  check(writing.info, "pictures", "no memory to write a PNG");
  check(write_all(writing), "pictures", "the PNG cannot be written: {}", writing.error.text);
  return std::move(writing.bytes);
}

}  // namespace fovea::data
