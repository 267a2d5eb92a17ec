//! Codes against the dated tables of [`data`].

use data::cfop::Reach;
use data::situations::Codes;

use super::nota::{Item, text};
use super::{Findings, Nota};
use crate::nfe::reading::check::items::or_empty;

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    let direction = or_empty(nota.text(&["ide", "tpNF"]));
    let destination = or_empty(nota.text(&["ide", "idDest"]));
    for item in &nota.items {
        ncm(nota, item, findings);
        cfop(item, &direction, &destination, findings);
        situations(item, findings);
        cest(item, findings);
    }
}

fn ncm(nota: &Nota<'_>, item: &Item<'_>, findings: &mut Findings) {
    // 00 stands for services and adjustments (MOC I05).
    let Some(ncm) = item
        .prod("NCM")
        .filter(|ncm| ncm != "00" && ncm != "00000000")
    else {
        return;
    };
    if data::ncm::is_valid(&ncm, nota.day) {
        return;
    }
    let message = match data::ncm::get(&ncm) {
        Some(line) if line.is_item() => "O NCM existe, mas não vigorava na data de emissão.",
        Some(_) => "O NCM está incompleto: são 8 dígitos.",
        None => "O NCM não existe na tabela.",
    };
    findings
        .error(
            format!("{}/prod/NCM", item.caminho),
            "778",
            message,
            "Confira o código na tabela NCM vigente (Siscomex).",
        )
        .value(&ncm);
}

fn cfop(item: &Item<'_>, direction: &str, destination: &str, findings: &mut Findings) {
    let Some(codigo) = item.prod("CFOP") else {
        return;
    };
    let place = format!("{}/prod/CFOP", item.caminho);
    let Some(cfop) = data::cfop::by_text(&codigo) else {
        findings
            .error(
                place,
                "cfop_inexistente",
                "O CFOP não existe na tabela.",
                "Procure o CFOP da operação na tabela.",
            )
            .value(&codigo);
        return;
    };
    match (direction, cfop.is_entrada()) {
        ("1", true) => {
            findings
                .error(
                    place.clone(),
                    "518",
                    "CFOP de entrada em nota de saída.",
                    "Use um CFOP que comece com 5, 6 ou 7.",
                )
                .value(&codigo);
        }
        ("0", false) => {
            findings
                .error(
                    place.clone(),
                    "519",
                    "CFOP de saída em nota de entrada.",
                    "Use um CFOP que comece com 1, 2 ou 3.",
                )
                .value(&codigo);
        }
        _ => {}
    }
    let (expected, rejection, name) = match cfop.reach() {
        Reach::Internal => ("1", "733", "dentro do estado"),
        Reach::Interstate => ("2", "732", "interestadual"),
        Reach::Exterior => ("3", "731", "com o exterior"),
    };
    if !destination.is_empty() && destination != expected {
        findings
            .error(
                place,
                rejection,
                format!("O CFOP é de operação {name}, mas idDest é {destination}."),
                "Acerte o CFOP do item ou o idDest da nota.",
            )
            .value(&codigo);
    }
}

fn situations(item: &Item<'_>, findings: &mut Findings) {
    let mut codigo = |table: Codes, place: String, value: Option<std::borrow::Cow<'_, str>>| {
        if let Some(value) = value
            && table.get(&value).is_none()
        {
            findings
                .error(
                    format!("{}/imposto/{place}", item.caminho),
                    "cst_inexistente",
                    "O código não existe na tabela do imposto.",
                    "Consulte a tabela de CST ou CSOSN.",
                )
                .value(&value);
        }
    };
    if let Some(icms) = item.icms {
        let group = icms.name();
        codigo(
            Codes::Icms,
            format!("ICMS/{group}/CST"),
            text(icms, &["CST"]),
        );
        codigo(
            Codes::Csosn,
            format!("ICMS/{group}/CSOSN"),
            text(icms, &["CSOSN"]),
        );
        codigo(
            Codes::Origin,
            format!("ICMS/{group}/orig"),
            text(icms, &["orig"]),
        );
    }
    for (tax, table) in [
        ("IPI", Codes::Ipi),
        ("PIS", Codes::PisCofins),
        ("COFINS", Codes::PisCofins),
    ] {
        let group = item.tax.and_then(|all| all.child(tax));
        let inside =
            group.and_then(|group| group.children().find(|child| child.child("CST").is_some()));
        if let Some(inside) = inside {
            codigo(
                table,
                format!("{tax}/{}/CST", inside.name()),
                text(inside, &["CST"]),
            );
        }
    }
}

fn cest(item: &Item<'_>, findings: &mut Findings) {
    let Some(codigo) = item.prod("CEST") else {
        return;
    };
    let place = format!("{}/prod/CEST", item.caminho);
    match data::cest::get(&codigo) {
        None => findings
            .aviso(
                place,
                "cest_inexistente",
                "O CEST não existe na tabela do Convênio ICMS 142/2018.",
                "Confira o CEST do produto.",
            )
            .value(&codigo),
        Some(cest) => {
            if item.prod("NCM").is_some_and(|ncm| !cest.covers(&ncm)) {
                findings
                    .aviso(
                        place,
                        "cest_ncm",
                        "O CEST não é deste NCM.",
                        "Confira o CEST e o NCM do produto.",
                    )
                    .value(&codigo);
            }
        }
    }
}
