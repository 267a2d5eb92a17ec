// What an answer says: notes, messages, protocol, and what the messages mean.

import { decimal, decode, message, parseXml, simplify, standalone } from "../sdk/javascript/sdk.js";

const MAX_MESSAGES = 100;
const MAX_CODE = 60;

// Words of the answers, as `simplify` gives them; the first list that fits decides.
const PENDING = /ainda nao foi processad|em processamento|aguardando processamento|sendo processad|fila de processamento/;
const NOT_FOUND = [
  [/rps/, /nao foi enviado|inexistente|nao encontrado|nao existe|nao localizado/],
  [/nfs-e|nfse|nota/, /inexistente|nao encontrad|nao localizad|nao existe/],
  [/protocolo|lote/, /inexistente|nao encontrado|nao localizado/],
  [/./, /nenhuma nota|nenhum registro|nenhuma nfs|nenhum rps/],
];
const DUPLICATE = /ja (foi )?(informado|enviado|convertido|utilizado|emitid|processado|cadastrado)|ja existe|duplicad/;
const CANCELLED = /ja (esta |se encontra |encontra-se |foi )?cancelad/;
const LOGIN = [
  /senha|usuario|login|certificado|credencia/,
  /invalid|incorret|nao autorizad|nao esta autorizad|expirad|vencid|revogad|negad|nao confere|bloquead|nao informad/,
];
// Table of errors of the model (ABRASF 2.0x); codes of a city may mean something else,
// so a text that says it decides first.
const CODES = {
  __proto__: null,
  E92: "pending",
  E10: "duplicate",
  E4: "not-found",
  E78: "not-found",
  E86: "not-found",
  E87: "not-found",
  E89: "not-found",
  E91: "not-found",
  E79: "cancelled",
  E138: "credential",
  E157: "credential",
};
// Of several messages the first of these decides.
const ORDER = ["credential", "pending", "duplicate", "cancelled", "refusal", "not-found"];

function ofText(text) {
  const plain = simplify(text);
  if (PENDING.test(plain)) return "pending";
  // About the note to be replaced, not about this one.
  if (plain.includes("substituid")) return "refusal";
  if (NOT_FOUND.some(([what, how]) => what.test(plain) && how.test(plain))) return "not-found";
  if (/rps|lote/.test(plain) && DUPLICATE.test(plain)) return "duplicate";
  if (CANCELLED.test(plain)) return "cancelled";
  return LOGIN.every((words) => words.test(plain)) ? "credential" : null;
}

/** What messages say about the note: pending, duplicate, not-found, cancelled,
 *  credential, or refusal. */
export function classify(messages) {
  const classes = messages.map((one) => ofText(one.texto) ?? CODES[one.codigo] ?? "refusal");
  return ORDER.find((name) => classes.includes(name)) ?? "refusal";
}

function messagesOf(root, alerts) {
  const found = [];
  for (const one of root.all("MensagemRetorno")) {
    let above = one.parent;
    while (above && above.name !== "ListaMensagemAlertaRetorno") above = above.parent;
    const [codigo, texto] = [one.textAt("Codigo") ?? "", one.textAt("Mensagem") ?? ""];
    if ((above !== null) !== alerts || (codigo === "" && texto === "")) continue;
    if (found.length < MAX_MESSAGES) found.push(message(codigo, texto, one.textAt("Correcao")));
  }
  return found;
}

/** The city's local time as RFC 3339. Rio Grande do Sul has the time of Brasília. */
function moment(text) {
  const found = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/.exec(text ?? "");
  return found ? `${found[1]}T${found[2]}${found[3] ?? ""}${found[4] ?? "-03:00"}` : null;
}

/** A note of the answer; null without a number: nothing says then that it exists. */
function note(text, element) {
  const inf = element.first("InfNfse");
  const numero = inf?.textAt("Numero");
  if (!numero || !/^\d{1,15}$/.test(numero)) return null;
  const confirmed = (name) => (element.child(name)?.children.length ?? 0) > 0;
  const amounts = inf.child("ValoresNfse");
  const valores = {};
  for (const [name, of] of [["base_calculo", "BaseCalculo"], ["aliquota", "Aliquota"], ["iss", "ValorIss"], ["liquido", "ValorLiquidoNfse"]]) {
    const value = amounts?.textAt(of);
    if (decimal.is(value)) valores[name] = value;
  }
  const rps = inf.first("IdentificacaoRps");
  const taker = inf.first("IdentificacaoTomador");
  const price = inf.first("ValorServicos")?.text.trim();
  const code = inf.textAt("CodigoVerificacao");
  return {
    situacao: confirmed("NfseCancelamento") ? "cancelado" : confirmed("NfseSubstituicao") ? "substituido" : "autorizado",
    numero,
    codigoVerificacao: code && code.length <= MAX_CODE ? code : null,
    emitidoEm: moment(inf.textAt("DataEmissao")),
    valores,
    xml: standalone(text, element),
    rps: rps && { numero: rps.textAt("Numero") ?? "", serie: rps.textAt("Serie") ?? "" },
    // An amount that cannot be read is no evidence, neither for the note nor against it.
    valor: decimal.is(price) ? price : null,
    tomador: (taker?.first("Cnpj") ?? taker?.first("Cpf"))?.text.replace(/[^0-9A-Za-z]/g, "") || null,
  };
}

/** The message inside the envelope: a text, or an element. */
function unwrapped(text, operation) {
  const envelope = parseXml(text);
  const fault = envelope.first("Fault");
  if (fault) return { fault };
  const result = envelope.first(`${operation}Result`);
  if (!result) return null;
  if (result.children.length > 0) return { root: result.children[0], text };
  const inside = result.text.trim();
  return { root: parseXml(inside), text: inside };
}

function ofFault(fault) {
  const code = fault.textAt("faultcode") ?? fault.textAt("Code/Value") ?? "";
  const texto = fault.textAt("faultstring") ?? fault.textAt("Reason/Text") ?? "";
  // SOAP 1.1 §4.4.1: the sender's message is wrong, it was not processed.
  const sender = /(^|:)(Client|Sender|VersionMismatch|MustUnderstand)(\.|$)/.test(code);
  const kind = ofText(texto) === "credential" ? "credential" : sender ? "refusal" : "unclear";
  return { kind, messages: [message(code, texto)], what: "SOAP Fault do servidor" };
}

/** What an answer to an operation says, small enough for the record of the flow. `kind`
 *  is `content`, `refusal` or `credential` (messages), `throttled`, or `unclear`. */
export function read(operation, answer) {
  const { status } = answer;
  const evidence = () => decode(answer.body.slice(0, 2_000));
  const unclear = (what) => ({ kind: "unclear", what, evidence: evidence() });
  if (status === 401 || status === 403) {
    const texto = `A prefeitura recusou o acesso (HTTP ${status}).`;
    return { kind: "credential", messages: [message(String(status), texto)] };
  }
  if (status === 429) return { kind: "throttled" };
  try {
    const inside = unwrapped(decode(answer.body), operation);
    if (inside?.fault) return { ...ofFault(inside.fault), evidence: evidence() };
    if (!inside || status < 200 || status > 299) return unclear("resposta que não é a do serviço");
    return { ...contentOf(inside), evidence: evidence() };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unclear("resposta que não é XML");
  }
}

/** What a message of the service says. */
function contentOf({ root, text }) {
  const cancelled = root.first("RetCancelamento")?.first("Confirmacao") ?? null;
  return {
    kind: "content",
    notes: root.all("CompNfse").map((one) => note(text, one)).filter(Boolean),
    messages: messagesOf(root, false),
    alerts: messagesOf(root, true),
    protocol: root.textAt("Protocolo"),
    status: Number(root.textAt("Situacao")) || null,
    cancelled: cancelled && {
      xml: standalone(text, root.first("NfseCancelamento")),
      emitidoEm: moment(cancelled.textAt("DataHora")),
    },
  };
}
