//! What differs between the documents that are issued, in one place.

use base::errors::Code;
use compose::frame;
use fiscal::nfe::event::Family;
use store::tables::flows::FlowOperation;
use store::tables::notas::NotaStatus;
pub use store::words::{Ambiente, Model};

/// Code by which an adapter says that the number belongs to a document that
/// is not ours: other software issues under the same series.
pub const NUMBER_ALREADY_USED: &str = "numero_ja_usado";

/// Code by which an adapter says that the authority calls the number used and
/// shows no document that could be compared with ours.
pub const NUMBER_SAID_TAKEN: &str = "rps_ja_informado";

/// Codes by which a SEFAZ says that the number belongs to something else: it
/// is not given out again. 204, 539, 561, 562 and 613: another note has it;
/// 206: it was voided (MOC 7.0, annex of rejections).
const NUMBER_OF_ANOTHER: [&str; 6] = ["204", "206", "539", "561", "562", "613"];

/// What the texts of a document are called; none of a service note.
pub fn family(model: Model) -> Option<Family> {
    match model {
        Model::Nfse => None,
        Model::Nfe | Model::Nfce => Some(Family::Nfe),
        Model::Cte => Some(Family::Cte),
        Model::Mdfe => Some(Family::Mdfe),
    }
}

/// How the documents of a model travel, and what is said of them.
pub trait Issued: Copy {
    /// The operation that issues a note.
    fn issue(self, replaces: bool) -> FlowOperation;

    /// The operation that asks what became of a note.
    fn query(self) -> FlowOperation;

    /// State of a note the simulated authorities of a test key accepted: a
    /// service note is only validated (specification, item 5.3).
    fn accepted_in_simulation(self) -> NotaStatus;

    /// The customer's event: `nfe.autorizada`, `nfse.emitida`.
    fn evento(self, fact: Fact) -> &'static str;

    /// The authority said no.
    fn rejected(self) -> Code;

    /// The authority is down.
    fn unavailable(self) -> Code;

    /// Whether a refusal says that the number belongs to another document.
    fn number_of_another(self, codigo: &str) -> bool;
}

impl Issued for Model {
    fn issue(self, replaces: bool) -> FlowOperation {
        match (self, replaces) {
            (Model::Nfse, false) => FlowOperation::Emitir,
            (Model::Nfse, true) => FlowOperation::Substituir,
            (Model::Nfe | Model::Nfce | Model::Cte | Model::Mdfe, _) => FlowOperation::Authorize,
        }
    }

    fn query(self) -> FlowOperation {
        match self {
            Model::Nfse => FlowOperation::ConsultarRps,
            Model::Nfe | Model::Nfce | Model::Cte | Model::Mdfe => FlowOperation::Consultar,
        }
    }

    fn accepted_in_simulation(self) -> NotaStatus {
        match self {
            Model::Nfse => NotaStatus::Validated,
            Model::Nfe | Model::Nfce | Model::Cte | Model::Mdfe => NotaStatus::Authorized,
        }
    }

    fn evento(self, fact: Fact) -> &'static str {
        match (self, fact) {
            (Model::Nfse, Fact::Authorized) => "nfse.emitida",
            (Model::Nfse, Fact::Rejected) => "nfse.rejeitada",
            (Model::Nfse, Fact::Cancelled) => "nfse.cancelada",
            (Model::Nfe, Fact::Authorized) => "nfe.autorizada",
            (Model::Nfe, Fact::Rejected) => "nfe.rejeitada",
            (Model::Nfe, Fact::Cancelled) => "nfe.cancelada",
            (Model::Nfce, Fact::Authorized) => "nfce.autorizada",
            (Model::Nfce, Fact::Rejected) => "nfce.rejeitada",
            (Model::Nfce, Fact::Cancelled) => "nfce.cancelada",
            (Model::Cte, Fact::Authorized) => "cte.autorizado",
            (Model::Cte, Fact::Rejected) => "cte.rejeitado",
            (Model::Cte, Fact::Cancelled) => "cte.cancelado",
            (Model::Mdfe, Fact::Authorized) => "mdfe.autorizado",
            (Model::Mdfe, Fact::Rejected) => "mdfe.rejeitado",
            (Model::Mdfe, Fact::Cancelled) => "mdfe.cancelado",
        }
    }

    fn rejected(self) -> Code {
        if self.goes_to_sefaz() {
            Code::RejeitadaPelaSefaz
        } else {
            Code::RejeitadaPelaPrefeitura
        }
    }

    fn unavailable(self) -> Code {
        if self.goes_to_sefaz() {
            Code::SefazIndisponivel
        } else {
            Code::PrefeituraIndisponivel
        }
    }

    fn number_of_another(self, codigo: &str) -> bool {
        codigo == NUMBER_ALREADY_USED
            || codigo == NUMBER_SAID_TAKEN
            || self.goes_to_sefaz() && NUMBER_OF_ANOTHER.contains(&codigo)
    }
}

/// What a customer is told of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    Authorized,
    Rejected,
    Cancelled,
}

/// `tpAmb` of an environment: what is only simulated is no production.
pub fn tp_amb(ambiente: Ambiente) -> frame::Ambiente {
    match ambiente {
        Ambiente::Production => frame::Ambiente::Producao,
        Ambiente::Homologacao | Ambiente::Simulated => frame::Ambiente::Homologacao,
    }
}

/// Where documents of a model go that would go to an environment. The transmission
/// of CT-e is in its test phase: what a note would send to production goes to
/// homologation.
pub fn in_test(model: Model, ambiente: Ambiente) -> Ambiente {
    match (model, ambiente) {
        (Model::Cte, Ambiente::Production) => Ambiente::Homologacao,
        (_, ambiente) => ambiente,
    }
}
