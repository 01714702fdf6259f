"""Ways in: TLS, WebSockets, tokens of a managed identity, and strict authorization."""

import os
import time
from contextlib import contextmanager

from azure.core.exceptions import ClientAuthenticationError, ResourceNotFoundError
from azure.identity import DefaultAzureCredential
from azure.servicebus import ServiceBusClient, TransportType
from azure.servicebus.exceptions import ServiceBusAuthenticationError, ServiceBusAuthorizationError
from azure.servicebus.management import ServiceBusAdministrationClient

from support import (
    CONNECTION_STRING, NOTHING_S, expect, expect_error, expect_missing, new_id, open_receiver, receive, send,
    text,
)

QUEUE = "forever"
TRUST = {"connection_verify": os.environ["CA_FILE"]}
ENDPOINT = f"sb://localhost:{os.environ['PORT']}"
STRICT_CONNECTION_STRING = os.environ["STRICT_CONNECTION_STRING"]
QUICK_S = 10
NAMESPACES = ("one", "two")


def round_trip(client):
    with client:
        body = new_id("by another way")
        send(client, QUEUE, body)
        with open_receiver(client, QUEUE) as receiver:
            found = []
            # Other scenarios keep messages in this queue that are not to be touched.
            while body not in found:
                (received,) = receive(receiver)
                found.append(text(received))
                receiver.complete_message(received)


def secure_way():
    """The library dials 5671 whatever port its namespace has; another one takes an endpoint of one's own."""
    if "TLS_PORT" in os.environ:
        return TRUST
    return {**TRUST, "custom_endpoint_address": ENDPOINT, "transport_type": TransportType.Amqp}


def tls_amqp():
    round_trip(ServiceBusClient.from_connection_string(os.environ["TLS_CONNECTION_STRING"], **secure_way()))


def websocket():
    # Without an endpoint of its own the library dials port 80.
    way = {"transport_type": TransportType.AmqpOverWebsocket, "custom_endpoint_address": ENDPOINT}
    round_trip(ServiceBusClient.from_connection_string(CONNECTION_STRING, **way))


def websocket_tls():
    way = {"transport_type": TransportType.AmqpOverWebsocket, "custom_endpoint_address": ENDPOINT}
    round_trip(ServiceBusClient.from_connection_string(os.environ["TLS_CONNECTION_STRING"], **way, **TRUST))


@contextmanager
def managed_identity(prefix=""):
    """As on App Service, whose variables the emulator's own `env` prints."""
    variables = {
        "IDENTITY_ENDPOINT": os.environ[f"{prefix}IDENTITY_ENDPOINT"],
        "IDENTITY_HEADER": os.environ["IDENTITY_HEADER"],
        "AZURE_TOKEN_CREDENTIALS": "ManagedIdentityCredential",
    }
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        with DefaultAzureCredential() as credential:
            yield credential
    finally:
        os.environ.clear()
        os.environ.update(before)


def identity_amqp():
    with managed_identity() as credential:
        round_trip(ServiceBusClient(os.environ["FQDN"], credential, **secure_way()))


def identity_admin():
    """With a checked token too."""
    for prefix in ("", "STRICT_"):
        with managed_identity(prefix) as credential:
            trust = {"connection_verify": os.environ[f"{prefix}CA_FILE"]}
            host = f"localhost:{os.environ[f'{prefix}PORT']}"
            with ServiceBusAdministrationClient(host, credential, **trust) as admin:
                expect("queue", admin.get_queue(QUEUE).name, QUEUE)


def strict_sas():
    round_trip(ServiceBusClient.from_connection_string(STRICT_CONNECTION_STRING))
    connection_string = f"{STRICT_CONNECTION_STRING.replace('UseDevelopmentEmulator=true;', '')}"
    trust = {"connection_verify": os.environ["STRICT_CA_FILE"]}
    with ServiceBusAdministrationClient.from_connection_string(connection_string, **trust) as admin:
        expect("queue", admin.get_queue(QUEUE).name, QUEUE)


def strict_wrong_key():
    wrong = STRICT_CONNECTION_STRING.replace(os.environ["STRICT_KEY"], "another key")
    refused = (ServiceBusAuthenticationError, ServiceBusAuthorizationError)
    client = ServiceBusClient.from_connection_string(wrong, retry_total=0)
    quickly(lambda: expect_unauthorized(refused, lambda: send(client, QUEUE, "never")))
    trust = {"connection_verify": os.environ["STRICT_CA_FILE"]}
    without_flag = wrong.replace("UseDevelopmentEmulator=true;", "")
    with ServiceBusAdministrationClient.from_connection_string(without_flag, **trust) as admin:
        expect_error(ClientAuthenticationError, lambda: admin.get_queue(QUEUE))


def strict_missing_entity():
    client = ServiceBusClient.from_connection_string(STRICT_CONNECTION_STRING, retry_total=0)
    quickly(lambda: expect_missing(lambda: send(client, "no-such-queue", "never")))


def namespaces():
    """Two at once, strict and not, over AMQP and in the administration."""
    for prefix in ("", "STRICT_"):
        clients = [
            ServiceBusClient.from_connection_string(in_namespace(f"{prefix}CONNECTION_STRING", name))
            for name in NAMESPACES
        ]
        with clients[0], clients[1]:
            bodies = [new_id(name) for name in NAMESPACES]
            for client, body in zip(clients, bodies):
                send(client, "plain", body)
            for client, body in zip(clients, bodies):
                with open_receiver(client, "plain") as receiver:
                    (received,) = receive(receiver)
                    expect("body", text(received), body)
                    receiver.complete_message(received)
                    expect("left", receiver.receive_messages(max_wait_time=NOTHING_S), [])
        trust = {"connection_verify": os.environ[f"{prefix}CA_FILE"]}
        one, two = (
            ServiceBusAdministrationClient.from_connection_string(in_namespace(f"{prefix}TLS_CONNECTION_STRING", name), **trust)
            for name in NAMESPACES
        )
        with one, two:
            queue = new_id("only-in-one")
            one.create_queue(queue)
            expect_error(ResourceNotFoundError, lambda: two.get_queue(queue))
            one.delete_queue(queue)


def in_namespace(variable, name):
    field = f"SharedAccessKeyName={os.environ['KEY_NAME']}"
    return os.environ[variable].replace(field, f"{field}@{name}")


def expect_unauthorized(kinds, act):
    try:
        act()
    except kinds as error:
        expect("status of the token", getattr(error.inner_exception, "status_code", None), 401)
        return
    names = " or ".join(kind.__name__ for kind in kinds)
    raise AssertionError(f"expected {names}, saw success")


def quickly(act):
    started = time.monotonic()
    act()
    expect(f"within {QUICK_S} s", time.monotonic() - started < QUICK_S, True)


SCENARIOS = {
    "tls-amqp": tls_amqp,
    "websocket": websocket,
    "websocket-tls": websocket_tls,
    "identity-amqp": identity_amqp,
    "identity-admin": identity_admin,
    "strict-sas": strict_sas,
    "strict-wrong-key": strict_wrong_key,
    "strict-missing-entity": strict_missing_entity,
    "namespaces": namespaces,
}
