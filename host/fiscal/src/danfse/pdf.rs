//! Writes the finished pages as PDF 1.7: standard fonts, no file identifier and
//! no dates, so the same note gives the same bytes.

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::Danfse;
use super::fonte::{Fonte, largura};
use super::quadro::{ALTURA, Folhas, Item, LARGURA, Marca};

const CATALOGO: Ref = Ref::new(1);
const PAGINAS: Ref = Ref::new(2);
const NORMAL: Ref = Ref::new(3);
const NEGRITO: Ref = Ref::new(4);
const QR: Ref = Ref::new(5);
const INFO: Ref = Ref::new(6);
/// Two objects for each page from here on.
const PRIMEIRA: i32 = 7;

/// Direction of the marks across the page: a right triangle of 3, 4 and 5, so
/// no sine is computed and every machine writes the same digits.
const COSSENO: f32 = 0.6;
const SENO: f32 = 0.8;

/// Grey of shaded fields: 5 % (item 2.2.3).
const CINZA_SOMBRA: f32 = 0.95;

pub(super) fn escrever(danfse: &Danfse, folhas: Folhas) -> Vec<u8> {
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
    pdf.document_info(INFO)
        .title(TextStr(&format!("NFS-e {}", danfse.numero.trim())));
    pdf.pages(PAGINAS)
        .kids(ids.iter().map(|(page, _)| *page))
        .count(i32::try_from(ids.len()).unwrap_or(i32::MAX));
    for (id, nome) in [(NORMAL, "Helvetica"), (NEGRITO, "Helvetica-Bold")] {
        pdf.type1_font(id)
            .base_font(Name(nome.as_bytes()))
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

    for ((page, conteudo), itens) in ids.iter().zip(&folhas.paginas) {
        let mut page = pdf.page(*page);
        page.parent(PAGINAS)
            .media_box(Rect::new(0.0, 0.0, ponto(LARGURA), ponto(ALTURA)))
            .contents(*conteudo);
        let mut recursos = page.resources();
        recursos
            .fonts()
            .pair(nome_da(Fonte::Normal), NORMAL)
            .pair(nome_da(Fonte::Negrito), NEGRITO);
        if folhas.qr.is_some() {
            recursos.x_objects().pair(Name(b"Q"), QR);
        }
        recursos.finish();
        page.finish();
        pdf.stream(*conteudo, &pintar(itens, &folhas.marcas));
    }
    pdf.finish()
}

/// Grey first, then the marks, then all that has to be read over them.
fn pintar(itens: &[Item], marcas: &[Marca]) -> Vec<u8> {
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
            tinta
                .rect(
                    ponto(*x),
                    ponto(ALTURA - y - altura),
                    ponto(*largura),
                    ponto(*altura),
                )
                .fill_nonzero();
        }
    }
    marcar(&mut tinta, marcas);
    tinta.set_fill_gray(0.0);
    for item in itens {
        match item {
            Item::Sombra { .. } => {}
            Item::Linha {
                x,
                y,
                ate_x,
                ate_y,
                espessura,
            } => {
                tinta
                    .set_line_width(*espessura)
                    .move_to(ponto(*x), ponto(ALTURA - y))
                    .line_to(ponto(*ate_x), ponto(ALTURA - ate_y))
                    .stroke();
            }
            Item::Texto {
                x,
                y,
                tamanho,
                fonte,
                vermelho,
                texto,
            } => {
                if *vermelho {
                    tinta.set_fill_rgb(1.0, 0.0, 0.0);
                }
                tinta
                    .begin_text()
                    .set_font(nome_da(*fonte), ponto(*tamanho))
                    .next_line(ponto(*x), ponto(ALTURA - y))
                    .show(Str(texto))
                    .end_text();
                if *vermelho {
                    tinta.set_fill_gray(0.0);
                }
            }
            Item::Qr { x, y, lado } => {
                let (lado, fundo) = (ponto(*lado), ponto(ALTURA - y - lado));
                tinta
                    .save_state()
                    .transform([lado, 0.0, 0.0, lado, ponto(*x), fundo])
                    .x_object(Name(b"Q"))
                    .restore_state();
            }
        }
    }
    tinta.finish().into_vec()
}

/// The marks one below the other around the middle, rising to the right.
fn marcar(tinta: &mut Content, marcas: &[Marca]) {
    const ESPACO: f32 = 90.0;
    let primeira = marcas.len().saturating_sub(1) as f32 / 2.0 * ESPACO;
    for (at, marca) in marcas.iter().enumerate() {
        let tamanho = marca.tamanho;
        let meio = largura(&marca.texto, Fonte::Negrito, tamanho) / 2.0;
        // Along the text half its width back, across it to its own line; a
        // third of the size puts the middle of the capitals on that line.
        let desvio = primeira - at as f32 * ESPACO - tamanho / 3.0;
        let x = LARGURA / 2.0 - COSSENO * meio - SENO * desvio;
        let y = ALTURA / 2.0 - SENO * meio + COSSENO * desvio;
        tinta
            .set_fill_gray(marca.cinza)
            .begin_text()
            .set_font(nome_da(Fonte::Negrito), ponto(tamanho))
            .set_text_matrix([COSSENO, SENO, -SENO, COSSENO, ponto(x), ponto(y)])
            .show(Str(&marca.texto))
            .end_text();
    }
}

fn nome_da(fonte: Fonte) -> Name<'static> {
    match fonte {
        Fonte::Normal => Name(b"N"),
        Fonte::Negrito => Name(b"B"),
    }
}

/// Hundredths of a point are finer than any printer.
fn ponto(valor: f32) -> f32 {
    (valor * 100.0).round() / 100.0
}
