#include "fovea/decode/generate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/data/token_file.h"
#include "fovea/decode/draw.h"
#include "fovea/decode/method.h"

namespace fovea::decode {
namespace {

constexpr const char* kWho = "generate";
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Text that comes token by token: whole characters, and no part of what may become a stop string. What a token says depends on
// those before it (blanks, characters of several tokens), but not on those long before: the newest are decoded each time.
class Stream {
 public:
  // `before`: the prompt, of which the end says how the first new word is joined to it.
  Stream(const data::Tokenizer& tokenizer, const std::vector<std::string>& stop,
         std::span<const int32_t> before)
      : tokenizer_(tokenizer), stop_(stop) {
    newest_.assign(before.end() - static_cast<std::ptrdiff_t>(std::min(kContext, before.size())),
                   before.end());
    known_ = tokenizer.decode(newest_);
  }

  // What may be shown now. ended() is true once a stop string was met.
  std::string add(int32_t id) {
    newest_.push_back(id);
    const std::string said = tokenizer_.decode(newest_);
    // Bytes at the end may be the first of a character.
    constexpr std::string_view kUnfinished = "\xEF\xBF\xBD";
    size_t end = said.size();
    while (std::string_view(said).substr(0, end).ends_with(kUnfinished)) end -= kUnfinished.size();
    settle(said, end);
    const size_t from = shown_ - std::min(shown_, longest_stop());
    for (const std::string& stop : stop_)
      if (const size_t at = text_.find(stop, from); at != std::string::npos) {
        text_.resize(std::max(at, shown_));
        ended_ = true;
      }
    return take(ended_ ? text_.size() : text_.size() - held_back());
  }
  // What was held back.
  std::string rest() {
    if (!ended_) {
      const std::string said = tokenizer_.decode(newest_);
      settle(said, said.size());
    }
    return take(text_.size());
  }
  bool ended() const { return ended_; }
  const std::string& text() const { return text_; }

 private:
  static constexpr size_t kContext = 8;

  // newest_ is decoded to `said`, of which what stands before `end` is final: the text grows by what is new in it.
  void settle(const std::string& said, size_t end) {
    const std::string sure = said.substr(0, end);
    if (sure.starts_with(known_)) {
      text_ += sure.substr(known_.size());
      known_ = sure;
    } else if (
        end ==
        said.size()) {  // bytes that made a character for a while are none after all; what was shown stays
      const auto before = tokenizer_.decode(std::vector<int32_t>(newest_.begin(), newest_.end() - 1));
      if (said.starts_with(before)) text_ += said.substr(before.size());
      known_ = said;
    }
    if (end == said.size() && known_ == said && newest_.size() > 2 * kContext) forget(said);
  }
  // Only some context stays, if it says by itself what it says here: it may begin within a character.
  void forget(const std::string& said) {
    for (size_t count = kContext; count < kContext + 4; ++count) {
      const std::vector<int32_t> kept(newest_.end() - static_cast<std::ptrdiff_t>(count), newest_.end());
      std::string alone = tokenizer_.decode(kept);
      if (alone.empty() || !said.ends_with(alone)) continue;
      newest_ = kept;
      known_ = std::move(alone);
      return;
    }
  }
  std::string take(size_t end) {
    std::string piece = text_.substr(shown_, end - shown_);
    shown_ = end;
    return piece;
  }
  size_t longest_stop() const {
    size_t most = 0;
    for (const std::string& stop : stop_) most = std::max(most, stop.size());
    return most;
  }
  // The longest end of what is not shown yet that is the beginning of a stop string.
  size_t held_back() const {
    size_t most = 0;
    for (const std::string& stop : stop_)
      for (size_t n = std::min(stop.size() - 1, text_.size() - shown_); n > most; --n)
        if (text_.ends_with(std::string_view(stop).substr(0, n))) most = n;
    return most;
  }

  const data::Tokenizer& tokenizer_;
  const std::vector<std::string>& stop_;
  std::vector<int32_t> newest_;  // some of the context, and what came after it
  std::string known_;            // the part of what newest_ decodes to that is in the text, or before it
  std::string text_;             // what was written
  size_t shown_ = 0;
  bool ended_ = false;
};

void penalize(std::span<float> logits, const std::vector<int32_t>& ids, float penalty) {
  if (penalty == 1) return;
  std::vector<int32_t> seen = ids;
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const int32_t id : seen) {
    float& x = logits[static_cast<size_t>(id)];
    x = x > 0 ? x / penalty : x * penalty;
  }
}

Tensor row_of(std::span<const int32_t> ids) {
  return Tensor::of<int32_t>({1, static_cast<int64_t>(ids.size())}, ids);
}

}  // namespace

Generator::Generator(models::TextModel model, GenerateOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  check(options_.words >= 0, kWho, "{} tokens: expected 0 or more", options_.words);
  check(options_.repetition_penalty > 0 && std::isfinite(options_.repetition_penalty), kWho,
        "a repetition penalty of {}: expected more than 0", options_.repetition_penalty);
  for (const std::string& stop : options_.stop)
    check(!stop.empty(), kWho, "an empty stop string would stop at once");
  if (!options_.greedy) check_sampling(options_.sampling, kWho);
}

std::vector<int32_t> Generator::prompt_ids(std::string_view prompt) const {
  check(find_invalid_utf8(prompt) == std::string_view::npos, kWho,
        "the prompt is not UTF-8: iconv converts other encodings");
  std::vector<int32_t> ids = model_.source->with_specials(model_.source->encode(prompt));
  const data::SpecialIds special = model_.source->special_ids();
  // Texts of lines begin after a line end; our own characters and bytes know no other beginning.
  const bool lines = model_.source->kind() == "char" || model_.source->kind() == "byte";
  if (ids.empty() && lines && data::keeps_line_ends(*model_.source)) ids = model_.source->encode("\n");
  if (ids.empty()) {
    const int32_t first = special.sos >= 0 ? special.sos : special.eos;
    check(first >= 0, kWho,
          "an empty prompt, and this model has no mark for the beginning of a text: give it some text");
    ids.push_back(first);
  }
  const int64_t most = model_.net->longest();
  const auto length = static_cast<int64_t>(ids.size());
  if (most > 0 && length >= most) {
    if (!options_.window)
      fail(kWho,
           "the prompt has {} tokens, and this model reads {} with what it writes: shorten it, or let it see "
           "the newest part with --window",
           grouped(length), grouped(most));
    ids.erase(ids.begin(), ids.end() - std::max<int64_t>(1, most / 2));
  }
  return ids;
}

Generated Generator::operator()(std::vector<int32_t> prompt,
                                const std::function<bool(std::string_view)>& said) const {
  Generated result;
  result.prompt = std::move(prompt);
  std::vector<int32_t> all = result.prompt;
  std::vector<int32_t> ends = model_.net->ends();
  if (const int32_t end = model_.target->special_ids().eos; end >= 0) ends.push_back(end);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  // A config may name ids that the model has not.
  std::erase_if(ends, [&](int32_t id) { return id >= std::min(model_.target->size(), model_.net->vocab()); });
  const int64_t most = model_.net->longest();
  Stream stream(*model_.target, options_.stop, all);
  auto continuation = model_.net->begin(1);
  Tensor look;
  auto start = Clock::now();
  Tensor logits = continuation->read(row_of(all), options_.look ? &look : nullptr);
  result.read_seconds = seconds_since(start);
  start = Clock::now();
  const std::vector<int32_t> hidden = options_.ignore_end ? ends : std::vector<int32_t>{};
  for (int64_t n = 0; n < options_.words; ++n) {
    // A model may have more ids than its tokenizer can write: a round number of them.
    const auto known =
        logits.span<float>().first(static_cast<size_t>(std::min(model_.target->size(), model_.net->vocab())));
    penalize(known, all, options_.repetition_penalty);
    Sampling sampling = options_.sampling;
    if (options_.greedy) sampling = {.temperature = 1, .top_k = 1};
    const Drawn drawn = draw(known, sampling, hidden, draw_position(sampling.seed, 0, n));
    if (drawn.token < 0) fail_without_numbers(0);
    if (std::binary_search(ends.begin(), ends.end(), drawn.token)) {
      result.ended = true;
      break;
    }
    all.push_back(drawn.token);
    result.ids.push_back(drawn.token);
    if (options_.look) result.looks.push_back(look.reshape({look.dim(0), look.dim(2), look.dim(3)}));
    const std::string piece = stream.add(drawn.token);
    if (!said(piece)) break;
    if (stream.ended()) {
      result.ended = true;
      break;
    }
    if (n + 1 == options_.words) break;
    if (most > 0 && continuation->length() + 1 > most) {
      if (options_.fit && !options_.window) break;
      check(options_.window, kWho,
            "after {} tokens the text is as long as this model can read, {}: write fewer (-n), or go on with "
            "--window",
            grouped(n + 1), grouped(most));
      continuation = model_.net->begin(1);
      const auto newest = std::span(all).last(static_cast<size_t>(std::max<int64_t>(1, most / 2)));
      logits = continuation->read(row_of(newest), options_.look ? &look : nullptr);
    } else {
      logits = continuation->read(row_of({&drawn.token, 1}), options_.look ? &look : nullptr);
    }
  }
  if (const std::string rest = stream.rest(); !rest.empty()) said(rest);
  result.write_seconds = seconds_since(start);
  result.text = stream.text();
  return result;
}

}  // namespace fovea::decode
