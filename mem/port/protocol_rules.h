// SPDX-License-Identifier: Apache-2.0
// The rules of the TLM-2.0 base protocol (IEEE 1666-2011, 15.2) for one initiator and one target, as seen on the wire
// between them. ProtocolChecker puts sockets around this.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tlm>
#include <vector>

namespace weft::mem {

/// Told of every call before it goes on and after it came back. Remembers each broken rule as a sentence that begins
/// with the rule's word.
class ProtocolRules {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Time = sc_core::sc_time;

  /// A call of nb_transport as it is made; `forward` = from the initiator.
  void before_nb(bool forward, Payload& payload, const tlm::tlm_phase& phase);
  /// The same call with what it returned; `sent_phase`, `sent` are what it was made with.
  void after_nb(bool forward, Payload& payload, const tlm::tlm_phase& sent_phase, const Time& sent,
                tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase, const Time& delay);
  void before_b(Payload& payload);
  void after_b(Payload& payload);

  /// Broken rules in the order in which they were seen.
  const std::vector<std::string>& findings() const { return findings_; }
  /// Transactions that began and did not end.
  std::size_t open() const { return transactions_.size(); }
  /// Calls of all kinds.
  std::uint64_t calls() const { return calls_; }

 private:
  enum class State { kRequest, kAccepted, kResponse, kBlocking };
  struct Attributes {
    tlm::tlm_command command;
    std::uint64_t address;
    unsigned char* data;
    unsigned length;
    unsigned char* enables;
    unsigned enables_length;
    unsigned width;
    std::vector<unsigned char> written;  // what a write carries, up to a limit
  };
  struct Transaction {
    State state;
    Attributes attributes;
  };

  void fail(std::string_view rule, const std::string& sentence);
  void begin(Payload& payload, State state);
  void end(Payload& payload);
  void check_attributes(const Payload& payload, const Transaction& transaction);
  void begin_request(Payload& payload);
  void end_request(Payload& payload);
  void begin_response(Payload& payload);
  void end_response(Payload& payload);
  Transaction* known(const Payload& payload, std::string_view phase);
  static Attributes attributes_of(const Payload& payload);

  std::map<const Payload*, Transaction> transactions_;
  const Payload* request_ = nullptr;   // its END_REQ is yet to come
  const Payload* response_ = nullptr;  // its END_RESP is yet to come
  std::uint64_t calls_ = 0;
  std::vector<std::string> findings_;
};

}  // namespace weft::mem
