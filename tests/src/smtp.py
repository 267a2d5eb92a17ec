"""A mail server for the tests: takes mail, or does what it is told.

Arguments: folder, options (JSON). What it takes is a file NNNN.json of the
folder; what it shall do is in mode.json, looked at each time.
"""

import asyncio
import base64
import json
import logging
import os
import ssl
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult

# What the library says of a client that hangs up or of old settings is what the
# tests do on purpose; as a traceback it would look like the failure of a test.
logging.getLogger("mail.log").setLevel(logging.CRITICAL)
warnings.simplefilter("ignore")

folder, options = sys.argv[1], json.loads(sys.argv[2])


def mode():
    try:
        with open(os.path.join(folder, "mode.json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


class Handler:
    def __init__(self):
        self.taken = 0

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        answer = mode().get("rcpt", {}).get(address)
        if answer:
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        wanted = mode()
        if wanted.get("data"):
            return wanted["data"]
        self.taken += 1
        record = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": session.ssl is not None or server.transport.get_extra_info("sslcontext") is not None,
            "user": session.auth_data.login.decode() if session.auth_data else "",
            "content": base64.b64encode(envelope.content).decode(),
        }
        name = os.path.join(folder, f"{self.taken:04}.json")
        with open(name + ".new", "w") as file:
            json.dump(record, file)
        os.rename(name + ".new", name)
        while mode().get("hold"):
            await asyncio.sleep(0.02)
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    good = data.login == b"hub" and data.password == b"senha do servidor"
    return AuthResult(success=good, handled=False, auth_data=data)


async def main():
    context = None
    # "starttls": in the clear first; "tls": from the first byte.
    security = options["security"]
    if security != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    auth = options.get("auth", False)
    handler = Handler()

    def factory():
        return SMTP(
            handler,
            tls_context=context if security == "starttls" else None,
            require_starttls=security == "starttls",
            authenticator=authenticate if auth else None,
            auth_required=auth,
            auth_require_tls=security == "starttls",
            enable_SMTPUTF8=True,
            data_size_limit=None,
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(factory, "127.0.0.1", 0, ssl=context if security == "tls" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    # The test is gone when its end of the pipe is.
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
