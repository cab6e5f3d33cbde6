#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "fovea/fovea.h"
#include "texts.h"
#include "without_gil.h"

namespace fovea::python {
namespace {

Map::Color color_of(const std::string& name) {
  if (name == "none") return Map::Color::kNone;
  if (name == "256") return Map::Color::k256;
  if (name == "true") return Map::Color::kTrue;
  throw py::value_error("color: expected 'none', '256' or 'true', met '" + name + "'");
}

int64_t heads_of(const std::vector<Map::Attention>& all) {
  int64_t heads = 0;
  for (const Map::Attention& one : all) heads += static_cast<int64_t>(one.layers.size() * one.heads.size());
  return heads;
}

// The page in a frame of its own: scripts and styles of several maps stay apart, and the sandbox keeps a model's tokens, which are
// somebody else's texts, away from the notebook.
std::optional<py::str> frame_of(const Map& map) {
  if (map.empty()) return {};
  size_t rows = 0;
  for (const Map::Attention& one : map.attentions()) rows = std::max(rows, one.rows.size());
  // Title and controls take some 200 pixels, a row of a map 30. What is longer scrolls.
  const size_t height = std::clamp<size_t>(200 + 30 * rows, 420, 760);
  const py::object escape = py::module_::import("html").attr("escape");
  return py::
      str("<iframe sandbox=\"allow-scripts allow-downloads\" style=\"width: 100%; height: {}px; border: 0\" "
          "srcdoc=\"{}\"></iframe>")
          .format(height, escape(str_of(without_gil([&] { return map.html(); }))));
}

// For what shows pictures only (a notebook on its way to paper). One of a whole model would be megabytes.
std::optional<py::str> picture_of(const Map& map) {
  constexpr int64_t kHeads = 16;
  if (map.empty() || heads_of(map.attentions()) > kHeads) return {};
  return str_of(without_gil([&] { return map.svg(); }));
}

std::string summary_of(const Map& map) {
  if (map.empty()) return "<fovea.Map: empty>";
  std::string all;
  for (const Map::Attention& one : map.attentions()) {
    all += all.empty() ? " " : ", ";
    if (!one.name.empty()) all += one.name + " ";
    for (size_t i = 0; i < one.weights.shape().size(); ++i)
      all += (i == 0 ? "" : "x") + std::to_string(one.weights.shape()[i]);
  }
  return "<fovea.Map:" + all + ">";
}

}  // namespace

void bind_map(py::module_& module) {
  py::class_<Map> map(module, "Map", "Where a model looked. A notebook shows it; print() writes it as text.");

  py::class_<Map::Attention>(module, "Attention", "One attention of a map.")
      .def_property_readonly("name", [](const Map::Attention& self) { return str_of(self.name); })
      .def_property_readonly("rows", [](const Map::Attention& self) { return list_of(self.rows); })
      .def_property_readonly("columns", [](const Map::Attention& self) { return list_of(self.columns); })
      .def_readonly("layers", &Map::Attention::layers)
      .def_readonly("heads", &Map::Attention::heads)
      .def_property_readonly(
          "grid",
          [](const Map::Attention& self) -> std::optional<std::pair<int, int>> {
            if (self.grid_height == 0) return {};
            return std::pair(self.grid_height, self.grid_width);
          },
          "(height, width) of a picture's grid, whose places are the columns, row by row; None of text")
      .def_property_readonly(
          "weights", [](const Map::Attention& self) { return numpy_of(self.weights); },
          "float32 [layers, heads, rows, columns], shared with the map: read-only")
      .def("__repr__", [](const Map::Attention& self) {
        return py::str("<fovea.Attention {!r}: {} layers, {} heads, {} rows, {} columns>")
            .format(str_of(self.name), self.layers.size(), self.heads.size(), self.rows.size(),
                    self.columns.size());
      });

  map.def_property_readonly("empty", &Map::empty, "Nobody looked, or the model does not look.")
      .def("__bool__", [](const Map& self) { return !self.empty(); })
      .def_property_readonly("attentions", [](const Map& self) { return list_of(self.attentions()); })
      .def(
          "select",
          [](const Map& self, std::vector<int> layers, std::vector<int> heads, std::string attention,
             std::string token) {
            const Map::Part part{std::move(attention), std::move(layers), std::move(heads), std::move(token)};
            return without_gil([&] { return self.select(part); });
          },
          py::kw_only(), py::arg("layers") = std::vector<int>(), py::arg("heads") = std::vector<int>(),
          py::arg("attention") = "", py::arg("token") = "",
          "A part of it: layers and heads by the model's numbers, an attention by its name, and the row of a "
          "token: 'it', 'it@2' for the second, '#7' for the seventh token.")
      .def(
          "text",
          [](const Map& self, int columns, const std::string& color) {
            const Map::Color colors = color_of(color);
            return str_of(without_gil([&] { return self.text(columns, colors); }));
          },
          py::arg("columns") = 80, py::arg("color") = "none",
          "For a terminal of this width; color: 'none', '256' or 'true'.")
      .def(
          "svg", [](const Map& self) { return str_of(without_gil([&] { return self.svg(); })); },
          "A picture.")
      .def(
          "png",
          [](const Map& self, double scale) {
            return py::bytes(without_gil([&] { return self.png(scale); }));
          },
          py::arg("scale") = 2.0, "The same, as the bytes of a PNG file.")
      .def(
          "html", [](const Map& self) { return str_of(without_gil([&] { return self.html(); })); },
          "A page that needs nothing else, to look around in.")
      .def("json", [](const Map& self) { return str_of(without_gil([&] { return self.json(); })); })
      .def("__str__", [](const Map& self) { return str_of(without_gil([&] { return self.text(); })); })
      .def("__repr__", &summary_of)
      .def("_repr_html_", &frame_of)
      .def("_repr_svg_", &picture_of);

  module.def(
      "map_of",
      [](const py::object& weights, std::vector<std::string> rows, std::vector<std::string> columns,
         std::string title) {
        Inputs inputs;
        return map_of(inputs.view(weights, "weights"), std::move(rows), std::move(columns), std::move(title));
      },
      py::arg("weights"), py::arg("rows"), py::arg("columns"), py::arg("title") = "",
      "A map of given weights [T, S] or [H, T, S], with a label for each row and column.");
}

}  // namespace fovea::python
