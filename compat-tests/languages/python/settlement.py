"""Locks and settlement, and the library's errors."""

import time
from contextlib import suppress

from azure.servicebus import NEXT_AVAILABLE_SESSION, ServiceBusMessage, ServiceBusMessageState, ServiceBusSubQueue
from azure.servicebus.exceptions import (
    MessageLockLostError,
    MessageNotFoundError,
    MessageSizeExceededError,
    ServiceBusError,
)

from support import (
    call, connected, decoded, drain, expect, expect_empty, expect_error, expect_missing, open_receiver,
    receive, send, text,
)

QUEUE = "plain"
DEAD_LETTERS = {"sub_queue": ServiceBusSubQueue.DEAD_LETTER}


def peek_lock_complete():
    with connected() as client:
        drain(client, QUEUE)
        send(client, QUEUE, "work")
        with open_receiver(client, QUEUE) as receiver, open_receiver(client, QUEUE) as other:
            (received,) = receive(receiver)
            expect_empty(other)
            receiver.complete_message(received)
            expect_empty(receiver)


def abandon_count():
    with connected() as client:
        drain(client, QUEUE)
        send(client, QUEUE, "again")
        with open_receiver(client, QUEUE) as receiver:
            (received,) = receive(receiver)
            expect("first delivery count", received.delivery_count, 0)
            receiver.abandon_message(received)
            (received,) = receive(receiver)
            expect("second delivery count", received.delivery_count, 1)
            receiver.complete_message(received)


def lock_expiry():
    with connected() as client:
        drain(client, "short")
        send(client, "short", "slow")
        with open_receiver(client, "short") as receiver:
            (received,) = receive(receiver)
            time.sleep(2.3)
            expect_error(MessageLockLostError, lambda: receiver.complete_message(received))
            (again,) = receive(receiver)
            expect("delivery count", again.delivery_count, 1)
            receiver.complete_message(again)


def renew_lock():
    with connected() as client:
        drain(client, "short")
        send(client, "short", "slow")
        with open_receiver(client, "short") as receiver:
            (received,) = receive(receiver)
            first = received.locked_until_utc
            for _ in range(2):
                time.sleep(1.2)
                receiver.renew_message_lock(received)
            expect("lock is longer", received.locked_until_utc > first, True)
            receiver.complete_message(received)
            expect_empty(receiver)


def dead_letter():
    with connected() as client:
        drain(client, QUEUE)
        drain(client, QUEUE, **DEAD_LETTERS)
        send(client, QUEUE, "bad", application_properties={"kept": "yes"})
        with open_receiver(client, QUEUE) as receiver:
            (received,) = receive(receiver)
            receiver.dead_letter_message(received, reason="broken", error_description="it does not work")
        with open_receiver(client, QUEUE, **DEAD_LETTERS) as receiver:
            (dead,) = receive(receiver)
            expect("reason", dead.dead_letter_reason, "broken")
            expect("description", dead.dead_letter_error_description, "it does not work")
            properties = {"kept": "yes", "DeadLetterReason": "broken", "DeadLetterErrorDescription": "it does not work"}
            expect("application properties", decoded(dead.application_properties), properties)
            receiver.complete_message(dead)
            expect_empty(receiver)


def max_delivery():
    with connected() as client:
        drain(client, QUEUE)
        drain(client, QUEUE, **DEAD_LETTERS)
        send(client, QUEUE, "poison")
        with open_receiver(client, QUEUE) as receiver:
            for _ in range(3):
                receiver.abandon_message(receive(receiver)[0])
            expect_empty(receiver)
        with open_receiver(client, QUEUE, **DEAD_LETTERS) as receiver:
            (dead,) = receive(receiver)
            expect("body", text(dead), "poison")
            expect("reason", dead.dead_letter_reason, "MaxDeliveryCountExceeded")
            receiver.complete_message(dead)


def defer():
    # The library would try again for what is missing.
    with connected(retry_total=0) as client:
        drain(client, QUEUE)
        send(client, QUEUE, "later")
        with open_receiver(client, QUEUE) as receiver:
            (received,) = receive(receiver)
            receiver.defer_message(received)
            expect_empty(receiver)
            (peeked,) = receiver.peek_messages(1, sequence_number=received.sequence_number)
            expect("state", peeked.state, ServiceBusMessageState.DEFERRED)
            (deferred,) = receiver.receive_deferred_messages(received.sequence_number)
            expect("body", text(deferred), "later")
            expect("state when received", deferred.state, ServiceBusMessageState.DEFERRED)
            receiver.complete_message(deferred)
            expect_error(MessageNotFoundError, lambda: receiver.receive_deferred_messages(received.sequence_number))


def settle_through_management():
    """The library asks $management where it has no link: for deferred messages."""
    # The library would try again for what is missing.
    with connected(retry_total=0) as client:
        drain(client, QUEUE)
        drain(client, QUEUE, **DEAD_LETTERS)
        send(client, QUEUE, "complete", "abandon", "dead-letter")
        with open_receiver(client, QUEUE) as receiver:
            numbers = []
            for received in receive(receiver, 3):
                numbers.append(received.sequence_number)
                receiver.defer_message(received)
            done, again, dead = receiver.receive_deferred_messages(numbers)
            receiver.complete_message(done)
            receiver.abandon_message(again)
            receiver.dead_letter_message(dead, reason="by management")
            expect_error(MessageNotFoundError, lambda: receiver.receive_deferred_messages(numbers[0]))
            (again,) = receiver.receive_deferred_messages(numbers[1])
            receiver.complete_message(again)
        with open_receiver(client, QUEUE, **DEAD_LETTERS) as receiver:
            (dead,) = receive(receiver)
            expect("reason", dead.dead_letter_reason, "by management")
            receiver.complete_message(dead)
    return "of deferred messages"


def outcome_after_detach():
    """The library settles on the link that is gone, and takes the way through $management when it reads of the detach."""
    def detach_it(receiver):
        receiver._handler._link.detach()

    def have_it_detached(_):
        links = [link for connection in call("connections")["connections"] for link in connection["links"]]
        (ours,) = [link for link in links if link["role"] == "receiver" and link["path"] == QUEUE]
        expect("link ended", call("links:end", {"linkId": ours["linkId"]})["ended"], True)

    with connected(retry_total=0) as client:
        drain(client, QUEUE)
        for detach in (detach_it, have_it_detached):
            send(client, QUEUE, "held")
            with open_receiver(client, QUEUE) as receiver:
                (received,) = receive(receiver)
                detach(receiver)
                receiver.complete_message(received)
            with open_receiver(client, QUEUE) as receiver:
                expect_empty(receiver)


def errors():
    # One attempt: an error is to be seen at once.
    with connected(retry_total=0) as client:
        expect_missing(lambda: send(client, "no-such-queue", "lost"))
        expect_missing(lambda: drain(client, "no-such-queue"))
        expect_missing(lambda: drain(client, "events", subscription="none"))
        refused = expect_error(ServiceBusError, lambda: drain(client, "sessions"))
        expect("condition without a session", condition_of(refused), "amqp:not-allowed")
        refused = expect_error(ServiceBusError, lambda: accept_any(client, "plain"))
        expect("condition with a session", condition_of(refused), "amqp:not-allowed")
        with client.get_queue_sender(QUEUE) as sender:
            large = ServiceBusMessage(b"x" * 300 * 1024)
            expect_error(MessageSizeExceededError, lambda: sender.send_messages(large))
            built = sender.create_message_batch()
            expect_error(MessageSizeExceededError, lambda: built.add_message(large))


def accept_any(client, queue):
    with client.get_queue_receiver(queue, session_id=NEXT_AVAILABLE_SESSION, max_wait_time=3):
        pass


def condition_of(error):
    with suppress(AttributeError):
        return error._condition.decode()
    return getattr(error._condition, "value", error._condition)


SCENARIOS = {
    "peek-lock-complete": peek_lock_complete,
    "abandon-count": abandon_count,
    "lock-expiry": lock_expiry,
    "renew-lock": renew_lock,
    "dead-letter": dead_letter,
    "max-delivery": max_delivery,
    "defer": defer,
    "settle-through-management": settle_through_management,
    "outcome-after-detach": outcome_after_detach,
    "errors": errors,
}
