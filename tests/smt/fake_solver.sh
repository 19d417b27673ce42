#!/bin/bash
# A solver that misbehaves in a way the test asks for: fake_solver.sh MODE.
# Otherwise it acknowledges every command. One command a line.
mode=$1
check() {
  case $mode in
    sat | unsat) echo "$mode" ;;
    double) echo sat; echo unsat ;;
    word) echo maybe ;;
    garbage) printf '\001\002)))((("%s' "$RANDOM" ;;
    truncated) printf '(((sat'; exit 0 ;;
    hang) sleep 1000 ;;
    hang-with-child) sleep 1000 & exit 0 ;;
    exit) echo 'no such luck' >&2; exit 7 ;;
    killed) kill -9 $$ ;;
    huge) head -c 2000000 /dev/zero | tr '\0' 'x' ;;
    deep) head -c 100000 /dev/zero | tr '\0' '(' ;;
    error) echo '(error "line 1: I do not like this")' ;;
    memory) echo 'terminate called: std::bad_alloc' >&2; exit 134 ;;
    core) echo unsat ;;
    *) echo unknown ;;
  esac
}
[ "$mode" = silent ] && exec sleep 1000
[ "$mode" = deaf ] && exec sleep 1000 <&-
while IFS= read -r line; do
  case $line in
    '(echo "'*) line=${line#'(echo "'}; echo "${line%'")'}" ;;
    '(get-info :name)'*) [ "$mode" = nameless ] && echo 'banana' || echo '(:name "Fake")' ;;
    '(get-info :version)'*) echo '(:version "1.2.3")' ;;
    '(get-info :reason-unknown)'*) echo '(:reason-unknown incomplete)' ;;
    '(check-sat'*) check ;;
    '(get-unsat-assumptions)'*) [ "$mode" = core ] && echo '(|&never given|)' || echo '()' ;;
    '(get-value'*) echo '((x (as @a Int)))' ;;
    '(assert'*) [ "$mode" = rejects ] && echo '(error "cannot parse")' || echo success ;;
    *) echo success ;;
  esac
done
