//! What the drawn note shows, and that it is fit to be read.

use super::*;
use crate::danfse::{Ambiente, Destinatario, Pessoa, Situacao, render, sheet};
use crate::pdf::font::{Fonte, largura};
use crate::pdf::sheet::{A4_ALTURA as ALTURA, A4_LARGURA as LARGURA, Item};
use judges::tool;

/// Prose of so many characters, no two sentences alike.
fn prosa(caracteres: usize) -> String {
    (1..)
        .map(|n| format!("Item {n}: manutenção preventiva e inspeção técnica. "))
        .flat_map(|frase| frase.chars().collect::<Vec<_>>())
        .take(caracteres)
        .collect()
}

/// The notes whose layout is looked at.
fn notas() -> Vec<(&'static str, Danfse)> {
    let com = |mudar: &dyn Fn(&mut Danfse)| {
        let mut d = nacional();
        mudar(&mut d);
        d
    };
    vec![
        ("all groups", nacional()),
        ("empty", Danfse::default()),
        ("city", abrasf()),
        (
            "2,000 characters",
            com(&|d| d.servico.descricao = prosa(2_000)),
        ),
        (
            "many pages",
            com(&|d| {
                d.servico.descricao = prosa(30_000);
                d.informacoes = vec![prosa(30_000), "x".repeat(5_000)];
            }),
        ),
        ("cancelled", com(&|d| d.situacao = Situacao::Cancelada)),
        (
            "all marks",
            com(&|d| {
                d.simulada = true;
                d.ambiente = Ambiente::Homologacao;
                d.situacao = Situacao::Substituida;
            }),
        ),
        ("outside ISSQN", com(&|d| d.iss.nao_sujeita = true)),
        (
            "everything too long",
            com(&|d| {
                let longo = "M".repeat(700);
                let pessoa = Pessoa {
                    documento: longo.clone(),
                    inscricao_municipal: longo.clone(),
                    nome: prosa(700),
                    telefone: longo.clone(),
                    email: longo.clone(),
                    endereco: prosa(300),
                    cep: longo.clone(),
                    ..Pessoa::default()
                };
                d.chave.clone_from(&longo);
                d.numero.clone_from(&longo);
                d.municipio.nome.clone_from(&longo);
                d.ambiente_gerador.clone_from(&longo);
                d.situacao_texto.clone_from(&longo);
                d.tomador = Some(pessoa.clone());
                d.destinatario = Destinatario::Outro(Box::new(pessoa.clone()));
                d.intermediario = Some(pessoa);
                d.iss.beneficio.clone_from(&longo);
                d.totais.liquido = Some(rust_decimal::Decimal::MAX);
            }),
        ),
    ]
}

/// Left, top, right and bottom of each text of a page.
fn caixas(pagina: &[Item]) -> Vec<([f32; 4], &[u8])> {
    pagina
        .iter()
        .filter_map(|item| match item {
            Item::Texto {
                x,
                y,
                tamanho,
                fonte,
                texto,
                ..
            } => {
                let direita = x + largura(texto, *fonte, *tamanho);
                // From the top of the capitals to the foot of a comma.
                Some((
                    [*x, y - tamanho * 0.72, direita, y + tamanho * 0.1],
                    &**texto,
                ))
            }
            Item::Qr { x, y, lado } => Some(([*x, *y, x + lado, y + lado], b"QR".as_slice())),
            _ => None,
        })
        .collect()
}

#[test]
fn nothing_overlaps_and_nothing_leaves_the_page() {
    for (name, d) in notas() {
        for pagina in sheet::montar(&d).paginas {
            let caixas = caixas(&pagina);
            for (at, ([x, y, right, bottom], texto)) in caixas.iter().enumerate() {
                let texto = String::from_utf8_lossy(texto);
                assert!(
                    *x > 4.0 && *y > 4.0 && *right < LARGURA - 4.0 && *bottom < ALTURA - 4.0,
                    "{name}: {texto} leaves the page"
                );
                for ([ox, oy, oright, obottom], other) in caixas.iter().skip(at + 1) {
                    let apart = right <= ox || oright <= x || bottom <= oy || obottom <= y;
                    let other = String::from_utf8_lossy(other);
                    assert!(apart, "{name}: {texto} lies on {other}");
                }
            }
        }
    }
}

#[test]
fn a_note_takes_one_page_unless_it_has_much_to_say() {
    for (name, d) in notas() {
        let pages = sheet::montar(&d).paginas.len();
        let expected = match name {
            "many pages" => 2..=8,
            "everything too long" => 1..=3,
            _ => 1..=1,
        };
        assert!(expected.contains(&pages), "{name}: {pages} pages");
    }
    // Line breaks alone end, and say so.
    let mut d = nacional();
    d.servico.descricao = "a\n".repeat(16_000);
    let folhas = sheet::montar(&d);
    assert!(folhas.paginas.len() < 20);
    let says = |item: &Item| matches!(item, Item::Texto { texto, .. } if texto.starts_with(b"[Texto interrompido"));
    assert_eq!(
        folhas
            .paginas
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
    let mut d = nacional();
    d.situacao = Situacao::Cancelada;
    for situacao in [Situacao::Cancelada, Situacao::Substituida] {
        d.situacao = situacao;
        for marca in sheet::montar(&d).marcas {
            // NT 008, items 2.5.1 and 2.5.2: 50 points at least.
            assert!(marca.tamanho >= 50.0);
            assert!(largura(&marca.texto, Fonte::Negrito, marca.tamanho) < ALTURA);
        }
    }
    d.situacao = Situacao::Normal;
    assert!(sheet::montar(&d).marcas.is_empty());
}

/// The text a reader finds, without line breaks. None without the tool.
fn texto(d: &Danfse) -> Option<String> {
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
    let Some(nacional) = texto(&nacional()) else {
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
        assert!(nacional.contains(part), "{part} is not in: {nacional}");
    }
    for part in ["SEM VAL", "CANCELADA", "SIMULADA", "Página"] {
        assert!(!nacional.contains(part), "{part}");
    }

    let abrasf = texto(&abrasf()).expect("the tool was there");
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
    let mut d = nacional();
    d.ambiente = Ambiente::Homologacao;
    d.situacao = Situacao::Substituida;
    let Some(text) = texto(&d) else {
        return;
    };
    // Item 2.4.3, in red in the head; and our own mark.
    assert!(text.contains("NFS-e SEM VALIDADE JURÍDICA"));
    assert!(
        text.contains("SEM VALOR FISCAL - AMBIENTE DE HOMOLOGAÇÃO"),
        "{text}"
    );
    assert!(text.contains("SUBSTITUÍDA"));
    d.simulada = true;
    let text = texto(&d).expect("the tool was there");
    assert!(text.contains("NFS-e SIMULADA, SEM VALIDADE JURÍDICA"));
}

#[test]
fn a_long_text_is_there_to_the_last_word() {
    let mut d = nacional();
    d.servico.descricao = prosa(30_000);
    d.informacoes = vec![prosa(9_000).replace("Item", "Nota")];
    let Some(text) = texto(&d) else {
        return;
    };
    for (n, sentence) in d.servico.descricao.split_inclusive(". ").enumerate() {
        let start: String = sentence.split(':').next().unwrap_or("").to_owned();
        assert!(text.contains(start.trim()), "sentence {n} is lost");
    }
    let (_, end) = d
        .informacoes
        .first()
        .and_then(|t| t.rsplit_once("Nota"))
        .expect("notes");
    assert!(text.contains(end.trim()));
    assert!(text.contains("Página 2 de"));
    assert!(text.contains("DANFSe v2.0 (continuação) NFS-e nº 146"));
}

#[test]
fn the_qr_code_is_read_from_the_printed_page() {
    let mut d = nacional();
    d.url_consulta =
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
    assert_eq!(String::from_utf8_lossy(&read.stdout).trim(), d.url_consulta);
}
