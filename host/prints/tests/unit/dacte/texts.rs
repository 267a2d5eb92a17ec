//! What the DACTE says.

use super::generator::{CHAVE, Generator, all};
use prints::dacte::dacte;
use prints::danfe::{PrintOptions, read};

/// Text of all pages in one line.
fn text_of(xml: &str, options: &PrintOptions<'_>) -> String {
    let pdf = dacte(xml, options).expect("a DACTE");
    let text = read::text(&pdf).expect("a PDF").concat();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_page_has_the_key_and_its_number() {
    let chave = prints::danfe::values::group(CHAVE, 4, " ");
    for (name, cte) in all() {
        let pdf = dacte(&cte.xml(), &PrintOptions::default()).expect(name);
        let pages = read::text(&pdf).expect(name);
        for (at, page) in pages.iter().enumerate() {
            assert!(page.contains(&chave), "{name}");
            assert!(
                page.contains(&format!("{}/{}", at + 1, pages.len())),
                "{name}"
            );
        }
        let expected = match name {
            "500-notas" => 4..=6,
            "completo" | "longo" => 1..=2,
            _ => 1..=1,
        };
        assert!(
            expected.contains(&pages.len()),
            "{name}: {} pages",
            pages.len()
        );
    }
}

/// The remarks stand above the block of the modal: what does not fit there follows it.
#[test]
fn long_names_of_barges_stand_whole_somewhere() {
    let ship = all().into_iter().find(|(name, _)| *name == "aquaviario");
    let xml = ship.expect("a ship").1.xml();
    let barges: Vec<String> = (1..=3)
        .map(|number| {
            format!("{number} MANDUCA WAMWAM MWM AMAZONAS MARAMBAIA MAMORE WMM MADEIRA M")
        })
        .collect();
    let elements: Vec<String> = barges
        .iter()
        .map(|name| format!("<balsa><xBalsa>{name}</xBalsa></balsa>"))
        .collect();
    let xml = xml
        .replace(
            "<balsa><xBalsa>Balsa 1</xBalsa></balsa>",
            &elements.concat(),
        )
        .replace("<irin>", "<tpNav>1</tpNav><irin>");
    let text = text_of(&xml, &PrintOptions::default());
    for part in barges.iter().map(String::as_str).chain(["CABOTAGEM"]) {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn every_block_shows_its_values() {
    let cte = Generator {
        everybody: true,
        reform: true,
        ..Generator::default()
    };
    let text = text_of(&cte.xml(), &PrintOptions::default());
    for part in [
        "DECLARO QUE RECEBI OS VOLUMES",
        "Documento Auxiliar do Conhecimento de Transporte Eletrônico",
        "RODOVIÁRIO",
        "000.000.009",
        "20/11/2026 10:15:00",
        "131260000000001 20/11/2026 10:16:00",
        "TIPO DO CT-E",
        "OUTROS",
        "6353 - Transporte a estabelecimento comercial",
        "Belo Horizonte - MG",
        "São Paulo - SP",
        "12.345.678/0001-95",
        "Expedidor Exemplo Ltda",
        "Recebedor Exemplo Ltda",
        "Pagador Exemplo Ltda",
        "Café torrado",
        "25.000,00",
        "PESO 0 / KG",
        "1.250,5000",
        "PARCELA 2",
        "VALOR A RECEBER",
        "1.450,00",
        "00 - Tributação normal do ICMS",
        "12,00%",
        "180,00",
        "000 / 000001",
        "11,88",
        "1 / 000.000.001",
        "BHZ",
        "até 01/12/2026",
        "Motorista: A definir",
        "12345678",
        "Regime especial 123",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_long_text_of_the_authority_is_printed_whole() {
    let xml = Generator::default().xml();
    let long = "Texto da fiscalização número 7. ".repeat(60);
    let text = text_of(
        &xml.replace("Regime especial 123", long.trim_end()),
        &PrintOptions::default(),
    );
    assert_eq!(text.matches("fiscalização").count(), 60, "{text}");
    assert!(!text.contains('…'), "{text}");
    assert!(text.contains("Veja o quadro RESERVADO AO FISCO"), "{text}");
}

#[test]
fn each_modal_has_its_block() {
    for (modal, parts) in [
        (
            "01",
            ["MODAL RODOVIÁRIO", "1/12 19/11/2026 11.222.333/0001-81"],
        ),
        ("02", ["MODAL AÉREO", "95712345678"]),
        ("03", ["MODAL AQUAVIÁRIO", "CONT1234567 (lacres L1)"]),
        ("04", ["MODAL FERROVIÁRIO", "Ferrovia Exemplo SA"]),
        ("05", ["MODAL DUTOVIÁRIO", "0,125000"]),
        ("06", ["MODAL MULTIMODAL", "COTM123"]),
    ] {
        let cte = Generator {
            modal,
            ..Generator::default()
        };
        let text = text_of(&cte.xml(), &PrintOptions::default());
        for part in parts {
            assert!(text.contains(part), "{modal} {part}: {text}");
        }
    }
}

#[test]
fn all_documents_are_listed() {
    let cte = Generator {
        documents: 500,
        ..Generator::default()
    };
    let text = text_of(&cte.xml(), &PrintOptions::default());
    for at in [0, 1, 250, 499] {
        let key = format!("3126111122233300018155001{at:09}1314159266");
        assert!(text.contains(&key), "{key}");
    }
}

#[test]
fn what_is_no_authorized_document_says_so() {
    for (production, status, cancelled, expected) in [
        (false, None, false, Some("SEM VALOR FISCAL")),
        (true, None, false, Some("SEM AUTORIZAÇÃO DE USO")),
        (true, Some("100"), true, Some("CANCELADO")),
        (true, Some("101"), false, Some("CANCELADO")),
        (true, Some("100"), false, None),
    ] {
        let cte = Generator {
            production,
            status,
            ..Generator::default()
        };
        let options = PrintOptions {
            cancelled,
            ..PrintOptions::default()
        };
        let text = text_of(&cte.xml(), &options);
        for mark in ["SEM VALOR FISCAL", "SEM AUTORIZAÇÃO DE USO", "CANCELADO"] {
            assert_eq!(text.contains(mark), Some(mark) == expected, "{mark}");
        }
    }
}

#[test]
fn the_same_xml_gives_the_same_bytes() {
    let xml = Generator::default().xml();
    let once = dacte(&xml, &PrintOptions::default()).expect("a DACTE");
    assert_eq!(
        once,
        dacte(&xml, &PrintOptions::default()).expect("a DACTE")
    );
}

/// Writes every DACTE to the folder named by `HUB_TEST_PDF_OUT`, for people to
/// look at.
#[test]
fn printouts_for_people_to_look_at() {
    let Some(folder) = std::env::var_os("HUB_TEST_PDF_OUT") else {
        eprintln!("skipped: HUB_TEST_PDF_OUT names no folder");
        return;
    };
    for (name, cte) in all() {
        let pdf = dacte(&cte.xml(), &PrintOptions::default()).expect(name);
        let file = std::path::Path::new(&folder).join(format!("dacte-{name}.pdf"));
        std::fs::write(file, pdf).expect("write");
    }
}

#[test]
fn what_did_not_fit_its_box_stands_in_the_remarks_of_a_later_page() {
    let cte = Generator {
        documents: 200,
        ..Generator::default()
    };
    let special = "Procedimento conforme o regime especial ".repeat(5) + "até o fim do texto";
    let group = format!("<infGlobalizado><xObs>{special}</xObs></infGlobalizado></infCTeNorm>");
    let xml = cte.xml().replace("</infCTeNorm>", &group);
    let text = text_of(&xml, &PrintOptions::default());
    assert!(text.contains("até o fim do texto"), "{text}");
}

#[test]
fn dangerous_goods_by_air_have_their_unit() {
    let cte = Generator {
        modal: "02",
        ..Generator::default()
    };
    let text = text_of(&cte.xml(), &PrintOptions::default());
    assert!(text.contains("10,0000 LITROS"), "{text}");
}
