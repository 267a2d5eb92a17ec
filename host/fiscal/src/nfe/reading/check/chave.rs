//! The access key against the fields it is made of, of a note and of the
//! documents whose keys have the same form (CT-e, MDF-e).

use super::Findings;
use super::nota::{Called, text};
use crate::nfe::event::Family;
use markup::ids::chave::digit;
use markup::xml::Element;
use std::borrow::Cow;
use std::ops::Range;

/// How the key of a family of documents is made, and what is answered to one
/// that is not.
#[derive(Debug)]
pub struct KeyForm {
    pub family: Family,
    /// The element that has the `Id`: `infNFe`.
    pub body: &'static str,
    pub called: Called,
    /// Field of the number and of the random code: `nNF`, `cNF`.
    pub fields: (&'static str, &'static str),
    pub codes: KeyCodes,
}

/// The answers to a key that is not right.
#[derive(Debug)]
pub struct KeyCodes {
    /// The `Id` does not begin with the name of the document.
    pub prefix: &'static str,
    /// It is not made of the document's fields.
    pub composition: &'static str,
    /// Its last digit is another than the calculated one.
    pub digit: &'static str,
    /// `cDV` is another than the last digit.
    pub field_digit: &'static str,
    /// The random code can be guessed; none where nothing is known of such a
    /// refusal.
    pub guessable: Option<&'static str>,
}

/// Of an NF-e or NFC-e.
pub const OF_A_NOTE: KeyForm = KeyForm {
    family: Family::Nfe,
    body: "infNFe",
    called: super::nota::A_NOTE,
    fields: ("nNF", "cNF"),
    codes: KeyCodes {
        prefix: "227",
        composition: "502",
        digit: "236",
        field_digit: "253",
        guessable: Some("897"),
    },
};

/// The body of a document and what its findings are told by.
struct Judged<'d, 'f> {
    inf: Element<'d>,
    form: &'f KeyForm,
}

impl<'d> Judged<'d, '_> {
    fn text(&self, path: &[&str]) -> Option<Cow<'d, str>> {
        text(self.inf, path)
    }

    /// A place below the body.
    fn at(&self, place: &str) -> String {
        format!("{}/{place}", self.form.body)
    }
}

/// The key in the `Id` against the fields of `ide` and the emitter.
pub fn check(inf: Element<'_>, form: &KeyForm, findings: &mut Findings) {
    let judged = Judged { inf, form };
    let id = inf.attribute("Id").unwrap_or("");
    let kind = form.family.document();
    let Some(chave) = id.strip_prefix(kind) else {
        findings
            .error(
                judged.at("@Id"),
                form.codes.prefix,
                format!("O Id {} não começa com {kind}.", form.called.of),
                format!("Escreva {kind} antes dos 44 algarismos da chave."),
            )
            .value(id);
        return;
    };
    let shaped = chave.len() == 44
        && chave
            .bytes()
            .enumerate()
            .all(|(position, byte)| match position {
                6..18 => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
                _ => byte.is_ascii_digit(),
            });
    if !shaped {
        findings
            .error(
                judged.at("@Id"),
                form.codes.composition,
                "O Id não tem uma chave de 44 posições.",
                "Monte a chave com UF, ano e mês, CNPJ, modelo, série, número, tipo de emissão, código e dígito.",
            )
            .value(id);
        return;
    }
    digits(&judged, chave, findings);
    fields(&judged, chave, findings);
    issue(&judged, chave, findings);
    issuer(&judged, chave, findings);
    numeric_code(&judged, chave, findings);
}

/// Positions of a key of 44.
fn stretch(chave: &str, positions: Range<usize>) -> &str {
    chave.get(positions).unwrap_or_default()
}

/// The last digit: as it is calculated, and as `cDV` has it.
fn digits(judged: &Judged<'_, '_>, chave: &str, findings: &mut Findings) {
    let computed = digit(stretch(chave, 0..43).as_bytes()).to_string();
    if stretch(chave, 43..44) != computed {
        findings
            .error(
                judged.at("@Id"),
                judged.form.codes.digit,
                format!(
                    "O dígito verificador da chave é {computed}, não {}.",
                    stretch(chave, 43..44)
                ),
                "Calcule de novo o dígito da chave.",
            )
            .value(chave);
    }
    if judged
        .text(&["ide", "cDV"])
        .is_some_and(|dv| dv != stretch(chave, 43..44))
    {
        findings.error(
            judged.at("ide/cDV"),
            judged.form.codes.field_digit,
            format!(
                "O cDV {} não é o último algarismo da chave.",
                judged.form.called.of
            ),
            "Iguale cDV ao dígito da chave.",
        );
    }
}

/// The fields of `ide` that the key repeats.
fn fields(judged: &Judged<'_, '_>, chave: &str, findings: &mut Findings) {
    let (number, code) = judged.form.fields;
    let called = judged.form.called;
    // Field, positions in the key, name for people.
    let repeated: [(&str, Range<usize>, &str); 6] = [
        ("cUF", 0..2, "o código da UF"),
        ("mod", 20..22, "o modelo"),
        ("serie", 22..25, "a série"),
        (number, 25..34, "o número"),
        ("tpEmis", 34..35, "a forma de emissão"),
        (code, 35..43, "o código numérico"),
    ];
    for (field, positions, name) in repeated {
        let in_chave = stretch(chave, positions);
        let in_field = judged.text(&["ide", field]).unwrap_or_default();
        if in_chave.trim_start_matches('0') != in_field.trim_start_matches('0') {
            findings
                .error(
                    judged.at(&format!("ide/{field}")),
                    judged.form.codes.composition,
                    format!(
                        "A chave diz que {name} é {in_chave}; {} diz {}.",
                        called.it,
                        short(&in_field)
                    ),
                    format!("Gere a chave outra vez com os campos {}.", called.of),
                )
                .value(&in_field);
        }
    }
}

/// Year and month of emission.
fn issue(judged: &Judged<'_, '_>, chave: &str, findings: &mut Findings) {
    let issue = judged.text(&["ide", "dhEmi"]).unwrap_or_default();
    let (year, month) = (
        issue.get(2..4).unwrap_or_default(),
        issue.get(5..7).unwrap_or_default(),
    );
    if [year, month].concat() != stretch(chave, 2..6) {
        findings
            .error(
                judged.at("ide/dhEmi"),
                judged.form.codes.composition,
                format!(
                    "A chave é de {}/{}; a emissão {} é de {month}/{year}.",
                    stretch(chave, 4..6),
                    stretch(chave, 2..4),
                    judged.form.called.of
                ),
                "Gere a chave outra vez com o mês de emissão.",
            )
            .value(&issue);
    }
}

/// CNPJ or CPF of the emitter.
fn issuer(judged: &Judged<'_, '_>, chave: &str, findings: &mut Findings) {
    let issuer = judged
        .text(&["emit", "CNPJ"])
        .or_else(|| judged.text(&["emit", "CPF"]));
    let issuer = format!("{:0>14}", issuer.unwrap_or_default());
    if issuer != stretch(chave, 6..20) {
        findings.error(
            judged.at("emit"),
            judged.form.codes.composition,
            "O CNPJ ou CPF do emitente não é o da chave.",
            "Confira o emitente ou gere a chave outra vez.",
        );
    }
}

/// The random code is not to be guessed (NT 2019.001 of the NF-e).
fn numeric_code(judged: &Judged<'_, '_>, chave: &str, findings: &mut Findings) {
    let Some(guessable) = judged.form.codes.guessable else {
        return;
    };
    let code = stretch(chave, 35..43).parse::<u32>().ok();
    let number = stretch(chave, 25..34).parse::<u32>().ok();
    if let (Some(code), Some(number)) = (code, number)
        && !markup::ids::chave::c_nf_accepted(code, number)
    {
        let field = judged.form.fields.1;
        findings
            .error(
                judged.at(&format!("ide/{field}")),
                guessable,
                "O código numérico é igual ao número ou previsível.",
                format!("Sorteie outro {field}."),
            )
            .value(stretch(chave, 35..43));
    }
}

fn short(text: &str) -> String {
    text.chars().take(20).collect()
}
