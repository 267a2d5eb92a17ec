"""Uses the generated client as a customer would; says what it saw as JSON."""
import base64
import json
import sys
import urllib.error
import urllib.request

folder, world = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
sys.path.insert(0, folder)
import cliente  # noqa: E402

hub = cliente.Hub(world["base_url"], chave=world["chave"], dormir=lambda _: None)
nota = hub.nfe_create(world["nfe"])

# The answer of the first attempt is lost on its way.
real, keys = urllib.request.urlopen, []


def lossy(request, **rest):
    keys.append(request.get_header("Idempotency-key"))
    answer = real(request, **rest)
    if len(keys) == 1:
        raise urllib.error.URLError("lost")
    return answer


urllib.request.urlopen = lossy
repetida = hub.nfe_create(world["nfe"])
urllib.request.urlopen = real

listadas = [item["nota_id"] for item in hub.nfe_list_todos(limite=1)]
xml = hub.documentos_xml(nota["nota_id"], formato="binario")
try:
    hub.nfe_create({**world["nfe"], "itens": []})
    recusa = None
except cliente.ErroDoHub as erro:
    recusa = {"status": erro.status, "codigo": erro.codigo, "dica": erro.dica, "campos": len(erro.campos)}
cancelada = hub.nfe_cancelar({"ref": nota["nota_id"], "justificativa": "Pedido desfeito pelo cliente"})

entrega = world["entrega"]
corpo = base64.b64decode(entrega["corpo"])
hook = entrega["cabecalhos"]
evento = cliente.conferir_webhook(entrega["segredo"], hook, corpo)
padrao = {nome: valor for nome, valor in hook.items() if nome.startswith("webhook-")}
evento_padrao = cliente.conferir_webhook(entrega["segredo"], padrao, corpo)
forjadas = []
for chave, cabecalhos, bytes_, depois in [
    (entrega["segredo"], hook, corpo + b" ", 0),
    ("whsec_" + "A" * 43 + "=", hook, corpo, 0),
    (entrega["segredo"], hook, corpo, 301),
    (entrega["segredo"], padrao, corpo, 301),
    (entrega["segredo"], {}, corpo, 0),
]:
    try:
        cliente.conferir_webhook(chave, cabecalhos, bytes_, agora_s=entrega["agora_s"] + depois)
        forjadas.append("aceita")
    except cliente.ErroDoHub as erro:
        forjadas.append(erro.codigo)

print(json.dumps({
    "status": nota["status"], "valor": str(nota["valor_total"]), "chaves": keys, "repetida": repetida["nota_id"],
    "nota_id": nota["nota_id"], "listadas": listadas, "xml": xml[:5].decode(), "recusa": recusa,
    "evento": evento["id"], "evento_padrao": evento_padrao["id"], "forjadas": forjadas,
    "depois": cancelada["status"], "publica": hub.saude()["status"],
}))
