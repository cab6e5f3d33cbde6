// NumPy's .npy files, one array each.
//   bytes 0..5  "\x93NUMPY"     6, 7  version (1, 2 or 3) and 0
//   header length, little-endian: 2 bytes in version 1, 4 in 2 and 3
//   header, a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } padded with spaces,
//   then \n the elements
// Read: floats of 2 (to f32), 4 and 8 bytes; integers of 1 to 8 bytes (uint8 to u8, the rest to i32; a value
// that does not fit throws); bool (to u8). Either byte order; Fortran order is turned into row-major. Bytes
// after the array are ignored, as NumPy does. Whatever a header claims, nothing is allocated before it was
// compared with the file's size.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "fovea/base/file.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// `source` stands in messages: [npy] source: ...
Tensor parse_npy(std::span<const std::byte> bytes, std::string_view source);
Tensor read_npy(const std::string& path);

// u8 tensors are written as uint8, or as NumPy's bool.
enum class NpyU8 { kInteger, kBool };
void write_npy(const std::string& path, const Tensor& tensor, NpyU8 u8 = NpyU8::kInteger);
// Into a file that the caller commits.
void write_npy(StagedFile& file, const Tensor& tensor, NpyU8 u8 = NpyU8::kInteger);

}  // namespace fovea
