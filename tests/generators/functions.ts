// Issues, lists, downloads and cancels with what oazapfts made of the document.
import * as hub from "./functions.generated.js";

declare const process: { argv: string[] };

const [baseUrl, chave] = process.argv.slice(2) as [string, string];
hub.defaults.baseUrl = baseUrl;
hub.defaults.headers = { Authorization: `Bearer ${chave}` };

const pedido: Parameters<typeof hub.nfeCreate>[0] = {
  natureza_operacao: "Venda de mercadoria",
  destinatario: {
    cpf_cnpj: "12345678000195", nome: "Cliente Exemplo Ltda", indicador_ie: "9",
    endereco: { cep: "30140071", logradouro: "Rua da Bahia", numero: "1000", bairro: "Centro", codigo_ibge: "3106200", uf: "MG" },
  },
  itens: [{ codigo: "SKU1", descricao: "Café torrado 1 kg", ncm: "09012100", quantidade: 2, valor_unitario: 18.9 }],
  pagamentos: [{ forma: "pix", valor: 37.8 }],
};

const nota = await hub.nfeCreate(pedido, { idempotencyKey: "funcoes-1" });
if (nota.status !== 201) throw new Error(JSON.stringify(nota.data));
const listadas = await hub.nfeList({ limite: 10 });
if (listadas.status !== 200) throw new Error(JSON.stringify(listadas.data));
const xml = await hub.documentosXml(nota.data.id);
if (xml.status !== 200) throw new Error(JSON.stringify(xml.data));
const cancelada = await hub.nfeCancelar({ ref: nota.data.id, justificativa: "Pedido desfeito pelo cliente" });
if (cancelada.status !== 200) throw new Error(JSON.stringify(cancelada.data));
const recusa = await hub.nfeCreate({ ...pedido, itens: [] });
if (recusa.status !== 422) throw new Error(`${recusa.status}`);

console.log(JSON.stringify({
  status: nota.data.status, valor: nota.data.valor_total, listada: listadas.data.itens[0]?.id === nota.data.id,
  xml: new TextDecoder().decode(Uint8Array.from(atob(xml.data.base64), (c) => c.charCodeAt(0))).slice(0, 5),
  depois: cancelada.data.status, recusa: recusa.data.codigo,
}));
