//! Registrations and municipalities of those who take part.

use super::Judged;
use fiscal::nfe::reading::judging::Findings;
use fiscal::nfe::reading::judging::nota::text;
use fiscal::nfe::reading::judging::parties::{municipality, registration, state_registration};
use markup::ids::{Cnpj, Cpf};
use markup::xml::Element;
use std::collections::BTreeSet;

/// One who takes part, and what is answered to what is wrong with them.
pub(crate) struct Party {
    pub path: &'static [&'static str],
    /// Element of the address; empty where there is none.
    pub address: &'static str,
    /// In sentences: `do remetente`.
    pub who: &'static str,
    pub cnpj: &'static str,
    pub cpf: &'static str,
    /// State registration; none where its rule has no known number.
    pub ie: Option<&'static str>,
    /// A municipality that does not exist, and one of another state.
    pub municipality: (&'static str, &'static str),
}

/// A company that is not established in Brazil is written with zeros.
fn abroad(part: Element<'_>) -> bool {
    text(part, &["CNPJ"]).is_some_and(|cnpj| cnpj.bytes().all(|byte| byte == b'0'))
}

/// Each party of a table that the document has.
pub(crate) fn check(judged: &Judged<'_>, table: &[Party], findings: &mut Findings) {
    for party in table {
        for part in judged.inf.find_all(party.path) {
            one(judged, party, part, findings);
        }
    }
}

fn one<'d>(judged: &Judged<'d>, party: &Party, part: Element<'d>, findings: &mut Findings) {
    let place = judged.place(part);
    // The emitter is never from abroad.
    if part.name() == "emit" || !abroad(part) {
        registration(part, &place, party.who, (party.cnpj, party.cpf), findings);
    }
    let Some(address) = part.child(party.address) else {
        return;
    };
    let uf = text(address, &["UF"]).unwrap_or_default();
    if let (Some(code), Some(ie)) = (party.ie, text(part, &["IE"]))
        && !ie.trim().eq_ignore_ascii_case("isento")
        && !uf.is_empty()
    {
        let at = format!("{place}/IE");
        state_registration((&uf, &ie), at, party.who, code, findings);
    }
    if let Some(code) = text(address, &["cMun"])
        && !uf.is_empty()
    {
        let at = format!("{place}/{}/cMun", party.address);
        municipality((&code, &uf), at, party.municipality, findings);
    }
}

/// Who may download the XML: a registration, once. `codes` are those of a CNPJ,
/// a CPF and one that comes twice.
pub(crate) fn readers(
    judged: &Judged<'_>,
    codes: (&'static str, &'static str, &'static str),
    findings: &mut Findings,
) {
    let mut seen = BTreeSet::new();
    for reader in judged.inf.find_all(&["autXML"]) {
        let place = judged.place(reader);
        let who = "de quem pode baixar o XML";
        registration(reader, &place, who, (codes.0, codes.1), findings);
        let documento = text(reader, &["CNPJ"]).or_else(|| text(reader, &["CPF"]));
        if let Some(documento) = documento
            && !seen.insert(documento.into_owned())
        {
            findings.error(
                place,
                codes.2,
                "Quem pode baixar o XML foi informado mais de uma vez.",
                "Retire a repetição.",
            );
        }
    }
}

/// Registrations in places that have no rule of their own. `known` are the
/// elements whose registrations other rules have judged.
pub(crate) fn others(judged: &Judged<'_>, known: &[&str], findings: &mut Findings) {
    for element in judged.inf.descendants_or_self() {
        let parent = element.parent().map_or("", |parent| parent.name());
        if known.contains(&parent) {
            continue;
        }
        let value = element.text();
        let (code, right) = match element.name() {
            "CNPJ" | "CNPJForn" | "CNPJPg" | "CNPJIPEF" => {
                let zeros = value.bytes().all(|byte| byte == b'0');
                ("cnpj_invalido", zeros || Cnpj::parse(&value).is_ok())
            }
            "CPF" | "CPFPg" => ("cpf_invalido", Cpf::parse(&value).is_ok()),
            _ => continue,
        };
        if !right {
            findings.error(
                judged.place(element),
                code,
                "O número não é válido: os dígitos verificadores não conferem.",
                "Confira o número no cadastro.",
            );
        }
    }
}

/// The state of the emitter is the one of the key.
pub(crate) fn state(judged: &Judged<'_>, findings: &mut Findings) {
    let (code, uf) = (judged.ide("cUF"), judged.said(&["emit", "enderEmit", "UF"]));
    let named = code.parse().ok().and_then(data::ufs::by_code);
    if let Some(named) = named
        && !uf.is_empty()
        && named.abbreviation != uf
    {
        findings
            .error(
                judged.at("ide/cUF"),
                "247",
                format!(
                    "O código é de {}, e o emitente é de {uf}.",
                    named.abbreviation
                ),
                "Iguale cUF à UF do emitente.",
            )
            .value(&code);
    }
}
