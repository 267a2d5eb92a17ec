//! The blocks that every modal has, from the totals down to the remarks.

use super::words;
use super::{DamdfeError, Pages};
use crate::board::{Align, Field, MM};
use crate::danfe::values::{date_and_time, join, number, value};
use crate::element::Node;
use crate::freight::{self, Entry, FIELD, MAX_DOCUMENTS, by_key};
use markup::format::document;

/// Least height of the remarks.
const REMARKS: f32 = 20.0 * MM;
/// Size of lists of cities and of seals.
const LIST: f32 = 7.5;
const CAPTIONS: [&str; 3] = ["TIPO DOC", "CHAVE DE ACESSO", "SÉRIE/NRO. DOCUMENTO"];

/// How many documents, how heavy, how much worth.
pub(super) fn totals(pages: &mut Pages<'_, '_>) {
    let mdfe = pages.document;
    let totals = mdfe.inf.node("tot");
    pages.row(&[
        Field::new(
            0.0,
            "TIPO DO EMITENTE",
            words::emitter(&mdfe.ide.t("tpEmit")),
        ),
        Field::new(
            28.0,
            "TIPO TRANSP.",
            words::carrier(&mdfe.ide.t("tpTransp")),
        ),
        Field::new(18.0, "QTD. CT-E", totals.t("qCTe")).aligned(Align::Right),
        Field::new(18.0, "QTD. NF-E", totals.t("qNFe")).aligned(Align::Right),
        Field::new(18.0, "QTD. MDF-E", totals.t("qMDFe")).aligned(Align::Right),
        Field::new(
            30.0,
            words::unit(&totals.t("cUnid")),
            number(&totals.t("qCarga"), 4),
        )
        .aligned(Align::Right),
        Field::new(30.0, "VALOR DA CARGA", value(&totals.t("vCarga"))).aligned(Align::Right),
    ]);
}

/// Where the cargo is loaded and unloaded, and the states on the way.
pub(super) fn trip(pages: &mut Pages<'_, '_>) {
    let ide = pages.document.ide;
    let states = ide.all("infPercurso").map(|state| state.t("UFPer"));
    let states: Vec<_> = states.collect();
    let (day, hour) = date_and_time(&ide.t("dhIniViagem"));
    let later = match &*ide.t("indCarregaPosterior") {
        "1" => "SIM",
        _ => "NÃO",
    };
    pages.row(&[
        Field::new(
            0.0,
            "PERCURSO",
            join(states.iter().map(|state| &**state), " - "),
        ),
        Field::new(
            40.0,
            "INÍCIO PREVISTO DA VIAGEM",
            join([&*day, &*hour], " "),
        ),
        Field::new(34.0, "CARREGAMENTO POSTERIOR", later),
    ]);
    let loading = ide.all("infMunCarrega").map(|city| city.t("xMunCarrega"));
    let loading: Vec<_> = loading.collect();
    let text = join(loading.iter().map(|city| &**city), ", ");
    pages.text("MUNICÍPIOS DE CARREGAMENTO", LIST, FIELD, &text);
    let cities = pages.document.inf.node("infDoc").all("infMunDescarga");
    let cities: Vec<_> = cities.map(|city| city.t("xMunDescarga")).collect();
    let text = join(cities.iter().map(|city| &**city), ", ");
    pages.text("MUNICÍPIOS DE DESCARREGAMENTO", LIST, FIELD, &text);
}

/// Who answers for the insurance of the cargo, and by which policies.
pub(super) fn insurance(pages: &mut Pages<'_, '_>) {
    let policies: Vec<Node<'_>> = pages.document.inf.all("seg").collect();
    if policies.is_empty() {
        return;
    }
    pages.title("SEGURO DA CARGA", FIELD);
    for policy in policies {
        let responsible = policy.node("infResp");
        let insurer = policy.node("infSeg");
        let by = join(
            [
                words::insured_by(&responsible.t("respSeg")),
                &*document(&responsible.one_of(&["CNPJ", "CPF"])),
            ],
            " ",
        );
        pages.row(&[
            Field::new(50.0, "RESPONSÁVEL", by),
            Field::new(0.0, "SEGURADORA", insurer.t("xSeg")),
            Field::new(36.0, "CNPJ DA SEGURADORA", document(&insurer.t("CNPJ"))),
            Field::new(40.0, "APÓLICE", policy.t("nApol")),
        ]);
        let numbers: Vec<_> = policy.all("nAver").map(Node::text).collect();
        if !numbers.is_empty() {
            let text = join(numbers.iter().map(|one| &**one), ", ");
            pages.text("AVERBAÇÕES", LIST, FIELD, &text);
        }
    }
}

/// What most of the cargo is.
pub(super) fn product(pages: &mut Pages<'_, '_>) {
    let product = pages.document.inf.node("prodPred");
    if !product.exists() {
        return;
    }
    let load = product.node("infLotacao");
    let place = |group: &str| {
        let place = load.node(group);
        match &*place.t("CEP") {
            "" => join([&*place.t("latitude"), &*place.t("longitude")], " "),
            zip => markup::format::cep(zip),
        }
    };
    pages.row(&[
        Field::new(0.0, "PRODUTO PREDOMINANTE", product.t("xProd")),
        Field::new(44.0, "TIPO DE CARGA", words::load(&product.t("tpCarga"))),
        Field::new(22.0, "NCM", product.t("NCM")),
        Field::new(28.0, "LOCAL DE CARREG.", place("infLocalCarrega")),
        Field::new(28.0, "LOCAL DE DESCARREG.", place("infLocalDescarrega")),
    ]);
}

/// Seals of the manifest.
pub(super) fn seals(pages: &mut Pages<'_, '_>) {
    let seals = pages
        .document
        .inf
        .all("lacres")
        .map(|seal| seal.t("nLacre"));
    let seals: Vec<_> = seals.collect();
    if !seals.is_empty() {
        let text = join(seals.iter().map(|seal| &**seal), ", ");
        pages.text("LACRES", LIST, FIELD, &text);
    }
}

/// A table of documents for each city they are unloaded in.
///
/// # Errors
/// There are more documents than are laid out.
pub(super) fn documents(pages: &mut Pages<'_, '_>) -> Result<(), DamdfeError> {
    let mdfe = pages.document;
    let state = mdfe.ide.t("UFFim");
    let mut total = 0;
    for city in mdfe.inf.node("infDoc").all("infMunDescarga") {
        let entries = entries(city);
        total += entries.len();
        if total > MAX_DOCUMENTS {
            return Err(DamdfeError::Long);
        }
        if entries.is_empty() {
            continue;
        }
        let title = format!(
            "RELAÇÃO DOS DOCUMENTOS FISCAIS ELETRÔNICOS - {} - {state}",
            city.t("xMunDescarga")
        );
        freight::table(pages, &title, CAPTIONS, &entries);
    }
    Ok(())
}

fn entries(city: Node<'_>) -> Vec<Entry> {
    let mut found = Vec::new();
    for (group, kind, key) in [
        ("infCTe", "CT-e", "chCTe"),
        ("infNFe", "NF-e", "chNFe"),
        ("infMDFeTransp", "MDF-e", "chMDFe"),
    ] {
        for document in city.all(group) {
            let kind = match &*document.t("indReentrega") {
                "1" => format!("{kind} REENTR."),
                _ => kind.to_owned(),
            };
            found.push(by_key(&kind, &document.t(key)));
        }
    }
    found
}

/// Remarks, with what has no box of its own and the values that did not fit
/// theirs.
pub(super) fn remarks(pages: &mut Pages<'_, '_>) {
    let inf = pages.document.inf;
    let more = inf.node("infAdic");
    let mut texts = vec![more.t("infCpl").into_owned()];
    texts.extend(dangerous(inf));
    for (label, text) in std::mem::take(&mut pages.board.left_overs) {
        texts.push(format!("{label}: {text}"));
    }
    let text = join(texts.iter().map(String::as_str), " | ");
    pages.text("OBSERVAÇÕES", 7.5, REMARKS, &text);
    let of_authority = more.t("infAdFisco");
    if !of_authority.is_empty() {
        pages.text("RESERVADO AO FISCO", 7.5, FIELD, &of_authority);
    }
}

/// Dangerous products of all documents, each once.
fn dangerous(inf: Node<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for city in inf.node("infDoc").all("infMunDescarga") {
        for group in ["infCTe", "infNFe", "infMDFeTransp"] {
            for product in city.all(group).flat_map(|document| document.all("peri")) {
                let text = format!(
                    "Produto perigoso: ONU {} {} {} {}",
                    product.t("nONU"),
                    product.t("xNomeAE"),
                    product.t("xClaRisco"),
                    product.t("qTotProd")
                );
                let text = text.trim_end().to_owned();
                if !found.contains(&text) {
                    found.push(text);
                }
            }
        }
    }
    found
}
