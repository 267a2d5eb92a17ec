//! What the DAMDFE says.

use super::generator::{CHAVE, Generator, all, key};
use prints::damdfe::damdfe;
use prints::danfe::{PrintOptions, read};

/// Text of all pages in one line.
fn text_of(xml: &str, options: &PrintOptions<'_>) -> String {
    let pdf = damdfe(xml, options).expect("a DAMDFE");
    let text = read::text(&pdf).expect("a PDF").concat();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_page_has_the_key_and_its_number() {
    let chave = prints::danfe::values::group(CHAVE, 4, " ");
    for (name, mdfe) in all() {
        let pdf = damdfe(&mdfe.xml(), &PrintOptions::default()).expect(name);
        let pages = read::text(&pdf).expect(name);
        for (at, page) in pages.iter().enumerate() {
            assert!(page.contains(&chave), "{name}");
            assert!(
                page.contains(&format!("{}/{}", at + 1, pages.len())),
                "{name}"
            );
        }
        let expected = match name {
            "600-documentos" => 5..=7,
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

#[test]
fn every_block_shows_its_values() {
    let text = text_of(&Generator::default().xml(), &PrintOptions::default());
    for part in [
        "DAMDFE",
        "Documento Auxiliar do Manifesto Eletrônico de Documentos Fiscais",
        "RODOVIÁRIO",
        "000.000.009",
        "20/11/2026 10:15:00",
        "MG / PR",
        "931260000000001 20/11/2026 10:16:00",
        "PRESTADOR DE SERVIÇO DE TRANSPORTE",
        "ETC",
        "12.500,5000",
        "250.000,00",
        "SP",
        "20/11/2026 14:00:00",
        "Belo Horizonte, Betim",
        "Curitiba, Maringá",
        "TRAÇÃO",
        "ABC1D23",
        "12345678901",
        "REBOQUE",
        "DEF4560",
        "87654321",
        "Reboques Exemplo Ltda 11.444.777/0001-61",
        "529.982.247-25",
        "Motorista 0 Exemplo",
        "770",
        "150,00",
        "123456789012 - 11.444.777/0001-61",
        "Contratante Exemplo Ltda 12.345.678/0001-95",
        "A PRAZO",
        "1.500,00",
        "LV1",
        "CONTRATANTE 12.345.678/0001-95",
        "Seguradora Exemplo",
        "AP-0",
        "AV-0-1, AV-0-2",
        "Café torrado",
        "CARGA GERAL",
        "30.130-010",
        "-25.429600 -49.271300",
        "LM1",
        "Curitiba - PR",
        "1 / 000.000.002",
        "Carga seca, entrega em horário comercial",
        "Regime especial 123",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn each_modal_has_its_block() {
    for (modal, parts) in [
        ("1", ["MODAL RODOVIÁRIO", "VALE-PEDÁGIO"]),
        ("2", ["MODAL AÉREO", "AB1234"]),
        ("3", ["MODAL AQUAVIÁRIO", "T1 - Terminal A"]),
        ("4", ["MODAL FERROVIÁRIO", "48,250"]),
    ] {
        let mdfe = Generator {
            modal,
            ..Generator::default()
        };
        let text = text_of(&mdfe.xml(), &PrintOptions::default());
        for part in parts {
            assert!(text.contains(part), "{modal} {part}: {text}");
        }
    }
}

#[test]
fn all_documents_are_listed() {
    let mdfe = Generator {
        documents: 300,
        ..Generator::default()
    };
    let text = text_of(&mdfe.xml(), &PrintOptions::default());
    for at in [0, 150, 299, 300, 599] {
        assert!(text.contains(&key(at)), "{at}");
    }
}

#[test]
fn what_is_no_authorized_document_says_so() {
    for (change, expected) in [
        (
            Generator {
                production: false,
                status: None,
                ..Generator::default()
            },
            Some("SEM VALOR FISCAL"),
        ),
        (
            Generator {
                status: None,
                ..Generator::default()
            },
            Some("SEM AUTORIZAÇÃO DE USO"),
        ),
        (
            Generator {
                event: Some("110111"),
                ..Generator::default()
            },
            Some("CANCELADO"),
        ),
        (
            Generator {
                event: Some("110112"),
                ..Generator::default()
            },
            Some("ENCERRADO"),
        ),
        (Generator::default(), None),
        (
            Generator {
                contingency: true,
                status: None,
                ..Generator::default()
            },
            None,
        ),
    ] {
        let text = text_of(&change.xml(), &PrintOptions::default());
        for mark in [
            "SEM VALOR FISCAL",
            "SEM AUTORIZAÇÃO DE USO",
            "CANCELADO",
            "ENCERRADO",
        ] {
            assert_eq!(text.contains(mark), Some(mark) == expected, "{mark}");
        }
        let contingency = text.contains("EMISSÃO EM CONTINGÊNCIA");
        assert_eq!(contingency, change.contingency);
    }
}

#[test]
fn the_same_xml_gives_the_same_bytes() {
    let xml = Generator::default().xml();
    let once = damdfe(&xml, &PrintOptions::default()).expect("a DAMDFE");
    assert_eq!(
        once,
        damdfe(&xml, &PrintOptions::default()).expect("a DAMDFE")
    );
}

/// Writes every DAMDFE to the folder named by `HUB_TEST_PDF_OUT`, for people to
/// look at.
#[test]
fn printouts_for_people_to_look_at() {
    let Some(folder) = std::env::var_os("HUB_TEST_PDF_OUT") else {
        eprintln!("skipped: HUB_TEST_PDF_OUT names no folder");
        return;
    };
    for (name, mdfe) in all() {
        let pdf = damdfe(&mdfe.xml(), &PrintOptions::default()).expect(name);
        let file = std::path::Path::new(&folder).join(format!("damdfe-{name}.pdf"));
        std::fs::write(file, pdf).expect("write");
    }
}
