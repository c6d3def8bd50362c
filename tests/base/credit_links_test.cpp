// SPDX-License-Identifier: Apache-2.0
// Links with credits, against cycles and counts by hand.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/state_form.h"
#include "tests/base/credit_links_bench.h"

namespace weft {
namespace {

std::string sentence_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ViolationError& error) {
    return error.what();
  }
  return "";
}

// Two VCs of 2 slots, flits take 3 cycles, credits 5.
struct OneLink {
  Links links{2, name_of};
  OneLink() { links.add({{1, 1}, 3, 5, 2}, 7, 8); }
};

TEST(CreditLinks, a_flit_and_its_credit_arrive_after_their_delays) {
  OneLink f;
  f.links.send(1, 42, 10);
  EXPECT_EQ(f.links.credits(0), 2U);
  EXPECT_EQ(f.links.credits(1), 1U);
  EXPECT_EQ(f.links.next_arrival(10), 13U);
  EXPECT_EQ(arrivals(f.links, 12), "");
  EXPECT_TRUE(f.links.empty(1));
  EXPECT_EQ(arrivals(f.links, 13), "f1@8");
  EXPECT_TRUE(f.links.empty(0));
  EXPECT_EQ(f.links.waiting(1), 1U);
  EXPECT_EQ(f.links.front(1), 42);
  EXPECT_EQ(f.links.take(1), 42);
  EXPECT_TRUE(f.links.empty(1));
  f.links.give_back(1, 20);
  EXPECT_EQ(f.links.next_arrival(20), 25U);
  EXPECT_EQ(arrivals(f.links, 25), "c1@7");
  EXPECT_EQ(f.links.credits(1), 2U);
  EXPECT_EQ(f.links.next_arrival(25), kNever);
  EXPECT_TRUE(f.links.at_rest());
  f.links.require_rest();
}

// What arrives together: the credit comes first, whatever was sent first.
TEST(CreditLinks, credits_of_a_cycle_come_before_its_flits) {
  OneLink f;
  f.links.send(0, 1, 0);
  EXPECT_EQ(arrivals(f.links, 3), "f0@8");
  f.links.send(1, 2, 5);  // arrives in 8
  f.links.take(0);
  f.links.give_back(0, 3);  // arrives in 8
  std::vector<std::uint32_t> touched;
  f.links.visit_arrivals(8, [&](std::uint32_t node) { touched.push_back(node); });
  EXPECT_EQ(touched, (std::vector<std::uint32_t>{8, 7}));
  EXPECT_EQ(arrivals(f.links, 8), "c0@7 f1@8");
}

// 2/3 flit per cycle: flits in cycles 0, 2, 3, 5; all VCs share the link, each has its own credits.
TEST(CreditLinks, the_rate_is_shared_and_credits_are_not) {
  Links links(2, name_of);
  links.add({{2, 3}, 1, 1, 2}, 0, 0);
  EXPECT_TRUE(links.can_send(0, 0));
  links.send(0, 1, 0);
  EXPECT_FALSE(links.can_send(0, 1));
  EXPECT_FALSE(links.is_free(0, 1));
  EXPECT_EQ(links.next_slot(1, 1), 2U);
  links.send(1, 2, 2);
  EXPECT_EQ(links.next_slot(0, 2), 3U);
  links.send(0, 3, 3);
  EXPECT_EQ(links.next_slot(0, 3), kNever);  // no credit
  EXPECT_FALSE(links.can_send(0, 9));
  EXPECT_TRUE(links.is_free(0, 5));
  EXPECT_EQ(links.next_free(0, 3), 5U);
  EXPECT_EQ(links.next_slot(1, 3), 5U);
  EXPECT_EQ(links.figures(0).flits, 3U);
  EXPECT_DOUBLE_EQ(links.flits_after(0, 4), 1.0 / 3);  // the third takes 3 to 4.5: half a cycle of 1.5 is left
}

// A flit keeps its slot until it is given back: with 2 slots there are never more than 2 in the buffer.
TEST(CreditLinks, counts_the_longest_queue_with_slots_that_are_held) {
  OneLink f;
  f.links.send(0, 1, 0);
  f.links.send(0, 2, 1);
  arrivals(f.links, 3);
  EXPECT_EQ(f.links.figures(0).queue_max, 1U);
  EXPECT_EQ(f.links.take(0), 1);  // not given back
  arrivals(f.links, 4);
  EXPECT_EQ(f.links.figures(0).queue_max, 2U);
  EXPECT_FALSE(f.links.at_rest());
}

// Three slots: two flits go, two come; the last lies in the second slot while the oldest lies in the third.
TEST(CreditLinks, keep_the_order_around_the_end_of_the_buffer) {
  Links links(1, name_of);
  links.add({{1, 1}, 1, 1, 3}, 0, 0);
  for (int i = 1; i <= 3; ++i) links.flit_comes(0, i, 1);
  arrivals(links, 1);
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(links.take(0), i);
    links.give_back_out(0, 1);
  }
  for (int i = 4; i <= 5; ++i) links.flit_comes(0, i, 2);
  arrivals(links, 2);
  for (int i = 3; i <= 5; ++i) EXPECT_EQ(links.take(0), i);
}

// Two ports: what each sends arrives at the other, and credits go the way back.
TEST(CreditLinks, ports_that_are_joined_send_to_each_other) {
  Links links(2, name_of);
  links.add({{1, 1}, 2, 3, 4}, 10, 10);
  links.add({{1, 1}, 5, 7, 4}, 20, 20);
  links.join(0, 1);
  links.join(1, 0);
  links.send(1, 11, 0);  // VC 1 of port 0: its VC at port 1 has number 3
  EXPECT_EQ(arrivals(links, 2), "f3@20");
  EXPECT_EQ(links.take(3), 11);
  links.give_back(3, 2);
  EXPECT_EQ(arrivals(links, 9), "c1@10");
  EXPECT_EQ(links.figures(0).queue_max, 1U);  // the queue of port 1, where link 0 leads
  EXPECT_EQ(links.figures(1).queue_max, 0U);
  links.send(2, 22, 9);
  EXPECT_EQ(arrivals(links, 14), "f0@10");
  EXPECT_EQ(links.figures(1).queue_max, 1U);
  EXPECT_EQ(links.figures(0).flits, 1U);
}

// A port whose other side lies outside: the caller is told when that side has flit and credit.
TEST(CreditLinks, an_end_may_lie_outside) {
  OneLink f;
  EXPECT_EQ(f.links.send_out(0, 4), 7U);
  EXPECT_EQ(f.links.next_arrival(4), kNever);
  EXPECT_EQ(f.links.credits(0), 1U);
  f.links.credit_comes(0, 9);
  f.links.flit_comes(1, 5, 9);
  EXPECT_EQ(arrivals(f.links, 9), "c0@7 f1@8");
  EXPECT_EQ(f.links.take(1), 5);
  EXPECT_EQ(f.links.give_back_out(1, 9), 14U);
  EXPECT_TRUE(f.links.at_rest());
}

TEST(CreditLinks, broken_invariants_are_named_bad) {
  OneLink full;
  full.links.send(0, 1, 0);
  full.links.send(0, 2, 1);
  EXPECT_EQ(sentence_of([&] { full.links.send(0, 3, 2); }), "a flit was sent without a credit: output 0");
  OneLink fast;
  fast.links.send(0, 1, 0);
  EXPECT_EQ(sentence_of([&] { fast.links.send(1, 2, 0); }), "a flit was sent on a link that is taken: output 1");
  OneLink rich;
  rich.links.credit_comes(1, 1);
  EXPECT_EQ(sentence_of([&] { arrivals(rich.links, 1); }),
            "more credits came back than the buffer behind the link has slots: output 1");
  OneLink crowded;
  for (int i = 0; i < 3; ++i) crowded.links.flit_comes(1, i, 1);
  EXPECT_EQ(sentence_of([&] { arrivals(crowded.links, 1); }), "a flit arrived at a full buffer: input 1");
  OneLink empty;
  EXPECT_EQ(sentence_of([&] { empty.links.take(0); }), "a flit was taken from an empty buffer: input 0");
  EXPECT_EQ(sentence_of([&] { empty.links.give_back(0, 1); }),
            "a slot of a buffer was given back whose flit was not taken: input 0");
}

// A slot that is held counts: the third flit finds no slot although the queue has one flit only.
TEST(CreditLinks, a_slot_that_is_held_is_not_free_bad) {
  OneLink f;
  for (int i = 0; i < 2; ++i) f.links.flit_comes(0, i, 1);
  arrivals(f.links, 1);
  f.links.take(0);
  f.links.flit_comes(0, 2, 2);
  EXPECT_EQ(sentence_of([&] { arrivals(f.links, 2); }), "a flit arrived at a full buffer: input 0");
}

TEST(CreditLinks, what_cannot_be_a_link_bad) {
  Links links(1, name_of);
  EXPECT_EQ(sentence_of([&] { links.add({{1, 1}, 0, 1, 1}, 0, 0); }), "a link has no delay, or no buffer behind it");
  EXPECT_EQ(sentence_of([&] { links.add({{1, 1}, 1, 0, 1}, 0, 0); }), "a link has no delay, or no buffer behind it");
  EXPECT_EQ(sentence_of([&] { links.add({{1, 1}, 1, 1, 0}, 0, 0); }), "a link has no delay, or no buffer behind it");
  links.add({{1, 1}, 1, 1, 2}, 0, 0);
  links.add({{1, 1}, 1, 1, 3}, 0, 0);
  EXPECT_EQ(sentence_of([&] { links.join(0, 1); }), "a link is joined to a buffer of another size");
}

TEST(CreditLinks, what_is_left_at_the_end_is_named_bad) {
  OneLink f;
  f.links.send(1, 1, 0);
  EXPECT_FALSE(f.links.at_rest());
  EXPECT_EQ(sentence_of([&] { f.links.require_rest(); }), "flits are left on links at the end");
  arrivals(f.links, 3);
  EXPECT_FALSE(f.links.at_rest());
  EXPECT_EQ(sentence_of([&] { f.links.require_rest(); }), "a buffer is not empty at the end: input 1");
  f.links.take(1);
  EXPECT_FALSE(f.links.at_rest());
  EXPECT_EQ(sentence_of([&] { f.links.require_rest(); }), "a buffer is not empty at the end: input 1");
  f.links.give_back_out(1, 3);  // and the credit is lost
  EXPECT_FALSE(f.links.at_rest());
  EXPECT_EQ(sentence_of([&] { f.links.require_rest(); }), "credits are missing at the end: output 1");
  f.links.credit_comes(1, 9);
  EXPECT_FALSE(f.links.at_rest());
  EXPECT_EQ(sentence_of([&] { f.links.require_rest(); }), "credits are left on links at the end");
  arrivals(f.links, 9);
  EXPECT_TRUE(f.links.at_rest());
}

// What comes from outside takes no credit here: all credits are home, and still nothing rests.
TEST(CreditLinks, does_not_rest_while_something_comes_from_outside) {
  OneLink f;
  f.links.flit_comes(1, 1, 5);
  EXPECT_FALSE(f.links.at_rest());
  arrivals(f.links, 5);
  EXPECT_FALSE(f.links.at_rest());
  f.links.take(1);
  EXPECT_FALSE(f.links.at_rest());
  f.links.give_back_out(1, 5);
  EXPECT_TRUE(f.links.at_rest());
  f.links.credit_comes(0, 9);  // one too many
  EXPECT_FALSE(f.links.at_rest());
}

using Use = std::function<void(Links&)>;

/// Whether a link that has been used so passes the third look after two looks at one of another use, in cycle 20.
bool looks_the_same(const Use& use, const Use& other) {
  StateForm form;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    OneLink f;
    pass == StateForm::Pass::kThird ? use(f.links) : other(f.links);
    form.begin(pass, 20, 1);
    f.links.put_state(form, [&](int flit) { form.same(static_cast<std::uint64_t>(flit)); });
    if (const bool good = form.end(); pass == StateForm::Pass::kThird) return good;
  }
  return false;
}

/// Two flits of VC 0 arrive in cycle 10 and 11; `use` goes on from there.
Use after_two_flits(const Use& use) {
  return [use](Links& links) {
    links.flit_comes(0, 1, 10);
    links.flit_comes(0, 2, 11);
    arrivals(links, 10);
    arrivals(links, 11);
    use(links);
  };
}

TEST(CreditLinks, a_look_sees_what_decides) {
  const auto out = [](std::uint32_t vc, Cycle at) { return [=](Links& links) { links.send_out(vc, at); }; };
  EXPECT_TRUE(looks_the_same(out(0, 20), out(0, 20)));
  EXPECT_FALSE(looks_the_same(out(0, 20), out(1, 20))) << "credits by VC";
  EXPECT_FALSE(looks_the_same(out(0, 20), out(0, 19))) << "the time from which the link is free";
  EXPECT_TRUE(looks_the_same(out(0, 3), out(0, 4))) << "a link that has been free for a while";
  const auto come = [](std::uint32_t vc, int flit, Cycle at) {
    return [=](Links& links) { links.flit_comes(vc, flit, at); };
  };
  EXPECT_FALSE(looks_the_same(come(0, 1, 25), come(1, 1, 25)));
  EXPECT_FALSE(looks_the_same(come(0, 1, 25), come(0, 2, 25)));
  EXPECT_FALSE(looks_the_same(come(0, 1, 25), come(0, 1, 26)));
  EXPECT_FALSE(
      looks_the_same([](Links& links) { links.credit_comes(0, 25); }, [](Links& links) { links.credit_comes(1, 25); }));
  const Use rest = after_two_flits([](Links&) {});
  EXPECT_TRUE(looks_the_same(rest, rest));
  const Use take = after_two_flits([](Links& links) { links.take(0); });
  EXPECT_FALSE(looks_the_same(take, rest));
  const Use give_back = after_two_flits([](Links& links) {
    links.take(0);
    links.give_back_out(0, 15);
  });
  EXPECT_FALSE(looks_the_same(take, give_back)) << "slots that are held";
  const Use both = after_two_flits([](Links& links) {
    for (int i = 0; i < 2; ++i) links.take(0);
    for (int i = 0; i < 2; ++i) links.give_back_out(0, 15);
  });
  const Use nothing = [](Links& links) { arrivals(links, 11); };
  EXPECT_FALSE(looks_the_same(both, nothing)) << "most flits in the buffer";
  const Use one_more = [&](Links& links) {
    links.send_out(0, 3);
    links.credit_comes(0, 9);
    arrivals(links, 9);
  };
  EXPECT_FALSE(looks_the_same(one_more, [](Links& links) { arrivals(links, 9); })) << "flits sent";
}

// Where two links bring flits in one cycle, it does not matter which one did so first.
TEST(CreditLinks, events_of_a_cycle_have_no_order) {
  const auto two = [](std::uint32_t first, std::uint32_t second) {
    StateForm form;
    Links links{2, name_of};
    for (int i = 0; i < 2; ++i) links.add({{1, 1}, 3, 5, 2}, 7, 8);
    for (const std::uint32_t vc : {first, second}) links.flit_comes(vc, 1, 25);
    for (const std::uint32_t vc : {first, second}) links.credit_comes(vc, 25);
    form.begin(StateForm::Pass::kHash, 20, 1);
    links.put_state(form, [&](int flit) { form.same(static_cast<std::uint64_t>(flit)); });
    return form.hash();
  };
  EXPECT_EQ(two(0, 2), two(2, 0));
  EXPECT_NE(two(0, 2), two(0, 3));
}

}  // namespace
}  // namespace weft
