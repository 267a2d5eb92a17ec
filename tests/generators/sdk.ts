// Issues, lists, downloads and cancels with what @hey-api/openapi-ts made of the document.
import { createClient } from "./sdk/client/index.js";
import * as hub from "./sdk/sdk.gen.js";
import type { NfeCreateData } from "./sdk/types.gen.js";

declare const process: { argv: string[] };

const [baseUrl, chave] = process.argv.slice(2) as [string, string];
// Asked for each way a call may say who it is: one of them is enough.
const client = createClient({ baseUrl, auth: (way) => (way.scheme === "bearer" ? chave : undefined) });

const pedido: NfeCreateData["body"] = {
  natureza_operacao: "Venda de mercadoria",
  destinatario: {
    cpf_cnpj: "12345678000195", nome: "Cliente Exemplo Ltda", indicador_ie: "9",
    endereco: { cep: "30140071", logradouro: "Rua da Bahia", numero: "1000", bairro: "Centro", codigo_ibge: "3106200", uf: "MG" },
  },
  itens: [{ codigo: "SKU1", descricao: "Café torrado 1 kg", ncm: "09012100", quantidade: 2, valor_unitario: 18.9 }],
  pagamentos: [{ forma: "pix", valor: 37.8 }],
};

const certa = { client, throwOnError: true } as const;
const { data: nota } = await hub.nfeCreate({ ...certa, body: pedido, headers: { "Idempotency-Key": "sdk-1" } });
const { data: listadas } = await hub.nfeList({ ...certa, query: { limite: 10 } });
const { data: xml } = await hub.documentosXml({ ...certa, path: { ref: nota.id } });
const { data: cancelada } = await hub.nfeCancelar({ ...certa, body: { ref: nota.id, justificativa: "Pedido desfeito pelo cliente" } });
const recusa = await hub.nfeCreate({ client, body: { ...pedido, itens: [] } });

console.log(JSON.stringify({
  status: nota.status, valor: nota.valor_total, listada: listadas.itens[0]?.id === nota.id,
  xml: new TextDecoder().decode(Uint8Array.from(atob(xml.base64), (c) => c.charCodeAt(0))).slice(0, 5),
  depois: cancelada.status, recusa: recusa.error?.codigo,
}));
