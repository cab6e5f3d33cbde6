// Text as BERT reads it, in four steps that follow each other:
//   clean           control characters away, every white space a blank
//   space_chinese   a blank before and after each CJK character
//   strip_accents   NFD, then nonspacing marks away
//   lowercase       small letters
#pragma once

#include "fovea/data/pipeline/aligned_text.h"

namespace fovea::data {

struct BertNormalizer {
  bool clean = true, space_chinese = true, strip_accents = true, lowercase = true;
  void operator()(AlignedText& text) const;
};

// The single steps. fall_apart: NFD, with marks in their order. come_together: NFC.
void fall_apart(AlignedText& text);
void come_together(AlignedText& text);
void lowercase(AlignedText& text);

}  // namespace fovea::data
