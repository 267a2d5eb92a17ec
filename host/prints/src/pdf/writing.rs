//! Writes the finished pages as PDF 1.7: standard fonts, no file identifier and
//! no dates, so the same note gives the same bytes.

use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::deflate::comprimir;
use crate::pdf::font::{Fonte, largura, win_ansi};
use crate::pdf::image::Imagem;
use crate::pdf::sheet::{Folhas, Item, Marca};

const CATALOGO: Ref = Ref::new(1);
const PAGINAS: Ref = Ref::new(2);
const INFO: Ref = Ref::new(3);
const QR: Ref = Ref::new(4);
const LOGO: Ref = Ref::new(5);
const LOGO_MASCARA: Ref = Ref::new(6);
/// One object for each font from here on.
const FONTES: i32 = 7;
/// Two objects for each page from here on.
const PRIMEIRA: i32 = 11;

/// Direction of the marks across the page: a right triangle of 3, 4 and 5, so
/// no sine is computed and every machine writes the same digits.
const COSSENO: f32 = 0.6;
const SENO: f32 = 0.8;

/// From one mark to the next, in sizes.
const ENTRE_MARCAS: f32 = 1.4;

/// Grey of shaded fields: 5 % (NT 008, item 2.2.3).
const CINZA_SOMBRA: f32 = 0.95;

/// The document as PDF, with this title.
pub(crate) fn escrever(titulo: &str, folhas: &Folhas) -> Vec<u8> {
    let (largura, altura) = folhas.tamanho;
    let mut pdf = Pdf::new();
    let ids: Vec<(Ref, Ref)> = (0i32..)
        .zip(&folhas.paginas)
        .map(|(at, _)| {
            let id = PRIMEIRA + 2 * at;
            (Ref::new(id), Ref::new(id + 1))
        })
        .collect();

    let mut catalogo = pdf.catalog(CATALOGO);
    catalogo.pages(PAGINAS).lang(TextStr("pt-BR"));
    catalogo.viewer_preferences().display_doc_title(true);
    catalogo.finish();
    pdf.document_info(INFO).title(TextStr(titulo));
    pdf.pages(PAGINAS)
        .kids(ids.iter().map(|(page, _)| *page))
        .count(i32::try_from(ids.len()).unwrap_or(i32::MAX));
    let fontes = usadas(folhas);
    for fonte in &fontes {
        pdf.type1_font(objeto_da(*fonte))
            .base_font(Name(fonte.base()))
            .encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    if let Some(qr) = &folhas.qr {
        let lado = i32::try_from(qr.size()).unwrap_or(0);
        let linhas = qr.rows_one_bit();
        let mut imagem = pdf.image_xobject(QR, &linhas);
        imagem.width(lado).height(lado).bits_per_component(1);
        imagem.color_space().device_gray();
        imagem.interpolate(false);
    }
    if let Some(logo) = &folhas.logo {
        desenhar_logo(&mut pdf, logo);
    }

    for ((page, conteudo), itens) in ids.iter().zip(&folhas.paginas) {
        let mut page = pdf.page(*page);
        page.parent(PAGINAS)
            .media_box(Rect::new(0.0, 0.0, ponto(largura), ponto(altura)))
            .contents(*conteudo);
        let mut recursos = page.resources();
        let mut dicionario = recursos.fonts();
        for fonte in &fontes {
            dicionario.pair(nome_da(*fonte), objeto_da(*fonte));
        }
        dicionario.finish();
        if folhas.qr.is_some() || folhas.logo.is_some() {
            let mut objetos = recursos.x_objects();
            if folhas.qr.is_some() {
                objetos.pair(Name(b"Q"), QR);
            }
            if folhas.logo.is_some() {
                objetos.pair(Name(b"L"), LOGO);
            }
        }
        recursos.finish();
        page.finish();
        let tinta = pintar(itens, folhas);
        match comprimir(&tinta) {
            Some(menor) => {
                pdf.stream(*conteudo, &menor).filter(Filter::FlateDecode);
            }
            None => {
                pdf.stream(*conteudo, &tinta);
            }
        }
    }
    pdf.finish()
}

/// Fonts that are drawn with, in the order of [`Fonte::TODAS`].
fn usadas(folhas: &Folhas) -> Vec<Fonte> {
    let marcadas = if folhas.marcas.is_empty() {
        None
    } else {
        Some(Fonte::Negrito)
    };
    Fonte::TODAS
        .into_iter()
        .filter(|uma| {
            marcadas == Some(*uma)
                || folhas.paginas.iter().flatten().any(|item| {
                    matches!(item, Item::Texto { fonte, .. } | Item::TextoEmPe { fonte, .. } if fonte == uma)
                })
        })
        .collect()
}

fn desenhar_logo(pdf: &mut Pdf, logo: &Imagem) {
    let mut imagem = pdf.image_xobject(LOGO, &logo.dados);
    imagem.filter(if logo.jpeg {
        Filter::DctDecode
    } else {
        Filter::FlateDecode
    });
    imagem
        .width(logo.largura)
        .height(logo.altura)
        .bits_per_component(8);
    match logo.componentes {
        1 => imagem.color_space().device_gray(),
        3 => imagem.color_space().device_rgb(),
        _ => imagem.color_space().device_cmyk(),
    };
    if logo.invertido {
        imagem.decode([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    }
    if logo.mascara.is_some() {
        imagem.s_mask(LOGO_MASCARA);
    }
    imagem.finish();
    if let Some(mascara) = &logo.mascara {
        let mut imagem = pdf.image_xobject(LOGO_MASCARA, mascara);
        imagem.filter(Filter::FlateDecode);
        imagem
            .width(logo.largura)
            .height(logo.altura)
            .bits_per_component(8);
        imagem.color_space().device_gray();
    }
}

/// Grey first, then the marks, then all that has to be read over them.
fn pintar(itens: &[Item], folhas: &Folhas) -> Vec<u8> {
    let altura_da_folha = folhas.tamanho.1;
    let mut tinta = Content::new();
    tinta.set_fill_gray(CINZA_SOMBRA);
    for item in itens {
        if let Item::Sombra {
            x,
            y,
            largura,
            altura,
        } = item
        {
            let fundo = ponto(altura_da_folha - (y + altura));
            rectangle(&mut tinta, *x, fundo, *largura, *altura).fill_nonzero();
        }
    }
    marcar(&mut tinta, &folhas.marcas, folhas.tamanho);
    tinta.set_fill_gray(0.0);
    for item in itens {
        draw(&mut tinta, item, altura_da_folha);
    }
    tinta.finish().into_vec()
}

/// Draws an item in black; shades were drawn before.
fn draw(tinta: &mut Content, item: &Item, altura_da_folha: f32) {
    let abaixo = |y: f32| ponto(altura_da_folha - y);
    match item {
        Item::Sombra { .. } => {}
        Item::Linha {
            x,
            y,
            ate_x,
            ate_y,
            espessura,
        } => {
            tinta.set_line_width(*espessura);
            stroke(
                tinta,
                (ponto(*x), abaixo(*y)),
                (ponto(*ate_x), abaixo(*ate_y)),
            );
        }
        Item::Picote { x, y, ate_x, ate_y } => {
            tinta.set_line_width(0.5).set_dash_pattern([3.0, 2.0], 0.0);
            stroke(
                tinta,
                (ponto(*x), abaixo(*y)),
                (ponto(*ate_x), abaixo(*ate_y)),
            );
            tinta.set_dash_pattern([], 0.0);
        }
        Item::Caixa {
            x,
            y,
            largura,
            altura,
            espessura,
        } => {
            tinta.set_line_width(*espessura);
            rectangle(tinta, *x, abaixo(y + altura), *largura, *altura).stroke();
        }
        Item::Barras {
            x,
            y,
            altura,
            modulo,
            larguras,
        } => bars(tinta, (*x, abaixo(y + altura)), *altura, *modulo, larguras),
        Item::Texto {
            x,
            y,
            tamanho,
            fonte,
            vermelho,
            texto,
        } => text(
            tinta,
            (*x, abaixo(*y)),
            (*fonte, *tamanho),
            *vermelho,
            texto,
        ),
        Item::TextoEmPe {
            x,
            y,
            tamanho,
            fonte,
            texto,
        } => rising_text(tinta, (*x, abaixo(*y)), (*fonte, *tamanho), texto),
        Item::Qr { x, y, lado } => quadro(tinta, *x, abaixo(y + lado), *lado, *lado, b"Q"),
        Item::Logo {
            x,
            y,
            largura,
            altura,
        } => quadro(tinta, *x, abaixo(y + altura), *largura, *altura, b"L"),
    }
}

/// The outline of a rectangle above `fundo`, to be stroked or filled.
fn rectangle(tinta: &mut Content, x: f32, fundo: f32, largura: f32, altura: f32) -> &mut Content {
    tinta.rect(ponto(x), fundo, ponto(largura), ponto(altura))
}

/// A line of text to the right, in black or red.
fn text(
    tinta: &mut Content,
    (x, y): (f32, f32),
    (fonte, tamanho): (Fonte, f32),
    vermelho: bool,
    texto: &[u8],
) {
    if vermelho {
        tinta.set_fill_rgb(1.0, 0.0, 0.0);
    }
    tinta
        .begin_text()
        .set_font(nome_da(fonte), ponto(tamanho))
        .next_line(ponto(x), y)
        .show(Str(texto))
        .end_text();
    if vermelho {
        tinta.set_fill_gray(0.0);
    }
}

/// A line of text that runs upwards.
fn rising_text(
    tinta: &mut Content,
    (x, y): (f32, f32),
    (fonte, tamanho): (Fonte, f32),
    texto: &[u8],
) {
    tinta
        .begin_text()
        .set_font(nome_da(fonte), ponto(tamanho))
        .set_text_matrix([0.0, 1.0, -1.0, 0.0, ponto(x), y])
        .show(Str(texto))
        .end_text();
}

/// A straight line between two points of the page.
fn stroke(tinta: &mut Content, de: (f32, f32), ate: (f32, f32)) {
    tinta.move_to(de.0, de.1).line_to(ate.0, ate.1).stroke();
}

/// Every other width is a bar, the ones between are white.
fn bars(
    tinta: &mut Content,
    (mut x, fundo): (f32, f32),
    altura: f32,
    modulo: f32,
    larguras: &[u8],
) {
    for (at, largura) in larguras.iter().enumerate() {
        let largura = f32::from(*largura) * modulo;
        if at % 2 == 0 {
            // Finer than a hundredth: bars must not grow uneven.
            tinta.rect(fino(x), fundo, fino(largura), ponto(altura));
        }
        x += largura;
    }
    tinta.fill_nonzero();
}

/// A picture of the document, as large as this.
fn quadro(tinta: &mut Content, x: f32, fundo: f32, largura: f32, altura: f32, nome: &[u8]) {
    tinta
        .save_state()
        .transform([ponto(largura), 0.0, 0.0, ponto(altura), ponto(x), fundo])
        .x_object(Name(nome))
        .restore_state();
}

/// The marks one below the other around the middle, rising to the right.
fn marcar(tinta: &mut Content, marcas: &[Marca], (largura_da_folha, altura_da_folha): (f32, f32)) {
    let maior = marcas.iter().map(|marca| marca.tamanho).fold(0.0, f32::max);
    let espaco = maior * ENTRE_MARCAS;
    let primeira = marcas.len().saturating_sub(1) as f32 / 2.0 * espaco;
    for (at, marca) in marcas.iter().enumerate() {
        let tamanho = marca.tamanho;
        let meio = largura(&marca.texto, Fonte::Negrito, tamanho) / 2.0;
        // Along the text half its width back, across it to its own line; a
        // third of the size puts the middle of the capitals on that line.
        let desvio = primeira - at as f32 * espaco - tamanho / 3.0;
        let x = largura_da_folha / 2.0 - COSSENO * meio - SENO * desvio;
        let y = altura_da_folha / 2.0 - SENO * meio + COSSENO * desvio;
        tinta
            .set_fill_gray(marca.cinza)
            .begin_text()
            .set_font(nome_da(Fonte::Negrito), ponto(tamanho))
            .set_text_matrix([COSSENO, SENO, -SENO, COSSENO, ponto(x), ponto(y)])
            .show(Str(&marca.texto))
            .end_text();
    }
}

/// Marks of these words, as large as the page takes and at most `maximo`.
pub(crate) fn marcas(palavras: &[&str], folha: (f32, f32), maximo: f32) -> Vec<Marca> {
    /// Light enough to read what is over them.
    const CINZA: f32 = 0.80;
    let textos: Vec<Vec<u8>> = palavras.iter().map(|palavra| win_ansi(palavra)).collect();
    let mut tamanho = maximo;
    while tamanho > 4.0 && !cabem(&textos, folha, tamanho) {
        tamanho *= 0.95;
    }
    let marcar = |texto| Marca {
        texto,
        tamanho,
        cinza: CINZA,
    };
    textos.into_iter().map(marcar).collect()
}

/// Do all of them stay on the page, one below the other?
fn cabem(
    textos: &[Vec<u8>],
    (largura_da_folha, altura_da_folha): (f32, f32),
    tamanho: f32,
) -> bool {
    let fora = textos.len().saturating_sub(1) as f32 / 2.0 * tamanho * ENTRE_MARCAS + tamanho / 2.0;
    textos.iter().all(|texto| {
        let meio = largura(texto, Fonte::Negrito, tamanho) / 2.0;
        COSSENO * meio + SENO * fora < largura_da_folha / 2.0 - 4.0
            && SENO * meio + COSSENO * fora < altura_da_folha / 2.0 - 4.0
    })
}

fn nome_da(fonte: Fonte) -> Name<'static> {
    match fonte {
        Fonte::Normal => Name(b"N"),
        Fonte::Negrito => Name(b"B"),
        Fonte::Times => Name(b"T"),
        Fonte::TimesNegrito => Name(b"U"),
    }
}

fn objeto_da(fonte: Fonte) -> Ref {
    let at = Fonte::TODAS.iter().position(|uma| *uma == fonte);
    Ref::new(FONTES + i32::try_from(at.unwrap_or(0)).unwrap_or(0))
}

/// Hundredths of a point are finer than any printer.
fn ponto(valor: f32) -> f32 {
    (valor * 100.0).round() / 100.0
}

fn fino(valor: f32) -> f32 {
    (valor * 10_000.0).round() / 10_000.0
}
