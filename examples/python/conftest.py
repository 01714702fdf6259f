import os
import subprocess
import uuid
from pathlib import Path

import pytest
from azure.servicebus import ServiceBusClient

# pytest shows the log of a test that fails
START = (
    "npx jitney --memory --port 0 --http-port off --until-stdin-ends"
    " --namespaces auto --config ../Config.json --log-level debug"
)


@pytest.fixture(scope="session")
def jitney():
    """The connection string of the Jitney of `jitney exec`, or of one that ends with this process."""
    running = os.environ.get("SERVICEBUS_CONNECTION_STRING", "")
    if "UseDevelopmentEmulator=true" in running:  # a namespace of Azure is left alone
        yield running
        return
    with subprocess.Popen(
        START.split(), cwd=Path(__file__).parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        connection = next((line for line in process.stdout if line.startswith("Connection ")), None)
        assert connection, "Jitney has not started: the reason is in its output"
        yield connection.split()[1]


@pytest.fixture
def connection_string(jitney):
    """That of a namespace that no other test uses: queues, clock and faults are its own."""
    return jitney.replace("RootManageSharedAccessKey", f"RootManageSharedAccessKey@{uuid.uuid4()}")


@pytest.fixture
def servicebus(connection_string):
    """A client in the test's namespace."""
    with ServiceBusClient.from_connection_string(connection_string) as client:
        yield client
