// SPDX-License-Identifier: Apache-2.0
// Who may do what with a page, and why something was refused.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::mem {

/// Number of an initiator: the socket it is bound to, or the flit's source at a port of the fabric.
using Initiator = std::uint32_t;

/// Stands for the run's memory manager, which may change the grants of every page.
inline constexpr Initiator kManager = ~Initiator{0};

/// What an initiator may do with a page.
struct Rights {
  bool read = false;
  bool write = false;
};
inline constexpr Rights kMayRead{true, false};
inline constexpr Rights kMayReadAndWrite{true, true};

/// Bytes first .. first + bytes - 1.
struct AddressRange {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;

  std::uint64_t last() const { return first + (bytes - 1); }
  /// Whether the range holds no byte or runs over the end of the address space.
  bool wraps() const { return bytes == 0 || last() < first; }
  bool contains(const AddressRange& other) const { return first <= other.first && other.last() <= last(); }
  bool overlaps(const AddressRange& other) const { return first <= other.last() && other.first <= last(); }
};

/// Why an access or a change of grants was refused.
enum class Denial : std::uint8_t {
  kNone,         ///< allowed
  kNoGrant,      ///< the initiator never had a grant for the page
  kRevoked,      ///< it had one, and it was revoked
  kReadOnly,     ///< it may read but not write
  kWriteOnly,    ///< it may write but not read
  kStraddles,    ///< the access spans pages of which some are granted and one is not
  kWrapsAround,  ///< address + bytes runs over the end of the address space
  kOutside,      ///< not inside one region
  kNotOwner,     ///< only the owner of a page, or the manager, changes its grants
  kOwned,        ///< the page has an owner; the owner's rights cannot be revoked
  kUnaligned,    ///< grants are made for whole pages
};
inline constexpr std::size_t kDenials = 11;

/// One sentence part for logs: "no grant for the page".
std::string_view text_of(Denial denial);

/// A small set of initiators, sorted.
class InitiatorSet {
 public:
  bool contains(Initiator who) const;
  void insert(Initiator who);
  void erase(Initiator who);
  void clear() { members_.clear(); }
  void insert_all(const InitiatorSet& others);
  const std::vector<Initiator>& members() const { return members_; }
  friend bool operator==(const InitiatorSet& a, const InitiatorSet& b) { return a.members_ == b.members_; }

 private:
  std::vector<Initiator> members_;
};

}  // namespace weft::mem
