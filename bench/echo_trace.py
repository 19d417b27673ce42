#!/usr/bin/python3
"""Writes a trace of the echo server: so many events of one client and one server, for `tenet monitor validate`.

    bench/echo_trace.py EVENTS [--runs N] [--lose SEQUENCE…] > trace.jsonl

--runs divides them into runs by key; --lose leaves out the server's events of these sequence numbers.
"""

import argparse
import json

words = argparse.ArgumentParser()
words.add_argument("events", type=int)
words.add_argument("--runs", type=int, default=1)
words.add_argument("--lose", type=int, nargs="*", default=[])
words = words.parse_args()

lost = set(words.lose)
payloads = 100
sequence = {"Client#1": 1, "Server": 1}
written = 0


def write(host, key, **members):
    """One line; False: no more are wanted."""
    global written
    sequence[host] += 1
    if host == "Server" and sequence[host] in lost:
        return
    line = {"host": host, "incarnation": 1, "sequence": sequence[host], "key": key, **members}
    print(json.dumps(line, separators=(",", ":")))
    written += 1


print(json.dumps({"format": "tenet-trace", "version": 1, "protocol": "echo_server", "hosts": {"Client": 1, "Server": 1}}))
for key in range(words.runs):
    until = words.events * (key + 1) // words.runs
    answered = []
    write("Client#1", key, snapshot="begins", constants={"wanted": list(range(payloads))}, state={"answered": []})
    write("Server", key, snapshot="begins", state={})
    turn = 0
    while written < until:
        payload = turn % payloads
        arguments = {"payload": payload}
        if turn < payloads:
            answered = answered + [payload]
        turn += 1
        write("Client#1", key, step="ask", parameters=arguments, state={"answered": answered[:-1] if turn <= payloads else answered})
        write("Client#1", key, send="Request", to="Server", arguments=arguments)
        write("Server", key, step="receive Request", message="Request", **{"from": "Client#1"}, arguments=arguments, state={})
        write("Server", key, send="Response", to="Client#1", arguments=arguments)
        write("Client#1", key, step="receive Response", message="Response", **{"from": "Server"}, arguments=arguments, state={"answered": answered})
