// The part of fovea corpus that is about pictures.
#pragma once

#include <string>

#include "fovea/data/picture_corpora.h"

namespace fovea::cli {

// Captions or labels, a line each, of the numbers of pictures that are asked for.
void show_pictures(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options);
// The first pictures of each part, as many as are asked for, on one sheet: a PNG file.
void write_sheet(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options,
                 const std::string& path);
// Writes it to a directory and prints what there is; how far it has come is shown where standard error is a terminal.
void write_pictures(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options,
                    const std::string& directory);

}  // namespace fovea::cli
