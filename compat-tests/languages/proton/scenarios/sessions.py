"""Sessions: a filter on the source names one, and requests renew its lock and keep its state."""

import time
import uuid

from proton import symbol, timestamp
from proton.reactor import Filter

from .client import connect, expect, expect_failure, message
from .requests import decoded, dispose, receive_deferred, request
from .settlement import modify

# Its locks last two seconds.
SHORT_QUEUE = "short-sessions"
BODIES = ["one", "two", "three"]
FILTER = symbol("com.microsoft:session-filter")


def accept(client, session, queue="sessions"):
    """None: the next session that has messages."""
    return client.receiver(queue, Filter({FILTER: session}))


def accepted_id(receiver):
    filters = receiver.link.remote_source.filter
    filters.rewind()
    filters.next()
    return filters.get_dict()[FILTER]


def new_session(client):
    session = str(uuid.uuid4())
    for body in BODIES:
        client.send("sessions", message(body, group_id=session))
    return session


def expect_all(receiver, session):
    messages = receiver.drain()
    expect("bodies", BODIES, [one.body for one in messages])
    expect("session ids", {session}, {one.group_id for one in messages})


def accept_by_id_and_next():
    with connect() as client, connect() as rival:
        named = new_session(client)
        receiver = accept(client, named)
        expect("accepted id", named, accepted_id(receiver))
        expect_failure(
            "accepting a session that another holds", "com.microsoft:session-cannot-be-locked",
            lambda: accept(rival, named),
        )
        expect_all(receiver, named)
        receiver.close()
        following = new_session(client)
        while True:
            receiver = accept(rival, None)
            if accepted_id(receiver) == following:
                break
            receiver.drain()
            receiver.close()
        expect_all(receiver, following)


def state_of(client, session):
    status, body = request(client, "sessions", "get-session-state", {"session-id": session})
    expect("status", 200, int(status))
    return body["session-state"]


def set_state(client, session, state):
    status, _ = request(client, "sessions", "set-session-state", {"session-id": session, "session-state": state})
    expect("status", 200, int(status))


def state():
    with connect() as client:
        session = str(uuid.uuid4())
        accept(client, session)
        expect("state at first", None, state_of(client, session))
        set_state(client, session, b"\x01\x02")
        expect("state", b"\x01\x02", state_of(client, session))
        set_state(client, session, None)
        expect("state when cleared", None, state_of(client, session))
        # Some libraries have no null here.
        set_state(client, session, b"\x03")
        set_state(client, session, b"")
        expect("state when cleared by an empty one", None, state_of(client, session))


def renew_lock():
    with connect() as client:
        session = new_session(client)
        receiver = accept(client, session)
        ends = []
        for _ in range(2):
            time.sleep(0.2)
            status, body = request(client, "sessions", "renew-session-lock", {"session-id": session})
            expect("status", 200, int(status))
            ends.append(body["expiration"])
        assert ends[0] > (time.time() + 25) * 1000, f"the lock ends at {ends[0]}"
        assert ends[1] > ends[0], "a second renewal did not extend the lock"
        expect_all(receiver, session)


def deferred():
    with connect() as client:
        id = str(uuid.uuid4())
        session = {"session-id": id}
        client.send(SHORT_QUEUE, message("later", group_id=id))
        receiver = accept(client, id, SHORT_QUEUE)
        received, delivery = receiver.receive()
        modify(receiver, delivery, undeliverable=True)
        number = received.annotations["x-opt-sequence-number"]
        status, body = receive_deferred(client, SHORT_QUEUE, number, session)
        expect("status", 200, int(status))
        entry = body["messages"][0]
        for one in [received, decoded(entry["message"])]:
            expect("the largest date", timestamp(253_402_300_800_000), one.annotations["x-opt-locked-until"])
        for _ in range(4):
            time.sleep(1)
            status, _ = request(client, SHORT_QUEUE, "renew-session-lock", session)
            expect("status of the renewal", 200, int(status))
        expect("status of the disposition", 200, dispose(client, SHORT_QUEUE, entry["lock-token"], "completed", session))


SCENARIOS = {
    "session-accept": accept_by_id_and_next,
    "session-state": state,
    "session-lock-renew": renew_lock,
    "session-deferred": deferred,
}
