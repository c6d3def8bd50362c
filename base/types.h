// SPDX-License-Identifier: Apache-2.0
// Strong index types and the cycle count that everything shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace weft {

/// Number of a clock edge in one clock domain; edge 0 is the first.
using Cycle = std::uint64_t;

/// "No edge": later than every edge of a run.
inline constexpr Cycle kNever = ~Cycle{0};

/// A point of the fabric that can send and receive packets. On a mesh, y * width + x.
enum class NodeId : std::uint32_t {};
/// A port of one router or switch.
enum class PortId : std::uint8_t {};
/// A virtual channel of one port.
enum class VcId : std::uint8_t {};
/// A directed link of the fabric, in the order of `links.csv`.
enum class LinkId : std::uint32_t {};
/// A workload's process; `npu.placement` maps it to a NodeId.
enum class RankId : std::uint32_t {};

/// The plain number behind a strong index.
template <typename Id>
constexpr std::underlying_type_t<Id> index(Id id) {
  return static_cast<std::underlying_type_t<Id>>(id);
}

/// A vector that only its own index type can subscript.
template <typename Id, typename T>
class IndexedVector {
 public:
  IndexedVector() = default;
  explicit IndexedVector(std::size_t size, const T& value = T()) : items_(size, value) {}

  T& operator[](Id id) { return items_[index(id)]; }
  const T& operator[](Id id) const { return items_[index(id)]; }
  std::size_t size() const { return items_.size(); }
  bool contains(Id id) const { return index(id) < items_.size(); }
  void push_back(T value) { items_.push_back(std::move(value)); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace weft
