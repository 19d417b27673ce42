/* Single-decree Paxos, step for step as in protocols/paxos with two leaders
 * (ballots 0 and 1 in either order), A acceptors, L learners and two values:
 * the same reachable states, plus the one before the ballots are chosen.
 * Sets of acceptors are bit masks. Steps that would change nothing are left
 * out, which favours Spin. */
#ifndef A
#define A 3
#endif
#ifndef L
#define L 2
#endif
#define NONE 0 /* options: 0 is none, value + 1 is some */

/* A vote is 2 * ballot + value; as an option 0 or vote + 1. */

bit swapped;           /* leader l has ballot l, or the other way round */
/* leaders */
byte promised_by[2];   /* set of acceptors */
byte highest[2];       /* option of a vote */
bit proposed[2];
/* acceptors */
byte promised[A];      /* option of a ballot */
byte voted[A];         /* option of a vote */
/* learners */
byte accepts[L * 4];   /* by learner and vote: set of acceptors */
byte learned[L];       /* option of a value */
/* messages, by the ballot they carry */
bit prepare_sent[2];
short promises[A * 2]; /* acceptor, ballot: set of optional votes it was sent with */
byte proposals;        /* set of votes */
byte accept_sent[A];   /* set of votes */

#define IN(set, i) ((set >> (i)) & 1)
#define BALLOT(l) (l ^ swapped)
#define SIZE(s) (IN(s, 0) + IN(s, 1) + IN(s, 2) + IN(s, 3))
#define MAJORITY(s) (2 * SIZE(s) > A)
#define VOTE_BALLOT(v) ((v) / 2)

/* Leader l receives from acceptor a a promise with the optional vote o. */
#define HIGHER(l, o) (o != NONE && (highest[l] == NONE || VOTE_BALLOT(o - 1) > VOTE_BALLOT(highest[l] - 1)))
#define RECEIVE_PROMISE(l, a, o) \
  :: d_step { IN(promises[a * 2 + BALLOT(l)], o) && !proposed[l] && (!IN(promised_by[l], a) || HIGHER(l, o)) -> \
     promised_by[l] = promised_by[l] | (1 << a); \
     if :: HIGHER(l, o) -> highest[l] = o :: else -> skip fi }

#define PROMISES_TO(l, a) \
  RECEIVE_PROMISE(l, a, 0) RECEIVE_PROMISE(l, a, 1) RECEIVE_PROMISE(l, a, 2) \
  RECEIVE_PROMISE(l, a, 3) RECEIVE_PROMISE(l, a, 4)

#define PROPOSE(l, fresh) \
  :: d_step { MAJORITY(promised_by[l]) && !proposed[l] -> \
     proposed[l] = 1; \
     if :: highest[l] == NONE -> proposals = proposals | (1 << (2 * BALLOT(l) + fresh)) \
        :: else -> proposals = proposals | (1 << (2 * BALLOT(l) + ((highest[l] - 1) % 2))) fi }

/* With a vote to adopt both fresh values propose the same. */
#define LEADER(l) \
  :: d_step { !prepare_sent[BALLOT(l)] -> prepare_sent[BALLOT(l)] = 1 } \
  PROPOSE(l, 0) \
  PROPOSE(l, 1)

#define RECEIVE_PREPARE(a, b) \
  :: d_step { prepare_sent[b] && (promised[a] == NONE || b + 1 > promised[a]) -> \
     promised[a] = b + 1; \
     promises[a * 2 + b] = promises[a * 2 + b] | (1 << voted[a]) }

#define RECEIVE_PROPOSE(a, v) \
  :: d_step { IN(proposals, v) && (promised[a] == NONE || VOTE_BALLOT(v) + 1 >= promised[a]) && \
       (promised[a] != VOTE_BALLOT(v) + 1 || voted[a] != v + 1 || !IN(accept_sent[a], v)) -> \
     promised[a] = VOTE_BALLOT(v) + 1; \
     voted[a] = v + 1; \
     accept_sent[a] = accept_sent[a] | (1 << v) }

#define RECEIVE_ACCEPT(x, a, v) \
  :: d_step { IN(accept_sent[a], v) && !IN(accepts[x * 4 + v], a) -> \
     accepts[x * 4 + v] = accepts[x * 4 + v] | (1 << a) }

#define LISTEN(x, a) RECEIVE_ACCEPT(x, a, 0) RECEIVE_ACCEPT(x, a, 1) RECEIVE_ACCEPT(x, a, 2) RECEIVE_ACCEPT(x, a, 3)

#define ACCEPTOR(a) \
  PROMISES_TO(0, a) PROMISES_TO(1, a) \
  RECEIVE_PREPARE(a, 0) RECEIVE_PREPARE(a, 1) \
  RECEIVE_PROPOSE(a, 0) RECEIVE_PROPOSE(a, 1) RECEIVE_PROPOSE(a, 2) RECEIVE_PROPOSE(a, 3)

#define LEARN(x, v) \
  :: d_step { MAJORITY(accepts[x * 4 + v]) && learned[x] != (v % 2) + 1 -> learned[x] = (v % 2) + 1 }

#if A > 2
#define LEARNER(x) LISTEN(x, 0) LISTEN(x, 1) LISTEN(x, 2) LEARN(x, 0) LEARN(x, 1) LEARN(x, 2) LEARN(x, 3)
#else
#define LEARNER(x) LISTEN(x, 0) LISTEN(x, 1) LEARN(x, 0) LEARN(x, 1) LEARN(x, 2) LEARN(x, 3)
#endif

active proctype protocol() {
  if
  :: d_step { true -> swapped = 0 }
  :: d_step { true -> swapped = 1 }
  fi;
  do
  LEADER(0)
  LEADER(1)
  ACCEPTOR(0)
  ACCEPTOR(1)
#if A > 2
  ACCEPTOR(2)
#endif
  LEARNER(0)
#if L > 1
  LEARNER(1)
#endif
  od
}
