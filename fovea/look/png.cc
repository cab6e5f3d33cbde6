#include "fovea/look/png.h"

#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <new>

#include "fovea/base/error.h"

namespace fovea::look {
namespace {

constexpr double kMaxPixels = 100e6, kMaxSide = 32'767;  // the second is cairo's own
struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

[[noreturn]] void fail_with(GError* error) {
  const std::string message = error ? error->message : "no reason given";
  g_clear_error(&error);
  fail("png", "the picture cannot be drawn: {}", message);
}

void check_cairo(cairo_status_t status) {
  check(status == CAIRO_STATUS_SUCCESS, "png", "the picture cannot be drawn: {}",
        cairo_status_to_string(status));
}

// Maps hold all cells of one colour in one attribute, which may be longer than XML parsers take from strangers.
Owned<RsvgHandle> parse(std::string_view svg) {
  const Owned<GInputStream> stream(
      g_memory_input_stream_new_from_data(svg.data(), static_cast<gssize>(svg.size()), nullptr));
  GError* error = nullptr;
  Owned<RsvgHandle> handle(
      rsvg_handle_new_from_stream_sync(stream.get(), nullptr, RSVG_HANDLE_FLAG_UNLIMITED, nullptr, &error));
  if (!handle) fail_with(error);
  return handle;
}

}  // namespace

std::string to_png(std::string_view svg, double scale) {
  const Owned<RsvgHandle> handle = parse(svg);
  double width = 0, height = 0;
  check(rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height), "png",
        "an SVG without width and height in pixels: expected both");
  const double wide = std::ceil(width * scale), high = std::ceil(height * scale);
  check(wide >= 1 && high >= 1, "png", "a picture of {} x {} at scale {}: there is nothing to draw", width,
        height, scale);
  check(wide <= kMaxSide && high <= kMaxSide && wide * high <= kMaxPixels, "png",
        "a picture of {:.0f} x {:.0f} pixels: expected {:.0f} or fewer on a side and {:.0f} million in all; "
        "write SVG or "
        "HTML, or show less",
        wide, high, kMaxSide, kMaxPixels / 1e6);

  const Owned<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(wide), static_cast<int>(high)));
  check_cairo(cairo_surface_status(surface.get()));
  const Owned<cairo_t> context(cairo_create(surface.get()));
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  const RsvgRectangle viewport = {0, 0, width * scale, height * scale};
  GError* error = nullptr;
  if (!rsvg_handle_render_document(handle.get(), context.get(), &viewport, &error)) fail_with(error);
  check_cairo(cairo_status(context.get()));

  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned int n) {
    try {  // no exception may cross cairo
      static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), n);
    } catch (const std::bad_alloc&) {
      return CAIRO_STATUS_NO_MEMORY;
    }
    return CAIRO_STATUS_SUCCESS;
  };
  check_cairo(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

}  // namespace fovea::look
