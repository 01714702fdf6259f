"""One transaction of the library on a blocking connection, and its operations, each with the broker's answer."""

import uuid

from proton import Delivery, Described, ulong
from proton.handlers import TransactionHandler

from .client import expect
from .requests import request

TRANSACTIONAL = 0x34


class Sender:
    """A link that waits for the outcome of what is sent in a transaction, which the library's own does not know."""

    def __init__(self, client, address, options=None):
        self.connection = client.connection
        self.blocking = self.connection.create_sender(address, name=str(uuid.uuid4()), options=options)
        self.link = self.blocking.link
        self.connection.wait(lambda: self.link.credit > 0)

    def close(self):
        self.blocking.close()


class Transaction(TransactionHandler):
    """Declared when it is made. Links that are attached later on the connection may be of several entities."""

    def __init__(self, client, settle_before_discharge=False):
        self.connection = client.connection
        self.answer = None
        self.own = self.connection.container.declare_transaction(
            self.connection.conn, self, settle_before_discharge
        )
        self.expect_answer("declared")

    def send(self, sender, message):
        """Returns the id."""
        delivery = self.begin_send(sender, message)
        self.expect_accepted(delivery, Delivery.ACCEPTED, sender.connection)
        delivery.settle()
        return message.id

    def begin_send(self, sender, message):
        return self.own.send(sender.link, message)

    def accept(self, delivery):
        """As the library does it: when the transaction is aborted, it releases the message."""
        self.own.accept(delivery)
        if not self.own.settle_before_discharge:
            self.expect_accepted(delivery, Delivery.ACCEPTED)

    def update(self, delivery, outcome, *fields):
        """With any outcome, once in the life of a delivery; it is the program's own to settle."""
        delivery.local.data = [self.own.id, Described(ulong(int(outcome)), list(fields))]
        delivery.update(TRANSACTIONAL)
        self.expect_accepted(delivery, outcome)

    def commit(self):
        self.answer = None
        self.own.commit()
        self.expect_answer("committed")

    def abort(self):
        self.answer = None
        self.own.abort()
        self.expect_answer("aborted")

    def expect_answer(self, expected):
        self.connection.wait(lambda: self.answer is not None)
        expect("answer to the transaction", expected, self.answer)

    def expect_accepted(self, delivery, outcome, connection=None):
        """The broker's state names the transaction and has an outcome of the same type."""
        (connection or self.connection).wait(lambda: delivery.remote_state != 0)
        if delivery.remote_state != TRANSACTIONAL:
            raise AssertionError(f"refused: {delivery.remote_state} {delivery.remote.condition}")
        _, accepted = delivery.remote.data
        expect("type of the outcome", int(outcome), int(accepted.descriptor))

    def on_transaction_declared(self, _event):
        self.answer = "declared"

    def on_transaction_declare_failed(self, event):
        self.answer = f"not declared: {event.delivery.remote.condition}"

    def on_transaction_committed(self, _event):
        self.answer = "committed"

    def on_transaction_commit_failed(self, event):
        self.answer = f"not committed: {event.delivery.remote.condition}"

    def on_transaction_aborted(self, _event):
        self.answer = "aborted"


def request_in(transaction, client, operation, body, address="plain"):
    """Returns status and body of the answer to a request that is part of the transaction."""

    def send(node, asked):
        transaction.begin_send(Sender(client, node), asked)
        return asked.id

    return request(client, address, operation, body, send)
