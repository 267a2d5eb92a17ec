//! Documents the cargo goes with, and its totals.

use super::trip::in_state;
use crate::mdfe::order::{Descarga, Modal, TipoEmitente};
use crate::mdfe::work::Work;
use markup::ids::chave::Chave;
use markup::ids::{CpfCnpj, Takes};
use std::collections::BTreeSet;

/// Models of keys: `mod` of each document.
const NFE: u8 = 55;
const CTE: u8 = 57;
const MDFE: u8 = 58;
/// Documents of one MDF-e: below what would make the XML too long (500 KB; a key
/// takes some 90 bytes).
const MAX_DOCUMENTS: usize = 4000;
/// Cities of unloading (MOC, `infMunDescarga`).
const MAX_CITIES: usize = 1000;
/// Highest number of who may download the XML (`autXML`).
const MAX_AUTHORIZED: usize = 10;

pub(super) fn check(work: &mut Work<'_>) {
    let cities = work.order.documentos.clone();
    if cities.is_empty() {
        work.missing(
            "documentos",
            "Informe, para cada município de descarregamento, as chaves dos documentos.",
        );
    }
    let (ctes, nfes, mdfes) = work.order.counts();
    let count = ctes.saturating_add(nfes).saturating_add(mdfes);
    if cities.len() > MAX_CITIES || count > MAX_DOCUMENTS {
        work.fields.add(
            "documentos",
            "limite",
            format!("São até {MAX_CITIES} municípios e {MAX_DOCUMENTS} documentos."),
            "Emita mais de um MDF-e.",
        );
        return;
    }
    let end = work.order.uf_fim.clone().unwrap_or_default();
    let (mut seen, mut towns) = (BTreeSet::new(), BTreeSet::new());
    for (position, city) in cities.iter().enumerate() {
        let at = format!("documentos[{position}]");
        let code = city.codigo_ibge_descarga.as_deref().unwrap_or_default();
        // Rejection 680.
        if !code.is_empty() && !towns.insert(code) {
            work.fields.add(
                format!("{at}.codigo_ibge_descarga"),
                "municipio_repetido",
                "O município foi informado mais de uma vez.",
                "Junte os documentos do município em um só item.",
            );
        }
        if !end.is_empty() {
            in_state(work, &format!("{at}.codigo_ibge_descarga"), code, &end);
        }
        keys(work, &at, city, &mut seen);
    }
    kinds(work);
    totals(work);
    authorized(work);
}

/// Every key has its check digit, is of the model that stands there, and comes
/// once.
fn keys(work: &mut Work<'_>, at: &str, city: &Descarga, seen: &mut BTreeSet<String>) {
    // What could be told by its model is in one of the lists.
    for position in 0..city.chaves.len() {
        no_key(work, format!("{at}.chaves[{position}]"), "55, 57 ou 58");
    }
    let later = work.order.carga_posterior == Some(true);
    let none = city.ctes.is_empty() && city.nfes.is_empty() && city.mdfes.is_empty();
    if none && city.chaves.is_empty() && !later {
        work.missing(
            &format!("{at}.chaves"),
            "Informe as chaves de acesso do que se entrega no município.",
        );
    }
    let ctes = city.ctes.iter().map(|cte| cte.chave.as_deref());
    let nfes = city.nfes.iter().map(|nfe| nfe.chave.as_deref());
    let mdfes = city.mdfes.iter().map(|mdfe| mdfe.chave.as_deref());
    list(work, (at, "ctes", CTE), ctes, seen);
    list(work, (at, "nfes", NFE), nfes, seen);
    list(work, (at, "mdfes", MDFE), mdfes, seen);
    for (position, cte) in city.ctes.iter().enumerate() {
        let place = format!("{at}.ctes[{position}]");
        for (other, key) in cte.nfes_entregues.iter().enumerate() {
            if !is_key(Some(key), NFE) {
                no_key(work, format!("{place}.nfes_entregues[{other}]"), "55");
            }
        }
        if cte.prestacao_parcial == Some(true) && cte.nfes_entregues.is_empty() {
            work.missing(
                &format!("{place}.nfes_entregues"),
                "Informe as chaves das NF-e entregues na prestação parcial.",
            );
        }
        if cte.prestacao_parcial != Some(true) && !cte.nfes_entregues.is_empty() {
            work.missing(
                &format!("{place}.prestacao_parcial"),
                "Informe true junto com nfes_entregues.",
            );
        }
    }
}

fn list<'k>(
    work: &mut Work<'_>,
    (at, name, model): (&str, &str, u8),
    keys: impl Iterator<Item = Option<&'k str>>,
    seen: &mut BTreeSet<String>,
) {
    for (position, key) in keys.enumerate() {
        let place = format!("{at}.{name}[{position}].chave");
        let Some(chave) = key
            .and_then(|key| Chave::parse(key).ok())
            .filter(|chave| chave.model() == model)
        else {
            no_key(work, place, &model.to_string());
            continue;
        };
        if !seen.insert(chave.to_string()) {
            work.fields.add(
                place,
                "chave_repetida",
                "O mesmo documento foi informado mais de uma vez.",
                "Retire a repetição.",
            );
        }
    }
}

fn is_key(text: Option<&str>, model: u8) -> bool {
    text.and_then(|text| Chave::parse(text).ok())
        .is_some_and(|chave| chave.model() == model)
}

fn no_key(work: &mut Work<'_>, place: String, models: &str) {
    work.fields.add(
        place,
        "chave_invalida",
        format!("A chave de acesso não existe, ou não é do modelo {models}."),
        "Confira as 44 posições da chave.",
    );
}

/// A carrier has CT-e, who carries its own cargo or issues one CT-e for many
/// notes has NF-e; manifests are carried on water alone (XSD, `infCTe`,
/// `infNFe`, `infMDFeTransp`).
fn kinds(work: &mut Work<'_>) {
    let (ctes, nfes, mdfes) = work.order.counts();
    if ctes > 0 && nfes > 0 {
        work.fields.add(
            "documentos",
            "especies_misturadas",
            "Um MDF-e leva CT-e ou NF-e, não os dois.",
            "Emita um MDF-e para cada espécie.",
        );
    } else if let Some(kind) = work.order.tipo_emitente {
        let wrong = match kind {
            TipoEmitente::Prestador => nfes > 0,
            TipoEmitente::CargaPropria | TipoEmitente::Globalizado => ctes > 0,
        };
        if wrong {
            work.fields.add(
                "tipo_emitente",
                "documentos_incompativeis",
                match kind {
                    TipoEmitente::Prestador => {
                        "O prestador de serviço de transporte leva CT-e, não NF-e."
                    }
                    _ => "Carga própria e CT-e globalizado levam NF-e, não CT-e.",
                },
                "Corrija tipo_emitente, ou os documentos.",
            );
        }
    }
    if mdfes > 0 && work.modal() != Modal::Aquaviario {
        work.fields.add(
            "documentos",
            "campo_nao_cabe",
            "Só o modal aquaviário leva MDF-e.",
            "Retire as chaves do modelo 58.",
        );
    }
}

fn totals(work: &mut Work<'_>) {
    let Some(cargo) = work.order.carga.clone() else {
        return work.missing("carga", "Informe valor e peso da carga.");
    };
    if cargo.valor.is_none() {
        work.missing("carga.valor", "Informe o valor das mercadorias.");
    }
    match cargo.peso {
        None => work.missing("carga.peso_kg", "Informe o peso bruto da carga."),
        Some(weight) if weight.is_zero() && work.order.carga_posterior != Some(true) => {
            work.fields.add(
                "carga.peso_kg",
                "valor_invalido",
                "O peso da carga é maior que zero.",
                "Informe o peso bruto da carga.",
            )
        }
        Some(_) => {}
    }
    if cargo.valor.is_some_and(|value| value.is_zero()) {
        work.notice("carga.valor", "O valor da carga é zero.");
    }
}

fn authorized(work: &mut Work<'_>) {
    let given = work.order.autorizados_xml.clone();
    if given.len() > MAX_AUTHORIZED {
        work.fields.add(
            "autorizados_xml",
            "limite",
            format!("São até {MAX_AUTHORIZED} autorizados."),
            "Reduza a lista.",
        );
    }
    let mut seen = BTreeSet::new();
    for (position, documento) in given.iter().take(MAX_AUTHORIZED).enumerate() {
        let place = format!("autorizados_xml[{position}]");
        match CpfCnpj::parse(documento) {
            Err(_) => work.fields.add_number(place, Takes::CpfCnpj, documento),
            // Rejection 459.
            Ok(documento) if !seen.insert(documento) => work.fields.add(
                place,
                "autorizado_repetido",
                "O CPF ou CNPJ foi informado mais de uma vez.",
                "Retire a repetição.",
            ),
            Ok(_) => {}
        }
    }
}
