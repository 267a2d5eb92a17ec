//! What differs between NF-e, NFC-e and NFS-e, in one place.

use base::errors::Code;
use compose::frame;
use store::tables::flows::FlowOperation;
use store::tables::notas::NotaStatus;
pub use store::words::{Ambiente, Modelo};

/// Code by which an adapter says that the number belongs to a document that
/// is not ours: other software issues under the same series.
pub const NUMERO_JA_USADO: &str = "numero_ja_usado";

/// Codes by which a SEFAZ says that the number belongs to something else: it
/// is not given out again. 204, 539, 561, 562 and 613: another note has it;
/// 206: it was voided (MOC 7.0, annex of rejections).
const NUMERO_DE_OUTRO: [&str; 6] = ["204", "206", "539", "561", "562", "613"];

/// How the documents of a model travel, and what is said of them.
pub trait Issued: Copy {
    /// The operation that issues a note.
    fn emissao(self, substitui: bool) -> FlowOperation;

    /// The operation that asks what became of a note.
    fn consulta(self) -> FlowOperation;

    /// State of a note the simulated authorities of a test key accepted: a
    /// service note is only validated (specification, item 5.3).
    fn aceita_na_simulacao(self) -> NotaStatus;

    /// The customer's event: `nfe.autorizada`, `nfse.emitida`.
    fn evento(self, fato: Fato) -> &'static str;

    /// The authority said no.
    fn rejeitada(self) -> Code;

    /// The authority is down.
    fn indisponivel(self) -> Code;

    /// Whether a refusal says that the number belongs to another document.
    fn numero_de_outro(self, codigo: &str) -> bool;
}

impl Issued for Modelo {
    fn emissao(self, substitui: bool) -> FlowOperation {
        match (self, substitui) {
            (Modelo::Nfse, false) => FlowOperation::Emitir,
            (Modelo::Nfse, true) => FlowOperation::Substituir,
            (Modelo::Nfe | Modelo::Nfce, _) => FlowOperation::Autorizar,
        }
    }

    fn consulta(self) -> FlowOperation {
        match self {
            Modelo::Nfse => FlowOperation::ConsultarRps,
            Modelo::Nfe | Modelo::Nfce => FlowOperation::Consultar,
        }
    }

    fn aceita_na_simulacao(self) -> NotaStatus {
        match self {
            Modelo::Nfse => NotaStatus::Validada,
            Modelo::Nfe | Modelo::Nfce => NotaStatus::Autorizada,
        }
    }

    fn evento(self, fato: Fato) -> &'static str {
        match (self, fato) {
            (Modelo::Nfse, Fato::Autorizada) => "nfse.emitida",
            (Modelo::Nfse, Fato::Rejeitada) => "nfse.rejeitada",
            (Modelo::Nfse, Fato::Cancelada) => "nfse.cancelada",
            (Modelo::Nfe, Fato::Autorizada) => "nfe.autorizada",
            (Modelo::Nfe, Fato::Rejeitada) => "nfe.rejeitada",
            (Modelo::Nfe, Fato::Cancelada) => "nfe.cancelada",
            (Modelo::Nfce, Fato::Autorizada) => "nfce.autorizada",
            (Modelo::Nfce, Fato::Rejeitada) => "nfce.rejeitada",
            (Modelo::Nfce, Fato::Cancelada) => "nfce.cancelada",
        }
    }

    fn rejeitada(self) -> Code {
        if self.is_produto() {
            Code::RejeitadaPelaSefaz
        } else {
            Code::RejeitadaPelaPrefeitura
        }
    }

    fn indisponivel(self) -> Code {
        if self.is_produto() {
            Code::SefazIndisponivel
        } else {
            Code::PrefeituraIndisponivel
        }
    }

    fn numero_de_outro(self, codigo: &str) -> bool {
        codigo == NUMERO_JA_USADO || self.is_produto() && NUMERO_DE_OUTRO.contains(&codigo)
    }
}

/// What a customer is told of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fato {
    Autorizada,
    Rejeitada,
    Cancelada,
}

/// `tpAmb` of an environment: what is only simulated is no production.
pub fn tp_amb(ambiente: Ambiente) -> frame::Ambiente {
    match ambiente {
        Ambiente::Producao => frame::Ambiente::Producao,
        Ambiente::Homologacao | Ambiente::Simulado => frame::Ambiente::Homologacao,
    }
}
