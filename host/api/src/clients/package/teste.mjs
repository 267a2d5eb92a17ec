import assert from "node:assert/strict";
import test from "node:test";
import { ErroDoHub, Hub, conferir_webhook } from "../index.js";

const responde = (pedidas, respostas) => async (url, init) => {
  pedidas.push({ url, ...init });
  const [status, corpo, cabecalhos = {}] = respostas[Math.min(pedidas.length, respostas.length) - 1];
  if (status === 0) throw new TypeError("sem resposta");
  return new Response(JSON.stringify(corpo), { status, headers: { "content-type": "application/json", ...cabecalhos } });
};

test("chama com a chave e lê a resposta", async () => {
  const pedidas = [];
  const hub = new Hub({ base_url: "https://hub.example/", chave: "svc_test_1", fetch: responde(pedidas, [[200, { sucesso: true, nome: "Conta" }]]) });
  assert.equal((await hub.conta()).nome, "Conta");
  assert.equal(pedidas[0].url, "https://hub.example/api/v1/conta");
  assert.equal(pedidas[0].headers.authorization, "Bearer svc_test_1");
});

test("uma recusa é um ErroDoHub", async () => {
  const recusa = { codigo: "validacao_previa", mensagem: "A nota tem 1 ponto a corrigir.", dica: "Corrija.", campos: [{ campo: "itens[0].ncm" }], request_id: "req_1" };
  const hub = new Hub({ base_url: "https://hub.example", chave: "svc_test_1", fetch: responde([], [[422, recusa]]) });
  await assert.rejects(hub.nfe_create({ itens: [] }), (erro) =>
    erro instanceof ErroDoHub && erro.status === 422 && erro.codigo === "validacao_previa" && erro.campos[0].campo === "itens[0].ncm");
});

test("a repetição leva a mesma chave de idempotência", async () => {
  const pedidas = [];
  const hub = new Hub({ base_url: "https://hub.example", chave: "svc_test_1", fetch: responde(pedidas, [[503, {}, { "retry-after": "0" }], [201, { sucesso: true, id: "nfe_1" }]]) });
  assert.equal((await hub.nfe_create({ itens: [] })).id, "nfe_1");
  assert.equal(pedidas.length, 2);
  assert.ok(pedidas[0].headers["idempotency-key"]);
  assert.equal(pedidas[0].headers["idempotency-key"], pedidas[1].headers["idempotency-key"]);
});

test("a chave de idempotência dada é a que vai, com os parâmetros ou depois deles", async () => {
  const pedidas = [];
  const hub = new Hub({ base_url: "https://hub.example", chave: "svc_test_1", fetch: responde(pedidas, [[201, { sucesso: true, id: "nfe_1" }]]) });
  await hub.nfe_create({ itens: [] }, { idempotency_key: "pedido-1", tolerante: 1, cabecalhos: { "x-origem": "loja" } });
  await hub.nfe_create({ itens: [] }, { tolerante: 1 }, { idempotency_key: "pedido-1", cabecalhos: { "x-origem": "loja" } });
  for (const pedida of pedidas) {
    assert.equal(pedida.url, "https://hub.example/api/v1/nfe?tolerante=1");
    assert.equal(pedida.headers["idempotency-key"], "pedido-1");
    assert.equal(pedida.headers["x-origem"], "loja");
  }
});

test("a assinatura de uma entrega é conferida", async () => {
  const corpo = '{"id":"evt_1","tipo":"nfe.autorizada"}';
  const cabecalhos = { "X-Webhook-Id": "evt_1", "X-Webhook-Signature-256": "t=1791206103,v1=d1a7f1a959f7cfbee0d00203d1a7915d2390c58a2b227d1e63f1f5a33b26de16" };
  assert.equal((await conferir_webhook("whsec_dGVzdGU=", cabecalhos, corpo, { agora_s: 1791206103 })).id, "evt_1");
  const padrao = { "webhook-id": "evt_1", "webhook-timestamp": "1791206103", "webhook-signature": "v1,sK0Fpvno1znHDMgBZ2PLZo41hQvVj4WS24zJrHOdH94=" };
  assert.equal((await conferir_webhook("whsec_dGVzdGU=", padrao, corpo, { agora_s: 1791206103 })).id, "evt_1");
  await assert.rejects(conferir_webhook("whsec_dGVzdGU=", cabecalhos, `${corpo} `, { agora_s: 1791206103 }), ErroDoHub);
  await assert.rejects(conferir_webhook("whsec_dGVzdGU=", cabecalhos, corpo, { agora_s: 1791206404 }), ErroDoHub);
});
