// Uses the generated client as a customer would; says what it saw as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const world = JSON.parse(readFileSync(file, "utf8"));
const { Hub, ErroDoHub, conferir_webhook } = await import(pathToFileURL(`${folder}/cliente.mjs`));

const hub = new Hub({ base_url: world.base_url, chave: world.chave });
const nota = await hub.nfe_create(world.nfe);

// The answer of the first attempt is lost on its way.
const keys = [];
const lossy = async (url, init) => {
  keys.push(init.headers["idempotency-key"]);
  const answer = await fetch(url, init);
  if (keys.length === 1) throw new TypeError("lost");
  return answer;
};
const repetida = await new Hub({ base_url: world.base_url, chave: world.chave, fetch: lossy }).nfe_create(world.nfe);

const listadas = [];
for await (const item of hub.nfe_list_todos({ limite: 1 })) listadas.push(item.nota_id);
const xml = await hub.documentos_xml(nota.nota_id, { formato: "binario" });
let recusa = null;
try {
  await hub.nfe_create({ ...world.nfe, itens: [] });
} catch (erro) {
  if (!(erro instanceof ErroDoHub)) throw erro;
  recusa = { status: erro.status, codigo: erro.codigo, dica: erro.dica, campos: erro.campos.length };
}
const cancelada = await hub.nfe_cancelar({ ref: nota.nota_id, justificativa: "Pedido desfeito pelo cliente" });

const { segredo, cabecalhos, agora_s } = world.entrega;
const corpo = new Uint8Array(Buffer.from(world.entrega.corpo, "base64"));
const evento = await conferir_webhook(segredo, cabecalhos, corpo);
const padrao = Object.fromEntries(Object.entries(cabecalhos).filter(([nome]) => nome.startsWith("webhook-")));
const evento_padrao = await conferir_webhook(segredo, new Headers(padrao), corpo);
const forjadas = [];
for (const [chave, dados, bytes, depois] of [
  [segredo, cabecalhos, new Uint8Array([...corpo, 32]), 0],
  [`whsec_${"A".repeat(43)}=`, cabecalhos, corpo, 0],
  [segredo, cabecalhos, corpo, 301],
  [segredo, padrao, corpo, 301],
  [segredo, {}, corpo, 0],
]) {
  try {
    await conferir_webhook(chave, dados, bytes, { agora_s: agora_s + depois });
    forjadas.push("aceita");
  } catch (erro) {
    forjadas.push(erro.codigo);
  }
}

console.log(JSON.stringify({
  status: nota.status, valor: nota.valor_total.toFixed(2), chaves: keys, repetida: repetida.nota_id,
  nota_id: nota.nota_id, listadas, xml: new TextDecoder().decode(xml.slice(0, 5)), recusa, depois: cancelada.status,
  evento: evento.id, evento_padrao: evento_padrao.id, forjadas, publica: (await hub.saude()).status,
}));
