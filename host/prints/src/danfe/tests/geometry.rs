//! Where things stand: nothing overlaps, nothing leaves the page, bar codes have
//! their measures.

use crate::danfe::nota::Nota;
use crate::danfe::tests::generator::{Gerador, cartas, cupons, notas};
use crate::danfe::{Leiaute, Opcoes, Orientacao, a4};
use crate::pdf::font::largura;
use crate::pdf::sheet::{Folhas, Item};
use markup::xml::Document;

/// Every printout as things to draw, by name.
fn folhas() -> Vec<(String, Folhas)> {
    let mut out = Vec::new();
    for (nome, nota) in notas() {
        let xml = nota.xml();
        let doc = Document::parse(&xml).expect(nome);
        let nota = Nota::ler(&doc).expect(nome);
        for orientacao in [Orientacao::Retrato, Orientacao::Paisagem] {
            for leiaute in [Leiaute::Moc7, Leiaute::Nt2026010] {
                let opcoes = Opcoes {
                    orientacao: Some(orientacao),
                    leiaute,
                    ..Opcoes::default()
                };
                let folhas = a4::montar(&nota, &opcoes, None).expect(nome);
                out.push((format!("{nome} {orientacao:?} {leiaute:?}"), folhas));
            }
        }
    }
    for (nome, nota, opcoes) in cupons() {
        let xml = nota.xml();
        let doc = Document::parse(&xml).expect(nome);
        let nota = Nota::ler(&doc).expect(nome);
        let folhas = crate::danfe::nfce::montar(&nota, &opcoes, None).expect(nome);
        out.push((nome.to_owned(), folhas));
    }
    let nota = Gerador::default();
    let da_nota = nota.xml();
    let da_nota = Document::parse(&da_nota).expect("note");
    let da_nota = Nota::ler(&da_nota).expect("note");
    for quantas in [1, 20] {
        let xml = cartas(&nota, quantas);
        let doc = Document::parse(&xml).expect("letters");
        for quem in [None, Some(&da_nota)] {
            let folhas = crate::danfe::cce::montar(&doc, quem, &Opcoes::default(), None);
            out.push((format!("cce {quantas}"), folhas.expect("letters")));
        }
    }
    out
}

/// Left, top, right and bottom of something printed, and what it is.
type Caixa = ([f32; 4], String);

fn caixas(pagina: &[Item]) -> Vec<Caixa> {
    let dizer = |texto: &[u8]| texto.iter().map(|b| char::from(*b)).collect::<String>();
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
                // From the top of the capitals to the foot of a comma.
                let direita = x + largura(texto, *fonte, *tamanho);
                Some((
                    [*x, y - tamanho * 0.66, direita, y + tamanho * 0.1],
                    dizer(texto),
                ))
            }
            Item::TextoEmPe {
                x,
                y,
                tamanho,
                fonte,
                texto,
            } => {
                let cima = y - largura(texto, *fonte, *tamanho);
                Some((
                    [x - tamanho * 0.66, cima, x + tamanho * 0.1, *y],
                    dizer(texto),
                ))
            }
            Item::Qr { x, y, lado } => Some(([*x, *y, x + lado, y + lado], "QR".to_owned())),
            Item::Barras {
                x,
                y,
                altura,
                modulo,
                larguras,
            } => {
                let total: f32 = larguras.iter().map(|l| f32::from(*l) * modulo).sum();
                Some(([*x, *y, x + total, y + altura], "bar code".to_owned()))
            }
            _ => None,
        })
        .collect()
}

/// Ends of each line and each side of a box.
fn tracos(pagina: &[Item]) -> Vec<[f32; 4]> {
    pagina
        .iter()
        .flat_map(|item| match item {
            Item::Linha {
                x, y, ate_x, ate_y, ..
            } => vec![[*x, *y, *ate_x, *ate_y]],
            Item::Caixa {
                x,
                y,
                largura,
                altura,
                ..
            } => {
                let (direita, fundo) = (x + largura, y + altura);
                vec![
                    [*x, *y, direita, *y],
                    [*x, fundo, direita, fundo],
                    [*x, *y, *x, fundo],
                    [direita, *y, direita, fundo],
                ]
            }
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn nothing_overlaps_nothing_is_crossed_and_nothing_leaves_the_page() {
    let mut vistos = 0;
    for (nome, folhas) in folhas() {
        let (largura, altura) = folhas.tamanho;
        // Pages after the third look like the third; the last one is its own.
        let ultima = folhas.paginas.len().saturating_sub(1);
        for (numero, pagina) in folhas.paginas.iter().enumerate() {
            if numero > 3 && numero < ultima {
                continue;
            }
            let mut caixas = caixas(pagina);
            let tracos = tracos(pagina);
            caixas.sort_by(|a, b| a.0[1].total_cmp(&b.0[1]));
            for (at, ([x, y, direita, fundo], texto)) in caixas.iter().enumerate() {
                assert!(
                    *x > 4.0 && *y > 4.0 && *direita < largura - 4.0 && *fundo < altura - 4.0,
                    "{nome}, page {numero}: {texto} leaves the page"
                );
                // Sorted by their tops: whatever begins below the foot is apart.
                let perto = caixas.iter().skip(at + 1);
                for ([ox, oy, odireita, _], outro) in perto.take_while(|(b, _)| b[1] < *fundo) {
                    let apart = direita <= ox || odireita <= x || fundo <= oy;
                    assert!(apart, "{nome}, page {numero}: {texto} lies on {outro}");
                }
                for [de_x, de_y, ate_x, ate_y] in &tracos {
                    // A point of the line inside of the text, a hair from its edge.
                    let crossed = *de_x < *direita - 0.2
                        && *ate_x > *x + 0.2
                        && *de_y < *fundo - 0.2
                        && *ate_y > *y + 0.2;
                    assert!(!crossed, "{nome}, page {numero}: a line through {texto}");
                }
                vistos += 1;
            }
        }
    }
    assert!(vistos > 10_000, "{vistos}");
}

/// Words of a page, as printed.
fn textos(pagina: &[Item]) -> Vec<String> {
    caixas(pagina).into_iter().map(|(_, texto)| texto).collect()
}

#[test]
fn the_first_page_has_no_hole_and_begins_the_items() {
    let mut vistas = 0;
    for (nome, folhas) in folhas() {
        let Some(pagina) = folhas.paginas.first() else {
            continue;
        };
        let (largura, altura) = folhas.tamanho;
        // Coupons and letters are other things.
        if altura.max(largura).round() != 842.0 || nome.starts_with("cce") {
            continue;
        }
        let mut faixas: Vec<(f32, f32)> = pagina
            .iter()
            .filter_map(|item| match item {
                // Not the stub of a lying page.
                Item::Caixa { x, y, altura, .. } if largura < 800.0 || *x > 70.0 => {
                    Some((*y, y + altura))
                }
                _ => None,
            })
            .collect();
        faixas.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut fundo = faixas.first().map_or(0.0, |faixa| faixa.1);
        for (topo, ate) in faixas {
            // A title, or the line to cut along.
            assert!(topo - fundo < 13.0, "{nome}: a hole from {fundo} to {topo}");
            fundo = fundo.max(ate);
        }
        assert!(altura - fundo < 20.0, "{nome}: a hole below {fundo}");
        let textos = textos(pagina);
        let tem = |parte: &str| textos.iter().any(|texto| texto.starts_with(parte));
        assert!(tem("TRANSPORTADOR"), "{nome}");
        // On a lying page both places and an invoice leave no room for them.
        if !(nome.contains("Paisagem") && nome.contains("Nt2026010") && tem("INFORMAÇÕES DO LOCAL"))
        {
            assert!(tem("SKU00001"), "{nome}: no item on the first page");
        }
        vistas += 1;
    }
    assert!(vistas > 60, "{vistas}");
}

#[test]
fn items_get_the_room_the_additional_data_leave() {
    let nota = Gerador {
        itens: 60,
        reforma: true,
        simples: true,
        tp_imp: 2,
        inf_cpl: String::new(),
        ..Gerador::default()
    };
    let xml = nota.xml();
    let doc = Document::parse(&xml).expect("a note");
    let nota = Nota::ler(&doc).expect("a note");
    let folhas = a4::montar(&nota, &Opcoes::default(), None).expect("pages");
    let primeira = textos(folhas.paginas.first().expect("a page"));
    let itens = primeira.iter().filter(|texto| texto.starts_with("SKU"));
    assert!(itens.count() >= 3, "{primeira:?}");
}

#[test]
fn marks_stay_on_their_page() {
    for folha in [
        (595.0, 842.0),
        (842.0, 595.0),
        (164.0, 500.0),
        (227.0, 9_000.0),
    ] {
        for palavras in [
            &["SEM VALOR FISCAL"][..],
            &["SEM VALOR FISCAL", "CANCELADA", "SIMULADA"],
        ] {
            for marca in crate::pdf::writing::marcas(palavras, folha, 60.0) {
                let ocupa = largura(
                    &marca.texto,
                    crate::pdf::font::Fonte::Negrito,
                    marca.tamanho,
                );
                assert!(ocupa * 0.6 < folha.0 && ocupa * 0.8 < folha.1);
                assert!(marca.tamanho > 8.0, "{folha:?} {}", marca.tamanho);
            }
        }
    }
}

#[test]
fn bar_codes_have_the_measures_of_the_technical_note() {
    // NT 2025.001 conjunta: 11.5 cm wide where there are letters, 0.8 cm high,
    // no bar finer than 0.02 cm.
    const CM: f32 = 72.0 / 2.54;
    let mut vistos = 0;
    for (nome, folhas) in folhas() {
        for item in folhas.paginas.iter().flatten() {
            if let Item::Barras {
                altura,
                modulo,
                larguras,
                ..
            } = item
            {
                let total: f32 = larguras.iter().map(|l| f32::from(*l) * modulo).sum();
                let menor = if nome.contains("alfanumerico") {
                    11.5
                } else {
                    6.0
                };
                assert!(total >= menor * CM, "{nome}: {}", total / CM);
                assert!(*altura >= 0.8 * CM && *modulo >= 0.02 * CM, "{nome}");
                vistos += 1;
            }
        }
    }
    assert!(vistos > 50);
}
