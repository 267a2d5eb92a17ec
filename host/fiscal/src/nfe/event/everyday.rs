//! The fields of the events of every day, from typed values.

use serde_json::{Value, json};

use super::econf::Payment;
use crate::nfe::event::catalogue::search;
use crate::nfe::event::kind::Kind;

/// What the addressee says of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manifestation {
    Confirmation,
    Acknowledgement,
    Unawareness,
    NotPerformed,
}

impl Manifestation {
    /// Reads the API's word (`operacao_nao_realizada` is an alias) or the code.
    pub fn parse(text: &str) -> Option<Manifestation> {
        Some(match text {
            "confirmacao" | "210200" => Manifestation::Confirmation,
            "ciencia" | "210210" => Manifestation::Acknowledgement,
            "desconhecimento" | "210220" => Manifestation::Unawareness,
            "nao_realizada" | "operacao_nao_realizada" | "210240" => Manifestation::NotPerformed,
            _ => return None,
        })
    }

    /// `tpEvento`.
    pub fn codigo(self) -> &'static str {
        match self {
            Manifestation::Confirmation => "210200",
            Manifestation::Acknowledgement => "210210",
            Manifestation::Unawareness => "210220",
            Manifestation::NotPerformed => "210240",
        }
    }
}

/// Type and fields of a cancelling (110111).
pub fn cancelamento(protocol: &str, justification: &str) -> Option<(&'static Kind, Value)> {
    let data = json!({ "protocolo": protocol, "justificativa": justification });
    Some((search("110111")?, data))
}

/// Type and fields of a cancelling by substitution (110112, model 65).
pub fn cancellation_by_replacement(
    protocol: &str,
    justification: &str,
    replacement_chave: &str,
) -> Option<(&'static Kind, Value)> {
    let data = json!({
        "protocolo": protocol,
        "justificativa": justification,
        "chave_substituta": replacement_chave,
    });
    Some((search("110112")?, data))
}

/// Type and fields of a letter of correction (110110).
pub fn cce(correction: &str) -> Option<(&'static Kind, Value)> {
    Some((search("110110")?, json!({ "correcao": correction })))
}

/// Type and fields of a manifestation (2102xx).
pub fn manifestation(
    kind: Manifestation,
    justification: Option<&str>,
) -> Option<(&'static Kind, Value)> {
    let data = match justification {
        Some(text) => json!({ "justificativa": text }),
        None => json!({}),
    };
    Some((search(kind.codigo())?, data))
}

/// Type and fields of linked payments (ECONF, 110750).
pub fn econf_of(payments: &[Payment]) -> Option<(&'static Kind, Value)> {
    let list: Vec<Value> = payments.iter().map(Payment::data).collect();
    Some((search("110750")?, json!({ "pagamentos": list })))
}

/// Type and fields that undo an ECONF (110751).
pub fn desfazer_econf(protocol: &str) -> Option<(&'static Kind, Value)> {
    Some((search("110751")?, json!({ "protocolo_evento": protocol })))
}
