//! The access key against the fields it is made of.

use super::{Findings, Nota};
use markup::ids::chave::digit;

/// Field of `ide`, positions in the key, name for people.
const FIELDS: [(&str, std::ops::Range<usize>, &str); 6] = [
    ("cUF", 0..2, "o código da UF"),
    ("mod", 20..22, "o modelo"),
    ("serie", 22..25, "a série"),
    ("nNF", 25..34, "o número"),
    ("tpEmis", 34..35, "a forma de emissão"),
    ("cNF", 35..43, "o código numérico"),
];

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    let id = nota.inf.attribute("Id").unwrap_or("");
    let Some(chave) = id.strip_prefix("NFe") else {
        findings
            .error(
                "infNFe/@Id",
                "227",
                "O Id da nota não começa com NFe.",
                "Escreva NFe antes dos 44 algarismos da chave.",
            )
            .value(id);
        return;
    };
    let form = chave.len() == 44
        && chave
            .bytes()
            .enumerate()
            .all(|(position, byte)| match position {
                6..18 => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
                _ => byte.is_ascii_digit(),
            });
    if !form {
        findings
            .error("infNFe/@Id", "502", "O Id não tem uma chave de 44 posições.", "Monte a chave com UF, ano e mês, CNPJ, modelo, série, número, tipo de emissão, código e dígito.")
            .value(id);
        return;
    }
    digits(nota, chave, findings);
    fields(nota, chave, findings);
    issue(nota, chave, findings);
    issuer(nota, chave, findings);
    numeric_code(chave, findings);
}

/// Positions of a key of 44.
fn stretch(chave: &str, positions: std::ops::Range<usize>) -> &str {
    chave.get(positions).unwrap_or_default()
}

/// The last digit: as it is calculated, and as `cDV` has it.
fn digits(nota: &Nota<'_>, chave: &str, findings: &mut Findings) {
    let computed = digit(stretch(chave, 0..43).as_bytes()).to_string();
    if stretch(chave, 43..44) != computed {
        findings
            .error(
                "infNFe/@Id",
                "236",
                format!(
                    "O dígito verificador da chave é {computed}, não {}.",
                    stretch(chave, 43..44)
                ),
                "Calcule de novo o dígito da chave.",
            )
            .value(chave);
    }
    if nota
        .text(&["ide", "cDV"])
        .is_some_and(|dv| dv != stretch(chave, 43..44))
    {
        findings.error(
            "infNFe/ide/cDV",
            "253",
            "O cDV da nota não é o último algarismo da chave.",
            "Iguale cDV ao dígito da chave.",
        );
    }
}

/// The fields of `ide` that the key repeats.
fn fields(nota: &Nota<'_>, chave: &str, findings: &mut Findings) {
    for (field, positions, name) in FIELDS {
        let in_chave = stretch(chave, positions);
        let in_nota = nota.text(&["ide", field]).unwrap_or_default();
        if in_chave.trim_start_matches('0') != in_nota.trim_start_matches('0') {
            findings
                .error(
                    format!("infNFe/ide/{field}"),
                    "502",
                    format!(
                        "A chave diz que {name} é {in_chave}; a nota diz {}.",
                        short(&in_nota)
                    ),
                    "Gere a chave outra vez com os campos da nota.",
                )
                .value(&in_nota);
        }
    }
}

/// Year and month of emission.
fn issue(nota: &Nota<'_>, chave: &str, findings: &mut Findings) {
    let issue = nota.text(&["ide", "dhEmi"]).unwrap_or_default();
    let (year, month) = (
        issue.get(2..4).unwrap_or_default(),
        issue.get(5..7).unwrap_or_default(),
    );
    if [year, month].concat() != stretch(chave, 2..6) {
        findings
            .error(
                "infNFe/ide/dhEmi",
                "502",
                format!(
                    "A chave é de {}/{}; a nota foi emitida em {month}/{year}.",
                    stretch(chave, 4..6),
                    stretch(chave, 2..4)
                ),
                "Gere a chave outra vez com o mês de emissão.",
            )
            .value(&issue);
    }
}

/// CNPJ or CPF of the emitter.
fn issuer(nota: &Nota<'_>, chave: &str, findings: &mut Findings) {
    let issuer = nota
        .text(&["emit", "CNPJ"])
        .or_else(|| nota.text(&["emit", "CPF"]));
    let issuer = format!("{:0>14}", issuer.unwrap_or_default());
    if issuer != stretch(chave, 6..20) {
        findings.error(
            "infNFe/emit",
            "502",
            "O CNPJ ou CPF do emitente não é o da chave.",
            "Confira o emitente ou gere a chave outra vez.",
        );
    }
}

/// `cNF` is not to be guessed (NT 2019.001).
fn numeric_code(chave: &str, findings: &mut Findings) {
    let codigo = stretch(chave, 35..43).parse::<u32>().ok();
    let number = stretch(chave, 25..34).parse::<u32>().ok();
    if let (Some(codigo), Some(number)) = (codigo, number)
        && !markup::ids::chave::c_nf_accepted(codigo, number)
    {
        findings
            .error(
                "infNFe/ide/cNF",
                "897",
                "O código numérico é igual ao número ou previsível.",
                "Sorteie outro cNF.",
            )
            .value(stretch(chave, 35..43));
    }
}

fn short(text: &str) -> String {
    text.chars().take(20).collect()
}
