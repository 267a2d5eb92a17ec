//! The access key against the fields it is made of, and keys that messages
//! name.

use super::require::require;
use crate::clock;
use crate::sefaz::chave::{self, Chave, digit};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::Dfe;
use crate::sefaz::family::Family;
use crate::sefaz::memory::Call;

/// The key of a document is made of its fields (MOC CT-e 4.00, G014 and G015).
pub(super) fn made_of_fields(dfe: &Dfe) -> Result<(), Refusal> {
    let family = dfe.family;
    let id = dfe.inf().attr("Id").unwrap_or_default();
    require(id.starts_with(family.name), "227")?;
    let padded = |name: &str, n: usize| format!("{:0>n$}", dfe.t(&format!("ide/{name}")));
    let dh = dfe.t("ide/dhEmi");
    let body = format!(
        "{}{}{}{:0>14}{}{}{}{}{}",
        dfe.t("ide/cUF"),
        dh.get(2..4).unwrap_or_default(),
        dh.get(5..7).unwrap_or_default(),
        dfe.emitter(),
        dfe.model(),
        padded("serie", 3),
        padded(family.number, 9),
        dfe.t("ide/tpEmis"),
        padded(family.code, 8),
    );
    let key = dfe.chave();
    require(key.get(..43) == Some(body.as_str()), "227")?;
    let last = digit(&body).map(|d| d.to_string()).unwrap_or_default();
    require(dfe.t("ide/cDV") == last, "253")?;
    require(key.get(43..) == Some(last.as_str()), "227")
}

/// A key that a message names: 236 with the reason.
pub(super) fn named<'k>(
    call: &Call<'_>,
    family: &Family,
    key: &'k str,
) -> Result<Chave<'k>, Refusal> {
    chave::check(key, family, clock::year(call.now_ms)).map_err(|code| {
        let reason = match code {
            "614" => "UF inválida",
            "615" => "Ano inválido",
            "616" => "Mês inválido",
            "617" => "CNPJ/CPF zerado ou inválido",
            "618" => "Modelo inválido",
            "619" => "Número zerado",
            _ => "DV inválido",
        };
        Refusal::with("236", format!(" [Motivo: {reason}]"))
    })
}
