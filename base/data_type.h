// SPDX-License-Identifier: Apache-2.0
// What elements are, and how they are added.
#pragma once

namespace weft {

/// Types of elements.
enum class DataType { kFp32, kInt32, kFp16, kBf16 };

/// What a reduction does with two elements.
enum class ReduceOp { kSum, kMin, kMax };

}  // namespace weft
