// SPDX-License-Identifier: Apache-2.0
// Scope patterns: what they choose, what they refuse, and what they say when nothing matches.
#include "waves/scope_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::waves {
namespace {

using testing::HasSubstr;

ScopeMatch match(const std::string& pattern, const std::string& name) { return ScopePattern(pattern).match(name); }

struct Case {
  const char* pattern;
  const char* name;
  ScopeMatch expected;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.pattern << " on " << c.name; }

class Matching : public testing::TestWithParam<Case> {};

TEST_P(Matching, is_as_documented) {
  EXPECT_EQ(match(GetParam().pattern, GetParam().name), GetParam().expected) << GetParam();
}

constexpr ScopeMatch kNone = ScopeMatch::kNone;
constexpr ScopeMatch kWithin = ScopeMatch::kWithin;
constexpr ScopeMatch kSelected = ScopeMatch::kSelected;

INSTANTIATE_TEST_SUITE_P(
    ScopePattern, Matching,
    testing::Values(
        // A name, what lies beneath it, what lies above it.
        Case{"fabric", "fabric", kSelected}, Case{"fabric", "fabric.router[0,0].east.valid", kSelected},
        Case{"fabric.router[3,2].east", "fabric.router[3,2]", kWithin},
        Case{"fabric.router[3,2].east", "fabric.router[3,2].west", kNone}, Case{"fabric", "fabrics", kNone},
        // Indices.
        Case{"npu[3]", "npu[3]", kSelected}, Case{"npu[3]", "npu[30]", kNone}, Case{"npu[3]", "npu[13]", kNone},
        Case{"npu[0-3]", "npu[0]", kSelected}, Case{"npu[0-3]", "npu[3].running", kSelected},
        Case{"npu[0-3]", "npu[4]", kNone}, Case{"npu[9-11]", "npu[10]", kSelected}, Case{"npu[9-11]", "npu[1]", kNone},
        Case{"r[3,2]", "r[3,2]", kSelected}, Case{"r[3,2]", "r[2,3]", kNone}, Case{"r[3]", "r[3,2]", kNone},
        Case{"r[3,2]", "r[3]", kNone}, Case{"r[*,2]", "r[17,2]", kSelected}, Case{"r[*,2]", "r[17,3]", kNone},
        Case{"r[0-1,1-2]", "r[1,2]", kSelected}, Case{"r[0-1,1-2]", "r[2,2]", kNone},
        Case{"r[0-1,1-2]", "r[1,0]", kNone}, Case{"l1[0][2]", "l1[0][2]", kSelected}, Case{"l1[0]", "l1[0][2]", kNone},
        Case{"npu", "npu[3]", kNone},
        // A star alone stands for all indices, a star among others for one.
        Case{"r[*]", "r[3]", kSelected}, Case{"r[*]", "r[3,2]", kSelected}, Case{"r[*,*]", "r[3,2]", kSelected},
        Case{"r[*,*]", "r[3]", kNone}, Case{"r[3,*]", "r[3,2]", kSelected}, Case{"r[3,*]", "r[2,3]", kNone},
        Case{"r[*]", "r", kNone}, Case{"r[*]", "r[3][2]", kNone}, Case{"r[*][2]", "r[3,1][2]", kSelected},
        Case{"r[0-3]", "r[3,2]", kNone}, Case{"fabric.router[*].east", "fabric.router[3,2].east.valid", kSelected},
        // One star within a level.
        Case{"npu*", "npu[3]", kSelected}, Case{"*[3]", "npu[3]", kSelected}, Case{"n*[3]", "npu[3]", kSelected},
        Case{"m*[3]", "npu[3]", kNone}, Case{"*a*b", "xaxxb", kSelected}, Case{"*a*b", "xaxxbc", kNone},
        // One star is one level.
        Case{"*.l1[0].uswitch*", "fabric.l1[0].uswitch[2].out", kSelected},
        Case{"*.l1[0].uswitch*", "l1[0].uswitch[2]", kNone}, Case{"*.l1[0].uswitch*", "a.b.l1[0].uswitch[2]", kNone},
        Case{"fabric.router[3,2].*", "fabric.router[3,2].east.valid", kSelected},
        Case{"fabric.router[3,2].*", "fabric.router[3,2]", kWithin},
        // Two stars are any number of levels.
        Case{"**", "a", kSelected}, Case{"**.valid", "valid", kSelected}, Case{"**.valid", "a.b.c.valid", kSelected},
        Case{"**.valid", "a.b.c", kWithin}, Case{"**.valid", "a.valid.c", kSelected}, Case{"a.**.z", "a.z", kSelected},
        Case{"a.**.z", "a.b.c.z", kSelected}, Case{"a.**.z", "b.c.z", kNone}, Case{"**.a.**.b", "x.a.y.a.b", kSelected},
        Case{"**.a.**.b", "x.b.a", kWithin}));

struct Refused {
  const char* pattern;
  const char* reason;
};

class Refusing : public testing::TestWithParam<Refused> {};

TEST_P(Refusing, says_what_is_wrong_bad) {
  try {
    const ScopePattern pattern(GetParam().pattern);
    FAIL() << "'" << GetParam().pattern << "' was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("waves.scope: '" + std::string(GetParam().pattern) + "'"));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().reason));
  }
}

INSTANTIATE_TEST_SUITE_P(
    ScopePattern, Refusing,
    testing::Values(Refused{"", "it is empty"}, Refused{"a..b", "a level between dots is empty"},
                    Refused{"a.", "a level between dots is empty"}, Refused{"npu[3", "'npu[3' has no closing ']'"},
                    Refused{"npu3]", "'npu3]' has no '[' for its ']'"},
                    Refused{"npu[3]x", "'npu[3]x' goes on after its ']'"}, Refused{"npu[]", "'' is not an index"},
                    Refused{"npu[x]", "'x' is not an index"}, Refused{"npu[1-2-3]", "'1-2-3' is not an index"},
                    Refused{"npu[-3]", "'-3' is not an index"}, Refused{"npu[3-1]", "the range 3-1 is empty"},
                    Refused{"a**", "'**' in 'a**' must be a level"}, Refused{"r[1,]", "'' is not an index"}));

/// The names of a mesh of 2x2 with NPUs.
void visit_mesh(const std::function<void(std::string_view)>& use) {
  for (const char* node : {"0,0", "1,0", "0,1", "1,1"}) {
    for (const char* port : {"east", "west"}) {
      for (const char* signal : {"valid", "packet"}) {
        use("fabric.router[" + std::string(node) + "]." + port + "." + signal);
      }
    }
  }
  for (const char* npu : {"0", "1", "2", "3"}) use("npu[" + std::string(npu) + "].running");
}

std::string explain(const std::string& pattern) { return explain_no_match(ScopePattern(pattern), visit_mesh); }

TEST(ExplainNoMatch, misspelt_level_bad) {
  EXPECT_EQ(explain("fabric.routr[1,0].east"),
            "waves.scope: 'fabric.routr[1,0].east' matches nothing: 'fabric' holds no 'routr[1,0]'; nearest: "
            "router[0,0] to router[1,1]");
}

TEST(ExplainNoMatch, index_out_of_range_bad) {
  EXPECT_EQ(explain("npu[9]"),
            "waves.scope: 'npu[9]' matches nothing: there is no 'npu[9]'; nearest: npu[0] to npu[3], fabric");
}

TEST(ExplainNoMatch, misspelt_signal_beneath_stars_bad) {
  EXPECT_THAT(explain("**.packets"), HasSubstr("'**' holds no 'packets'; nearest: packet, "));
}

TEST(ExplainNoMatch, one_level_too_many_bad) {
  EXPECT_EQ(explain("npu[0].running.now"),
            "waves.scope: 'npu[0].running.now' matches nothing: 'npu[0].running' holds no 'now'; nearest: nothing is "
            "there");
}

}  // namespace
}  // namespace weft::waves
