"""One handshake as Python's SDK has it: client <file to trust or none> <port> <name>."""

import socket
import ssl
import sys

file, port, name = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
if file != "none":
    context.load_verify_locations(file)
try:
    with socket.create_connection(("127.0.0.1", int(port))) as plain:
        with context.wrap_socket(plain, server_hostname=name):
            print("ok")
except ssl.SSLError as error:
    print(error)
