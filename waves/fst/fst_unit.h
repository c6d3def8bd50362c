// SPDX-License-Identifier: Apache-2.0
// GTKWave's fstapi (fstapi.h) with checked writing, and a call that it lacks.
#pragma once

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

/// From now on a write of this thread that fails leaves its errno in `*error`; as long as it is not 0, nothing is
/// written any more, so that the file stays what it was. Null: nobody is told.
void weft_fst_watch(int* error);

/// Writes all changes so far, those of the present time included.
void weft_fst_flush(void* writer);

/// Called where fstapi would end the program; does not return.
void weft_fst_give_up(int status);

#ifdef __cplusplus
}
#endif
