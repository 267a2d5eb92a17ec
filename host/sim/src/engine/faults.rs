//! Faults a test or a contributor orders.

use serde::{Deserialize, Serialize};

/// Most faults kept at once.
pub const MAX_FAULTS: usize = 200;
/// Longest delay, milliseconds.
pub const MAX_DELAY_MS: u64 = 600_000;

/// An ordered fault.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which requests it meets; empty: all.
    #[serde(default)]
    pub quando: When,
    /// What happens.
    pub falha: FaultKind,
    /// Delay of `lento`, queue of `fila`; milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Code of `recusar` and `duplicada`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo: Option<String>,
    /// Text of `recusar`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mensagem: Option<String>,
    /// Whether the request is processed although the answer is bad; without
    /// it each kind has its own habit (`FaultKind::processes`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processar: Option<bool>,
    /// Matching requests seen.
    #[serde(default, skip_deserializing)]
    pub vistas: u64,
    /// Times applied.
    #[serde(default, skip_deserializing)]
    pub aplicadas: u64,
}

/// Which requests a fault meets. All given conditions must hold.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Part of the authority's host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Operation: `emitir`, `consultar`, `consultar_lote`, `cancelar`, `substituir`, `eventos`; at SEFAZ
    /// `autorizar`, `recibo`, `consultar`, `status`, `cancelar`, `cce`, `manifestar`, `econf`, `encerrar`,
    /// `evento`, `evento:<tpEvento>`, `inutilizar`, `cadastro`, `distribuir`, `nao_encerrados`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operacao: Option<String>,
    /// CNPJ or CPF of the provider or of the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documento: Option<String>,
    /// Let this many matching requests pass first.
    #[serde(default)]
    pub apos: u64,
    /// Apply this many times, then never again; 1 when absent, 0: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vezes: Option<u64>,
}

/// Kinds of faults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The right answer after `ms`, or as soon as all faults are withdrawn.
    #[default]
    Lento,
    /// Connection dropped, nothing processed.
    CortarAntes,
    /// Processed, connection dropped.
    CortarDepois,
    /// HTTP 500 in the authority's own shape; not processed.
    #[serde(rename = "erro_500")]
    Erro500,
    /// HTML page of a front end (503); not processed.
    Html,
    /// Processed; the answer ends in the middle.
    XmlPelaMetade,
    /// Processed; a proxy answers 502 with its own JSON.
    #[serde(rename = "json_estranho_5xx")]
    JsonEstranho5xx,
    /// Processed; answered as if the document had already been there.
    Duplicada,
    /// Accepted, but issued only after `ms`.
    Fila,
    /// Refused with `codigo` and `mensagem`.
    Recusar,
    /// HTTP 429; not processed.
    LimiteRequisicoes,
    /// The front end says that the certificate expired; not processed.
    CertificadoVencido,
    /// The front end refuses who calls: its page, 403; not processed.
    AcessoNegado,
    /// Processed; bytes that mean nothing come back with 200.
    Lixo,
    /// The service says that it is paused: 108, or 109 as `codigo`. Other
    /// systems than SEFAZ answer 503. Not processed.
    Pausado,
    /// "Consumo indevido": 656 at SEFAZ, 429 elsewhere. Not processed.
    ConsumoIndevido,
}

impl FaultKind {
    /// True when the request is processed unless the order says otherwise.
    pub fn processes(self) -> bool {
        matches!(
            self,
            FaultKind::Lento
                | FaultKind::CortarDepois
                | FaultKind::XmlPelaMetade
                | FaultKind::JsonEstranho5xx
                | FaultKind::Duplicada
                | FaultKind::Fila
                | FaultKind::Lixo
        )
    }
}

/// What is known of a request before it is processed.
#[derive(Debug, Clone, Default)]
pub struct Peek {
    /// Name of the authority's host.
    pub host: String,
    /// Operation, as [`When::operacao`] names it.
    pub operation: &'static str,
    /// Other names of the operation: `evento`, `evento:110111`.
    pub aliases: Vec<String>,
    /// CNPJ and CPF of the certificate and of the document's issuer.
    pub documents: Vec<String>,
}

/// Finds the first fault that applies and counts it.
pub fn take(faults: &mut [Fault], peek: &Peek) -> Option<Fault> {
    let mut taken = None;
    for fault in faults {
        let q = &fault.quando;
        let meets = q
            .host
            .as_deref()
            .is_none_or(|h| peek.host.contains(&h.to_ascii_lowercase()))
            && q.operacao
                .as_deref()
                .is_none_or(|o| o == peek.operation || peek.aliases.iter().any(|a| a == o))
            && q.documento
                .as_deref()
                .is_none_or(|d| peek.documents.iter().any(|p| p == d));
        if !meets {
            continue;
        }
        fault.vistas += 1;
        let limit = q.vezes.unwrap_or(1);
        let due = fault.vistas > q.apos && (limit == 0 || fault.aplicadas < limit);
        if due && taken.is_none() {
            fault.aplicadas += 1;
            taken = Some(fault.clone());
        }
    }
    taken
}
