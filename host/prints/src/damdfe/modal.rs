//! What each modal has of its own.

use super::Pages;
use super::words;
use crate::board::{Align, Field};
use crate::danfe::values::{date_and_time, join, number, value};
use crate::element::Node;
use crate::freight::FIELD;
use markup::format::{day, document};

pub(super) fn specific(pages: &mut Pages<'_, '_>) {
    let group = pages.document.modal();
    if !group.exists() {
        return;
    }
    match &*pages.document.ide.t("modal") {
        "1" => road(pages, group),
        "2" => air(pages, group),
        "3" => water(pages, group),
        "4" => rail(pages, group),
        _ => {}
    }
}

fn road(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    let agency = group.node("infANTT");
    pages.title("MODAL RODOVIÁRIO DE CARGA - VEÍCULOS", FIELD);
    let own = agency.t("RNTRC");
    vehicle(pages, "TRAÇÃO", group.node("veicTracao"), &own);
    for trailer in group.all("veicReboque") {
        vehicle(pages, "REBOQUE", trailer, &own);
    }
    let drivers: Vec<Node<'_>> = group.node("veicTracao").all("condutor").collect();
    if !drivers.is_empty() {
        pages.title("CONDUTORES", FIELD);
    }
    for pair in drivers.chunks(2) {
        let mut fields = Vec::new();
        for driver in pair {
            fields.push(Field::new(30.0, "CPF", document(&driver.t("CPF"))));
            fields.push(Field::new(0.0, "CONDUTOR", driver.t("xNome")));
        }
        if pair.len() == 1 {
            fields.push(Field::new(30.0, "CPF", ""));
            fields.push(Field::new(0.0, "CONDUTOR", ""));
        }
        pages.row(&fields);
    }
    toll(pages, agency);
    operation(pages, agency);
    let seals: Vec<_> = group.all("lacRodo").map(|seal| seal.t("nLacre")).collect();
    let text = join(seals.iter().map(|seal| &**seal), ", ");
    let port = group.t("codAgPorto");
    if !text.is_empty() {
        pages.text("LACRES DO VEÍCULO", 7.5, FIELD, &text);
    }
    if !port.is_empty() {
        pages.row(&[Field::new(0.0, "CÓDIGO DE AGENDAMENTO NO PORTO", port)]);
    }
}

/// A vehicle; the registration is the owner's, or the emitter's own.
fn vehicle(pages: &mut Pages<'_, '_>, kind: &str, vehicle: Node<'_>, own: &str) {
    if !vehicle.exists() {
        return;
    }
    let owner = vehicle.node("prop");
    let registration = match owner.exists() {
        true => owner.t("RNTRC").into_owned(),
        false => own.to_owned(),
    };
    let of_owner = join(
        [
            &*owner.t("xNome"),
            &*document(&owner.one_of(&["CNPJ", "CPF"])),
        ],
        " ",
    );
    pages.row(&[
        Field::new(22.0, "VEÍCULO", kind.to_owned()),
        Field::new(20.0, "PLACA", vehicle.t("placa")).bold(),
        Field::new(10.0, "UF", vehicle.t("UF")),
        Field::new(24.0, "RENAVAM", vehicle.t("RENAVAM")),
        Field::new(20.0, "RNTRC", registration),
        Field::new(17.0, "TARA (KG)", vehicle.t("tara")).aligned(Align::Right),
        Field::new(20.0, "CAPAC. (KG)", vehicle.t("capKG")).aligned(Align::Right),
        Field::new(0.0, "PROPRIETÁRIO", of_owner),
    ]);
}

/// Toll vouchers.
fn toll(pages: &mut Pages<'_, '_>, agency: Node<'_>) {
    let devices: Vec<Node<'_>> = agency.node("valePed").all("disp").collect();
    if devices.is_empty() {
        return;
    }
    pages.title("VALE-PEDÁGIO", FIELD);
    for device in devices {
        pages.row(&[
            Field::new(0.0, "CNPJ DA FORNECEDORA", document(&device.t("CNPJForn"))),
            Field::new(
                0.0,
                "CNPJ/CPF DO RESPONSÁVEL",
                document(&device.one_of(&["CNPJPg", "CPFPg"])),
            ),
            Field::new(0.0, "Nº DO COMPROVANTE", device.t("nCompra")),
            Field::new(32.0, "VALOR", value(&device.t("vValePed"))).aligned(Align::Right),
        ]);
    }
}

/// CIOT, who contracts and how the freight is paid.
fn operation(pages: &mut Pages<'_, '_>, agency: Node<'_>) {
    let codes: Vec<String> = agency
        .all("infCIOT")
        .map(|code| {
            let by = document(&code.one_of(&["CPF", "CNPJ"]));
            join([&*code.t("CIOT"), &*by], " - ")
        })
        .collect();
    if !codes.is_empty() {
        let text = join(codes.iter().map(String::as_str), " | ");
        pages.text("CIOT - RESPONSÁVEL", 7.5, FIELD, &text);
    }
    let contractors: Vec<String> = agency
        .all("infContratante")
        .map(|one| {
            let number = document(&one.one_of(&["CPF", "CNPJ"]));
            let abroad = one.t("idEstrangeiro");
            join([&*one.t("xNome"), &*number, &*abroad], " ")
        })
        .collect();
    if !contractors.is_empty() {
        let text = join(contractors.iter().map(String::as_str), " | ");
        pages.text("CONTRATANTES", 7.5, FIELD, &text);
    }
    for payment in agency.all("infPag") {
        pages.row(&[
            Field::new(
                0.0,
                "RESPONSÁVEL PELO PAGAMENTO DO FRETE",
                payment.t("xNome"),
            ),
            Field::new(
                36.0,
                "CNPJ/CPF",
                document(&payment.one_of(&["CNPJ", "CPF"])),
            ),
            Field::new(26.0, "FORMA", words::paid(&payment.t("indPag"))),
            Field::new(30.0, "VALOR DO CONTRATO", value(&payment.t("vContrato")))
                .aligned(Align::Right),
            Field::new(30.0, "ADIANTAMENTO", value(&payment.t("vAdiant"))).aligned(Align::Right),
        ]);
    }
}

fn air(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("MODAL AÉREO DE CARGA", FIELD);
    pages.row(&[
        Field::new(0.0, "MARCA DE NACIONALIDADE", group.t("nac")),
        Field::new(0.0, "MARCA DE MATRÍCULA", group.t("matr")),
        Field::new(0.0, "NÚMERO DO VOO", group.t("nVoo")).bold(),
        Field::new(0.0, "DATA DO VOO", day(&group.t("dVoo"))),
        Field::new(0.0, "AERÓDROMO DE EMBARQUE", group.t("cAerEmb")),
        Field::new(0.0, "AERÓDROMO DE DESTINO", group.t("cAerDes")),
    ]);
}

fn water(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    pages.title("MODAL AQUAVIÁRIO DE CARGA", FIELD);
    pages.row(&[
        Field::new(0.0, "EMBARCAÇÃO", group.t("xEmbar")).bold(),
        Field::new(26.0, "CÓDIGO", group.t("cEmbar")),
        Field::new(22.0, "IRIN", group.t("irin")),
        Field::new(14.0, "TIPO", group.t("tpEmb")),
        Field::new(22.0, "VIAGEM", group.t("nViag")),
        Field::new(
            28.0,
            "NAVEGAÇÃO",
            crate::freight::navigation(&group.t("tpNav")),
        ),
    ]);
    pages.row(&[
        Field::new(0.0, "PORTO DE EMBARQUE", group.t("cPrtEmb")),
        Field::new(0.0, "PORTO DE DESTINO", group.t("cPrtDest")),
        Field::new(0.0, "PORTO DE TRANSBORDO", group.t("prtTrans")),
        Field::new(0.0, "MMSI", group.t("MMSI")),
    ]);
    let named = |group: Node<'_>, tag: &str, code: &str, name: &str| {
        let all: Vec<String> = group
            .all(tag)
            .map(|one| join([&*one.t(code), &*one.t(name)], " - "))
            .collect();
        join(all.iter().map(String::as_str), " | ")
    };
    for (label, tag, code, name) in [
        (
            "TERMINAIS DE CARREGAMENTO",
            "infTermCarreg",
            "cTermCarreg",
            "xTermCarreg",
        ),
        (
            "TERMINAIS DE DESCARREGAMENTO",
            "infTermDescarreg",
            "cTermDescarreg",
            "xTermDescarreg",
        ),
        ("EMBARCAÇÕES DO COMBOIO", "infEmbComb", "cEmbComb", "xBalsa"),
        (
            "UNIDADES DE CARGA VAZIAS",
            "infUnidCargaVazia",
            "idUnidCargaVazia",
            "",
        ),
        (
            "UNIDADES DE TRANSPORTE VAZIAS",
            "infUnidTranspVazia",
            "idUnidTranspVazia",
            "",
        ),
    ] {
        let text = named(group, tag, code, name);
        if !text.is_empty() {
            pages.text(label, 7.5, FIELD, &text);
        }
    }
}

fn rail(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    let train = group.node("trem");
    pages.title("MODAL FERROVIÁRIO DE CARGA", FIELD);
    let (date, hour) = date_and_time(&train.t("dhTrem"));
    pages.row(&[
        Field::new(0.0, "PREFIXO DO TREM", train.t("xPref")).bold(),
        Field::new(0.0, "LIBERAÇÃO NA ORIGEM", join([&*date, &*hour], " ")),
        Field::new(0.0, "ORIGEM", train.t("xOri")),
        Field::new(0.0, "DESTINO", train.t("xDest")),
        Field::new(0.0, "VAGÕES CARREGADOS", train.t("qVag")).aligned(Align::Right),
    ]);
    for wagon in group.all("vag") {
        pages.row(&[
            Field::new(24.0, "SÉRIE DO VAGÃO", wagon.t("serie")),
            Field::new(0.0, "NÚMERO DO VAGÃO", wagon.t("nVag")),
            Field::new(22.0, "SEQUÊNCIA", wagon.t("nSeq")),
            Field::new(22.0, "TIPO", wagon.t("tpVag")),
            Field::new(30.0, "PESO REAL (TON)", number(&wagon.t("pesoR"), 3)).aligned(Align::Right),
            Field::new(30.0, "PESO CÁLCULO (TON)", number(&wagon.t("pesoBC"), 3))
                .aligned(Align::Right),
            Field::new(30.0, "TONELADA ÚTIL", number(&wagon.t("TU"), 3)).aligned(Align::Right),
        ]);
    }
}
