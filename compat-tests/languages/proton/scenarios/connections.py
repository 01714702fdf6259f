"""Ways in: TLS, tokens for $cbs, and keys under strict authorization."""

import json
import time
import urllib.parse
import urllib.request

from proton import SSLDomain

from .client import connect, expect, expect_failure, message, setting
from .requests import call


def round_trip(client):
    receiver = client.receiver("plain")
    _, delivery = receiver.take(client.send("plain", message("there")))
    receiver.settle(delivery)


def tls():
    trust = SSLDomain(SSLDomain.MODE_CLIENT)
    trust.set_trusted_ca_db(setting("CA_FILE"))
    trust.set_peer_authentication(SSLDomain.VERIFY_PEER_NAME)
    with connect(scheme="amqps", ssl_domain=trust) as client:
        round_trip(client)


def identity_token():
    query = urllib.parse.urlencode({"api-version": "2019-08-01", "resource": "https://servicebus.azure.net"})
    headers = {"X-IDENTITY-HEADER": setting("IDENTITY_HEADER")}
    asked = urllib.request.Request(f"{setting('IDENTITY_ENDPOINT')}?{query}", headers=headers)
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return json.load(answer)["access_token"]


def identity():
    with connect(mechanism="ANONYMOUS") as client:
        name = f"amqp://{setting('FQDN')}/plain"
        properties = {"operation": "put-token", "type": "jwt", "name": name}
        answer = call(client, "$cbs", properties, identity_token())
        expect("status", 202, int(answer.properties["status-code"]))
        round_trip(client)


def strict_key():
    with connect(port="STRICT_PORT") as client:
        round_trip(client)


def wrong_key():
    start = time.monotonic()
    expect_failure(
        "connecting with a wrong key", "Authentication failed", lambda: connect(port="STRICT_PORT", key="d3Jvbmc="),
    )
    passed = time.monotonic() - start
    assert passed < 10, f"it took {passed:.1f} s to be told"


def missing_entity():
    with connect(port="STRICT_PORT") as client:
        expect_failure("sending to a missing queue", "amqp:not-found", lambda: client.send("missing", message()))


def namespaces():
    """Two at once, strict and not."""
    for port in ("PORT", "STRICT_PORT"):
        with connect(port=port, namespace="one") as one, connect(port=port, namespace="two") as two:
            sent = [(client, client.send("plain", message("there"))) for client in (one, two)]
            for client, id in sent:
                receiver = client.receiver("plain")
                received, delivery = receiver.receive(5)
                expect("message", id, received and received.id)
                receiver.settle(delivery)
                expect("another message", (None, None), receiver.receive(0.7))


SCENARIOS = {
    "tls-amqp": tls,
    "identity-amqp": identity,
    "strict-sas": strict_key,
    "strict-wrong-key": wrong_key,
    "strict-missing-entity": missing_entity,
    "namespaces": namespaces,
}
