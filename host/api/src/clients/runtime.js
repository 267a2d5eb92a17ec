// Sem dependências: fetch e WebCrypto, de Node 20 ou mais novo, Deno, Bun e afins. Use só em servidores.

//ts{
//ts /** Ajustes do cliente. */
//ts export interface Ajustes { base_url: string; chave?: string; tentativas?: number; prazo_s?: number; prazo_ms?: number; espera_maxima_s?: number; fetch?: typeof fetch }
//ts /** Ajustes de uma chamada: no último argumento, ou com os parâmetros da consulta. */
//ts export interface Opcoes { idempotency_key?: string; cabecalhos?: Record<string, string>; sinal?: AbortSignal }
//ts /** O item de uma lista. */
//ts export type Item<T> = T extends { itens?: Array<infer I> } ? I : any;
//ts interface Partes { pedido?: any; bytes?: any; consulta?: Record<string, any>; idempotente?: boolean; publica?: boolean }
//ts}
/** Uma recusa do hub: decida por `codigo`; `dica` e `campos` dizem o que corrigir. */
export class ErroDoHub extends Error {
//ts{
//ts   status: number; codigo: string; mensagem: string; dica: string; campos: Array<{ campo: string; codigo: string; mensagem: string; correcao: string; valor?: any }>;
//ts   rejeicao: any; nota_id: string | undefined; request_id: string; documentacao: string; tentar_em_s: number | undefined; corpo: any;
//ts}
  constructor(status/*: number*/, corpo/*: any*/, tentar_em_s/*:? number*/) {
    super(`${corpo.codigo ?? status}: ${corpo.mensagem ?? "resposta inesperada"} ${corpo.dica ?? ""}`.trim());
    this.name = "ErroDoHub";
    this.status = status;
    this.codigo = corpo.codigo ?? "";
    this.mensagem = corpo.mensagem ?? "resposta inesperada";
    this.dica = corpo.dica ?? "";
    this.campos = corpo.campos ?? [];
    this.rejeicao = corpo.rejeicao;
    this.nota_id = corpo.nota_id;
    this.request_id = corpo.request_id ?? "";
    this.documentacao = corpo.documentacao ?? "";
    this.tentar_em_s = tentar_em_s;
    this.corpo = corpo;
  }
}

const esperar = (ms/*: number*/) => new Promise((pronto) => setTimeout(pronto, ms));
/** Um caminho com as suas barras. */
const caminho_de = (caminho/*: string*/) => caminho.split("/").map(encodeURIComponent).join("/");

class Base {
//ts{
//ts   private ajustes: Required<Omit<Ajustes, "prazo_s">>;
//ts}
  /** `tentativas`: vezes que uma chamada que pode ser repetida é feita; `espera_maxima_s`: o maior Retry-After que se espera; `prazo_ms`, se dado, vale no lugar de `prazo_s`. */
  constructor(ajustes/*: Ajustes*/) {
    const base_url = ajustes.base_url.replace(/\/+$/, "");
    this.ajustes = { tentativas: 3, prazo_ms: (ajustes.prazo_s ?? 60) * 1000, espera_maxima_s: 30, fetch: globalThis.fetch, chave: "", ...ajustes, base_url };
  }

  /** Qualquer operação; as de cada nome estão em Hub. */
  async pedir(metodo/*: string*/, caminho/*: string*/, partes/*: Partes*/ = {}, opcoes/*: Opcoes*/ = {})/*: Promise<any>*/ {
    const { base_url, chave, tentativas, espera_maxima_s } = this.ajustes;
    // Os ajustes da chamada podem vir com os parâmetros da consulta, que não têm estes nomes.
    const dados/*: Record<string, any>*/ = partes.consulta ?? {};
    const { idempotency_key = opcoes.idempotency_key, cabecalhos: outros = opcoes.cabecalhos, sinal = opcoes.sinal, ...parametros } = dados;
    const cabecalhos/*: Record<string, string>*/ = { accept: "application/json, */*", ...outros };
    if (!partes.publica) cabecalhos.authorization = `Bearer ${chave}`;
    let corpo/*: any*/ = partes.bytes;
    if (partes.pedido !== undefined) {
      corpo = JSON.stringify(partes.pedido);
      cabecalhos["content-type"] = "application/json";
    }
    // A mesma chave em todas as tentativas: o documento é um só.
    if (partes.idempotente && partes.pedido?.idempotency_key === undefined) {
      cabecalhos["idempotency-key"] = idempotency_key ?? crypto.randomUUID();
    }
    const consulta = new URLSearchParams();
    for (const [nome, valor] of Object.entries(parametros)) {
      if (valor !== undefined && valor !== null) consulta.set(nome, String(valor));
    }
    const url = base_url + caminho + (consulta.size ? `?${consulta}` : "");
    const repetivel = partes.idempotente || metodo === "GET" || metodo === "PUT" || metodo === "DELETE";
    for (let vez = 1; ; vez += 1) {
      let espera_s = 2 ** (vez - 1);
      try {
        return await this.uma_vez(url, metodo, cabecalhos, corpo, sinal);
      } catch (erro/*: any*/) {
        if (sinal?.aborted || vez >= tentativas) throw erro;
        if (erro instanceof ErroDoHub) {
          // Com 429 e 503 nada foi feito; o resto só se repete onde repetir não muda nada.
          const passa = erro.status === 429 || erro.status === 503 ||
            (repetivel && (erro.status === 502 || erro.status === 504 || erro.codigo === "requisicao_em_andamento"));
          espera_s = erro.tentar_em_s ?? espera_s;
          if (!passa || espera_s > espera_maxima_s) throw erro;
        } else if (!repetivel) {
          throw erro;
        }
      }
      await esperar(espera_s * 1000);
    }
  }

  async uma_vez(url/*: string*/, metodo/*: string*/, cabecalhos/*: Record<string, string>*/, corpo/*: any*/, sinal/*: AbortSignal | undefined*/)/*: Promise<any>*/ {
    const prazo = AbortSignal.timeout(this.ajustes.prazo_ms);
    const resposta = await this.ajustes.fetch(url, { method: metodo, headers: cabecalhos, body: corpo, redirect: "follow", signal: sinal ? AbortSignal.any([sinal, prazo]) : prazo });
    const json = (resposta.headers.get("content-type") ?? "").includes("json");
    if (!resposta.ok) {
      const espera = resposta.headers.get("retry-after");
      const texto = await resposta.text();
      let dados/*: any*/ = {};
      try {
        dados = JSON.parse(texto);
      } catch {
        dados = { mensagem: texto.slice(0, 200) };
      }
      throw new ErroDoHub(resposta.status, dados, espera === null ? undefined : Number(espera));
    }
    if (resposta.status === 204) return undefined;
    return json ? resposta.json() : new Uint8Array(await resposta.arrayBuffer());
  }

  /** Os itens de todas as páginas. */
  async *paginas(pagina/*: (cursor: string | undefined) => Promise<any>*/)/*: AsyncGenerator<any>*/ {
    let cursor/*: string | undefined*/;
    for (;;) {
      const lida = await pagina(cursor);
      yield* lida.itens;
      if (!lida.tem_mais || !lida.proximo_cursor) return;
      cursor = lida.proximo_cursor;
    }
  }
}

const bytes_de = (texto/*: string*/) => new TextEncoder().encode(texto);

async function hmac(chave/*: any*/, texto/*: any*/)/*: Promise<Uint8Array>*/ {
  const importada = await crypto.subtle.importKey("raw", chave, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", importada, texto));
}

/** Compara sem dizer pelo tempo onde está a diferença. */
function iguais(a/*: string*/, b/*: string*/)/*: boolean*/ {
  if (a.length !== b.length) return false;
  let diferenca = 0;
  for (let i = 0; i < a.length; i += 1) diferenca |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return diferenca === 0;
}

/**
 * Confere a assinatura de uma entrega e devolve o evento. `corpo` são os bytes como chegaram; `cabecalhos` aceita Headers ou um objeto.
 * Vale tanto X-Webhook-Signature-256 quanto os cabeçalhos de Standard Webhooks. Despreze um evento cujo id já viu.
 */
export async function conferir_webhook(
  segredo/*: string*/,
  cabecalhos/*: any*/,
  corpo/*: string | Uint8Array*/,
  { agora_s = Math.floor(Date.now() / 1000), tolerancia_s = 300 }/*: { agora_s?: number; tolerancia_s?: number }*/ = {},
)/*: Promise<any>*/ {
  const entradas/*: Array<[string, any]>*/ = typeof cabecalhos.entries === "function" ? [...cabecalhos.entries()] : Object.entries(cabecalhos);
  const lidos/*: Record<string, string>*/ = Object.fromEntries(entradas.map(([nome, valor]) => [nome.toLowerCase(), String(valor)]));
  const recusa = (mensagem/*: string*/) => new ErroDoHub(0, { codigo: "assinatura_invalida", mensagem });
  const texto = typeof corpo === "string" ? corpo : new TextDecoder().decode(corpo);
  const do_hub = lidos["x-webhook-signature-256"];
  let t = lidos["webhook-timestamp"] ?? "";
  let dadas/*: string[]*/ = [];
  let certa = "";
  if (do_hub !== undefined) {
    const partes = do_hub.split(",").map((parte) => parte.trim());
    t = partes.find((parte) => parte.startsWith("t="))?.slice(2) ?? "";
    dadas = partes.filter((parte) => parte.startsWith("v1=")).map((parte) => parte.slice(3));
    const feita = await hmac(bytes_de(segredo), bytes_de(`${t}.${lidos["x-webhook-id"] ?? ""}.${texto}`));
    certa = [...feita].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  } else {
    dadas = (lidos["webhook-signature"] ?? "").split(" ").filter((parte) => parte.startsWith("v1,")).map((parte) => parte.slice(3));
    const chave = Uint8Array.from(atob(segredo.replace(/^whsec_/, "")), (letra) => letra.charCodeAt(0));
    const feita = await hmac(chave, bytes_de(`${lidos["webhook-id"] ?? ""}.${t}.${texto}`));
    certa = btoa(String.fromCharCode(...feita));
  }
  if (!/^\d{1,12}$/.test(t) || Math.abs(agora_s - Number(t)) > tolerancia_s) throw recusa("A entrega é velha demais, ou não diz quando foi assinada.");
  if (!dadas.some((dada) => iguais(dada, certa))) throw recusa("A assinatura não confere.");
  return JSON.parse(texto);
}
