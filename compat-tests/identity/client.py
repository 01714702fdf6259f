# Asks azure-identity for a token with each of the given kinds of credentials, and prints it or the error.

import os
import sys

from azure.identity import (
    ClientSecretCredential,
    DefaultAzureCredential,
    EnvironmentCredential,
    WorkloadIdentityCredential,
)


def client_secret():
    names = ("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET")
    return ClientSecretCredential(*[os.environ[name] for name in names])


credentials = {
    "default": DefaultAzureCredential,
    "environment": EnvironmentCredential,
    "secret": client_secret,
    "workload": WorkloadIdentityCredential,
}

for kind in sys.argv[1:]:
    try:
        token = credentials[kind]().get_token("https://servicebus.azure.net/.default").token
        print(kind, "token", token)
    except Exception as error:
        print(kind, "error", " ".join(f"{type(error).__name__} {error}".split()))
