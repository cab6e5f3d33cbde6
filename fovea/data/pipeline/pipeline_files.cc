#include "fovea/data/pipeline/pipeline_files.h"

#include <algorithm>
#include <array>

#include "fovea/base/error.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/word_patterns.h"
#include "fovea/data/tokenizers/spm_pipeline.h"

namespace fovea::data {
namespace {

using nlohmann::json;

const std::string* find(const NamedFiles& files, const std::string& name) {
  const auto found = files.find(name);
  return found == files.end() ? nullptr : &found->second;
}

// Calls f(line, number from 1) for every line; a last one may lack its end.
template <typename F>
void for_each_line(std::string_view text, std::string_view source, F&& f) {
  check(find_invalid_utf8(text) == std::string_view::npos, "tokenizer", "{}: not UTF-8", source);
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    f(line, number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// {"piece": id} of a vocab.txt: one piece in each line.
json read_vocab_txt(std::string_view text, std::string_view source) {
  json vocab = json::object();
  for_each_line(text, source, [&](std::string_view line, int64_t number) {
    const bool fresh = vocab.emplace(std::string(line), number - 1).second;
    check(fresh, "tokenizer", "{}: line {} repeats {}: every piece must be there once", source, number,
          quote(line));
  });
  return vocab;
}

json read_merges_txt(std::string_view text, std::string_view source) {
  json merges = json::array();
  for_each_line(text, source, [&](std::string_view line, int64_t) {
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(std::string(line));
  });
  return merges;
}

// A name as the configurations have it: "[PAD]", or {"content": "[PAD]", ...}.
std::string name_in(const json& config, const char* key, std::string_view source) {
  const json& value = value_of(config, key);
  return value.is_object()   ? text_of(value, "content", "", source)
         : value.is_string() ? value.get<std::string>()
                             : "";
}

class Names {
 public:
  Names(const json& config, const json& map, const json& tokenizer, std::string_view source)
      : config_(config), map_(map), tokenizer_(tokenizer), source_(source) {}

  // What the configurations say; else the first of the `usual` ones that the tokenizer has.
  std::string find(const char* key, std::initializer_list<const char*> usual) const {
    for (const json* where : {&config_, &map_})
      if (std::string name = name_in(*where, key, source_); !name.empty()) return name;
    for (const char* name : usual)
      if (has(name)) return name;
    return "";
  }

 private:
  bool has(const char* name) const {
    if (!value_of(value_of(value_of(tokenizer_, "model"), "vocab"), name).is_null()) return true;
    const json& added = value_of(tokenizer_, "added_tokens");
    return added.is_array() && std::any_of(added.begin(), added.end(), [&](const json& token) {
             return value_of(token, "content") == name;
           });
  }

  const json &config_, &map_, &tokenizer_;
  std::string_view source_;
};

SpecialNames read_names(const Names& names, bool bert) {
  SpecialNames found;
  found.pad = names.find("pad_token", {bert ? "[PAD]" : "<pad>"});
  found.cls = names.find("cls_token", {"[CLS]"});
  found.sep = names.find("sep_token", {"[SEP]"});
  found.mask = names.find("mask_token", {"[MASK]", "<mask>"});
  if (bert) {
    found.sos = found.cls;
    found.eos = found.sep;
  } else {
    found.eos = names.find("eos_token", {"<|endoftext|>", "</s>", "<|end_of_text|>"});
    found.sos = names.find("bos_token", {"<|startoftext|>", "<|endoftext|>", "<s>", "<|begin_of_text|>"});
    if (found.sos.empty()) found.sos = found.eos;
  }
  return found;
}

json added_token(const std::string& content, int64_t id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

// Where no tokenizer.json lists them: what tokenizer_config.json has decoded, else the special names of the vocabulary.
json added_tokens(const json& config, const SpecialNames& names, const json& vocab, const json& more,
                  std::string_view source) {
  json added = json::array();
  if (const json& listed = value_of(config, "added_tokens_decoder"); listed.is_object()) {
    for (const auto& [id, token] : listed.items()) {
      check(token.is_object() && !id.empty() && id.size() < 10 &&
                id.find_first_not_of("0123456789") == std::string::npos,
            "tokenizer", "{}: added_tokens_decoder has the key {}: expected an id and a token", source,
            quote(id));
      added.push_back(token);
      added.back()["id"] = std::stoul(id);
    }
    return added;
  }
  for (const std::string& name :
       {names.pad, std::string("[UNK]"), names.cls, names.sep, names.mask, names.sos, names.eos}) {
    const json& id = value_of(vocab, name.c_str());
    const bool known =
        std::any_of(added.begin(), added.end(), [&](const json& token) { return token["content"] == name; });
    if (!name.empty() && index_of(id, INT32_MAX) >= 0 && !known)
      added.push_back(added_token(name, id.get<int64_t>()));
  }
  if (more.is_null()) return added;
  check(more.is_object(), "tokenizer", "{}/added_tokens.json: expected an object of tokens and their ids",
        source);
  for (const auto& [name, id] : more.items()) {
    check(index_of(id, INT32_MAX) >= 0 && !name.empty(), "tokenizer", "{}/added_tokens.json: {} has no id",
          source, quote(name));
    const bool special =
        std::ranges::any_of(std::array{names.pad, names.cls, names.sep, names.mask, names.sos, names.eos},
                            [&key = name](const std::string& one) { return one == key; });
    added.push_back(added_token(name, id.get<int64_t>()));
    added.back()["special"] = special;
    added.back()["normalized"] = !special;
  }
  return added;
}

// BERT's template, with the ids of the vocabulary.
void set_bert_template(json& tokenizer, const SpecialNames& names) {
  const json& vocab = tokenizer["model"]["vocab"];
  if (!vocab.contains(names.cls) || !vocab.contains(names.sep)) return;
  const auto special = [&](const std::string& name, int type) -> json {
    return {{"SpecialToken", {{"id", name}, {"type_id", type}}}};
  };
  const auto line = [](const char* name, int type) -> json {
    return {{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  json specials = json::object();
  for (const std::string& name : {names.cls, names.sep})
    specials[name] = {{"id", name}, {"ids", json::array({vocab[name]})}, {"tokens", json::array({name})}};
  tokenizer["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single", json::array({special(names.cls, 0), line("A", 0), special(names.sep, 0)})},
      {"pair", json::array({special(names.cls, 0), line("A", 0), special(names.sep, 0), line("B", 1),
                            special(names.sep, 1)})},
      {"special_tokens", specials}};
}

// <|startoftext|> a <|endoftext|>, with the ids of the vocabulary.
void set_clip_template(json& tokenizer, const SpecialNames& names) {
  const json& vocab = tokenizer["model"]["vocab"];
  if (!vocab.contains(names.sos) || !vocab.contains(names.eos)) return;
  tokenizer["post_processor"] = {{"type", "RobertaProcessing"},
                                 {"sep", json::array({names.eos, vocab[names.eos]})},
                                 {"cls", json::array({names.sos, vocab[names.sos]})},
                                 {"trim_offsets", false},
                                 {"add_prefix_space", false}};
}

// The flags of a configuration in the steps of the tokenizer.
void apply_flags(json& tokenizer, const json& config) {
  constexpr const char* kFlags[][3] = {{"do_lower_case", "normalizer", "lowercase"},
                                       {"strip_accents", "normalizer", "strip_accents"},
                                       {"tokenize_chinese_chars", "normalizer", "handle_chinese_chars"},
                                       {"add_prefix_space", "pre_tokenizer", "add_prefix_space"}};
  for (const auto& [flag, step, key] : kFlags) {
    const json& value = value_of(config, flag);
    const json& type = value_of(value_of(tokenizer, step), "type");
    if (value.is_boolean() && (type == "BertNormalizer" || type == "ByteLevel")) tokenizer[step][key] = value;
  }
}

}  // namespace

json bert_json(bool lowercase) {
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", json::array()},
          {"normalizer",
           {{"type", "BertNormalizer"},
            {"clean_text", true},
            {"handle_chinese_chars", true},
            {"strip_accents", nullptr},
            {"lowercase", lowercase}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"post_processor", nullptr},
          {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
          {"model",
           {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 100},
            {"vocab", json::object()}}}};
}

json gpt2_json() {
  const json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", byte_level},
          {"post_processor", byte_level},
          {"decoder", byte_level},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", json::object()},
            {"merges", json::array()}}}};
}

json clip_json() {
  json clip = gpt2_json();
  clip["normalizer"] = {{"type", "Sequence"},
                        {"normalizers",
                         {{{"type", "NFC"}},
                          {{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", " "}},
                          {{"type", "Lowercase"}}}}};
  clip["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern", {{"Regex", clip_pattern().expression}}},
                              {"behavior", "Removed"},
                              {"invert", true}},
                             clip["pre_tokenizer"]}}};
  clip["model"]["unk_token"] = "<|endoftext|>";
  clip["model"]["end_of_word_suffix"] = "</w>";
  return clip;
}

PipelineFiles read_pipeline(const NamedFiles& files, std::string_view source) {
  const auto read = [&](const std::string& name) {
    const std::string* bytes = find(files, name);
    return bytes == nullptr ? json() : parse_json(*bytes, "tokenizer", fmt::format("{}/{}", source, name));
  };
  const json config = read("tokenizer_config.json"), map = read("special_tokens_map.json");
  PipelineFiles found;
  found.tokenizer = read("tokenizer.json");
  const std::string *vocab_txt = find(files, "vocab.txt"), *merges_txt = find(files, "merges.txt");
  const bool whole = !found.tokenizer.is_null();
  bool clip = false;
  if (whole) {
    check(value_of(found.tokenizer, "model").is_object(), "tokenizer", "{}: there is no model in it", source);
  } else if (vocab_txt != nullptr) {
    found.tokenizer = bert_json(true);
    found.tokenizer["model"]["vocab"] = read_vocab_txt(*vocab_txt, fmt::format("{}/vocab.txt", source));
    if (const std::string name = name_in(config, "unk_token", source); !name.empty())
      found.tokenizer["model"]["unk_token"] = name;
  } else if (files.contains("vocab.json") && merges_txt != nullptr) {
    const json vocab = read("vocab.json");
    clip = vocab.is_object() && vocab.contains("!</w>") && vocab.contains("<|endoftext|>");
    found.tokenizer = clip ? clip_json() : gpt2_json();
    found.tokenizer["model"]["vocab"] = vocab;
    found.tokenizer["model"]["merges"] = read_merges_txt(*merges_txt, fmt::format("{}/merges.txt", source));
  } else if (const std::string* spm = find(files, "tokenizer.model"); spm != nullptr) {
    found.tokenizer = spm_pipeline(*spm, fmt::format("{}/tokenizer.model", source));
  } else {
    fail(
        "tokenizer",
        "{}: no tokenizer: expected tokenizer.json, tokenizer.model, vocab.txt, or vocab.json and merges.txt",
        source);
  }
  const json& model = found.tokenizer["model"];
  const bool bert =
      text_of(model, "type", model.contains("merges") ? "BPE" : "WordPiece", source) == "WordPiece";
  const bool listed = !value_of(found.tokenizer, "added_tokens").empty() || whole;  // added tokens are
  found.names = read_names(Names(config, map, found.tokenizer, source), bert);
  if (!listed) {
    found.tokenizer["added_tokens"] =
        added_tokens(config, found.names, value_of(model, "vocab"), read("added_tokens.json"), source);
    if (bert) set_bert_template(found.tokenizer, found.names);
    if (clip) set_clip_template(found.tokenizer, found.names);
  }
  apply_flags(found.tokenizer, config);
  return found;
}

}  // namespace fovea::data
