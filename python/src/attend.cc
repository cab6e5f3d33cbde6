#include <pybind11/stl.h>

#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "fovea/fovea.h"
#include "without_gil.h"

namespace fovea::python {

void bind_attend(py::module_& module) {
  py::class_<Attended>(module, "Attended", "What attend() gives.")
      .def_property_readonly("context", [](const Attended& self) { return numpy_of(self.context); })
      .def_property_readonly(
          "weights", [](const Attended& self) { return numpy_of(self.weights); },
          "[batch, heads, queries, keys]; None where they were not asked for")
      .def_property_readonly(
          "gradients",
          [](const Attended& self) {
            py::dict gradients;
            for (const auto& [name, gradient] : self.gradients) gradients[name.c_str()] = numpy_of(gradient);
            return gradients;
          },
          "With upstream: of query, key, value, bias, and of the params by their names.")
      .def("__repr__", [](const Attended& self) {
        return py::str("<fovea.Attended context {}>").format(py::tuple(py::cast(self.context.shape())));
      });

  const AttendOptions defaults;
  module.def(
      "attend",
      [](const py::object& query, const py::object& key, const py::object& value, std::string score,
         bool causal, int64_t heads, std::string mask, const std::map<std::string, py::object>& params,
         const py::object& bias, const py::object& visible, std::optional<std::vector<int64_t>> lengths,
         bool rope, bool weights, const py::object& upstream, int64_t kv_heads, std::string hard,
         uint64_t seed, bool plain) {
        Inputs inputs;
        AttendOptions options;
        options.score = std::move(score);
        for (const auto& [name, param] : params) options.params[name] = inputs.view(param, name);
        options.causal = causal;
        options.mask = std::move(mask);
        options.visible = inputs.view(visible, "visible");
        options.bias = inputs.view(bias, "bias");
        if (lengths) options.lengths = std::move(*lengths);
        options.heads = heads;
        options.kv_heads = kv_heads;
        options.rope = rope;
        options.hard = std::move(hard);
        options.seed = seed;
        options.plain = plain;
        options.weights = weights;
        options.upstream = inputs.view(upstream, "upstream");
        const ArrayView q = inputs.view(query, "query"), k = inputs.view(key, "key"),
                        v = inputs.view(value, "value");
        return without_gil([&] { return attend(q, k, v, options); });
      },
      py::arg("query"), py::arg("key"), py::arg("value"), py::kw_only(), py::arg("score") = defaults.score,
      py::arg("causal") = defaults.causal, py::arg("heads") = defaults.heads, py::arg("mask") = defaults.mask,
      py::arg("params") = py::dict(), py::arg("bias") = py::none(), py::arg("visible") = py::none(),
      py::arg("lengths") = py::none(), py::arg("rope") = defaults.rope, py::arg("weights") = defaults.weights,
      py::arg("upstream") = py::none(), py::arg("kv_heads") = defaults.kv_heads,
      py::arg("hard") = defaults.hard, py::arg("seed") = defaults.seed, py::arg("plain") = defaults.plain,
      "Attention on arrays of your own: query [T, n], key [S, n], value [S, m], or each with a batch in "
      "front.\n"
      "  context = weigh(mask(score(query, key))) value\n"
      "float32 arrays that are contiguous are read where they are; others are converted.");
}

}  // namespace fovea::python
