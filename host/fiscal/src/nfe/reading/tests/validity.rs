//! A note is judged by the rules of its own day.

use time::{Date, macros::date};

use super::*;
use crate::nfe::reading::tests::checking::{achados, chave, chave_de, codigos, nota};

/// The same note, emitted on another day.
fn emitida_em(xml: &str, modelo: u8, dia: Date) -> String {
    let (antes, depois) = (chave(modelo, 1), chave_de(modelo, 1, dia));
    xml.replace(antes.as_str(), depois.as_str())
        .replace(
            &format!("<cDV>{}</cDV>", antes.dv()),
            &format!("<cDV>{}</cDV>", depois.dv()),
        )
        .replace("2026-11-20", &dia.to_string())
}

/// A note that was authorized was judged by the rules of its day.
#[test]
fn a_rule_is_for_notes_emitted_since_it_holds() {
    let v1 = format!(
        "?chNFe={}&amp;nVersao=100&amp;tpAmb=2",
        chave(65, 1).as_str()
    );
    let v3 = format!("?p={}|3|2", chave(65, 1).as_str());
    let em_producao = "<tpAmb>2</tpAmb>";
    let casos: [(u8, &str, &str, &str, &str, Date); 7] = [
        (65, &v3, &v1, "", "903", date!(2018 - 10 - 01)),
        (55, "<nFat>1</nFat>", "", "", "905", date!(2019 - 01 - 01)),
        (
            55,
            "nItem=\"2\"",
            "nItem=\"3\"",
            "",
            "927",
            date!(2019 - 07 - 22),
        ),
        (
            55,
            "nItem=\"2\"",
            "nItem=\"3\"",
            em_producao,
            "927",
            date!(2019 - 09 - 02),
        ),
        (55, "<tPag>01", "<tPag>99", "", "441", date!(2021 - 05 - 03)),
        (
            55,
            "<tPag>01",
            "<tPag>99",
            em_producao,
            "441",
            date!(2021 - 09 - 01),
        ),
        (
            55,
            "<NCM>17019900",
            "<NCM>17019999",
            "",
            "778",
            date!(2022 - 04 - 01),
        ),
    ];
    for (modelo, antes, depois, ambiente, codigo, desde) in casos {
        let certa = nota(modelo);
        assert!(certa.contains(antes) && certa.contains(ambiente), "{antes}");
        let mut errada = certa.replacen(antes, depois, 1);
        if !ambiente.is_empty() {
            errada = errada.replace(ambiente, "<tpAmb>1</tpAmb>");
        }
        let acha = |dia: Date| {
            let achados = achados(&emitida_em(&errada, modelo, dia));
            achados.iter().any(|achado| achado.codigo == codigo)
        };
        let vespera = desde.previous_day().unwrap();
        assert_eq!(
            (acha(vespera), acha(desde)),
            (false, true),
            "{codigo} {desde}"
        );
    }
    // Of version 1, too, key and environment are those of the note.
    let errada = nota(65).replacen(&v3, &v1.replace("tpAmb=2", "tpAmb=1"), 1);
    assert_eq!(
        codigos(&emitida_em(&errada, 65, date!(2018 - 08 - 07))),
        ["qrcode_ambiente infNFeSupl/qrCode"]
    );
    // And nothing is left of what is of later days.
    for (modelo, antes, depois) in [(65, &*v3, &*v1), (55, "<tPag>01", "<tPag>99")] {
        let antiga = nota(modelo).replacen(antes, depois, 1);
        assert_eq!(
            codigos(&emitida_em(&antiga, modelo, date!(2018 - 08 - 07))),
            [""; 0]
        );
    }
}

#[test]
fn the_rules_say_of_which_day_they_are() {
    for (dia, nome) in [
        (date!(2018 - 08 - 07), "nfe-2017-12-04"),
        (date!(2021 - 12 - 15), "nfe-2021-09-01"),
        (date!(2026 - 11 - 20), "nfe-2026-01-01"),
    ] {
        let xml = emitida_em(&nota(55), 55, dia);
        let doc = Document::parse(&xml).unwrap();
        let parecer = check(&doc, date!(2026 - 11 - 20), |_| true).unwrap();
        assert_eq!(parecer.regras.nome(), nome);
    }
}
