/* SPDX-License-Identifier: Apache-2.0
 * GTKWave's fstapi as one unit of this library, from the sources that Verilator's package installs. Its calls that
 * write files go through checks, because fstapi itself takes no notice of a full disk; it keeps its working files in
 * memory; what would end the program is told to the caller, memory that is not there included. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "waves/fst/fst_unit.h"

static __thread int* watched_error;

void weft_fst_watch(int* error) { watched_error = error; }

/* Whether it is one of fstapi's working files. A file on a disk in memory (tmpfs) is not: it cannot be sealed. */
static int is_working_file(int descriptor) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SEAL) == 0;
}

/* Whether nothing may be written to this file any more; working files go on, since fstapi maps them. */
static int gone(FILE* file) {
  return watched_error != NULL && *watched_error != 0 && !is_working_file(fileno(file));
}

static void note_error(void) {
  if (watched_error != NULL && *watched_error == 0) *watched_error = errno != 0 ? errno : EIO;
}

static size_t checked_fwrite(const void* data, size_t size, size_t count, FILE* file) {
  size_t done;
  if (gone(file)) return count;
  errno = 0;
  done = fwrite(data, size, count, file);
  if (done != count) note_error();
  return done;
}

static int checked_fputc(int c, FILE* file) {
  int result;
  if (gone(file)) return c;
  result = fputc(c, file);
  if (result == EOF) note_error();
  return result;
}

static int checked_fflush(FILE* file) {
  if (gone(file)) return 0;
  if (fflush(file) == 0) return 0;
  note_error();
  return EOF;
}

/* Moves only where all before it is written. A file that was not ended, or is damaged, sends its reader to places before
 * its begin; fseeko would then forget where it is. */
static int checked_fseeko(FILE* file, off_t offset, int whence) {
  if (gone(file)) return 0;
  if (whence == SEEK_SET && offset < 0) return -1;
  if (fflush(file) == 0 && fseeko(file, offset, whence) == 0) return 0;
  note_error();
  return -1;
}

static int checked_ftruncate(int descriptor, off_t length) {
  const int failed = watched_error != NULL && *watched_error != 0;
  if (failed && !is_working_file(descriptor)) return 0;
  return ftruncate(descriptor, length);
}

/* The names of the signals stay beside a file that could not be finished: readers find them there. */
static int checked_unlink(const char* path) {
  return watched_error != NULL && *watched_error != 0 ? 0 : unlink(path);
}

/* fstapi looks for the end of a name without a look for the end of the file. */
static int checked_fgetc(FILE* file) {
  static __thread int ends_in_a_row;
  const int most_ends_in_a_row = 1 << 20;
  const int c = fgetc(file);
  ends_in_a_row = c == EOF ? ends_in_a_row + 1 : 0;
  if (ends_in_a_row > most_ends_in_a_row) {
    ends_in_a_row = 0;
    weft_fst_give_up(255);
  }
  return c;
}

static FILE* memory_tmpfile(void) {
  const int descriptor = memfd_create("fst", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  FILE* file = descriptor < 0 ? NULL : fdopen(descriptor, "w+b");
  if (file == NULL && descriptor >= 0) close(descriptor);
  return file;
}

/* No part of a file takes more. A damaged length asks for as much as 64 bits can say, and fstapi does not look whether
 * it gets it. */
static const size_t most_bytes = (size_t)1 << 34;

static void* checked_malloc(size_t size) {
  void* const memory = size > most_bytes ? NULL : malloc(size);
  if (memory == NULL && size > 0) weft_fst_give_up(255);
  return memory;
}

static void* checked_calloc(size_t count, size_t size) {
  void* const memory = size > 0 && count > most_bytes / size ? NULL : calloc(count, size);
  if (memory == NULL && count > 0 && size > 0) weft_fst_give_up(255);
  return memory;
}

static void* checked_realloc(void* old, size_t size) {
  void* const memory = size > most_bytes ? NULL : realloc(old, size);
  if (memory == NULL && size > 0) weft_fst_give_up(255);
  return memory;
}

#define FST_CONFIG_INCLUDE "fst_config.h"
#include "fstapi.h"

#define fwrite checked_fwrite
#define fputc checked_fputc
#define fgetc checked_fgetc
#define fflush checked_fflush
#define fseeko checked_fseeko
#define ftruncate checked_ftruncate
#define unlink checked_unlink
#define tmpfile memory_tmpfile
#define exit weft_fst_give_up
#define malloc checked_malloc
#define calloc checked_calloc
#define realloc checked_realloc
#include "fstapi.c"

/* What fstWriterEmitTimeChange does when a flush is due, without a new time. */
void weft_fst_flush(void* writer) {
  struct fstWriterContext* const xc = (struct fstWriterContext*)writer;
  if (xc->is_initial_time || xc->vchg_siz <= 1) return;
  xc->flush_context_pending = 0;
  fstWriterFlushContextPrivate(xc);
  xc->tchn_cnt++;
  fstWriterVarint(xc->tchn_handle, xc->curtime);
}
