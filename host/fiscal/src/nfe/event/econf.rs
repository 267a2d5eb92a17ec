//! Payments linked to a note after it was issued (ECONF, NT 2024.002).

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value};

use markup::field::Field;

/// One payment of a request (API §6, `/nfe/econf`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    /// Code of `tPag` or the API's word.
    pub forma: String,
    /// In reais.
    pub valor: Decimal,
    /// `AAAA-MM-DD`.
    pub data: String,
    #[serde(default)]
    pub indicador: Option<String>,
    /// What it is, for form 99.
    #[serde(default)]
    pub descricao: Option<String>,
    #[serde(default)]
    pub cnpj_transacional: Option<String>,
    #[serde(default)]
    pub uf_transacional: Option<String>,
    #[serde(default)]
    pub cnpj_beneficiario: Option<String>,
    #[serde(default)]
    pub uf_beneficiario: Option<String>,
    #[serde(default)]
    pub cartao: Option<Card>,
}

/// Electronic payment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    #[serde(default)]
    pub cnpj_credenciadora: Option<String>,
    #[serde(default)]
    pub bandeira: Option<String>,
    #[serde(default)]
    pub autorizacao: Option<String>,
    /// Of a note's payment; the event has no place for it and it is left out.
    #[serde(default)]
    pub integrado: Option<bool>,
}

impl Payment {
    /// As a member of the event's fields.
    pub(super) fn data(&self) -> Value {
        let card = self.cartao.clone().unwrap_or_default();
        let texts = [
            ("indicador", &self.indicador),
            ("forma", &Some(self.forma.clone())),
            ("descricao", &self.descricao),
            ("valor", &Some(self.valor.to_string())),
            ("data", &Some(self.data.clone())),
            ("cnpj_transacional", &self.cnpj_transacional),
            ("uf_transacional", &self.uf_transacional),
            ("cnpj_credenciadora", &card.cnpj_credenciadora),
            ("bandeira", &card.bandeira),
            ("autorizacao", &card.autorizacao),
            ("cnpj_beneficiario", &self.cnpj_beneficiario),
            ("uf_beneficiario", &self.uf_beneficiario),
        ];
        let members: Map<String, Value> = texts
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), Value::String(value.clone()?))))
            .collect();
        Value::Object(members)
    }
}

/// One registered ECONF of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub protocol: String,
    pub sequence: u8,
    /// Sum of its payments, in reais.
    pub value: Decimal,
    /// An event 110751 undid it.
    pub undone: bool,
}

/// What is linked of a note, and what is not yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    pub linked: Decimal,
    /// Never below zero: more than the note's amount may have come in, as
    /// interest for instance.
    pub remaining: Decimal,
}

/// Amounts of a note: `total` is `vNF`, `paid` what the note itself says was
/// paid when it was issued (`vPag` of all forms but 90 and 91, less `vTroco`).
pub fn balance(total: Decimal, paid: Decimal, vinculos: &[Link]) -> Balance {
    let linked: Decimal = active(vinculos).map(|link| link.value).sum();
    Balance {
        linked,
        remaining: (total - paid - linked).max(Decimal::ZERO),
    }
}

/// Whether the link with this protocol may be undone: only the oldest of those
/// in force (the API's rule, §6).
///
/// # Errors
/// It is not one of the note's, is undone already, or an older one is in force.
pub fn may_undo(vinculos: &[Link], protocol: &str) -> Result<(), Field> {
    let error = |codigo: &str, message: String, correction: String| {
        Err(Field {
            campo: "protocolo".to_owned(),
            codigo: codigo.to_owned(),
            mensagem: message,
            correcao: correction,
            valor: Some(protocol.chars().take(80).collect()),
        })
    };
    let Some(request) = vinculos.iter().find(|link| link.protocol == protocol) else {
        return error(
            "vinculo_inexistente",
            "Esta nota não tem ECONF com esse protocolo.".to_owned(),
            "Veja os protocolos em GET /api/v1/nfe/{ref}/econf.".to_owned(),
        );
    };
    if request.undone {
        return error(
            "vinculo_desfeito",
            "Este ECONF já foi desfeito.".to_owned(),
            "Nada a fazer.".to_owned(),
        );
    }
    match active(vinculos).min_by_key(|link| link.sequence) {
        Some(old) if old.sequence < request.sequence => error(
            "ordem_de_desfazer",
            "Há um ECONF mais antigo em vigor; desfaz-se do mais antigo para o mais novo."
                .to_owned(),
            format!("Desfaça antes o protocolo {}.", old.protocol),
        ),
        _ => Ok(()),
    }
}

fn active(vinculos: &[Link]) -> impl Iterator<Item = &Link> {
    vinculos.iter().filter(|link| !link.undone)
}
