// SPDX-License-Identifier: Apache-2.0
// The circuits that unicasts have used in a switch.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/types.h"
#include "switch/network/elastic_circuit.h"

namespace weft::fred {

/// Circuits of unicasts by input, output and way. There are many ways from each input to each output, so that only some
/// circuits are kept: making one anew costs time and changes nothing.
class UnicastCircuits {
 public:
  /// Keeps about `per_port` circuits for each port.
  UnicastCircuits(std::size_t ports, std::size_t per_port) : most_(ports * per_port), by_input_(ports) {}

  /// The circuit along `way`, which is named by its output pins; null if it is not kept.
  ElasticCircuit* find(PortId input, PortId output, const std::vector<Terminal>& way) const;

  /// Keeps one more. Where there are as many as may be, the oldest ones go for which `let_go` is true. It is asked for
  /// a few, and drops all that the switch knows of a circuit for which it says so.
  template <typename LetGo>
  ElasticCircuit& add(PortId input, PortId output, const std::vector<Terminal>& way,
                      std::unique_ptr<ElasticCircuit> circuit, const LetGo& let_go) {
    for (int asked = 0; asked < kAsked && ages_.size() >= most_ && !ages_.empty(); ++asked) {
      const Age oldest = ages_.front();
      ages_.pop_front();
      if (let_go(*oldest.circuit)) {
        remove(oldest);
      } else {
        ages_.push_back(oldest);
      }
    }
    return keep(input, output, way, std::move(circuit));
  }

  /// Circuits that are kept.
  std::size_t size() const { return ages_.size(); }

 private:
  static constexpr int kAsked = 4;
  struct Kept {
    std::vector<Terminal> way;
    std::unique_ptr<ElasticCircuit> circuit;
  };
  struct Age {
    PortId input{};
    PortId output{};
    const ElasticCircuit* circuit = nullptr;
  };

  ElasticCircuit& keep(PortId input, PortId output, const std::vector<Terminal>& way,
                       std::unique_ptr<ElasticCircuit> circuit);
  void remove(const Age& age);

  std::size_t most_;
  std::vector<std::vector<std::vector<Kept>>> by_input_;  ///< by input and output
  std::deque<Age> ages_;                                  ///< the oldest first
};

}  // namespace weft::fred
