#include <pybind11/stl.h>

#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "fovea/fovea.h"
#include "generating.h"
#include "interrupts.h"
#include "pictures.h"
#include "texts.h"
#include "without_gil.h"

namespace fovea::python {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Type = py::class_<Model>;

constexpr const char* kTextOrLines = "a str, or a list of them";

Side side_of(const std::string& name) {
  if (name == "source") return Side::kSource;
  if (name == "target") return Side::kTarget;
  throw py::value_error("side: expected 'source' or 'target', met '" + name + "'");
}

Model open(const py::object& directory, const std::optional<std::string>& precision) {
  PyObject* path = nullptr;  // str, bytes or os.PathLike
  if (!PyUnicode_FSConverter(directory.ptr(), &path)) throw py::error_already_set();
  const std::string name = py::reinterpret_steal<py::bytes>(path);
  return without_gil([&] { return load(name, {.precision = precision.value_or("")}); });
}

void bind_translate(Type& model) {
  const TranslateOptions defaults;
  model.def(
      "translate",
      [](const Model& self, const py::object& text, int64_t beam_size, int64_t n_best, float normalize,
         float max_length_factor, int64_t max_length, bool crop, bool sample, float temperature,
         int64_t top_k, float top_p, float min_p, uint64_t seed, float repetition_penalty,
         std::vector<std::string> stop, bool allow_unk, int64_t batch, bool look, bool words,
         const py::object& cancelled) -> py::object {
        Interrupts interrupts(cancelled);
        const TranslateOptions options{.beam_size = beam_size,
                                       .n_best = n_best,
                                       .normalize = normalize,
                                       .max_length_factor = max_length_factor,
                                       .max_length = max_length,
                                       .crop = crop,
                                       .sample = sample,
                                       .sampling = {temperature, top_k, top_p, min_p, seed},
                                       .repetition_penalty = repetition_penalty,
                                       .stop = std::move(stop),
                                       .allow_unk = allow_unk,
                                       .batch = batch,
                                       .look = look,
                                       .words = words,
                                       .cancelled = interrupts.asked()};
        if (py::isinstance<py::str>(text)) {
          const std::string line = text.cast<std::string>();
          return py::cast(interrupts.run([&] { return self.translate(line, options); }));
        }
        const std::vector<std::string> lines = texts_of(text, kTextOrLines);
        return list_of(interrupts.run([&] { return self.translate(lines, options); }));
      },
      py::arg("text"), py::kw_only(), py::arg("beam_size") = defaults.beam_size,
      py::arg("n_best") = defaults.n_best, py::arg("normalize") = defaults.normalize,
      py::arg("max_length_factor") = defaults.max_length_factor, py::arg("max_length") = defaults.max_length,
      py::arg("crop") = defaults.crop, py::arg("sample") = defaults.sample,
      py::arg("temperature") = defaults.sampling.temperature, py::arg("top_k") = defaults.sampling.top_k,
      py::arg("top_p") = defaults.sampling.top_p, py::arg("min_p") = defaults.sampling.min_p,
      py::arg("seed") = defaults.sampling.seed, py::arg("repetition_penalty") = defaults.repetition_penalty,
      py::arg("stop") = defaults.stop, py::arg("allow_unk") = defaults.allow_unk,
      py::arg("batch") = defaults.batch, py::arg("look") = defaults.look, py::arg("words") = defaults.words,
      py::arg("cancelled") = py::none(), "A Translation of a str; a list of them of a list.");
}

// The same arguments for text as it comes and for the whole at once.
template <typename Finish>
void bind_generate(Type& model, const char* name, const char* what, Finish finish) {
  const GenerateOptions defaults;
  model.def(
      name,
      [finish](const Model& self, const py::str& prompt, int64_t max_tokens, bool window, float temperature,
               int64_t top_k, float top_p, float min_p, uint64_t seed, float repetition_penalty,
               std::vector<std::string> stop, bool ignore_eos, int64_t beam_size, int64_t n_best,
               float normalize, std::string cache, bool look, py::object on_prompt) {
        return finish(std::make_shared<Generating>(self, std::string(prompt),
                                                   GenerateOptions{.max_tokens = max_tokens,
                                                                   .window = window,
                                                                   .temperature = temperature,
                                                                   .top_k = top_k,
                                                                   .top_p = top_p,
                                                                   .min_p = min_p,
                                                                   .seed = seed,
                                                                   .repetition_penalty = repetition_penalty,
                                                                   .stop = std::move(stop),
                                                                   .ignore_eos = ignore_eos,
                                                                   .beam_size = beam_size,
                                                                   .n_best = n_best,
                                                                   .normalize = normalize,
                                                                   .cache = std::move(cache),
                                                                   .look = look},
                                                   std::move(on_prompt)));
      },
      py::arg("prompt") = "", py::kw_only(), py::arg("max_tokens") = defaults.max_tokens,
      py::arg("window") = defaults.window, py::arg("temperature") = defaults.temperature,
      py::arg("top_k") = defaults.top_k, py::arg("top_p") = defaults.top_p, py::arg("min_p") = defaults.min_p,
      py::arg("seed") = defaults.seed, py::arg("repetition_penalty") = defaults.repetition_penalty,
      py::arg("stop") = defaults.stop, py::arg("ignore_eos") = defaults.ignore_eos,
      py::arg("beam_size") = defaults.beam_size, py::arg("n_best") = defaults.n_best,
      py::arg("normalize") = defaults.normalize, py::arg("cache") = defaults.cache,
      py::arg("look") = defaults.look, py::arg("on_prompt") = py::none(), what);
}

void bind_read(Type& model) {
  const ReadOptions defaults;
  model.def(
      "fill",
      [](const Model& self, const py::str& line, int64_t count) {
        const std::string text = line;
        return list_of(without_gil([&] { return self.fill(text, count); }));
      },
      py::arg("line"), py::arg("count") = 5,
      "The most probable tokens for each [MASK] of a line: a Gap each.");
  model.def(
      "embed",
      [](const Model& self, const py::object& text, int64_t batch, bool crop) {
        const ReadOptions options{batch, crop};
        if (py::isinstance<py::str>(text)) {
          const std::string line = text.cast<std::string>();
          return numpy_of(without_gil([&] { return self.embed(line, options); }));
        }
        const std::vector<std::string> lines = texts_of(text, kTextOrLines);
        return numpy_of(without_gil([&] { return self.embed(lines, options); }));
      },
      py::arg("text"), py::kw_only(), py::arg("batch") = defaults.batch, py::arg("crop") = defaults.crop,
      "A vector: float32 [width] of a str, [lines, width] of a list.");
  model.def(
      "classify",
      [](const Model& self, const py::object& text, int64_t batch, bool crop) -> py::object {
        if (self.info().reads_pictures) {
          const Pictures given(text);
          std::vector<Classification> all = without_gil([&] { return self.classify(given.all); });
          return given.one ? py::cast(std::move(all.front())) : py::object(list_of(std::move(all)));
        }
        const ReadOptions options{batch, crop};
        if (py::isinstance<py::str>(text)) {
          const std::string line = text.cast<std::string>();
          return py::cast(without_gil([&] { return self.classify(line, options); }));
        }
        constexpr const char* kExpected = "a str, a list of them, or a list of pairs";
        if (!py::isinstance<py::iterable>(text)) text_of(text, kExpected);
        const py::list all(text);
        const auto is_pair = [](py::handle one) {
          return py::isinstance<py::sequence>(one) && !py::isinstance<py::str>(one) && py::len(one) == 2;
        };
        if (all.empty() || !is_pair(all[0])) {
          const std::vector<std::string> lines = texts_of(all, kExpected);
          return list_of(without_gil([&] { return self.classify(lines, options); }));
        }
        Pairs pairs;
        for (const py::handle one : all) {
          if (!is_pair(one)) text_of(py::none(), "pairs of str throughout");
          const py::sequence pair = py::reinterpret_borrow<py::sequence>(one);
          pairs.emplace_back(text_of(pair[0], "pairs of str"), text_of(pair[1], "pairs of str"));
        }
        return list_of(without_gil([&] { return self.classify(pairs, options); }));
      },
      py::arg("text"), py::kw_only(), py::arg("batch") = defaults.batch, py::arg("crop") = defaults.crop,
      "A Classification of a str; a list of them of a list of str, or of pairs (first, second) of str. "
      "Of a model that looks at pictures: a file's path, an array uint8 [height, width, 3] or [height, "
      "width], or a list of them.");
}

void bind_caption(Type& model) {
  const CaptionOptions defaults;
  model.def(
      "caption",
      [](const Model& self, const py::object& picture, int64_t beam_size, int64_t n_best, float normalize,
         int64_t batch, bool look, bool words, const py::object& cancelled) -> py::object {
        Interrupts interrupts(cancelled);
        const CaptionOptions options{.beam_size = beam_size,
                                     .n_best = n_best,
                                     .normalize = normalize,
                                     .batch = batch,
                                     .look = look,
                                     .words = words,
                                     .cancelled = interrupts.asked()};
        const Pictures given(picture);
        std::vector<Caption> all = interrupts.run([&] { return self.caption(given.all, options); });
        return given.one ? py::cast(std::move(all.front())) : py::object(list_of(std::move(all)));
      },
      py::arg("picture"), py::kw_only(), py::arg("beam_size") = defaults.beam_size,
      py::arg("n_best") = defaults.n_best, py::arg("normalize") = defaults.normalize,
      py::arg("batch") = defaults.batch, py::arg("look") = defaults.look, py::arg("words") = defaults.words,
      py::arg("cancelled") = py::none(),
      "A Caption of a picture: a file's path, or an array uint8 [height, width, 3] or [height, width]. A "
      "list "
      "of them of a list.");
}

void bind_score(Type& model) {
  model.def(
      "score",
      [](const Model& self, const py::str& text, const std::optional<py::str>& target) {
        const std::string first = text;
        if (!target) return without_gil([&] { return self.score(first); });
        const std::string second = *target;
        return without_gil([&] { return self.score(first, second); });
      },
      py::arg("text"), py::arg("target") = py::none(),
      "The log-probability of a target given its source, or of a text by a model that continues texts.");
  model.def(
      "logits",
      [](const Model& self, const std::vector<int32_t>& ids, const std::vector<int32_t>& source_ids) {
        return numpy_of(without_gil([&] { return self.logits(ids, source_ids); }));
      },
      py::arg("ids"), py::arg("source_ids") = std::vector<int32_t>(),
      "What the model computes from ids: logits [T, V] of the token after each, or of labels [1, labels]; "
      "the last "
      "hidden states [T, width] of an encoder without a head. A translator reads source_ids, too.");
  model.def(
      "tokenize",
      [](const Model& self, const py::str& text, const std::string& side) {
        return self.tokenize(std::string(text), side_of(side));
      },
      py::arg("text"), py::arg("side") = "source", "ids and tokens of a text; side: 'source' or 'target'.");
  model.def(
      "detokenize",
      [](const Model& self, const std::vector<int32_t>& ids, const std::string& side) {
        return str_of(self.detokenize(ids, side_of(side)));
      },
      py::arg("ids"), py::arg("side") = "target", "The text of ids.");
}

void bind_look(Type& model) {
  const LookOptions defaults;
  model.def(
      "look",
      [](const Model& self, const py::object& text, const std::optional<py::str>& target, int64_t beam_size,
         bool words) {
        const LookOptions options{target ? std::string(*target) : "", beam_size, words};
        if (self.info().reads_pictures) {
          const Picture picture = picture_from(text);
          return without_gil([&] { return self.look(picture, options); });
        }
        const std::string line = text_of(text, "a str");
        return without_gil([&] { return self.look(line, options); });
      },
      py::arg("text"), py::arg("target") = py::none(), py::kw_only(),
      py::arg("beam_size") = defaults.beam_size, py::arg("words") = defaults.words,
      "Where it looks: for each token of its translation (or of `target`), or of a text that it reads; in a "
      "picture, for each token of its caption, or in every layer and head.");
}

}  // namespace

void bind_model(py::module_& module) {
  module.def(
      "load", &open, py::arg("directory"), py::arg("precision") = py::none(),
      "A model's directory, that of its training run, or one of Hugging Face's; precision: 'f32', 'int8' or "
      "None, as the directory has it.");
  Type model(module, "Model", "A model that is ready to run; threads may use it at the same time.");
  model.def("info", &Model::info, "What it is.")
      .def("can", &Model::can, py::arg("function"), "Whether it has this function: m.can('translate').")
      .def("__repr__", [](const Model& self) {
        const ModelInfo info = self.info();
        return py::str("<fovea.Model {!r}: {}; {}>")
            .format(str_of(info.directory), str_of(info.model_type),
                    py::str(", ").attr("join")(list_of(info.can)));
      });
  bind_translate(model);
  bind_generate(
      model, "generate",
      "An iterator over pieces of text as they come; what ends the loop, or close(), ends the work. "
      ".result has the Generation at the end.",
      [](const std::shared_ptr<Generating>& generating) { return generating; });
  bind_generate(model, "generate_text", "The whole Generation at once.",
                [](const std::shared_ptr<Generating>& generating) {
                  while (generating->next()) {
                  }
                  return generating->result();
                });
  bind_read(model);
  bind_caption(model);
  bind_score(model);
  bind_look(model);
}

}  // namespace fovea::python
