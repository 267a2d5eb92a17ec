//! The trip: modal, states, cities, and what each kind of emitter carries.

use super::borders::touch;
use crate::mdfe::order::{Modal, TipoEmitente};
use crate::mdfe::work::Work;
use crate::places::place;
use std::collections::BTreeSet;

/// Cities of loading (layout, `infMunCarrega`).
const MAX_CITIES: usize = 50;
/// States between the first and the last (layout, `infPercurso`).
const MAX_STATES: usize = 25;

pub(super) fn check(work: &mut Work<'_>) {
    modal(work);
    let start = state(work, "uf_inicio");
    let end = state(work, "uf_fim");
    if let (Some(start), Some(end)) = (start, end) {
        path(work, &start, &end);
        loading(work, &start);
        later(work, &start, &end);
    }
}

/// The group of the modal, and no other's.
fn modal(work: &mut Work<'_>) {
    let modal = work.modal();
    let order = &work.order;
    let groups = [
        ("rodoviario", Modal::Rodoviario, order.rodoviario.is_some()),
        ("veiculo", Modal::Rodoviario, order.veiculo.is_some()),
        (
            "condutores",
            Modal::Rodoviario,
            !order.condutores.is_empty(),
        ),
        ("reboques", Modal::Rodoviario, !order.reboques.is_empty()),
        ("aereo", Modal::Aereo, order.aereo.is_some()),
        ("aquaviario", Modal::Aquaviario, order.aquaviario.is_some()),
        (
            "ferroviario",
            Modal::Ferroviario,
            order.ferroviario.is_some(),
        ),
    ];
    for (name, of, present) in groups {
        if present && of != modal {
            work.fields.add(
                name,
                "campo_nao_cabe",
                format!("O modal é {}: {name} não cabe.", modal.word()),
                "Retire o campo.",
            );
        }
        if !present && of == modal && of != Modal::Rodoviario {
            work.missing(name, "Informe os dados do modal neste grupo.");
        }
    }
}

/// A state of the request that exists.
fn state(work: &mut Work<'_>, name: &str) -> Option<String> {
    let given = match name {
        "uf_inicio" => work.order.uf_inicio.clone(),
        _ => work.order.uf_fim.clone(),
    };
    let Some(uf) = given.filter(|uf| !uf.is_empty()) else {
        work.missing(name, "Informe a sigla da UF; no exterior, EX.");
        return None;
    };
    if uf != "EX" && data::ufs::by_uf(&uf).is_none() {
        no_state(work, name, &uf);
        return None;
    }
    Some(uf)
}

fn no_state(work: &mut Work<'_>, place: &str, uf: &str) {
    work.fields.add_value(
        place,
        "uf_invalida",
        uf,
        "Não há UF com essa sigla.",
        "Informe a sigla da UF; no exterior, EX.",
    );
}

/// By road each state on the way borders on the one before (rejection 663).
fn path(work: &mut Work<'_>, start: &str, end: &str) {
    let way = work.order.percurso.clone();
    if way.len() > MAX_STATES {
        work.fields.add(
            "percurso",
            "limite",
            format!("São até {MAX_STATES} UFs no percurso."),
            "Informe só as UFs entre a de início e a de fim.",
        );
        return;
    }
    let mut known = true;
    for (position, uf) in way.iter().enumerate() {
        if uf != "EX" && data::ufs::by_uf(uf).is_none() {
            no_state(work, &format!("percurso[{position}]"), uf);
            known = false;
        }
    }
    if !known || !work.by_road() {
        return;
    }
    let mut before = start;
    for (position, uf) in way.iter().enumerate() {
        if !touch(before, uf) {
            work.fields.add_value(
                format!("percurso[{position}]"),
                "percurso_invalido",
                uf,
                format!("{uf} não faz divisa com {before}, a UF anterior do percurso."),
                "Informe, na ordem do trajeto, só as UFs entre a de início e a de fim.",
            );
            return;
        }
        before = uf;
    }
    let stays = way.is_empty() && start == end;
    if !stays && !touch(before, end) {
        work.fields.add(
            "percurso",
            "percurso_invalido",
            format!("{before} não faz divisa com {end}, a UF de descarregamento."),
            "Informe, na ordem do trajeto, as UFs entre a de início e a de fim.",
        );
    }
}

/// Cities of loading are in the state the trip begins in (rejection 456).
fn loading(work: &mut Work<'_>, start: &str) {
    let cities = work.order.carregamento.clone();
    if cities.is_empty() {
        return work.missing(
            "carregamento",
            "Informe o código IBGE de cada município de carregamento.",
        );
    }
    if cities.len() > MAX_CITIES {
        work.fields.add(
            "carregamento",
            "limite",
            format!("São até {MAX_CITIES} municípios de carregamento."),
            "Emita mais de um MDF-e.",
        );
    }
    let mut seen = BTreeSet::new();
    for (position, city) in cities.iter().take(MAX_CITIES).enumerate() {
        let at = format!("carregamento[{position}].codigo_ibge");
        let code = city.codigo_ibge.as_deref().unwrap_or_default();
        in_state(work, &at, code, start);
        if !code.is_empty() && !seen.insert(code) {
            work.fields.add(
                at,
                "municipio_repetido",
                "O município foi informado mais de uma vez.",
                "Retire a repetição.",
            );
        }
    }
}

/// Tells a city that does not exist, or is of another state.
pub(super) fn in_state(work: &mut Work<'_>, at: &str, code: &str, uf: &str) {
    if code.is_empty() {
        return work.missing(at, "Informe o código IBGE, sete dígitos.");
    }
    match place(Some(code)) {
        None => work.fields.add_value(
            at,
            "municipio_inexistente",
            code,
            "Não há município com esse código IBGE.",
            "Confira o código em GET /api/v1/municipios; no exterior, 9999999.",
        ),
        Some(place) if place.uf != uf => work.fields.add_value(
            at,
            "uf_incompativel",
            code,
            format!("O município é de {}, não de {uf}.", place.uf),
            "Corrija o município, ou a UF de início ou de fim.",
        ),
        Some(_) => {}
    }
}

/// Cargo that is told later: own cargo, by road, within one state (second-hand:
/// the help pages of one public program).
fn later(work: &mut Work<'_>, start: &str, end: &str) {
    if work.order.carga_posterior != Some(true) {
        return;
    }
    let own = work.order.tipo_emitente == Some(TipoEmitente::CargaPropria);
    if !own || !work.by_road() || start != end {
        work.fields.add(
            "carga_posterior",
            "campo_nao_cabe",
            "A carga só é incluída depois no transporte rodoviário de carga própria dentro de uma UF.",
            "Informe os documentos, ou retire carga_posterior.",
        );
    }
}
