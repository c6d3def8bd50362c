// SPDX-License-Identifier: Apache-2.0
// Large pages for what is allocated piece by piece.
#pragma once

#include <cstddef>

namespace weft {

/// Grows the heap by about `bytes` of address space and asks for large pages there. Pieces of memory that are allocated
/// behind this call, such as a queue for each node, then need few address translations, as large arrays do
/// (big_vector.h). Pages that are not written take no memory. At most half of the machine's memory and 1.5 GiB are
/// taken. From then on the heap does not shrink, and pieces of up to 32 MiB come from it. Nothing happens where address
/// space is bounded (`ulimit -v`, `ulimit -d`) or where the heap is not that of the C library (sanitizers).
void grow_heap_on_large_pages(std::size_t bytes);

}  // namespace weft
