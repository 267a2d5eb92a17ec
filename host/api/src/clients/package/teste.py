"""Testes do cliente, contra um servidor deste processo."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from hub_cliente import ErroDoHub, Hub, conferir_webhook


class Servidor:
    """Responde com o que lhe é dado, em ordem, e guarda o que foi pedido."""

    def __init__(self, *respostas):
        self.respostas, self.pedidas = list(respostas), []
        dono = self

        class Porta(BaseHTTPRequestHandler):
            def responde(self):
                tamanho = int(self.headers.get("Content-Length", 0))
                dono.pedidas.append({"caminho": self.path, "cabecalhos": dict(self.headers), "corpo": self.rfile.read(tamanho)})
                vez = min(len(dono.pedidas), len(dono.respostas))
                status, corpo, cabecalhos = dono.respostas[vez - 1]
                bytes_ = json.dumps(corpo).encode("utf-8")
                self.send_response(status)
                for nome, valor in {"Content-Type": "application/json", "Content-Length": str(len(bytes_)), **cabecalhos}.items():
                    self.send_header(nome, valor)
                self.end_headers()
                self.wfile.write(bytes_)

            do_GET = do_POST = responde

            def log_message(self, *_):
                pass

        self.servidor = HTTPServer(("127.0.0.1", 0), Porta)
        self.hub = Hub(base_url=f"http://127.0.0.1:{self.servidor.server_port}/", chave="svc_test_1", dormir=lambda _: None)

    def __enter__(self):
        threading.Thread(target=self.servidor.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.servidor.shutdown()
        self.servidor.server_close()


class Cliente(unittest.TestCase):
    def test_chama_com_a_chave_e_le_a_resposta(self):
        with Servidor((200, {"sucesso": True, "nome": "Conta"}, {})) as servidor:
            self.assertEqual(servidor.hub.conta()["nome"], "Conta")
            self.assertEqual(servidor.pedidas[0]["caminho"], "/api/v1/conta")
            self.assertEqual(servidor.pedidas[0]["cabecalhos"]["Authorization"], "Bearer svc_test_1")

    def test_uma_recusa_e_um_erro_do_hub(self):
        recusa = {"codigo": "validacao_previa", "mensagem": "A nota tem 1 ponto a corrigir.", "campos": [{"campo": "itens[0].ncm"}]}
        with Servidor((422, recusa, {})) as servidor, self.assertRaises(ErroDoHub) as visto:
            servidor.hub.nfe_create({"itens": []})
        self.assertEqual((visto.exception.status, visto.exception.codigo), (422, "validacao_previa"))
        self.assertEqual(visto.exception.campos[0]["campo"], "itens[0].ncm")

    def test_a_repeticao_leva_a_mesma_chave_de_idempotencia(self):
        with Servidor((503, {}, {"Retry-After": "0"}), (201, {"sucesso": True, "id": "nfe_1"}, {})) as servidor:
            self.assertEqual(servidor.hub.nfe_create({"itens": []})["id"], "nfe_1")
            chaves = [pedida["cabecalhos"]["Idempotency-Key"] for pedida in servidor.pedidas]
        self.assertEqual(len(chaves), 2)
        self.assertEqual(chaves[0], chaves[1])

    def test_a_assinatura_de_uma_entrega_e_conferida(self):
        corpo = b'{"id":"evt_1","tipo":"nfe.autorizada"}'
        cabecalhos = {"X-Webhook-Id": "evt_1", "X-Webhook-Signature-256": "t=1791206103,v1=d1a7f1a959f7cfbee0d00203d1a7915d2390c58a2b227d1e63f1f5a33b26de16"}
        padrao = {"webhook-id": "evt_1", "webhook-timestamp": "1791206103", "webhook-signature": "v1,sK0Fpvno1znHDMgBZ2PLZo41hQvVj4WS24zJrHOdH94="}
        for dados in (cabecalhos, padrao):
            self.assertEqual(conferir_webhook("whsec_dGVzdGU=", dados, corpo, agora_s=1791206103)["id"], "evt_1")
        for bytes_, agora_s in ((corpo + b" ", 1791206103), (corpo, 1791206404)):
            with self.assertRaises(ErroDoHub):
                conferir_webhook("whsec_dGVzdGU=", cabecalhos, bytes_, agora_s=agora_s)


if __name__ == "__main__":
    unittest.main()
