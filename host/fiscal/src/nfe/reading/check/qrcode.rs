//! The QR code of an NFC-e against the note (manual of the DANFE NFC-e).

use super::nota::text;
use super::{Findings, Nota};
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::child;

const PLACE: &str = "infNFeSupl/qrCode";

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    if nota.model() != 65 {
        return;
    }
    let supplement = child(nota.nfe, "infNFeSupl");
    let Some(qr) = supplement.and_then(|supplement| text(supplement, &["qrCode"])) else {
        findings.error(
            PLACE,
            "394",
            "A NFC-e não tem QR code.",
            "Inclua infNFeSupl com o QR code.",
        );
        return;
    };
    let address = qr.split(['?', '|']).next().unwrap_or_default();
    let chave = nota
        .inf
        .attribute("Id")
        .and_then(|id| id.strip_prefix("NFe"))
        .unwrap_or_default();
    let ambiente = nota.text(&["ide", "tpAmb"]).unwrap_or_default();
    let Some(parameters) = qr.split_once("?p=").map(|(_, rest)| rest) else {
        // Version 1 has named parameters.
        if nota.regras < Regras::QrCode2 && qr.contains("chNFe=") {
            of_nota(
                (parameter(&qr, "chNFe"), chave),
                (parameter(&qr, "tpAmb"), &ambiente),
                findings,
            );
            return;
        }
        findings
            .error(
                PLACE,
                "903",
                "O QR code não é das versões 2 ou 3.",
                "Gere o QR code na versão 3.",
            )
            .value(&qr);
        return;
    };
    let fields: Vec<&str> = parameters.split('|').take(9).collect();
    let field = |position: usize| fields.get(position).copied().unwrap_or_default();
    of_nota((field(0), chave), (field(2), &ambiente), findings);
    let version = field(1);
    let offline = nota.text(&["ide", "tpEmis"]).as_deref() == Some("9");
    // Offline: day and amount follow (both versions).
    let parts = match (version, offline) {
        ("2", false) => 5,
        ("3", false) => 3,
        ("2" | "3", true) => 8,
        _ => 0,
    };
    if parts == 0 || fields.len() != parts {
        findings
            .error(
                PLACE,
                "qrcode_forma",
                "O QR code não tem os campos da sua versão e forma de emissão.",
                "Gere o QR code outra vez.",
            )
            .value(&qr);
    } else if offline {
        let day = format!("{:02}", nota.day.day());
        let total = nota.text(&["total", "ICMSTot", "vNF"]).unwrap_or_default();
        if field(3) != day || field(4) != total {
            findings
                .error(
                    PLACE,
                    "qrcode_forma",
                    "O dia ou o valor do QR code não é o da nota.",
                    "Gere o QR code com a emissão e o vNF da nota.",
                )
                .value(&qr);
        }
    }
    enderecos(nota, address, &ambiente, findings);
}

/// Key and environment, as the QR code and as the note says them.
fn of_nota(chave: (&str, &str), ambiente: (&str, &str), findings: &mut Findings) {
    if chave.0 != chave.1 {
        findings
            .error(
                PLACE,
                "qrcode_chave",
                "A chave do QR code não é a da nota.",
                "Gere o QR code com a chave da nota.",
            )
            .value(chave.0);
    }
    if ambiente.0 != ambiente.1 {
        findings
            .error(
                PLACE,
                "qrcode_ambiente",
                "O ambiente do QR code não é o da nota.",
                "Gere o QR code com o tpAmb da nota.",
            )
            .value(ambiente.0);
    }
}

/// A named parameter of version 1.
fn parameter<'q>(qr: &'q str, name: &str) -> &'q str {
    let parameters = qr.split_once('?').map_or("", |(_, rest)| rest);
    let pairs = parameters
        .split('&')
        .filter_map(|pair| pair.split_once('='));
    pairs
        .into_iter()
        .find(|(finding, _)| *finding == name)
        .map_or("", |(_, value)| value)
}

/// Only where the sources of the addresses agree.
fn enderecos(nota: &Nota<'_>, address: &str, ambiente: &str, findings: &mut Findings) {
    let uf = nota
        .text(&["ide", "cUF"])
        .and_then(|cuf| cuf.parse().ok())
        .and_then(data::ufs::by_code);
    let foreseen = uf.and_then(|uf| data::nfce::get(uf.abbreviation, ambiente.parse().ok()?));
    let Some(foreseen) = foreseen else { return };
    if !foreseen.diverge_qrcode && !same(address, foreseen.qrcode) {
        findings
            .aviso(
                PLACE,
                "395",
                "O endereço do QR code não é o que conhecemos da UF.",
                format!("O endereço conhecido é {}.", foreseen.qrcode),
            )
            .value(address);
    }
    let query =
        child(nota.nfe, "infNFeSupl").and_then(|supplement| text(supplement, &["urlChave"]));
    if let Some(query) = query
        && !foreseen.query_differs
        && !same(&query, foreseen.query)
    {
        findings
            .aviso(
                "infNFeSupl/urlChave",
                "878",
                "O endereço de consulta não é o que conhecemos da UF.",
                format!("O endereço conhecido é {}.", foreseen.query),
            )
            .value(&query);
    }
}

/// Are two addresses the same without scheme, `www.` and a slash at the end?
pub fn same(one: &str, other: &str) -> bool {
    let clean = |text: &str| {
        let text = text.trim().to_ascii_lowercase();
        let text = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .unwrap_or(&text)
            .to_owned();
        text.strip_prefix("www.")
            .unwrap_or(&text)
            .trim_end_matches(['/', '?'])
            .to_owned()
    };
    clean(one) == clean(other)
}
