"""Strangers that say where they can be reached: written from the network's page alone, on top of stranger.py.

named_endpoints.py PORT FOLDER: one names its own address and that of another machine, at which it listens too; one names a port of its own
address at which somebody else listens. Then a third asks the node for addresses. Prints what each saw as JSON.
"""

import json
import socket
import ssl
import sys
import threading
import time

from stranger import HELLO, Greeting, Identity, Link, greet

PEERS_REQUEST, PEERS = 18, 19
OWN, OTHER = "127.0.0.1", "127.0.0.2"
# The page gives no time: this is long for a node that looks at one address in some seconds.
LOOKED_SECONDS = 60


class Listener:
    """A place where a node proves itself to who looks there; keeps the ids of those who came."""

    def __init__(self, host, identity):
        self.identity, self.visitors, self.closed = identity, [], 0
        self.socket = socket.create_server((host, 0))
        self.name = f"{host}:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["pharos/1"])
        context.load_cert_chain(self.identity.certificate, self.identity.key)
        while True:
            plain, _ = self.socket.accept()
            self.visitors.append(time.monotonic())
            try:
                link = context.wrap_socket(plain, server_side=True)
                link.settimeout(LOOKED_SECONDS)
                while link.recv(65_536):
                    pass
                self.closed += 1
            except OSError:
                pass


def say(port, identity, endpoints):
    link = Link(port, identity)
    link.send(HELLO, Greeting(link.await_kind(HELLO)).answer(endpoints=endpoints))
    return link


def keep(link):
    """Answers pings until the node ends the link."""
    def read():
        try:
            while True:
                link.receive()
        except Exception:
            pass
    threading.Thread(target=read, daemon=True).start()


def asked(port, identity):
    """The ids that the node names, by their endpoints."""
    link, _ = greet(port, identity)
    link.send(PEERS_REQUEST)
    answer = link.await_kind(PEERS)
    named = {}
    for _ in range(answer.varint()):
        node, endpoint = answer.bytes(32).hex(), answer.text()
        answer.bytes(1)
        named[endpoint] = node
    link.close()
    return named


def main():
    port, folder = int(sys.argv[1]), sys.argv[2]
    honest, liar = (Identity(folder, name) for name in ("honest", "liar"))
    own, foreign = Listener(OWN, honest), Listener(OTHER, honest)
    # Somebody else's place, whose certificate is not the liar's.
    borrowed = Listener(OWN, Identity(folder, "victim"))
    links = [say(port, honest, (foreign.name, own.name)), say(port, liar, (borrowed.name,))]
    for link in links:
        keep(link)
    give_up = time.monotonic() + LOOKED_SECONDS
    while time.monotonic() < give_up and not (own.visitors and borrowed.visitors):
        time.sleep(0.1)
    # Time for the node to note what it has seen; a stranger has one answer in 20 seconds.
    time.sleep(2)
    named = asked(port, Identity(folder, "asker"))
    print(
        json.dumps(
            {
                "honest": honest.id,
                "liar": liar.id,
                "own": [own.name, len(own.visitors), own.closed],
                "foreign": [foreign.name, len(foreign.visitors)],
                "borrowed": [borrowed.name, len(borrowed.visitors)],
                "named": named,
                "peer": links[0].peer,
            }
        )
    )


if __name__ == "__main__":
    main()
