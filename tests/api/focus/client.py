"""Issues, asks for and cancels notes with focusnfe, a public client of Focus NFe's API.

Its own methods for NF-e have an older address (/nfe2); these notes go through its general
methods, with the addresses of the documentation.
"""

import json
import sys
import time

from focusnfe import FocusNFe, FocusNFeError
from focusnfe.models.nfe import NFeResponse
from focusnfe.models.nfse import NFSeRequest, NFSeResponse

hub, key, nfe, nfse = sys.argv[1:]
nfe, nfse = json.loads(nfe), NFSeRequest(**json.loads(nfse))
reason = {"justificativa": "Pedido desfeito pelo cliente"}


def client_of(token):
    client = FocusNFe(token)
    # The address and the key: all that changes.
    client.base_url = f"{hub}/v2"
    return client


def refused(call):
    try:
        return call()
    except FocusNFeError as error:
        return [error.status_code, error.response["codigo"]]


def life(create, get, cancel, complete):
    taken = create()
    for _ in range(600):
        note = get()
        if note.status != "processando_autorizacao":
            break
        time.sleep(0.05)
    again = refused(create)
    cancelled = cancel()
    return {
        "taken": taken.status, "then": note.status, "complete": complete(note),
        "again": again, "cancelled": cancelled.status, "after": get().status,
    }


client = client_of(key)
print(json.dumps({
    "nfse": life(
        lambda: client.create_nfse("servico-1", nfse),
        lambda: client.get_nfse("servico-1"),
        lambda: client.delete("/nfse/servico-1", params=reason, response_model=NFSeResponse),
        lambda note: bool(note.numero and note.codigo_verificacao and note.caminho_xml_nota_fiscal and note.url_danfse),
    ),
    "nfe": life(
        lambda: client.post("/nfe?ref=venda-1", json_data=nfe, response_model=NFeResponse),
        lambda: client.get("/nfe/venda-1", response_model=NFeResponse),
        lambda: client.delete("/nfe/venda-1", params=reason, response_model=NFeResponse),
        lambda note: bool(note.chave_nfe and note.numero and note.serie and note.caminho_xml_nota_fiscal),
    ),
    "unknown": refused(lambda: client.get_nfse("nunca")),
    "wrong": refused(lambda: client.post("/nfe?ref=venda-2", json_data={**nfe, "numero": 9})),
    "stranger": refused(lambda: client_of("errada").get_nfse("servico-1")),
}))
