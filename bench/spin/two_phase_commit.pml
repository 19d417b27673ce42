/* Two-phase commit with N participants, step for step as in
 * protocols/two_phase_commit: the same reachable states, plus the one before
 * the preferences are chosen. Sets of participants are bit masks.
 * Steps that would change nothing are left out, which favours Spin. */
#ifndef N
#define N 5
#endif
#define ALL ((1 << N) - 1)
#define NONE 0
#define COMMIT 1
#define ABORT 2

byte prefers_yes;         /* constants: who votes yes */
byte ayes, nays;          /* coordinator */
byte decision;
byte committed, aborted;  /* participants that decided */
byte requested, voted_yes, voted_no, told_commit, told_abort; /* messages */

#define IN(set, i) ((set >> i) & 1)

#define PARTICIPANT(i) \
  :: d_step { IN(requested, i) && IN(prefers_yes, i) && !IN(voted_yes, i) -> voted_yes = voted_yes | (1 << i) } \
  :: d_step { IN(requested, i) && !IN(prefers_yes, i) && !IN(voted_no, i) -> voted_no = voted_no | (1 << i) } \
  :: d_step { IN(told_commit, i) && !IN(committed, i) && !IN(aborted, i) -> committed = committed | (1 << i) } \
  :: d_step { IN(told_abort, i) && !IN(committed, i) && !IN(aborted, i) -> aborted = aborted | (1 << i) } \
  :: d_step { IN(voted_yes, i) && !IN(ayes, i) -> ayes = ayes | (1 << i) } \
  :: d_step { IN(voted_no, i) && !IN(nays, i) -> nays = nays | (1 << i) }

#define CHOOSE(n) :: d_step { n <= ALL -> prefers_yes = n }
#define CHOOSE8(n) CHOOSE(n) CHOOSE(n + 1) CHOOSE(n + 2) CHOOSE(n + 3) CHOOSE(n + 4) CHOOSE(n + 5) CHOOSE(n + 6) CHOOSE(n + 7)

active proctype protocol() {
  if
  CHOOSE8(0)
  CHOOSE8(8)
  CHOOSE8(16)
  CHOOSE8(24)
#if N > 5
  CHOOSE8(32)
  CHOOSE8(40)
  CHOOSE8(48)
  CHOOSE8(56)
#endif
  fi;
  do
  :: d_step { requested != ALL -> requested = ALL }
  :: d_step { decision == NONE && ayes == ALL -> decision = COMMIT; told_commit = ALL }
  :: d_step { decision == NONE && nays != 0 -> decision = ABORT; told_abort = ALL }
  PARTICIPANT(0)
  PARTICIPANT(1)
  PARTICIPANT(2)
#if N > 3
  PARTICIPANT(3)
  PARTICIPANT(4)
#endif
#if N > 5
  PARTICIPANT(5)
#endif
  od
}
