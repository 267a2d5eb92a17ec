// Operation `emitir`: one note, at most once.

import { MAX_STEPS, content, fail, gaveUp, message } from "../sdk/javascript/sdk.js";
import { classify } from "./answer.js";
import { batch } from "./message.js";
import {
  MAX_SEARCHES,
  MAX_SENDINGS,
  NOT_FOUND_TIMES,
  OF_OTHER,
  ask,
  batchOf,
  found,
  look,
  maybe,
  saleOf,
  sameRps,
  waitMs,
  withoutContent,
} from "./query.js";

const TAKEN = message("rps_ja_informado", "A prefeitura diz que o número deste RPS já foi informado.");

export function* issue(flow, op) {
  const dps = content(op, "nfse.dps/1");
  const rps = dps.identificacao;
  // The same bytes each time: the city knows an RPS by its number.
  const signed = flow.keep("lote", () => batch(flow.ctx, dps));
  let last = null;
  for (let sending = 1; sending <= MAX_SENDINGS && flow.asks < MAX_STEPS; sending += 1) {
    const repeated = sending > 1;
    const reading = yield* ask(flow, {
      operation: "RecepcionarLoteRps",
      parameter: "enviarLoteRpsEnvio",
      effect: "once",
      message: () => signed,
    });
    const verdict = judge(reading, rps, repeated);
    if (verdict.note) return found(verdict.note, verdict.alerts, verdict.protocol);
    if (verdict.protocol) {
      const end = yield* batchEnd(flow, dps, verdict.protocol, repeated);
      if (end) return end;
      last = fail.other("lote sem resultado");
      continue;
    }
    if (verdict.duplicate) return yield* duplicated(flow, dps, verdict.duplicate, repeated);
    if (verdict.refused) return yield* refused(flow, dps, verdict.refused, repeated);
    const reason = verdict.pending ? "pendente: RPS na fila da prefeitura" : "confirmação do envio: consulta do RPS";
    const seen = yield* lookFor(flow, rps, reason);
    if (seen.note) return adopt(dps, seen);
    last = verdict.unclear ?? fail.other("RPS pendente que sumiu");
  }
  throw (last ?? fail.other("sem envio")).maybeExists();
}

/** What one answer to the sending says. */
function judge(reading, rps, repeated) {
  const verdict = withoutContent(reading, repeated);
  if (verdict) return verdict;
  const { notes, messages, alerts, protocol } = reading;
  const note = notes.find(sameRps(rps));
  if (note) return { note, alerts: [...alerts, ...messages], protocol };
  if (notes.length > 0) return { unclear: fail.unexpected("a resposta traz outra nota", reading.evidence) };
  if (messages.length === 0) {
    return protocol ? { protocol } : { unclear: fail.unexpected("resposta sem nota, protocolo nem mensagem", reading.evidence) };
  }
  const said = classify(messages);
  if (said === "pending") return { pending: true };
  if (said === "duplicate") return { duplicate: messages };
  return { refused: said === "credential" ? fail.credentials(messages) : fail.rejected(messages) };
}

/** Follows a batch. Null: nothing is there after all, send again. */
function* batchEnd(flow, dps, protocol, repeated) {
  const fate = yield* follow(flow, dps.identificacao, protocol);
  if (fate.note) return found(fate.note, fate.alerts, protocol);
  if (fate.is === "queued" || fate.is === "unknown") throw undecided(fate, protocol);
  if (fate.is === "refused" && !repeated) throw fail.rejected(fate.messages);
  const seen = yield* lookFor(flow, dps.identificacao, "pendente: consulta do RPS do lote");
  const duplicate = fate.messages && classify(fate.messages) === "duplicate";
  if (seen.note) {
    const sale = saleOf(dps, seen.note);
    // As in `duplicated`: the number was taken before this flow.
    if (sale === "untold" && duplicate && !repeated) throw fail.rejected([...fate.messages, TAKEN]);
    if (sale !== "another") return found(seen.note, seen.alerts, protocol);
    // Other software issued it under this number.
    throw fail.rejected([...(fate.messages ?? []), OF_OTHER]);
  }
  if (!fate.messages) return null;
  // The number of a duplicate is not to be given out again.
  if (duplicate) throw maybe(fail.rejected([...fate.messages, TAKEN]), repeated);
  if (fate.is === "refused") throw maybe(fail.rejected(fate.messages), repeated);
  // The messages may have been about that question alone: only if they come again the
  // batch was refused.
  const said = yield* batchOf(flow, protocol, dps.identificacao);
  if (flow.cancelled) throw gaveUp();
  if (said.note) return found(said.note, said.alerts, protocol);
  if (!said.messages) throw undecided(said, protocol);
  const again = classify(said.messages) === "duplicate" ? [TAKEN] : [];
  throw maybe(fail.rejected([...said.messages, ...again]), repeated);
}

/** The city has received the batch and not decided. */
function undecided({ failure }, protocol) {
  return (failure ?? fail.other(`lote ${protocol} ainda na fila da prefeitura`)).maybeExists();
}

/** Asks by protocol until there is a result or the flow has no steps left. */
function* follow(flow, rps, protocol) {
  let lost = 0;
  for (let n = 0; flow.asks < MAX_STEPS; n += 1) {
    if (!(yield* flow.wait(waitMs(flow.ctx, n), "pendente: lote na fila da prefeitura"))) throw gaveUp();
    const fate = yield* batchOf(flow, protocol, rps);
    if (flow.cancelled) throw gaveUp();
    if (fate.is === "queued") lost = 0;
    else if (fate.is === "nothing") lost += 1;
    else if (fate.is !== "unknown" || fate.final) return fate;
    if (lost >= NOT_FOUND_TIMES) return { is: "nothing" };
  }
  return { is: "queued" };
}

/** Looks for the note until it is there or clearly not. Throws where nothing is certain. */
function* lookFor(flow, rps, reason) {
  let absences = 0;
  let unanswered = 0;
  for (let n = 0; flow.asks < MAX_STEPS; n += 1) {
    if (!(yield* flow.wait(waitMs(flow.ctx, n), reason))) throw gaveUp();
    const seen = yield* look(flow, { rps });
    if (flow.cancelled) throw gaveUp();
    if (seen.note) return seen;
    if (seen.is === "refused") throw seen.failure.maybeExists();
    if (seen.is === "pending") absences = 0;
    if (seen.is === "nothing") absences += 1;
    if (seen.is === "unknown") unanswered += 1;
    if (absences >= NOT_FOUND_TIMES) return {};
    if (unanswered >= MAX_SEARCHES) throw seen.failure.maybeExists();
  }
  throw fail.other("consultas demais sem resultado").maybeExists();
}

/** The city has this RPS already: ours of an earlier sending, or one that other software
 *  issued with the same number. */
function* duplicated(flow, dps, messages, repeated) {
  const seen = yield* lookFor(flow, dps.identificacao, "confirmação: RPS já informado à prefeitura");
  if (!seen.note) {
    if (repeated) throw fail.rejected(messages).maybeExists();
    throw fail.rejected([...messages, TAKEN]);
  }
  const sale = saleOf(dps, seen.note);
  if (sale === "untold" && !repeated) throw fail.rejected([...messages, TAKEN]);
  if (sale !== "another") return found(seen.note, seen.alerts);
  throw fail.rejected([...messages, OF_OTHER]);
}

/** An explicit no. After more than one sending it is about the last one only: a look tells
 *  whether an earlier one made a note. If there is none yet, the earlier one may wait in a
 *  queue, and the hub goes on asking. */
function* refused(flow, dps, failure, repeated) {
  if (!repeated) throw failure;
  const seen = yield* look(flow, { rps: dps.identificacao });
  if (seen.note) return adopt(dps, seen);
  throw failure.maybeExists();
}

/** A note found after a sending without answer. */
function adopt(dps, { note, alerts }) {
  if (saleOf(dps, note) !== "another") return found(note, alerts);
  // The number was taken before anything was sent: ours cannot exist.
  throw fail.rejected([OF_OTHER]);
}

