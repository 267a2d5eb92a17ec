//! What the drawn note shows, and that it is fit to be read.

use super::{abrasf, national};
use judges::tool;
use prints::danfse::{Ambiente, Danfse, Party, Recipient, Status, render, sheet};
use prints::pdf::font::{Font, width};
use prints::pdf::sheet::{A4_HEIGHT as HEIGHT, A4_WIDTH as WIDTH, Item};

/// Prose of so many characters, no two sentences alike.
fn prose(characters: usize) -> String {
    (1..)
        .map(|n| format!("Item {n}: manutenção preventiva e inspeção técnica. "))
        .flat_map(|sentence| sentence.chars().collect::<Vec<_>>())
        .take(characters)
        .collect()
}

/// The notes whose layout is looked at.
fn notas() -> Vec<(&'static str, Danfse)> {
    let with = |change: &dyn Fn(&mut Danfse)| {
        let mut d = national();
        change(&mut d);
        d
    };
    vec![
        ("all groups", national()),
        ("empty", Danfse::default()),
        ("city", abrasf()),
        (
            "2,000 characters",
            with(&|d| d.service.description = prose(2_000)),
        ),
        (
            "many pages",
            with(&|d| {
                d.service.description = prose(30_000);
                d.information = vec![prose(30_000), "x".repeat(5_000)];
            }),
        ),
        ("cancelled", with(&|d| d.status = Status::Cancelled)),
        (
            "all marks",
            with(&|d| {
                d.simulated = true;
                d.ambiente = Ambiente::Homologacao;
                d.status = Status::Replaced;
            }),
        ),
        ("outside ISSQN", with(&|d| d.iss.not_subject = true)),
        (
            "everything too long",
            with(&|d| {
                let along = "M".repeat(700);
                let party = Party {
                    document: along.clone(),
                    municipal_registration: along.clone(),
                    name: prose(700),
                    telephone: along.clone(),
                    email: along.clone(),
                    address: prose(300),
                    cep: along.clone(),
                    ..Party::default()
                };
                d.chave.clone_from(&along);
                d.number.clone_from(&along);
                d.municipality.name.clone_from(&along);
                d.generator.clone_from(&along);
                d.status_text.clone_from(&along);
                d.tomador = Some(party.clone());
                d.recipient = Recipient::Other(Box::new(party.clone()));
                d.intermediary = Some(party);
                d.iss.benefit.clone_from(&along);
                d.totals.net = Some(rust_decimal::Decimal::MAX);
            }),
        ),
    ]
}

/// Left, top, right and bottom of each text of a page.
fn frames(page: &[Item]) -> Vec<([f32; 4], &[u8])> {
    page.iter()
        .filter_map(|item| match item {
            Item::Text {
                x,
                y,
                size,
                font,
                text,
                ..
            } => {
                let right = x + width(text, *font, *size);
                // From the top of the capitals to the foot of a comma.
                Some(([*x, y - size * 0.72, right, y + size * 0.1], &**text))
            }
            Item::Qr { x, y, side } => Some(([*x, *y, x + side, y + side], b"QR".as_slice())),
            _ => None,
        })
        .collect()
}

#[test]
fn nothing_overlaps_and_nothing_leaves_the_page() {
    for (name, d) in notas() {
        for page in sheet::assemble(&d).pages {
            let frames = frames(&page);
            for (at, ([x, y, right, bottom], text)) in frames.iter().enumerate() {
                let text = String::from_utf8_lossy(text);
                assert!(
                    *x > 4.0 && *y > 4.0 && *right < WIDTH - 4.0 && *bottom < HEIGHT - 4.0,
                    "{name}: {text} leaves the page"
                );
                for ([other_x, other_y, other_right, other_bottom], other) in
                    frames.iter().skip(at + 1)
                {
                    let apart = right <= other_x
                        || other_right <= x
                        || bottom <= other_y
                        || other_bottom <= y;
                    let other = String::from_utf8_lossy(other);
                    assert!(apart, "{name}: {text} lies on {other}");
                }
            }
        }
    }
}

#[test]
fn a_note_takes_one_page_unless_it_has_much_to_say() {
    for (name, d) in notas() {
        let pages = sheet::assemble(&d).pages.len();
        let expected = match name {
            "many pages" => 2..=8,
            "everything too long" => 1..=3,
            _ => 1..=1,
        };
        assert!(expected.contains(&pages), "{name}: {pages} pages");
    }
    // Line breaks alone end, and say so.
    let mut d = national();
    d.service.description = "a\n".repeat(16_000);
    let sheets = sheet::assemble(&d);
    assert!(sheets.pages.len() < 20);
    let says = |item: &Item| matches!(item, Item::Text { text, .. } if text.starts_with(b"[Texto interrompido"));
    assert_eq!(
        sheets
            .pages
            .iter()
            .flatten()
            .filter(|item| says(item))
            .count(),
        1
    );
}

#[test]
fn the_same_note_gives_the_same_bytes() {
    for (name, d) in notas() {
        let pdf = render(&d);
        assert_eq!(pdf, render(&d), "{name}");
        assert!(
            pdf.ends_with(b"%%EOF") || pdf.ends_with(b"%%EOF\n"),
            "{name}"
        );
        assert!(!pdf.windows(13).any(|w| w == b"/CreationDate"), "{name}");
    }
}

#[test]
fn marks_are_large_and_stay_on_the_page() {
    let mut d = national();
    d.status = Status::Cancelled;
    for status in [Status::Cancelled, Status::Replaced] {
        d.status = status;
        for mark in sheet::assemble(&d).marks {
            // NT 008, items 2.5.1 and 2.5.2: 50 points at least.
            assert!(mark.size >= 50.0);
            assert!(width(&mark.text, Font::Bold, mark.size) < HEIGHT);
        }
    }
    d.status = Status::Normal;
    assert!(sheet::assemble(&d).marks.is_empty());
}

/// The text a reader finds, without line breaks. None without the tool.
fn text_of(d: &Danfse) -> Option<String> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("nota.pdf");
    std::fs::write(&file, render(d)).expect("write");
    let output = tool("pdftotext", &["-raw", file.to_str().expect("path"), "-"])?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("text");
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_text_can_be_searched() {
    let Some(national) = text_of(&national()) else {
        return;
    };
    for part in [
        "DANFSe v2.0",
        "Município: Rio de Janeiro / RJ",
        "Tipo de Ambiente: Produção",
        "CHAVE DE ACESSO DA NFS-e 3304557212ABC34501DE35000000000014625124504258429",
        "30/08/2026 19:01:35",
        "12.ABC.345/01DE-35",
        "11.222.333/0001-81",
        "529.982.247-25",
        "(21) 98765-4321",
        "3303302 / 24.020-077",
        "Comércio & Indústria São João S.A.",
        "London / England - GB",
        "01.01.01 / 001",
        "1.1502.10.00",
        "Exigibilidade Suspensa por Decisão Judicial",
        "R$ 10.000,00",
        "R$ 9.787,50",
        "60,00% / - / -",
        "VALOR LÍQUIDO DA NFS-e + IBS/CBS",
        "R$ 9.472,40",
        "Doc. Ref.: CT-77 | Cod. Obra: OBRA-9",
        "Federais: 13,45%",
    ] {
        assert!(national.contains(part), "{part} is not in: {national}");
    }
    for part in ["SEM VAL", "CANCELADA", "SIMULADA", "Página"] {
        assert!(!national.contains(part), "{part}");
    }

    let abrasf = text_of(&abrasf()).expect("the tool was there");
    for part in [
        "NFS-e MUNICIPAL",
        "CÓDIGO DE VERIFICAÇÃO DA NFS-e AB12-CD34",
        "NÚMERO DO RPS",
        "03/2026",
        "Maria da Conceição",
        "01.07 / -",
        "Suporte técnico Mês de março",
        "INTERMEDIÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e",
        "R$ 1.447,50",
    ] {
        assert!(abrasf.contains(part), "{part} is not in: {abrasf}");
    }
    assert!(!abrasf.contains("DESTINATÁRIO"));
}

#[test]
fn marks_and_warnings_are_printed() {
    let mut d = national();
    d.ambiente = Ambiente::Homologacao;
    d.status = Status::Replaced;
    let Some(text) = text_of(&d) else {
        return;
    };
    // Item 2.4.3, in red in the head; and our own mark.
    assert!(text.contains("NFS-e SEM VALIDADE JURÍDICA"));
    assert!(
        text.contains("SEM VALOR FISCAL - AMBIENTE DE HOMOLOGAÇÃO"),
        "{text}"
    );
    assert!(text.contains("SUBSTITUÍDA"));
    d.simulated = true;
    let text = text_of(&d).expect("the tool was there");
    assert!(text.contains("NFS-e SIMULADA, SEM VALIDADE JURÍDICA"));
    // A city's file of before the event does not know of it; the field of the national layout is `cStat`.
    let mut city = abrasf();
    city.status_text = "NFS-e emitida".to_owned();
    for (status, said) in [
        (Status::Normal, "NFS-e emitida"),
        (Status::Cancelled, "NFS-e cancelada"),
        (Status::Replaced, "NFS-e substituída"),
    ] {
        city.status = status;
        let text = text_of(&city).expect("the tool was there");
        assert!(text.contains(said), "{said}: {text}");
        assert_eq!(
            text.contains("NFS-e emitida"),
            status == Status::Normal,
            "{text}"
        );
    }
}

#[test]
fn a_long_text_is_there_to_the_last_word() {
    let mut d = national();
    d.service.description = prose(30_000);
    d.information = vec![prose(9_000).replace("Item", "Nota")];
    let Some(text) = text_of(&d) else {
        return;
    };
    for (n, sentence) in d.service.description.split_inclusive(". ").enumerate() {
        let start: String = sentence.split(':').next().unwrap_or("").to_owned();
        assert!(text.contains(start.trim()), "sentence {n} is lost");
    }
    let (_, end) = d
        .information
        .first()
        .and_then(|t| t.rsplit_once("Nota"))
        .expect("notes");
    assert!(text.contains(end.trim()));
    assert!(text.contains("Página 2 de"));
    assert!(text.contains("DANFSe v2.0 (continuação) NFS-e nº 146"));
}

#[test]
fn the_qr_code_is_read_from_the_printed_page() {
    let mut d = national();
    d.query_url =
        "https://www.nfse.gov.br/ConsultaPublica/?tpc=1&chave=33045572112223330001810000000000014525124504258420"
            .to_owned();
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("nota.pdf");
    std::fs::write(&file, render(&d)).expect("write");
    let picture = folder.path().join("nota");
    let paths = [&file, &picture].map(|path| path.to_str().expect("path"));
    let [file, picture] = paths;
    let Some(drawn) = tool(
        "pdftoppm",
        &["-r", "300", "-png", "-singlefile", file, picture],
    ) else {
        return;
    };
    assert!(drawn.status.success());
    let Some(read) = tool("zbarimg", &["--quiet", "--raw", &format!("{picture}.png")]) else {
        return;
    };
    assert_eq!(String::from_utf8_lossy(&read.stdout).trim(), d.query_url);
}
