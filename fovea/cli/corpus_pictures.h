// The part of fovea corpus that is about pictures.
#pragma once

#include <string>

#include "fovea/data/picture_corpora.h"

namespace fovea::cli {

// Captions or labels, a line each, of the numbers of pictures that are asked for.
void show_pictures(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options);
// Writes it to a directory and prints what there is; how far it has come is shown where standard error is a terminal.
void write_pictures(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options,
                    const std::string& directory);

}  // namespace fovea::cli
