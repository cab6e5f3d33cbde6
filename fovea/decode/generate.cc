#include "fovea/decode/generate.h"

#include <algorithm>
#include <chrono>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/data/token_file.h"
#include "fovea/decode/search.h"
#include "fovea/decode/text_stream.h"

namespace fovea::decode {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

Generator::Generator(run::LoadedDecoder model, Options options)
    : model_(std::move(model)), options_(std::move(options)) {
  const run::DecoderInfo& info = model_.decoder->info();
  check(!info.reads_source, "generate", "this model turns one text into another: fovea translate is for it");
  options_.tokenizer = model_.target.get();
  options_.usable_ids = std::min(model_.target->size(), info.vocab);
  options_.ends.push_back(model_.target->special_ids().eos);
  check_options(options_, "generate");
}

std::vector<int32_t> Generator::prompt_ids(std::string_view prompt) const {
  check_utf8(prompt, "generate", "the prompt");
  const std::vector<int32_t> read = model_.source->encode(prompt);
  std::vector<int32_t> ids = model_.source->with_specials(read);
  const data::SpecialIds special = model_.source->special_ids();
  // A tokenizer may end a text as well as begin it ([SEP]); what is continued has no end.
  if (ids.size() > read.size() && (ids.back() == special.sep || ids.back() == special.eos) &&
      (read.empty() || ids.back() != read.back()))
    ids.pop_back();
  // Texts of lines begin after a line end; our own characters and bytes know no other beginning.
  const bool lines = model_.source->kind() == "char" || model_.source->kind() == "byte";
  if (ids.empty() && lines && data::keeps_line_ends(*model_.source)) ids = model_.source->encode("\n");
  if (ids.empty()) {
    const int32_t first = special.sos >= 0 ? special.sos : special.eos;
    check(first >= 0, "generate", "an empty prompt, and this model has no start token: give it some text");
    ids.push_back(first);
  }
  const int64_t most = model_.decoder->info().longest;
  const auto length = static_cast<int64_t>(ids.size());
  if (most > 0 && length >= most) {
    if (options_.full != Full::kWindow)
      fail("generate",
           "the prompt has {} tokens, and this model reads {} with what it writes: shorten it, or let it see "
           "the newest part alone (--window)",
           grouped(length), grouped(most));
    ids.erase(ids.begin(), ids.end() - std::max<int64_t>(1, most / 2));
  }
  return ids;
}

Generated Generator::operator()(std::vector<int32_t> prompt, const GenerateCalls& calls) const {
  if (options_.beam_size == 1) return stream(std::move(prompt), calls);
  std::vector<Generated> found = best(prompt, calls);
  if (found.empty()) {
    Generated nothing;
    nothing.prompt = std::move(prompt);
    return nothing;
  }
  calls.text(found.front().text);
  return std::move(found.front());
}

Generated Generator::stream(std::vector<int32_t> prompt, const GenerateCalls& calls) const {
  Generated made;
  made.prompt = prompt;
  TextStream stream(*model_.target, options_.stop, prompt);
  Options options = options_;
  options.stop.clear();  // the stream finds them
  const Clock::time_point start = Clock::now();
  Clock::time_point read = start;
  bool reading = true, wanted = true;  // wanted: nobody has stopped it
  bool complete = false;
  const Request requests[] = {{.prompt = std::move(prompt)}};
  SearchCalls search_calls;
  search_calls.stop = calls.stop;
  search_calls.on_prefill = [&](size_t, int64_t tokens, int64_t of) {
    if (calls.on_prefill && reading) calls.on_prefill(tokens, of);
    if (tokens == of && reading) {
      read = Clock::now();
      reading = false;
    }
  };
  search_calls.on_token = [&](size_t, const Token& token) {
    made.ids.push_back(token.id);
    made.log_prob += static_cast<double>(token.log_prob);
    if (!token.looked->empty()) made.looks.push_back(*token.looked);
    wanted = calls.text(stream.add(token.id));
    return wanted && !stream.ended();
  };
  search_calls.found = [&](size_t, NBest found) {
    complete = true;
    made.log_prob = found.front().log_prob;
    made.score = found.front().score;
    made.ended = found.front().ended;
    made.looks = std::move(found.front().looks);
  };
  search(*model_.decoder, requests, options, 1, search_calls);
  if (!complete) made.score = normalized(made.log_prob, static_cast<int64_t>(made.ids.size()), options_);
  if (const std::string rest = stream.rest(); wanted && !rest.empty()) calls.text(rest);
  made.ended |= stream.ended();
  made.text = stream.text();
  made.read_seconds = seconds(start, read);
  made.write_seconds = seconds(read, Clock::now());
  return made;
}

std::vector<Generated> Generator::best(std::vector<int32_t> prompt, const GenerateCalls& calls) const {
  std::vector<Generated> all;
  const Clock::time_point start = Clock::now();
  Clock::time_point read = start;
  const Request requests[] = {{.prompt = std::move(prompt)}};
  SearchCalls search_calls;
  search_calls.stop = calls.stop;
  search_calls.on_prefill = [&](size_t, int64_t tokens, int64_t of) {
    if (calls.on_prefill) calls.on_prefill(tokens, of);
    read = Clock::now();
  };
  search_calls.found = [&](size_t, NBest n_best) {
    for (Hypothesis& one : n_best) {
      Generated& made = all.emplace_back();
      TextStream text(*model_.target, options_.stop, requests[0].prompt);
      for (const int32_t id : one.tokens)
        if (!text.ended()) text.add(id);
      text.rest();
      made.text = text.text();
      made.ids = std::move(one.tokens);
      made.prompt = requests[0].prompt;
      made.log_prob = one.log_prob;
      made.score = one.score;
      made.ended = one.ended;
      made.looks = std::move(one.looks);
      made.read_seconds = seconds(start, read);
      made.write_seconds = seconds(read, Clock::now());
    }
  };
  search(*model_.decoder, requests, options_, 1, search_calls);
  return all;
}

}  // namespace fovea::decode
