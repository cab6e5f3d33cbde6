#include "fovea/cli/attend_request.h"

#include "fovea/cli/options.h"
#include "fovea/nn/masks/spec.h"
#include "fovea/nn/scores/score.h"
#include "fovea/nn/weigh/weigh.h"

namespace fovea::cli {
namespace {

std::string list_of_scores() {
  std::string text = "\nScores:\n";
  for (const nn::Score& score : nn::score_table()) {
    std::string params;
    for (const nn::ScoreParam& p : score.params({.query = 1, .key = 1, .hidden = 1, .max_keys = 1}))
      params += fmt::format("{}{}", params.empty() ? "  --param " : ", ", p.name);
    text += fmt::format("  {:<11} {:<21} {}{}\n", score.name, score.formula, score.what, params);
  }
  return text;
}

std::string list_of_ways() {
  std::string text = "\nWays to read one position:\n";
  for (const nn::Weigh& weigh : nn::weigh_table())
    if (weigh.hard) text += fmt::format("  {:<11} {:<27} {}\n", weigh.name, weigh.formula, weigh.what);
  return text;
}

// A flag for each mask that is a name and a number. Those that are arrays have flags of their own.
void add_masks(Arguments& app, AttendRequest& r) {
  for (const nn::MaskKind& kind : nn::mask_table()) {
    const std::string name = kind.name, flag = "--" + name;
    if (!kind.make || name == "relative") continue;
    if (kind.numbers.empty())
      app.add_flag_function(
          flag, [&r, name] { r.masks.push_back(name); }, kind.what);
    else
      app.add_option_function<std::string>(
             flag, [&r, name](const std::string& n) { r.masks.push_back(name + ":" + n); }, kind.what)
          ->type_name("N")
          ->non_negative();
  }
}

}  // namespace

void add_attend_options(Arguments& app, AttendRequest& r) {
  app.take_last();
  app.add_option("--query", r.query, "[T, n] or [B, T, n]; .npy, or file.safetensors:name")
      ->type_name("ARRAY");
  app.add_option("--key", r.key, "[S, n] or [B, S, n]")->type_name("ARRAY");
  app.add_option("--value", r.value, "[S, m] or [B, S, m]")->type_name("ARRAY");
  app.add_option("--score", r.score, "how a key answers a query, see below")
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--param", r.params, "a parameter of the score (or of --local-p); may be repeated")
      ->type_name("NAME=ARRAY")
      ->take_all();
  app.add_option("--heads", r.heads, "split the last axis into so many heads")->capture_default_str();
  app.add_option("--kv-heads", r.kv_heads,
                 "heads of key and value, shared by the query heads (default: as --heads)");
  add_masks(app, r);
  app.add_option("--lengths", r.lengths, "number of keys of each batch entry, [B]")->type_name("ARRAY");
  app.add_option("--mask", r.mask, "true = visible: [T, S], [B, T, S] or [B, H, T, S]")->type_name("ARRAY");
  app.add_option("--bias", r.bias, "added to the scores; shapes as --mask")->type_name("ARRAY");
  app.add_option("--relative", r.relative, "a number for each bucket of distance and head, [buckets, H]")
      ->type_name("ARRAY");
  app.add_flag("--rope", r.rope,
               "rotary positions on query and key: base 10000, element i turned with i + n/2");
  app.add_option("--hard", r.hard, "read one position, see below")->type_name("HOW");
  app.add_option("--seed", r.seed, "of --hard sample and gumbel")->capture_default_str()->non_negative();
  app.add_flag("--plain", r.plain, "the four steps one by one");
  app.add_flag("--fused", r.fused, "the fused kernel, or an error where there is none");
  app.add_flag("--double", r.wide, "compute in f64, with plain loops");
  app.add_option("-o,--out", r.out, "the context vectors, [.., T, H * m]")->type_name("FILE");
  app.add_option("--weights-out", r.weights_out,
                 "the weights: [T, S], with an axis B in front when the arrays have one, and an "
                 "axis H before T when there are several heads")
      ->type_name("FILE");
  app.add_option("--upstream", r.upstream, "gradient of the context: runs backward")->type_name("ARRAY");
  app.add_option("--grad-out", r.grad_out,
                 "directory for dq, dk, dv, param_NAME, and dbias, drelative where there are such (.npy)")
      ->type_name("DIR");
  app.add_option("--query-words", r.query_words, "names of the queries in the map, separated by spaces")
      ->type_name("TEXT");
  app.add_option("--key-words", r.key_words, "names of the keys")->type_name("TEXT");
  app.add_option("--entry", r.batch_entry, "the batch entry the map shows")->capture_default_str();
  app.add_flag("--show", r.map.show, "print the map");
  add_map_options(app, r.map);
  app.add_flag("--example", r.example, "walk through the four steps on a sentence pair, with every number");
  add_threads(app);
  app.footer(list_of_scores() + list_of_ways() +
             "\nExample:\n"
             "  fovea attend --example\n"
             "  fovea attend --query q.npy --key k.npy --value v.npy --causal --out context.npy --show\n"
             "  fovea attend --query q.npy --key k.npy --value v.npy --score additive --param Wq=wq.npy "
             "--param Wk=wk.npy \\\n"
             "      --param v=u.npy --upstream dcontext.npy --grad-out grads --html map.html");
}

}  // namespace fovea::cli
