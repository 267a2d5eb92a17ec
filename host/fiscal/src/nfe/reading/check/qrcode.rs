//! The QR code of an NFC-e against the note (manual of the DANFE NFC-e).

use super::nota::texto;
use super::{Achados, Nota};
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::filho;

const ONDE: &str = "infNFeSupl/qrCode";

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    if nota.modelo() != 65 {
        return;
    }
    let suplemento = filho(nota.nfe, "infNFeSupl");
    let Some(qr) = suplemento.and_then(|suplemento| texto(suplemento, &["qrCode"])) else {
        achados.erro(
            ONDE,
            "394",
            "A NFC-e não tem QR code.",
            "Inclua infNFeSupl com o QR code.",
        );
        return;
    };
    let endereco = qr.split(['?', '|']).next().unwrap_or_default();
    let chave = nota
        .inf
        .attribute("Id")
        .and_then(|id| id.strip_prefix("NFe"))
        .unwrap_or_default();
    let ambiente = nota.texto(&["ide", "tpAmb"]).unwrap_or_default();
    let Some(parametros) = qr.split_once("?p=").map(|(_, resto)| resto) else {
        // Version 1 has named parameters.
        if nota.regras < Regras::QrCode2 && qr.contains("chNFe=") {
            da_nota(
                (parametro(&qr, "chNFe"), chave),
                (parametro(&qr, "tpAmb"), &ambiente),
                achados,
            );
            return;
        }
        achados
            .erro(
                ONDE,
                "903",
                "O QR code não é das versões 2 ou 3.",
                "Gere o QR code na versão 3.",
            )
            .valor(&qr);
        return;
    };
    let campos: Vec<&str> = parametros.split('|').take(9).collect();
    let campo = |posicao: usize| campos.get(posicao).copied().unwrap_or_default();
    da_nota((campo(0), chave), (campo(2), &ambiente), achados);
    let versao = campo(1);
    let offline = nota.texto(&["ide", "tpEmis"]).as_deref() == Some("9");
    // Offline: day and amount follow (both versions).
    let partes = match (versao, offline) {
        ("2", false) => 5,
        ("3", false) => 3,
        ("2" | "3", true) => 8,
        _ => 0,
    };
    if partes == 0 || campos.len() != partes {
        achados
            .erro(
                ONDE,
                "qrcode_forma",
                "O QR code não tem os campos da sua versão e forma de emissão.",
                "Gere o QR code outra vez.",
            )
            .valor(&qr);
    } else if offline {
        let dia = format!("{:02}", nota.dia.day());
        let total = nota.texto(&["total", "ICMSTot", "vNF"]).unwrap_or_default();
        if campo(3) != dia || campo(4) != total {
            achados
                .erro(
                    ONDE,
                    "qrcode_forma",
                    "O dia ou o valor do QR code não é o da nota.",
                    "Gere o QR code com a emissão e o vNF da nota.",
                )
                .valor(&qr);
        }
    }
    if nota.regras >= Regras::Reforma {
        enderecos(nota, endereco, &ambiente, achados);
    }
}

/// Key and environment, as the QR code and as the note says them.
fn da_nota(chave: (&str, &str), ambiente: (&str, &str), achados: &mut Achados) {
    if chave.0 != chave.1 {
        achados
            .erro(
                ONDE,
                "qrcode_chave",
                "A chave do QR code não é a da nota.",
                "Gere o QR code com a chave da nota.",
            )
            .valor(chave.0);
    }
    if ambiente.0 != ambiente.1 {
        achados
            .erro(
                ONDE,
                "qrcode_ambiente",
                "O ambiente do QR code não é o da nota.",
                "Gere o QR code com o tpAmb da nota.",
            )
            .valor(ambiente.0);
    }
}

/// A named parameter of version 1.
fn parametro<'q>(qr: &'q str, nome: &str) -> &'q str {
    let parametros = qr.split_once('?').map_or("", |(_, resto)| resto);
    let pares = parametros.split('&').filter_map(|par| par.split_once('='));
    pares
        .into_iter()
        .find(|(achado, _)| *achado == nome)
        .map_or("", |(_, valor)| valor)
}

/// Only where the sources of the addresses agree.
fn enderecos(nota: &Nota<'_>, endereco: &str, ambiente: &str, achados: &mut Achados) {
    let uf = nota
        .texto(&["ide", "cUF"])
        .and_then(|cuf| cuf.parse().ok())
        .and_then(data::ufs::por_codigo);
    let previstos = uf.and_then(|uf| data::nfce::get(uf.sigla, ambiente.parse().ok()?));
    let Some(previstos) = previstos else { return };
    if !previstos.diverge_qrcode && !mesmo(endereco, previstos.qrcode) {
        achados
            .aviso(
                ONDE,
                "395",
                "O endereço do QR code não é o que conhecemos da UF.",
                format!("O endereço conhecido é {}.", previstos.qrcode),
            )
            .valor(endereco);
    }
    let consulta =
        filho(nota.nfe, "infNFeSupl").and_then(|suplemento| texto(suplemento, &["urlChave"]));
    if let Some(consulta) = consulta
        && !previstos.diverge_consulta
        && !mesmo(&consulta, previstos.consulta)
    {
        achados
            .aviso(
                "infNFeSupl/urlChave",
                "878",
                "O endereço de consulta não é o que conhecemos da UF.",
                format!("O endereço conhecido é {}.", previstos.consulta),
            )
            .valor(&consulta);
    }
}

/// Without scheme, `www.` and a slash at the end.
fn mesmo(um: &str, outro: &str) -> bool {
    let limpo = |texto: &str| {
        let texto = texto.trim().to_ascii_lowercase();
        let texto = texto
            .strip_prefix("https://")
            .or_else(|| texto.strip_prefix("http://"))
            .unwrap_or(&texto)
            .to_owned();
        texto
            .strip_prefix("www.")
            .unwrap_or(&texto)
            .trim_end_matches(['/', '?'])
            .to_owned()
    };
    limpo(um) == limpo(outro)
}
