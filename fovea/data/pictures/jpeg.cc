// JPEG by libjpeg-turbo. Its errors leave by longjmp: functions that call it keep no object with a destructor, and what must be freed
// belongs to a struct whose owner is outside of setjmp.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs the two above.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>

#include "fovea/base/error.h"
#include "fovea/data/pictures/formats.h"

namespace fovea::data {
namespace {

// A progressive file goes over the whole picture once a scan: thousands of tiny scans would take hours.
constexpr int kMaxScans = 200;
constexpr long kMaxLibraryMemory = 1L << 30;

struct JpegReading {
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  jpeg_decompress_struct jpeg{};
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX] = "";
  std::span<const std::byte> bytes;
  uint8_t* pixels = nullptr;
  int64_t row_bytes = 0;

  explicit JpegReading(std::span<const std::byte> bytes) : bytes(bytes) {}
  ~JpegReading() { jpeg_destroy_decompress(&jpeg); }
  JpegReading(const JpegReading&) = delete;
  JpegReading& operator=(const JpegReading&) = delete;
};

JpegReading& reading_of(j_common_ptr jpeg) { return *static_cast<JpegReading*>(jpeg->client_data); }

[[noreturn]] void leave(j_common_ptr jpeg) {
  JpegReading& reading = reading_of(jpeg);
  jpeg->err->format_message(jpeg, reading.text);
  std::longjmp(reading.back, 1);
}

// What libjpeg warns of means that pixels are missing or wrong (the file is damaged or cut short), but for these, which good files have, too:
// bytes between segments, odd versions of markers.
void warned(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  for (const int harmless : {JWRN_EXTRANEOUS_DATA, JWRN_ADOBE_XFORM, JWRN_JFIF_MAJOR})
    if (jpeg->err->msg_code == harmless) return;
  leave(jpeg);
}
void say_nothing(j_common_ptr) {}

void count_scans(j_common_ptr jpeg) {
  JpegReading& reading = reading_of(jpeg);
  if (reading.jpeg.input_scan_number > kMaxScans) {
    std::snprintf(reading.text, sizeof reading.text, "more than %d scans", kMaxScans);
    std::longjmp(reading.back, 1);
  }
}

bool guarded(JpegReading& reading, void (*part)(JpegReading&)) {
  if (setjmp(reading.back) != 0) return false;
  part(reading);
  return true;
}

void read_header(JpegReading& reading) {
  jpeg_decompress_struct& jpeg = reading.jpeg;
  jpeg.err = jpeg_std_error(&reading.errors);
  reading.errors.error_exit = leave;
  reading.errors.emit_message = warned;
  reading.errors.output_message = say_nothing;
  jpeg.client_data = &reading;
  jpeg_create_decompress(&jpeg);
  reading.progress.progress_monitor = count_scans;
  jpeg.progress = &reading.progress;
  jpeg.mem->max_memory_to_use = kMaxLibraryMemory;
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(reading.bytes.data()),
               static_cast<unsigned long>(reading.bytes.size()));
  jpeg_read_header(&jpeg, TRUE);
}

void choose_form(JpegReading& reading) {
  jpeg_decompress_struct& jpeg = reading.jpeg;
  if (jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK)
    jpeg.out_color_space = JCS_CMYK;
  else
    jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_calc_output_dimensions(&jpeg);
}

void read_rows(JpegReading& reading) {
  jpeg_decompress_struct& jpeg = reading.jpeg;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = reading.pixels + static_cast<int64_t>(jpeg.output_scanline) * reading.row_bytes;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
}

// Adobe's files, which are nearly all there are, hold 255 - C and so on; so c, m, y and k here are already what is left of the light.
Picture from_cmyk(const Picture& from) {
  const auto share = [](unsigned a, unsigned b) {  // a b / 255, rounded
    const unsigned product = a * b + 128;
    return ((product >> 8) + product) >> 8;
  };
  Picture to(from.height, from.width, 3);
  for (size_t i = 0; i < to.pixels.size() / 3; ++i) {
    const uint8_t* p = from.pixels.data() + 4 * i;
    for (size_t c = 0; c < 3; ++c)
      to.pixels[3 * i + c] = static_cast<uint8_t>(p[3] - share(255u - p[c], p[3]));
  }
  return to;
}

}  // namespace

Picture parse_jpeg(std::span<const std::byte> bytes, std::string_view name, std::string_view who) {
  JpegReading reading(bytes);
  const auto run = [&](void (*part)(JpegReading&)) {
    if (guarded(reading, part)) return;
    const int code = reading.errors.msg_code;
    check(code != JERR_EMPTY_IMAGE, who, "{}: a picture without pixels: expected at least 1 x 1", name);
    check(code != JWRN_JPEG_EOF && code != JWRN_HIT_MARKER, who,
          "{}: the JPEG ends too early: the file is not complete", name);
    fail(who, "{}: a JPEG that cannot be read: {}", name, reading.text);
  };
  run(read_header);
  check_picture_size(reading.jpeg.image_height, reading.jpeg.image_width, name, who);
  run(choose_form);
  Picture picture(reading.jpeg.output_height, reading.jpeg.output_width, reading.jpeg.out_color_components);
  reading.pixels = picture.pixels.data();
  reading.row_bytes = picture.width * picture.channels;
  run(read_rows);
  return picture.channels == 4 ? from_cmyk(picture) : picture;
}

}  // namespace fovea::data
