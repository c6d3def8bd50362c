// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/shape.h"

#include <fmt/format.h>

#include <cctype>

#include "base/error.h"

namespace weft::tb {
namespace {

/// expression = product {(+|-) product}; product = factor {* factor}; factor = number | name | ( expression )
class Evaluator {
 public:
  Evaluator(const std::string& text, const Shape& shape) : text_(text), shape_(shape) {}
  long long all() {
    const long long value = expression();
    if (next() != '\0') fail();
    return value;
  }

 private:
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[noreturn]] void fail() const { throw InputError(fmt::format("'{}' is no sum of products", text_)); }
  long long expression() {
    long long sum = product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at_;
      const long long term = product();
      sum += c == '+' ? term : -term;
    }
    return sum;
  }
  long long product() {
    long long value = factor();
    while (next() == '*') {
      ++at_;
      value *= factor();
    }
    return value;
  }
  long long factor() {
    const char c = next();
    const std::size_t start = at_;
    if (c == '(') {
      ++at_;
      const long long value = expression();
      if (next() != ')') fail();
      ++at_;
      return value;
    }
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string word = text_.substr(start, at_ - start);
    if (word.empty()) fail();
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return std::stoll(word);
    const auto found = shape_.find(word);
    if (found == shape_.end()) throw InputError(fmt::format("'{}' names {}, which is no parameter", text_, word));
    return found->second;
  }

  const std::string& text_;
  const Shape& shape_;
  std::size_t at_ = 0;
};

}  // namespace

long long evaluate(const std::string& expression, const Shape& shape) { return Evaluator(expression, shape).all(); }

std::string text_of(const Shape& shape) {
  std::string text;
  for (const auto& [name, value] : shape) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace weft::tb
