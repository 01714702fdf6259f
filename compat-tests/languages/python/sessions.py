"""Message sessions: accepting, state, and the session's lock."""

import time

from azure.servicebus import NEXT_AVAILABLE_SESSION, ServiceBusReceiveMode
from azure.servicebus.exceptions import OperationTimeoutError, SessionCannotBeLockedError

from support import connected, expect, expect_error, new_id, open_receiver, receive, send, text

QUEUE = "sessions"
# Its locks last two seconds.
SHORT_QUEUE = "short-sessions"


def accept(client, session_id, queue=QUEUE, **options):
    return open_receiver(client, queue, session_id=session_id, **options)


def clear(client):
    """Takes what other scenarios left, so that the next session is one's own."""
    while True:
        try:
            mode = ServiceBusReceiveMode.RECEIVE_AND_DELETE
            with accept(client, NEXT_AVAILABLE_SESSION, max_wait_time=1, receive_mode=mode) as receiver:
                receiver.receive_messages(max_message_count=100, max_wait_time=0.5)
        except OperationTimeoutError:
            return


def session_accept():
    mine, other = new_id("mine"), new_id("other")
    with connected(retry_total=0) as client:
        clear(client)
        send(client, QUEUE, "one", "two", session_id=mine)
        send(client, QUEUE, "three", session_id=other)
        with accept(client, mine) as receiver:
            expect("session", receiver.session.session_id, mine)
            expect_error(SessionCannotBeLockedError, accept(client, mine).__enter__)
        with accept(client, mine) as receiver:
            received = receive(receiver, 2)
            expect("bodies", [text(message) for message in received], ["one", "two"])
            with accept(client, NEXT_AVAILABLE_SESSION, max_wait_time=5) as next_one:
                expect("next session", next_one.session.session_id, other)
                next_one.complete_message(receive(next_one)[0])
            for message in received:
                receiver.complete_message(message)
        none = accept(client, NEXT_AVAILABLE_SESSION, max_wait_time=1)
        expect_error(OperationTimeoutError, none.__enter__)


def session_state():
    with connected() as client:
        session_id = new_id("state")
        with accept(client, session_id) as receiver:
            expect("first state", receiver.session.get_state(), None)
            receiver.session.set_state(b"half\x00done")
            expect("state", receiver.session.get_state(), b"half\x00done")
        with accept(client, session_id) as receiver:
            expect("state of the next receiver", receiver.session.get_state(), b"half\x00done")
            receiver.session.set_state(None)
            expect("cleared state", receiver.session.get_state(), None)


def session_lock_renew():
    with connected() as client:
        session_id = new_id("renew")
        send(client, QUEUE, "slow", session_id=session_id)
        with accept(client, session_id) as receiver:
            (received,) = receive(receiver)
            first = receiver.session.locked_until_utc
            time.sleep(1.1)
            renewed = receiver.session.renew_lock()
            expect("lock is longer", renewed > first, True)
            expect("lock as the session says", receiver.session.locked_until_utc, renewed)
            receiver.complete_message(received)


def session_deferred():
    with connected() as client:
        session_id = new_id("deferred")
        send(client, SHORT_QUEUE, "later", session_id=session_id)
        with accept(client, session_id, SHORT_QUEUE) as receiver:
            (received,) = receive(receiver)
            receiver.defer_message(received)
            (deferred,) = receiver.receive_deferred_messages(received.sequence_number)
            for _ in range(4):
                time.sleep(1)
                receiver.session.renew_lock()
            receiver.complete_message(deferred)
            expect("messages left", receiver.peek_messages(sequence_number=1), [])


SCENARIOS = {
    "session-accept": session_accept,
    "session-state": session_state,
    "session-lock-renew": session_lock_renew,
    "session-deferred": session_deferred,
}
