// SPDX-License-Identifier: Apache-2.0
#include "mem/storage.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace weft::mem {
namespace {

/// Calls `visit(page number, offset in it, offset in the range, bytes)` for each page of the range.
template <typename Visit>
void for_each_page(std::uint64_t address, std::uint64_t count, Visit visit) {
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t at = address + done;
    const std::uint64_t offset = at % Storage::kPageBytes;
    const std::uint64_t part = std::min(Storage::kPageBytes - offset, count - done);
    visit(at / Storage::kPageBytes, offset, done, part);
    done += part;
  }
}

}  // namespace

const Storage::Page* Storage::find(std::uint64_t number) const {
  const std::uint64_t group = number / kPagesPerGroup;
  if (group >= groups_.size() || groups_[group] == nullptr) return nullptr;
  return (*groups_[group])[number % kPagesPerGroup].get();
}

std::uint8_t* Storage::page(std::uint64_t address) {
  WEFT_CHECK(address < size_, "a page outside the memory");
  const std::uint64_t number = address / kPageBytes;
  const std::uint64_t group = number / kPagesPerGroup;
  if (group >= groups_.size()) groups_.resize(group + 1);
  if (groups_[group] == nullptr) groups_[group] = std::make_unique<Group>();
  std::unique_ptr<Page>& page = (*groups_[group])[number % kPagesPerGroup];
  if (page == nullptr) {
    page = std::make_unique<Page>();
    page->fill(0);
    ++pages_;
  }
  return page->data();
}

void Storage::read(std::uint64_t address, std::uint8_t* to, std::uint64_t count) const {
  WEFT_CHECK(count <= size_ && address <= size_ - count, "a read outside the memory");
  for_each_page(address, count,
                [&](std::uint64_t number, std::uint64_t offset, std::uint64_t done, std::uint64_t part) {
                  if (const Page* page = find(number)) {
                    std::memcpy(to + done, page->data() + offset, part);
                  } else {
                    std::memset(to + done, 0, part);
                  }
                });
}

void Storage::write(std::uint64_t address, const std::uint8_t* from, std::uint64_t count) {
  WEFT_CHECK(count <= size_ && address <= size_ - count, "a write outside the memory");
  for_each_page(address, count,
                [&](std::uint64_t number, std::uint64_t offset, std::uint64_t done, std::uint64_t part) {
                  std::memcpy(page(number * kPageBytes) + offset, from + done, part);
                });
}

}  // namespace weft::mem
