// Operation `cancelar`.

import { MAX_STEPS, content, documento, fail, gaveUp, success } from "../sdk/javascript/sdk.js";
import { classify } from "./answer.js";
import { cancellation } from "./message.js";
import {
  MAX_SEARCHES,
  MAX_SENDINGS,
  NOT_FOUND_TIMES,
  ask,
  documentOf,
  look,
  maybe,
  target,
  waitMs,
  withoutContent,
} from "./query.js";

export function* cancel(flow, op) {
  const request = content(op, "nfse.cancelamento/1");
  const signed = flow.keep("pedido", () => cancellation(flow.ctx, request));
  const asked = target(request.documento);
  let last = null;
  for (let sending = 1; sending <= MAX_SENDINGS && flow.asks < MAX_STEPS; sending += 1) {
    const repeated = sending > 1;
    const reading = yield* ask(flow, {
      operation: "CancelarNfse",
      parameter: "cancelarNfseEnvio",
      effect: "once",
      message: () => signed,
    });
    const verdict = judge(reading, repeated);
    if (verdict.cancelled) return verdict.cancelled;
    if (verdict.already) return yield* already(flow, asked, verdict.already);
    if (verdict.refused) throw maybe(verdict.refused, repeated);
    const seen = yield* verify(flow, asked);
    if (seen) return cancelled(seen);
    last = verdict.unclear;
  }
  throw (last ?? fail.other("sem envio")).maybeExists();
}

/** What one answer says. */
function judge(reading, repeated) {
  const verdict = withoutContent(reading, repeated);
  if (verdict) return verdict;
  const { cancelled: confirmed, messages, alerts } = reading;
  if (confirmed) {
    const event = documento("evento", "cancelado", { xml: confirmed.xml, emitidoEm: confirmed.emitidoEm });
    return { cancelled: success("cancelado", { documentos: [event], mensagens: [...alerts, ...messages] }) };
  }
  if (messages.length === 0) {
    return { unclear: fail.unexpected("resposta sem confirmacao nem mensagem", reading.evidence) };
  }
  const said = classify(messages);
  if (said === "cancelled") return { already: messages };
  if (said === "pending") return { unclear: fail.other("cancelamento em processamento") };
  return { refused: said === "credential" ? fail.credentials(messages) : fail.rejected(messages) };
}

/** "Already cancelled" is the city's explicit word; the note itself is fetched where the
 *  city gives it. */
function* already(flow, asked, messages) {
  const seen = asked ? yield* look(flow, asked) : {};
  if (seen.note?.situacao === "cancelado") return cancelled(seen.note, messages);
  return success("cancelado", { mensagens: messages });
}

/** The note, once it is cancelled; null when it was seen valid often enough. */
function* verify(flow, asked) {
  let valid = 0;
  let unanswered = 0;
  for (let n = 0; flow.asks < MAX_STEPS; n += 1) {
    if (!(yield* flow.wait(waitMs(flow.ctx, n), "confirmação do cancelamento: consulta da NFS-e"))) throw gaveUp();
    const seen = yield* look(flow, asked);
    if (flow.cancelled) throw gaveUp();
    if (seen.note?.situacao === "cancelado") return seen.note;
    if (seen.is === "refused") throw seen.failure.maybeExists();
    if (seen.note) valid += 1;
    else unanswered += 1;
    if (valid >= NOT_FOUND_TIMES) return null;
    if (unanswered >= MAX_SEARCHES) throw (seen.failure ?? fail.other("a prefeitura nao mostra a NFS-e")).maybeExists();
  }
  throw fail.other("consultas demais sem resultado").maybeExists();
}

function cancelled(note, mensagens = []) {
  return success("cancelado", { documentos: [documentOf(note)], mensagens });
}
