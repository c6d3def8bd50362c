// SPDX-License-Identifier: Apache-2.0
#include "waves/trigger.h"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "base/error.h"

namespace weft::waves {

Trigger parse_trigger(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  Trigger trigger;
  if (words.empty()) return trigger;
  const std::size_t count = words.size();
  if (words[0] == "queue" && count == 3 && words[2] == "full") {
    trigger.kind = Trigger::Kind::kQueue;
    trigger.name = words[1];
    return trigger;
  }
  const bool of_group = count == 5 && words[2] == "of" && words[3] == "group";
  if (words[0] == "collective" && (count == 2 || of_group)) {
    trigger.kind = Trigger::Kind::kCollective;
    trigger.name = words[1];
    if (of_group) trigger.group = words[4];
    return trigger;
  }
  throw InputError(
      fmt::format("waves.trigger: '{}' is nothing to wait for; legal: 'collective NAME', 'collective NAME of group "
                  "GROUP', 'queue LINK full', for example 'queue fabric.router[3,2].east full'",
                  text));
}

}  // namespace weft::waves
