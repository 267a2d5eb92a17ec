//! What each modal has of its own.

use super::Pages;
use super::words;
use crate::board::{Align, Field};
use crate::danfe::values::{join, number, value};
use crate::element::Node;
use crate::freight::FIELD;
use markup::format::{day, document};

pub(super) fn specific(pages: &mut Pages<'_, '_>) {
    let group = pages.document.modal();
    if !group.exists() {
        return;
    }
    match &*pages.document.ide.t("modal") {
        "01" => road(pages, group),
        "02" => air(pages, group),
        "03" => water(pages, group),
        "04" => rail(pages, group),
        "05" => pipeline(pages, group),
        "06" => multimodal(pages, group),
        _ => {}
    }
}

fn road(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("DADOS ESPECÍFICOS DO MODAL RODOVIÁRIO - CARGA", FIELD);
    pages.row(&[
        Field::new(40.0, "RNTRC DA EMPRESA", group.t("RNTRC")),
        Field::new(
            0.0,
            "",
            "ESTE CONHECIMENTO DE TRANSPORTE ATENDE À LEGISLAÇÃO DE TRANSPORTE RODOVIÁRIO EM VIGOR",
        ),
    ]);
    let orders: Vec<String> = group
        .all("occ")
        .map(|order| {
            let whose = order.node("emiOcc").t("CNPJ");
            let number = join([&*order.t("serie"), &*order.t("nOcc")], "/");
            join([&*number, &*day(&order.t("dEmi")), &*document(&whose)], " ")
        })
        .collect();
    if !orders.is_empty() {
        let text = join(orders.iter().map(String::as_str), " | ");
        pages.text("ORDENS DE COLETA ASSOCIADAS", 7.5, FIELD, &text);
    }
}

fn air(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("DADOS ESPECÍFICOS DO MODAL AÉREO", 2.0 * FIELD);
    let tariff = group.node("tarifa");
    let nature = group.node("natCarga");
    let withdrawn = match &*pages.document.ide.t("retira") {
        "0" => "RETIRA NO AEROPORTO",
        _ => "ENTREGA AO DESTINATÁRIO",
    };
    pages.row(&[
        Field::new(
            0.0,
            "NÚMERO OPERACIONAL DO CONHECIMENTO AÉREO",
            group.t("nOCA"),
        ),
        Field::new(32.0, "NÚMERO DA MINUTA", group.t("nMinu")),
        Field::new(0.0, "CLASSE DA TARIFA", words::tariff(&tariff.t("CL"))),
        Field::new(28.0, "CÓDIGO DA TARIFA", tariff.t("cTar")),
        Field::new(32.0, "VALOR DA TARIFA", value(&tariff.t("vTar"))).aligned(Align::Right),
    ]);
    let handling: Vec<String> = nature
        .all("cInfManu")
        .map(|code| code.text().into_owned())
        .collect();
    pages.row(&[
        Field::new(0.0, "DADOS RELATIVOS À RETIRADA DA CARGA", withdrawn),
        Field::new(36.0, "PREVISÃO DE ENTREGA", day(&group.t("dPrevAereo"))),
        Field::new(40.0, "DIMENSÃO (CM)", nature.t("xDime")),
        Field::new(
            44.0,
            "INFORMAÇÕES DE MANUSEIO",
            join(handling.iter().map(String::as_str), ", "),
        ),
    ]);
    for danger in group.all("peri") {
        let total = danger.node("infTotAP");
        let quantity = join(
            [
                &*number(&total.t("qTotProd"), 4),
                words::unit_of_danger(&total.t("uniAP")),
            ],
            " ",
        );
        pages.row(&[
            Field::new(36.0, "ARTIGO PERIGOSO: NÚMERO ONU", danger.t("nONU")),
            Field::new(0.0, "VOLUMES", danger.t("qTotEmb")),
            Field::new(0.0, "QUANTIDADE", quantity).aligned(Align::Right),
        ]);
    }
}

fn water(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("DADOS ESPECÍFICOS DO MODAL AQUAVIÁRIO", 2.0 * FIELD);
    let barges: Vec<String> = group
        .all("balsa")
        .map(|barge| barge.t("xBalsa").into_owned())
        .collect();
    pages.row(&[
        Field::new(0.0, "IDENTIFICAÇÃO DO NAVIO / REBOCADOR", group.t("xNavio")),
        Field::new(28.0, "IRIN", group.t("irin")),
        Field::new(24.0, "VIAGEM", group.t("nViag")),
        Field::new(24.0, "DIREÇÃO", words::direction(&group.t("direc"))),
        Field::new(
            24.0,
            "NAVEGAÇÃO",
            crate::freight::navigation(&group.t("tpNav")),
        ),
    ]);
    pages.row(&[
        Field::new(
            0.0,
            "IDENTIFICAÇÃO DA(S) BALSA(S)",
            join(barges.iter().map(String::as_str), ", "),
        ),
        Field::new(38.0, "VR DA B. DE CALC. AFRMM", value(&group.t("vPrest")))
            .aligned(Align::Right),
        Field::new(34.0, "VLR DO AFRMM", value(&group.t("vAFRMM"))).aligned(Align::Right),
    ]);
    let containers: Vec<String> = group
        .all("detCont")
        .map(|container| {
            let seals: Vec<String> = container
                .all("lacre")
                .map(|seal| seal.t("nLacre").into_owned())
                .collect();
            let seals = join(seals.iter().map(String::as_str), ", ");
            match seals.is_empty() {
                true => container.t("nCont").into_owned(),
                false => format!("{} (lacres {seals})", container.t("nCont")),
            }
        })
        .collect();
    if !containers.is_empty() {
        let text = join(containers.iter().map(String::as_str), " | ");
        pages.text("IDENTIFICAÇÃO DOS CONTÊINERES", 7.5, FIELD, &text);
    }
}

fn rail(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("DADOS ESPECÍFICOS DO MODAL FERROVIÁRIO", FIELD);
    let shared = group.node("trafMut");
    pages.row(&[
        Field::new(40.0, "TIPO DE TRÁFEGO", words::traffic(&group.t("tpTraf"))),
        Field::new(28.0, "FLUXO FERROVIÁRIO", group.t("fluxo")),
        Field::new(
            0.0,
            "RESPONSÁVEL PELO FATURAMENTO",
            words::railway(&shared.t("respFat")),
        ),
        Field::new(
            0.0,
            "FERROVIA EMITENTE DO CT-E",
            words::railway(&shared.t("ferrEmi")),
        ),
        Field::new(30.0, "VALOR DO FRETE", value(&shared.t("vFrete"))).aligned(Align::Right),
    ]);
    let origin = shared.t("chCTeFerroOrigem");
    if !origin.is_empty() {
        pages.row(&[Field::new(
            0.0,
            "CHAVE DO CT-E DA FERROVIA DE ORIGEM",
            origin,
        )]);
    }
    for railway in shared.all("ferroEnv") {
        let address = railway.node("enderFerro");
        pages.row(&[
            Field::new(0.0, "FERROVIA ENVOLVIDA", railway.t("xNome")),
            Field::new(38.0, "CNPJ", document(&railway.t("CNPJ"))),
            Field::new(26.0, "CÓDIGO INTERNO", railway.t("cInt")),
            Field::new(
                46.0,
                "MUNICÍPIO",
                join([&*address.t("xMun"), &*address.t("UF")], " - "),
            ),
        ]);
    }
}

fn pipeline(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("DADOS ESPECÍFICOS DO MODAL DUTOVIÁRIO", FIELD);
    let rate = group.t("vTar");
    let rate = if rate.is_empty() {
        String::new()
    } else {
        number(&rate, 6)
    };
    pages.row(&[
        Field::new(32.0, "VALOR DA TARIFA", rate).aligned(Align::Right),
        Field::new(34.0, "DATA DE INÍCIO", day(&group.t("dIni"))),
        Field::new(34.0, "DATA DE FIM", day(&group.t("dFim"))),
        Field::new(0.0, "CLASSE", words::pipeline(&group.t("classDuto"))),
        Field::new(0.0, "CONTRATO", group.t("nContrato")),
    ]);
    let (entry, exit) = (group.t("codPontoEntrada"), group.t("codPontoSaida"));
    if !entry.is_empty() || !exit.is_empty() {
        pages.row(&[
            Field::new(0.0, "PONTO DE ENTRADA", entry),
            Field::new(0.0, "PONTO DE SAÍDA", exit),
        ]);
    }
}

fn multimodal(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("DADOS ESPECÍFICOS DO MODAL MULTIMODAL", FIELD);
    let negotiable = match &*group.t("indNegociavel") {
        "1" => "NEGOCIÁVEL",
        _ => "NÃO NEGOCIÁVEL",
    };
    let insurance = group.node("seg");
    let insurer = insurance.node("infSeg");
    pages.row(&[
        Field::new(
            0.0,
            "Nº DO CERTIFICADO DO OPERADOR DE TRANSPORTE MULTIMODAL",
            group.t("COTM"),
        ),
        Field::new(44.0, "INDICADOR NEGOCIÁVEL", negotiable),
    ]);
    if insurance.exists() {
        pages.row(&[
            Field::new(0.0, "NOME DA SEGURADORA", insurer.t("xSeg")),
            Field::new(38.0, "CNPJ DA SEGURADORA", document(&insurer.t("CNPJ"))),
            Field::new(40.0, "NÚMERO DA APÓLICE", insurance.t("nApol")),
            Field::new(40.0, "NÚMERO DE AVERBAÇÃO", insurance.t("nAver")),
        ]);
    }
}
