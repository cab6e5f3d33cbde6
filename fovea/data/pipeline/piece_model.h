// The heart of a tokenizer.json: one word into pieces with ids.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea::data {

// Pieces by their ids, which are 0 to size() - 1 without a gap; each piece is there once.
class PieceTable {
 public:
  // From {"piece": id, ...}.
  static PieceTable read(const nlohmann::json& object, std::string_view source);
  // In the order of their ids. Throws for a piece that is there twice.
  static PieceTable of(std::vector<std::string> pieces, std::string_view source);

  int32_t size() const { return static_cast<int32_t>(pieces_.size()); }
  const std::string& piece(int32_t id) const { return pieces_[static_cast<size_t>(id)]; }
  const std::vector<std::string>& pieces() const { return pieces_; }
  // -1 where there is none.
  int32_t id_of(std::string_view piece) const {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? -1 : found->second;
  }

 private:
  explicit PieceTable(std::vector<std::string> pieces);

  std::vector<std::string> pieces_;
  std::unordered_map<std::string_view, int32_t>
      ids_;  // views of pieces_, whose buffers stay when the table moves

 public:
  PieceTable(PieceTable&&) = default;
  PieceTable& operator=(PieceTable&&) = default;
  PieceTable(const PieceTable&) = delete;
  PieceTable& operator=(const PieceTable&) = delete;
};

// Bytes [begin, end) of a word.
struct PieceToken {
  int32_t id, begin, end;
};

class PieceModel {
 public:
  virtual ~PieceModel() = default;
  virtual const PieceTable& table() const = 0;
  // The id for what has no piece; -1: there is none.
  virtual int32_t unknown() const = 0;
  // What the last piece of a word ends with: CLIP's "</w>"; empty: nothing.
  virtual std::string_view end_of_word() const { return {}; }
  // Adds the pieces of a word, which is not empty. Safe from several threads.
  virtual void tokenize(std::string_view word, std::vector<PieceToken>& tokens) const = 0;
};

// `model` is the "model" of a tokenizer.json, of the type WordPiece, BPE or Unigram.
std::unique_ptr<PieceModel> read_wordpiece_model(const nlohmann::json& model, std::string_view source);
std::unique_ptr<PieceModel> read_bpe_model(const nlohmann::json& model, std::string_view source);
std::unique_ptr<PieceModel> read_unigram_model(const nlohmann::json& model, std::string_view source);

}  // namespace fovea::data
