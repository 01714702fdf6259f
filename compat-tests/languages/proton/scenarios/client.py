"""One blocking connection, and the steps that most scenarios share."""

import os
import time
import uuid
from collections import deque

from proton import Delivery, Message, Timeout
from proton.handlers import MessagingHandler
from proton.utils import BlockingConnection

# For what must come, and for what must not.
PATIENCE = 10
GLANCE = 0.7


def setting(name):
    return os.environ[name]


def connect(port="PORT", scheme="amqp", mechanism="PLAIN", key=None, namespace=None, **options):
    if mechanism == "PLAIN":
        user = setting("KEY_NAME") if namespace is None else f"{setting('KEY_NAME')}@{namespace}"
        options |= {"user": user, "password": key or setting("KEY")}
    url = f"{scheme}://{setting('HOST')}:{setting(port)}"
    return Client(BlockingConnection(url, timeout=15, allowed_mechs=mechanism, **options))


class Client:
    def __init__(self, connection):
        self.connection = connection

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def send(self, address, message):
        """Returns the id that the message has or is given."""
        if message.id is None:
            message.id = str(uuid.uuid4())
        sender = self.connection.create_sender(address, name=str(uuid.uuid4()))
        sender.send(message)
        sender.close()
        return message.id

    def receiver(self, address, options=None, name=None):
        return Receiver(self.connection, address, options, name)

    def drain(self, address):
        receiver = self.receiver(address)
        bodies = receiver.drain()
        receiver.close()
        return bodies


class Inbox(MessagingHandler):
    """Keeps messages with their deliveries, which the library's own blocking receiver hides."""

    def __init__(self):
        super().__init__(prefetch=0, auto_accept=False, auto_settle=False)
        self.messages = deque()

    def on_message(self, event):
        self.messages.append((event.message, event.delivery))
        event.container.yield_()

    def on_link_error(self, event):
        # The library's default is to close the whole connection.
        event.link.close()


class Receiver:
    def __init__(self, connection, address, options=None, name=None):
        self.connection = connection
        self.inbox = Inbox()
        self.blocking = connection.create_receiver(
            address, credit=0, handler=self.inbox, options=options, name=name or str(uuid.uuid4())
        )
        self.link = self.blocking.link

    def receive(self, seconds=PATIENCE):
        """The next message with its delivery, or two times None."""
        if not self.inbox.messages and self.link.credit == 0:
            self.link.flow(1)
        try:
            self.connection.wait(lambda: self.inbox.messages or self.is_detached(), timeout=seconds)
        except Timeout:
            return None, None
        if not self.inbox.messages:
            raise AssertionError(f"the link was detached: {self.link.remote_condition}")
        return self.inbox.messages.popleft()

    def is_detached(self):
        return bool(self.link.state & self.link.REMOTE_CLOSED)

    def take(self, id):
        """The message with that id; those before it are left-overs and accepted."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message, delivery = self.receive(end - time.monotonic())
            if message is None:
                break
            if message.id == id:
                return message, delivery
            self.settle(delivery)
        raise AssertionError(f"message {id} did not come within {PATIENCE} s")

    def settle(self, delivery, state=Delivery.ACCEPTED):
        """Waits for the broker's own outcome where it owes one."""
        if not delivery.settled:
            delivery.update(state)
            delivery.settle()

    def drain(self):
        """All that is to be had now, accepted: the broker says by an answered drain where the queue ends."""
        messages = []
        self.link.drain(100)
        self.connection.wait(lambda: self.link.credit == 0 or self.is_detached())
        while self.inbox.messages:
            message, delivery = self.inbox.messages.popleft()
            self.settle(delivery)
            messages.append(message)
        self.link.drain_mode = False
        return messages

    def expect_gone(self, id):
        assert id not in [message.id for message in self.drain()], f"message {id} came though it should not"

    def close(self):
        if not self.is_detached():
            self.blocking.close()


def expect(subject, expected, seen):
    if isinstance(seen, memoryview):
        seen = bytes(seen)
    if type(expected) is not type(seen) or expected != seen:
        raise AssertionError(f"{subject}: expected {expected!r}, saw {seen!r}")


def expect_failure(call, condition, action):
    """The action fails with an AMQP condition."""
    try:
        action()
    except Exception as error:
        text = str(error)
        assert condition in text, f"{call} failed with another error than {condition}: {text}"
        return
    raise AssertionError(f"{call} did not fail")




def message(body="", **fields):
    return Message(body=body, id=str(uuid.uuid4()), **fields)
