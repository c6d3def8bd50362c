// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes given to the Chakra ET reader end in nodes or in an InputError, and whatever was read can be
// played by the feeder and written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

#include "base/error.h"
#include "npu/trace/chakra_feeder.h"
#include "npu/trace/chakra_reader.h"
#include "npu/trace/chakra_writer.h"

namespace {

using weft::InputError;
using weft::npu::ChakraFeeder;
using weft::npu::ChakraReader;

std::unique_ptr<ChakraReader> reader_of(const std::string& bytes) {
  return std::make_unique<ChakraReader>(std::make_unique<std::istringstream>(bytes), "fuzz.et");
}

void require(bool condition) {
  if (!condition) std::abort();
}

std::string length_prefixed(const std::string& message) {
  std::string out;
  for (std::size_t rest = message.size(); true; rest >>= 7) {
    out.push_back(static_cast<char>(rest < 0x80 ? rest : (rest & 0x7f) | 0x80));
    if (rest < 0x80) break;
  }
  return out + message;
}

void read(const std::string& bytes) {
  const auto reader = reader_of(bytes);
  while (const auto record = reader->next()) {
    const auto again = reader_of(length_prefixed("\x0a\x05"
                                                 "0.0.4") +
                                 length_prefixed(weft::npu::encode_node(record->node)));
    const auto copy = again->next();
    require(copy && copy->node == record->node);
  }
}

void play(const std::string& bytes, std::size_t look_ahead) {
  weft::npu::FeederOptions options;
  options.look_ahead = look_ahead;
  options.warn = [](const std::string&) {};
  ChakraFeeder feeder(reader_of(bytes), options);
  while (const auto node = feeder.pop_ready()) feeder.finish(node->id);
  require(feeder.done());
}

template <typename Action>
void allow_input_error(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    require(std::string(error.what()).rfind("fuzz.et: ", 0) == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  allow_input_error([&] { read(bytes); });
  allow_input_error([&] { play(bytes, 1); });
  allow_input_error([&] { play(bytes, 0); });
  return 0;
}
