import subprocess
import uuid

import pytest
from azure.servicebus import ServiceBusClient

START = "npx jitney --memory --port 0 --http-port off --until-stdin-ends --namespaces auto --config ../Config.json"


@pytest.fixture(scope="session")
def jitney():
    """The connection string of a Jitney that ends with this process."""
    with subprocess.Popen(START.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        connection = next((line for line in process.stdout if line.startswith("Connection ")), None)
        assert connection, "Jitney has not started: the reason is in its output"
        yield connection.split()[1]


@pytest.fixture
def servicebus(jitney):
    """A client whose namespace no other test uses: queues, clock and faults are its own."""
    policy = f"RootManageSharedAccessKey@{uuid.uuid4()}"
    with ServiceBusClient.from_connection_string(
        jitney.replace("RootManageSharedAccessKey", policy)
    ) as client:
        yield client
