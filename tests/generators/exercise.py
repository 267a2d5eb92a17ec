"""Issues, lists, downloads and cancels with what openapi-python-client made of the document."""

import base64
import json
import sys

from hub_gerado import AuthenticatedClient
from hub_gerado.api.ciclo_de_vida import documentos_xml, nfe_cancelar, nfe_list
from hub_gerado.api.emissao import nfe_create
from hub_gerado.models import (
    Erro,
    NfeCancelar200,
    NfeCancelarCancelarIn,
    NfeCreate201,
    NfeCreateNfeIn,
    NfeList200,
    NfseDocumento200,
)

hub = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
pedido = {
    "natureza_operacao": "Venda de mercadoria",
    "destinatario": {
        "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda", "indicador_ie": "9",
        "endereco": {"cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": "3106200", "uf": "MG"},
    },
    "itens": [{"codigo": "SKU1", "descricao": "Café torrado 1 kg", "ncm": "09012100", "quantidade": 2, "valor_unitario": 18.9}],
    "pagamentos": [{"forma": "pix", "valor": 37.8}],
}

nota = nfe_create.sync(client=hub, body=NfeCreateNfeIn.from_dict(pedido), idempotency_key="python-1")
assert isinstance(nota, NfeCreate201), nota
listadas = nfe_list.sync(client=hub, limite=10)
assert isinstance(listadas, NfeList200), listadas
xml = documentos_xml.sync(client=hub, ref=nota.id)
assert isinstance(xml, NfseDocumento200), xml
corpo = NfeCancelarCancelarIn(ref=nota.id, justificativa="Pedido desfeito pelo cliente")
cancelada = nfe_cancelar.sync(client=hub, body=corpo)
assert isinstance(cancelada, NfeCancelar200), cancelada
recusa = nfe_create.sync(client=hub, body=NfeCreateNfeIn.from_dict({**pedido, "itens": []}))
assert isinstance(recusa, Erro), recusa

print(json.dumps({
    "status": nota.status, "valor": nota.valor_total, "listada": listadas.itens[0].id == nota.id,
    "xml": base64.b64decode(xml.base64)[:5].decode(), "depois": cancelada.status, "recusa": recusa.codigo,
}))
