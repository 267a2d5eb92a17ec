//! CadConsultaCadastro4: every valid CNPJ or CPF is an active taxpayer.

use super::cstat::Refusal;
use super::{Incoming, NS};
use crate::documents::{cnpj_ok, code_of, cpf_ok};
use crate::request::Answer;
use crate::sefaz::answer::{VERSION, local_time};
use crate::sefaz::memory::{Call, last_note};
use crate::sefaz::rules::ie_ok;
use crate::sefaz::services::Coverage;
use crate::xml::{escape, parse};

pub(super) fn query(call: &Call<'_>, incoming: &Incoming<'_>) -> Answer {
    match found(call, incoming) {
        Ok(document) => incoming.answer(call, &document),
        Err(refusal) => incoming.refuse(call, &refusal),
    }
}

fn found(call: &Call<'_>, incoming: &Incoming<'_>) -> Result<String, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let uf = incoming.t("infCons/UF");
    let Some(cuf) = code_of(&uf) else {
        return refuse("215");
    };
    if incoming.place.service.serves("55", &uf) != Coverage::Normal {
        return refuse("265");
    }
    let (ie, cnpj, cpf) = (
        incoming.t("infCons/IE"),
        incoming.t("infCons/CNPJ"),
        incoming.t("infCons/CPF"),
    );
    let (query, who, registration) = if !ie.is_empty() {
        if !ie_ok(&uf, &ie) {
            return refuse("260");
        }
        (format!("<IE>{ie}</IE>"), company(call, &uf, &ie), ie)
    } else if !cpf.is_empty() {
        if !cpf_ok(&cpf) {
            return refuse("263");
        }
        let registration = registration(call, &uf, &cpf);
        (
            format!("<CPF>{cpf}</CPF>"),
            format!("<CPF>{cpf}</CPF>"),
            registration,
        )
    } else {
        if !cnpj_ok(&cnpj) {
            return refuse("258");
        }
        let registration = used(call, &uf, &cnpj).unwrap_or_else(|| registration(call, &uf, &cnpj));
        (
            format!("<CNPJ>{cnpj}</CNPJ>"),
            format!("<CNPJ>{cnpj}</CNPJ>"),
            registration,
        )
    };
    let name: String = who
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .filter(char::is_ascii_digit)
        .collect();
    Ok(format!(
        "<retConsCad xmlns=\"{NS}\" versao=\"2.00\"><infCons><verAplic>{VERSION}</verAplic><cStat>111</cStat><xMotivo>{}</xMotivo>\
         <UF>{uf}</UF>{query}<dhCons>{}</dhCons><cUF>{cuf}</cUF><infCad><IE>{registration}</IE>{who}<UF>{uf}</UF><cSit>1</cSit>\
         <indCredNFe>1</indCredNFe><indCredCTe>4</indCredCTe><xNome>CONTRIBUINTE SIMULADO {name}</xNome><xRegApur>NORMAL - REGIME PERIODICO DE APURACAO</xRegApur>\
         <CNAE>4751201</CNAE><dIniAtiv>2015-03-02</dIniAtiv><dUltSit>2015-03-02</dUltSit></infCad></infCons></retConsCad>",
        incoming.place.text("111"),
        local_time(call.now_ms, cuf),
    ))
}

/// The registration a company wrote in its last note of the state.
fn used(call: &Call<'_>, uf: &str, cnpj: &str) -> Option<String> {
    let nota = last_note(&call.notes, cnpj)?;
    let root = parse(&nota.xml).ok()?;
    let there = root.text_at("infNFe/emit/enderEmit/UF")? == uf;
    root.text_at("infNFe/emit/IE")
        .filter(|_| there)
        .map(|ie| escape(&ie))
}

/// A company for a registration: made up, the same for the same question.
fn company(call: &Call<'_>, uf: &str, ie: &str) -> String {
    let base = 10_000_000 + call.draw(&format!("cadastro|{uf}|{ie}"), 80_000_000);
    let cnpj = (0..100)
        .map(|dv| format!("{base:08}0001{dv:02}"))
        .find(|c| cnpj_ok(c))
        .unwrap_or_default();
    format!("<CNPJ>{cnpj}</CNPJ>")
}

/// A registration with the right digits for a state: made up, the same for
/// the same document.
pub(super) fn registration(call: &Call<'_>, uf: &str, document: &str) -> String {
    let (prefix, length) = match uf {
        "AC" => ("01", 13),
        "AL" | "RR" => ("24", 9),
        "AP" => ("03", 9),
        "DF" => ("07", 13),
        "GO" => ("10", 9),
        "MA" => ("12", 9),
        "MG" => ("062", 13),
        "MS" => ("28", 9),
        "MT" => ("00", 11),
        "PA" => ("15", 9),
        "PR" => ("1", 10),
        "RJ" => ("8", 8),
        "RN" => ("20", 9),
        "RO" => ("0", 14),
        "RS" => ("2", 10),
        "SP" => ("11", 12),
        _ => ("1", 9),
    };
    let room = 10u64.pow(length - u32::try_from(prefix.len()).unwrap_or(0));
    let start = call.draw(&format!("ie|{uf}|{document}"), room);
    let width = usize::try_from(length).unwrap_or(9) - prefix.len();
    // Two check digits at most: one in a hundred fits.
    (0..100_000)
        .map(|n| format!("{prefix}{:0width$}", (start + n) % room))
        .find(|ie| ie_ok(uf, ie))
        .unwrap_or_default()
}
