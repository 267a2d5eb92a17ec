// Adapter `safeweb`: the municipal system of SafeWeb, ABRASF 2.00 over SOAP 1.1, batches
// that are processed later. sistemas/safeweb-200.md has the sources.

import { adapter, description, permissions } from "../sdk/javascript/sdk.js";
import { cancel } from "./cancel.js";
import { issue } from "./issue.js";
import { NAMESPACE } from "./message.js";
import { byNumber, byRps } from "./query.js";

const about = description({
  name: "safeweb",
  version: "0.1.0",
  schemas: ["nfse.dps/1", "nfse.rps/1", "nfse.ref/1", "nfse.cancelamento/1"],
  operations: [
    ["emitir", false, "RecepcionarLoteRps with one RPS, then ConsultarLoteRps."],
    ["cancelar", true, "CancelarNfse."],
    ["consultar-rps", true, "ConsultarLoteRps by protocol, ConsultarNfsePorRps."],
    ["consultar-nota", true, "ConsultarNfsePorRps, or ConsultarNfseFaixa by number."],
  ],
  endpoints: [{ name: "nfse", required: true, clientCertificate: true, doc: "SOAP service of the system." }],
  options: [
    {
      name: "intervalo_consulta_ms",
      kind: "integer",
      default: "5000",
      doc: "Wait before the first question about a note; it doubles each time.",
    },
  ],
});

const declared = permissions({
  elements: [
    { name: "Rps", namespaces: [NAMESPACE], purpose: "Number, date and state of an RPS" },
    { name: "LoteRps", namespaces: [NAMESPACE], purpose: "The batch with the RPS" },
    { name: "InfPedidoCancelamento", namespaces: [NAMESPACE], purpose: "Request to cancel a note" },
  ],
  secrets: [{ name: "usuario", endpoints: ["nfse"], purpose: "The CNPJ by which the system knows the user" }],
  certificateEndpoints: ["nfse"],
});

const operations = { emitir: issue, cancelar: cancel, "consultar-rps": byRps, "consultar-nota": byNumber };
const made = adapter({ describe: about, permissions: declared, operations });

export const { describe, declaration, nfse } = made;
