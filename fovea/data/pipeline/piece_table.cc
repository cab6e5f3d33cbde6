#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/piece_model.h"

namespace fovea::data {

PieceTable::PieceTable(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {
  ids_.reserve(pieces_.size());
  for (size_t id = 0; id < pieces_.size(); ++id) ids_.emplace(pieces_[id], static_cast<int32_t>(id));
}

PieceTable PieceTable::of(std::vector<std::string> pieces, std::string_view source) {
  PieceTable table(std::move(pieces));
  for (int32_t id = 0; id < table.size(); ++id)
    if (table.id_of(table.piece(id)) != id)
      fail("tokenizer", "{}: the piece {} has two ids", source, quote(table.piece(id)));
  return table;
}

PieceTable PieceTable::read(const nlohmann::json& object, std::string_view source) {
  check(object.is_object(), "tokenizer", "{}: the vocabulary is {}: expected an object {{\"piece\": id}}",
        source, object.type_name());
  std::vector<std::string> pieces(object.size());
  std::vector<bool> given(object.size());
  for (const auto& [piece, id] : object.items()) {
    const int64_t number = index_of(id, static_cast<int64_t>(pieces.size()) - 1);
    if (number < 0)
      fail("tokenizer", "{}: {} has the id {}: the {} pieces of the vocabulary must have the ids 0 to {}",
           source, quote(piece), quote(id.is_number() ? id.dump() : id.type_name()), pieces.size(),
           pieces.size() - 1);
    const auto i = static_cast<size_t>(number);
    if (given[i])
      fail("tokenizer", "{}: {} and {} have the same id {}", source, quote(pieces[i]), quote(piece), i);
    given[i] = true;
    pieces[i] = piece;
  }
  return PieceTable(std::move(pieces));
}

}  // namespace fovea::data
