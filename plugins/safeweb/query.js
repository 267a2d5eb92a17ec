// Questions: the batch by its protocol, the note by its RPS or its number.

import { content, decimal, documento, fail, fieldError, gaveUp, message, option, success } from "../sdk/javascript/sdk.js";
import { classify, read } from "./answer.js";
import { ofNumber, ofProtocol, ofRps, request } from "./message.js";

/** The note under the number is of other software: the hub does not give it out again. */
export const OF_OTHER = message("numero_ja_usado", "O número deste RPS já foi usado por outra NFS-e na prefeitura.");
/** So many clear "not found" answers make it certain. */
export const NOT_FOUND_TIMES = 3;
/** Questions without a clear answer, after one sending. */
export const MAX_SEARCHES = 8;
/** The same message is sent at most this often. */
export const MAX_SENDINGS = 3;
const MAX_WAIT_MS = 1_800_000;

/** Wait before question `n`, from 0: it doubles each time. */
export function waitMs(ctx, n) {
  const first = Number(option(ctx, "intervalo_consulta_ms") ?? "5000");
  return Math.min(first * 2 ** n, MAX_WAIT_MS);
}

/** Asks an operation of the service, and reads. */
export function* ask(flow, { operation, parameter, effect = "read-only", message }) {
  const asked = request(flow.ctx, { operation, parameter, effect, message });
  const given = yield* flow.send(asked, (answer) => read(operation, answer));
  return given.value ?? { kind: given.cancelled ? "given-up" : "silent", fault: given.fault };
}

/** An end for an answer that says nothing certain. */
export function undetermined(reading) {
  if (reading.kind === "given-up") return gaveUp();
  if (reading.kind === "silent") return fail.transport(reading.fault);
  if (reading.kind === "credential") return fail.credentials(reading.messages);
  if (reading.kind === "throttled") return fail.unavailable(null, "consultas demais");
  return fail.unexpected(reading.what ?? "resposta sem nota nem mensagem", reading.evidence ?? "");
}

/** May-exist, when an earlier sending may have arrived. */
export const maybe = (failure, repeated) => (repeated ? failure.maybeExists() : failure);

/** What an answer without content says of a sending; null: it has a content. */
export function withoutContent(reading, repeated) {
  if (reading.kind === "given-up") throw gaveUp();
  if (reading.kind === "silent") {
    if (reading.fault.maybeArrived) return { unclear: undetermined(reading) };
    throw maybe(fail.unavailable(null, "a prefeitura nao atendeu"), repeated);
  }
  if (reading.kind === "credential") return { refused: fail.credentials(reading.messages) };
  if (reading.kind === "refusal") return { refused: fail.rejected(reading.messages).withEvidence(reading.evidence) };
  if (reading.kind === "throttled") return { refused: fail.unavailable(null, "envios demais") };
  return reading.kind === "content" ? null : { unclear: undetermined(reading) };
}

const withoutZeros = (numero) => String(numero).trim().replace(/^0+/, "");

/** Whether a note names this RPS. A city may show a series padded, or none. */
export const sameRps = (rps) => (note) => {
  if (note.rps === null || withoutZeros(note.rps.numero) !== withoutZeros(rps.numero)) return false;
  const [shown, ours] = [note.rps.serie, rps.serie].map((serie) => withoutZeros(serie).toUpperCase());
  return note.rps.serie.trim() === "" || shown === ours;
};

const sameNumber = (numero) => (note) => withoutZeros(note.numero) === withoutZeros(numero);

/** What is looked for: an RPS, or a note by its number. */
export function target({ rps, numero }) {
  if (rps && rps.numero > 0) return { rps };
  return String(numero ?? "").trim() === "" ? null : { numero: String(numero).trim() };
}

/** One look: `{ note, alerts }`, or `{ is }` with nothing, pending, refused or unknown, and a failure. */
export function* look(flow, { rps, numero }) {
  const question = rps
    ? { operation: "ConsultarNfsePorRps", parameter: "consultarNfseRpsEnvio", message: () => ofRps(flow.ctx, rps) }
    : { operation: "ConsultarNfseFaixa", parameter: "consultarNfseFaixaEnvio", message: () => ofNumber(flow.ctx, numero) };
  const reading = yield* ask(flow, question);
  if (reading.kind === "credential") return { is: "refused", failure: undetermined(reading) };
  if (reading.kind !== "content") return { is: "unknown", failure: undetermined(reading) };
  const note = reading.notes.find(rps ? sameRps(rps) : sameNumber(numero));
  if (note) return { note, alerts: [...reading.alerts, ...reading.messages] };
  const unknown = (what) => ({ is: "unknown", failure: fail.unexpected(what, reading.evidence) });
  if (reading.notes.length > 0) return unknown("a consulta trouxe outra nota");
  if (reading.messages.length === 0) return unknown("consulta sem nota e sem mensagem");
  const is = classify(reading.messages);
  if (is === "pending") return { is: "pending" };
  if (is === "not-found") return { is: "nothing" };
  if (is === "credential") return { is: "refused", failure: fail.credentials(reading.messages) };
  // Refused was the question: it says nothing about the note.
  return unknown("a prefeitura recusou a consulta");
}

/** What became of a batch: `{ note, alerts }`, or `{ is }` with queued, refused, doubtful (messages), nothing or unknown. */
export function* batchOf(flow, protocol, rps) {
  const message = () => ofProtocol(flow.ctx, protocol);
  const reading = yield* ask(flow, { operation: "ConsultarLoteRps", parameter: "consultarLoteRpsEnvio", message });
  if (reading.kind !== "content") return { is: "unknown", failure: undetermined(reading), final: reading.kind === "credential" };
  const note = reading.notes.find(sameRps(rps));
  if (note) return { note, alerts: [...reading.alerts, ...reading.messages] };
  const { messages, status } = reading;
  const waits = status === 1 || status === 2;
  if (messages.length === 0) return { is: waits ? "queued" : "nothing" };
  const said = classify(messages);
  if (said === "pending" || waits) return { is: "queued" };
  if (said === "duplicate") return { is: "doubtful", messages };
  if (status === 3) return { is: "refused", messages };
  if (said === "not-found") return { is: "nothing" };
  if (said === "credential") return { is: "unknown", failure: fail.credentials(messages), final: true };
  return { is: "doubtful", messages };
}

/** The document of a note that was read. */
export function documentOf(note) {
  const { situacao, numero, codigoVerificacao, emitidoEm, valores, xml } = note;
  return documento("nfse", situacao, { numero, codigoVerificacao, emitidoEm, valores, xml });
}

export function found(note, mensagens = [], protocolo = null) {
  return success(note.situacao, { documentos: [documentOf(note)], mensagens, protocolo });
}

/** A whole CPF or CNPJ without its leading zeros; null: cut, masked, or one digit repeated. */
function whole(document) {
  const text = document?.trim().toUpperCase() ?? "";
  // A letter three times in a row is a mask.
  const masked = /^(.)\1+$/.test(text) || /([A-Z])\1\1/.test(text);
  return /^(\d{11}|[0-9A-Z]{14})$/.test(text) && !masked ? text.replace(/^0+/, "") : null;
}

/** Whether a note is the sale with one of these prices (none: not known) and this taker:
 *  `ours`, `another`, or `untold`, where it shows nothing that tells. */
function ofSale(note, prices, taker) {
  const [shown, declared] = [whole(note.tomador), whole(taker)];
  const priced = note.valor !== null && prices.length > 0;
  const compared = priced ? [prices.some((price) => decimal.same(note.valor, price))] : [];
  if (shown !== null && declared !== null) compared.push(shown === declared);
  if (compared.includes(false)) return "another";
  // Some cities show a document where the sale has none.
  if (shown !== null && declared === null) return "untold";
  return compared.length > 0 ? "ours" : "untold";
}

/** As far as the note says, with the price before or after the discount. */
export function saleOf({ valores: { servico, desconto_incondicionado }, tomador }, note) {
  const prices = [servico, decimal.subtract(servico, desconto_incondicionado)];
  return ofSale(note, prices, tomador?.cpf_cnpj);
}

/** Operation `consultar-rps`: by the batch first, where the protocol is known. */
export function* byRps(flow, op) {
  const { serie, numero, protocolo: given, valor, tomador } = content(op, "nfse.rps/1");
  const rps = { serie, numero };
  const protocolo = given?.trim() || null;
  let refusal = null;
  if (protocolo) {
    const batch = yield* batchOf(flow, protocolo, rps);
    if (flow.cancelled) throw gaveUp();
    if (batch.note) return found(batch.note, batch.alerts, protocolo);
    if (batch.is === "refused") throw fail.rejected(batch.messages);
    if (batch.is === "queued") return success("em-processamento", { protocolo });
    if (batch.is === "doubtful") refusal = batch.messages;
  }
  const seen = yield* look(flow, { rps });
  const another = seen.note && ofSale(seen.note, valor == null ? [] : [valor], tomador) === "another";
  if (seen.note && !another) return found(seen.note, seen.alerts, protocolo);
  if (seen.is === "pending") return success("em-processamento", { protocolo });
  if (another) throw fail.rejected([...(refusal ?? []), OF_OTHER]);
  if (seen.is !== "nothing") throw seen.failure.maybeExists();
  if (refusal) throw fail.rejected(refusal);
  return success("nao-encontrado", { protocolo });
}

/** Operation `consultar-nota`. */
export function* byNumber(flow, op) {
  const asked = target(content(op, "nfse.ref/1"));
  if (!asked) throw fail.invalidInput([fieldError("numero", "obrigatorio", "Informe o número da NFS-e ou o RPS.")]);
  const seen = yield* look(flow, asked);
  if (seen.note) return found(seen.note, seen.alerts);
  if (seen.is === "pending") return success("em-processamento");
  if (seen.is === "nothing") return success("nao-encontrado");
  throw seen.failure.maybeExists();
}
