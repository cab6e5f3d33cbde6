#include <pybind11/stl.h>

#include "bindings.h"
#include "fovea/fovea.h"
#include "texts.h"

namespace fovea::python {
namespace {

// Read-only attributes: of texts, of lists of texts, and of what is a list of the module's own objects.
template <typename Class, typename Owner>
void text(Class& type, const char* name, std::string Owner::*member) {
  type.def_property_readonly(name,
                             [member](const typename Class::type& self) { return str_of(self.*member); });
}
template <typename Class, typename Owner, typename T>
void list(Class& type, const char* name, std::vector<T> Owner::*member) {
  type.def_property_readonly(name,
                             [member](const typename Class::type& self) { return list_of(self.*member); });
}

std::string repr_of(const char* name, const Hypothesis& written) {
  return py::str("<fovea.{} {!r} score={:.4f} log_prob={:.4f}>")
      .format(name, str_of(written.text), written.score, written.log_prob);
}
std::string repr_of(const char* name, const LabelProbability& label) {
  return py::str("<fovea.{} {!r} {:.4f}>").format(name, str_of(label.label), label.probability);
}

void bind_written(py::module_& module) {
  py::class_<Hypothesis> hypothesis(module, "Hypothesis", "What a model wrote.");
  text(hypothesis, "text", &Hypothesis::text);
  list(hypothesis, "tokens", &Hypothesis::tokens);
  hypothesis.def_readonly("ids", &Hypothesis::ids)
      .def_readonly("log_prob", &Hypothesis::log_prob)
      .def_readonly("score", &Hypothesis::score)
      .def_readonly("ended", &Hypothesis::ended)
      .def("__str__", [](const Hypothesis& self) { return str_of(self.text); })
      .def("__repr__", [](const Hypothesis& self) { return repr_of("Hypothesis", self); });

  py::class_<Translation, Hypothesis> translation(module, "Translation",
                                                  "The best hypothesis of a translation.");
  list(translation, "source_tokens", &Translation::source_tokens);
  list(translation, "n_best", &Translation::n_best);
  translation.def_readonly("map", &Translation::map)
      .def_readonly("alignment", &Translation::alignment)
      .def("__repr__", [](const Translation& self) { return repr_of("Translation", self); });

  py::class_<Caption, Hypothesis> caption(module, "Caption", "The best hypothesis of what is seen.");
  list(caption, "n_best", &Caption::n_best);
  caption.def_readonly("map", &Caption::map).def("__repr__", [](const Caption& self) {
    return repr_of("Caption", self);
  });

  py::class_<Generation, Hypothesis> generation(module, "Generation",
                                                "A text that continues a prompt, without it.");
  list(generation, "prompt_tokens", &Generation::prompt_tokens);
  list(generation, "n_best", &Generation::n_best);
  generation.def_readonly("map", &Generation::map)
      .def_readonly("prompt_seconds", &Generation::prompt_seconds)
      .def_readonly("seconds", &Generation::seconds)
      .def("__repr__", [](const Generation& self) { return repr_of("Generation", self); });
}

void bind_read(py::module_& module) {
  py::class_<Guess> guess(module, "Guess", "A token for a gap.");
  text(guess, "token", &Guess::token);
  text(guess, "text", &Guess::text);
  guess.def_readonly("id", &Guess::id)
      .def_readonly("probability", &Guess::probability)
      .def("__repr__", [](const Guess& self) {
        return py::str("<fovea.Guess {!r} {:.4f}>").format(str_of(self.token), self.probability);
      });
  py::class_<Gap> gap(module, "Gap", "A masked token, and what may stand there.");
  list(gap, "guesses", &Gap::guesses);
  gap.def_readonly("position", &Gap::position).def("__repr__", [](const Gap& self) {
    return py::str("<fovea.Gap at token {}: {}>").format(self.position, list_of(self.guesses));
  });

  py::class_<LabelProbability> label(module, "LabelProbability",
                                     "A label, and how probable it is (of a regression: its number).");
  text(label, "label", &LabelProbability::label);
  label.def_readonly("probability", &LabelProbability::probability)
      .def("__repr__", [](const LabelProbability& self) { return repr_of("LabelProbability", self); });
  py::class_<Classification::Word, LabelProbability> word(module, "WordLabel", "The label of a word.");
  text(word, "word", &Classification::Word::word);
  word.def("__repr__", [](const Classification::Word& self) {
    return py::str("<fovea.WordLabel {!r}: {!r} {:.4f}>")
        .format(str_of(self.word), str_of(self.label), self.probability);
  });
  py::class_<Classification, LabelProbability> classification(module, "Classification",
                                                              "The most probable label.");
  list(classification, "all", &Classification::all);
  list(classification, "words", &Classification::words);
  classification.def("__repr__", [](const Classification& self) -> std::string {
    if (self.words.empty()) return repr_of("Classification", self);
    return py::str("<fovea.Classification of words: {}>").format(list_of(self.words));
  });

  py::class_<Score> score(module, "Score", "The log-probability of a text.");
  list(score, "tokens", &Score::tokens);
  score.def_readonly("log_prob", &Score::log_prob)
      .def_readonly("token_log_probs", &Score::token_log_probs)
      .def("__repr__", [](const Score& self) {
        return py::str("<fovea.Score log_prob={:.4f}, {} tokens>").format(self.log_prob, self.tokens.size());
      });
}

}  // namespace

void bind_results(py::module_& module) {
  bind_written(module);
  bind_read(module);

  py::class_<Tokens> tokens(module, "Tokens", "A text as a model reads it.");
  list(tokens, "tokens", &Tokens::tokens);
  tokens.def_readonly("ids", &Tokens::ids)
      .def_readonly("unknown", &Tokens::unknown)
      .def("__repr__",
           [](const Tokens& self) { return py::str("<fovea.Tokens {}>").format(list_of(self.tokens)); });

  py::class_<ModelInfo> info(module, "ModelInfo", "What a model is.");
  text(info, "directory", &ModelInfo::directory);
  text(info, "model_type", &ModelInfo::model_type);
  text(info, "what", &ModelInfo::what);
  text(info, "precision", &ModelInfo::precision);
  list(info, "can", &ModelInfo::can);
  list(info, "labels", &ModelInfo::labels);
  info.def_readonly("parameters", &ModelInfo::parameters)
      .def_readonly("weight_bytes", &ModelInfo::weight_bytes)
      .def_readonly("source_vocabulary", &ModelInfo::source_vocabulary)
      .def_readonly("vocabulary", &ModelInfo::vocabulary)
      .def_readonly("longest", &ModelInfo::longest)
      .def_readonly("reads_pictures", &ModelInfo::reads_pictures)
      .def_property_readonly(
          "config",
          [](const ModelInfo& self) {
            return py::module_::import("json").attr("loads")(str_of(self.config)).cast<py::dict>();
          },
          "config.json")
      .def("__repr__", [](const ModelInfo& self) {
        return py::str("<fovea.ModelInfo {}: {:,} parameters, {}; {}>")
            .format(str_of(self.model_type), self.parameters, str_of(self.precision),
                    py::str(", ").attr("join")(list_of(self.can)));
      });
}

}  // namespace fovea::python
