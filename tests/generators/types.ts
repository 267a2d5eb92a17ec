// Issues, lists, downloads and cancels with what openapi-typescript made of the document.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

const [baseUrl, chave] = process.argv.slice(2) as [string, string];
const hub = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${chave}` } });

const pedido: paths["/api/v1/nfe"]["post"]["requestBody"]["content"]["application/json"] = {
  natureza_operacao: "Venda de mercadoria",
  destinatario: {
    cpf_cnpj: "12345678000195", nome: "Cliente Exemplo Ltda", indicador_ie: "9",
    endereco: { cep: "30140071", logradouro: "Rua da Bahia", numero: "1000", bairro: "Centro", codigo_ibge: "3106200", uf: "MG" },
  },
  itens: [{ codigo: "SKU1", descricao: "Café torrado 1 kg", ncm: "09012100", quantidade: 2, valor_unitario: 18.9 }],
  pagamentos: [{ forma: "pix", valor: 37.8 }],
};

function certa<T>(resposta: { data?: T; error?: components["schemas"]["Erro"] }): T {
  if (resposta.data === undefined) throw new Error(JSON.stringify(resposta.error));
  return resposta.data;
}

const nota = certa(await hub.POST("/api/v1/nfe", { body: pedido, params: { header: { "Idempotency-Key": "tipos-1" } } }));
const listadas = certa(await hub.GET("/api/v1/nfe", { params: { query: { limite: 10 } } }));
const xml = await hub.GET("/api/v1/documentos/{ref}/xml", { params: { path: { ref: nota.id }, query: { formato: "binario" } }, parseAs: "text" });
const cancelada = certa(await hub.POST("/api/v1/nfe/cancelar", { body: { ref: nota.id, justificativa: "Pedido desfeito pelo cliente" } }));
const recusa = await hub.POST("/api/v1/nfe", { body: { ...pedido, itens: [] } });

console.log(JSON.stringify({
  status: nota.status, valor: nota.valor_total, listada: listadas.itens[0]?.id === nota.id,
  xml: String(xml.data).slice(0, 5), depois: cancelada.status, recusa: recusa.error?.codigo,
}));
