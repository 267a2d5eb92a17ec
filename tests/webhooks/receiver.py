"""A customer's receiver, written from README and the API's documents alone.

It says its port, reads the webhook's secret from standard input, and checks
each delivery twice: with the package standardwebhooks, and by hand from
X-Webhook-Signature-256. One line of JSON on standard output tells each
verdict, together with those on spoiled copies of the same delivery.
"""

import hashlib
import hmac
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

TOLERANCE_S = 300
secret = ""
seen = set()
one_at_a_time = threading.Lock()


def standard(headers, body):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


def by_hand(headers, body):
    parts = [part.split("=", 1) for part in headers["x-webhook-signature-256"].split(",")]
    moment = next(value for name, value in parts if name == "t")
    if abs(time.time() - int(moment)) > TOLERANCE_S:
        return False
    text = b".".join([moment.encode(), headers["x-webhook-id"].encode(), body])
    expected = hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
    return any(
        name == "v1" and hmac.compare_digest(value, expected) for name, value in parts
    )


def spoiled(headers, body):
    """Copies somebody else might send: none may pass."""
    late = str(int(headers["webhook-timestamp"]) - TOLERANCE_S - 1)
    other = {
        "webhook-id": "evt_outro",
        "x-webhook-id": "evt_outro",
    }
    old = {
        "webhook-timestamp": late,
        "x-webhook-signature-256": headers["x-webhook-signature-256"].replace(
            "t=" + headers["webhook-timestamp"], "t=" + late
        ),
    }
    return {
        "body": (headers, body.replace(b'"', b"'", 1)),
        "longer": (headers, body + b" "),
        "id": ({**headers, **other}, body),
        "old": ({**headers, **old}, body),
        "unsigned": (
            {**headers, "webhook-signature": "v1,", "x-webhook-signature-256": "t=0,v1="},
            body,
        ),
    }


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with one_at_a_time:
            genuine = self.judge(body)
        self.send_response(204 if all(genuine) else 400)
        self.send_header("content-length", "0")
        self.end_headers()

    def judge(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        genuine = [standard(headers, body), by_hand(headers, body)]
        passed = [
            name
            for name, copy in spoiled(headers, body).items()
            if standard(*copy) or by_hand(*copy)
        ]
        event = json.loads(body)
        said = {
            "id": headers["x-webhook-id"],
            "tipo": event["tipo"],
            "same_id": event["id"] == headers["x-webhook-id"] == headers["webhook-id"],
            "genuine": genuine,
            "spoiled_that_passed": passed,
            "again": headers["x-webhook-id"] in seen,
        }
        seen.add(headers["x-webhook-id"])
        print(json.dumps(said), flush=True)
        return genuine

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
secret = sys.stdin.readline().strip()
server.serve_forever()
