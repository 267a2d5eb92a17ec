//! The DANFE on A4: MOC 7.0, Anexo II, and NT 2026.010.
//!
//! Blocks run from the top, the additional data stand at the foot of the first
//! page; how tall that foot is follows from how much there is to say and how
//! many items there are. Pages after the first have the header and the table,
//! then what is left of the additional data.

pub(super) mod additional;
mod blocks;
mod columns;
pub(super) mod header;
mod item;
mod items;
mod line;
mod paging;

use additional::{ENTRELINHA, TAMANHO, Texto};
use blocks::Aperto;
use items::Tabela;
use paging::{Fluxo, Forma, TITULO};

use super::nota::Nota;
use super::{DanfeError, Leiaute, Opcoes, Orientacao};
use crate::danfe::board::{Alinha, Area, MM, Prancha, RECUO};
use crate::pdf::font::Fonte;
use crate::pdf::image::Imagem;
use crate::pdf::sheet::{Folhas, Item, Marca};
use crate::pdf::writing;
use crate::qr::QrCode;

/// Bytes of the additional data, what did not fit elsewhere included: some
/// twenty pages, many times what the layout's own fields hold.
const MAX_ADICIONAIS: usize = 300_000;
/// Width of the box the tax office may stamp.
const FISCO: f32 = 62.0 * MM;
/// Least height of the additional data: where there is room, and where items go
/// on to another page.
const MENOR_PE: f32 = 24.0 * MM;
const MENOR_PE_CHEIO: f32 = 13.0 * MM;
/// Their caption.
const ROTULO: f32 = 9.0;
/// From this emission date on every DANFE has the blocks of NT 2026.010
/// (production date, second-hand).
const NT_2026_010: &str = "2026-12-01";

/// Lays the note out.
pub(super) fn montar(
    nota: &Nota<'_>,
    opcoes: &Opcoes<'_>,
    logo: Option<Imagem>,
) -> Result<Folhas, DanfeError> {
    let forma = Forma::nova(
        paisagem(nota, opcoes),
        reforma(nota, opcoes),
        nota.chave.bytes().any(|b| b.is_ascii_uppercase()),
    );
    let qr = Some(nota.supl.t("qrCode"))
        .filter(|texto| !texto.is_empty())
        .and_then(|texto| QrCode::encode(texto.as_bytes()).ok());

    let tabela = Tabela::montar(nota, &forma)?;
    let issqn = blocks::issqn(nota);
    let altura_do_issqn = issqn.as_ref().map_or(0.0, |_| TITULO + forma.campo);
    let fundo = forma.fundo - altura_do_issqn;

    // Once for the heights and for what does not fit, then for good.
    let precisa = tabela.menor() + menor_pe(qr.is_some(), true);
    let (aperto, y, sobras) = apertar(&forma, nota, fundo - precisa);
    let mut texto = additional_text(nota, opcoes, &forma, logo.as_ref(), (aperto, sobras))?;

    let largura_do_texto =
        forma.largura - FISCO - if qr.is_some() { blocks::QR } else { 0.0 } - 2.0 * RECUO;
    let pe = altura_do_pe(
        texto.linhas(largura_do_texto),
        qr.is_some(),
        fundo - y,
        &tabela,
    );
    let pe = without_hole(nota, forma, aperto, &tabela, (fundo, pe));
    let fundo_da_primeira = fundo - pe;

    let mut fluxo = Fluxo::novo(forma, fundo_da_primeira);
    header::canhoto(&mut fluxo.prancha, &forma, nota);
    if let Some(campos) = &issqn {
        let y = fundo_da_primeira + TITULO;
        fluxo.prancha.titulo(forma.x, y - 2.0, "CÁLCULO DO ISSQN");
        fluxo.prancha.fileira(forma.fileira(y), campos);
    }
    dados_adicionais(&mut fluxo.prancha, &forma, pe, &mut texto, qr.is_some());
    let mut parcelas = blocks::antes_dos_itens(&mut fluxo, nota, aperto);
    let segue = !texto.acabou();
    tabela.colocar(&mut fluxo, segue, &mut parcelas)?;
    parcelas.continuar(&mut fluxo);
    while !texto.acabou() {
        continuar(&mut fluxo, &mut texto);
        if fluxo.cheio() {
            return Err(DanfeError::Extensa);
        }
    }

    let mut paginas = fluxo.terminar();
    let total = paginas.len();
    for (at, pagina) in paginas.iter_mut().enumerate() {
        header::header(pagina, &forma, nota, logo.as_ref(), (at + 1, total));
    }
    Ok(Folhas {
        tamanho: forma.tamanho,
        paginas: paginas.into_iter().map(|pagina| pagina.itens).collect(),
        qr,
        logo,
        marcas: marcas(nota, opcoes, forma.tamanho, 60.0),
    })
}

/// The additional data, with what does not fit the boxes of the header or, as
/// `sobras` say, those of the blocks.
fn additional_text(
    nota: &Nota<'_>,
    opcoes: &Opcoes<'_>,
    forma: &Forma,
    logo: Option<&Imagem>,
    (aperto, mut sobras): (Aperto, Vec<(String, String)>),
) -> Result<Texto, DanfeError> {
    let mut ensaio = Fluxo::novo(*forma, f32::MAX);
    header::header(&mut ensaio.prancha, forma, nota, logo, (1, 1));
    sobras.extend(ensaio.prancha.sobras);
    let paragrafos = additional::paragrafos(nota, opcoes, aperto.volumes, &sobras);
    if paragrafos.iter().map(String::len).sum::<usize>() > MAX_ADICIONAIS {
        return Err(DanfeError::Extensa);
    }
    Ok(Texto::novo(paragrafos.iter().map(String::as_str)))
}

/// The height of a foot that ends at `fundo`. What the blocks leave where not
/// even the first item fits below them goes to it: no hole in the page.
fn without_hole(
    nota: &Nota<'_>,
    forma: Forma,
    aperto: Aperto,
    tabela: &Tabela,
    (fundo, pe): (f32, f32),
) -> f32 {
    let mut ensaio = Fluxo::novo(forma, fundo - pe);
    blocks::antes_dos_itens(&mut ensaio, nota, aperto);
    ensaio.reservar(tabela.menor());
    ensaio.fim_da_primeira.map_or(pe, |fim| fundo - fim - 0.5)
}

fn paisagem(nota: &Nota<'_>, opcoes: &Opcoes<'_>) -> bool {
    match opcoes.orientacao {
        Some(orientacao) => orientacao == Orientacao::Paisagem,
        None => nota.ide.t("tpImp") == "2",
    }
}

fn reforma(nota: &Nota<'_>, opcoes: &Opcoes<'_>) -> bool {
    match opcoes.leiaute {
        Leiaute::Moc7 => false,
        Leiaute::Nt2026010 => true,
        Leiaute::Automatico => {
            let emissao = nota.ide.t("dhEmi");
            let tem = |nome: &str| {
                nota.itens()
                    .any(|item| item.no("imposto").no(nome).existe())
            };
            emissao.get(..10).is_some_and(|dia| dia >= NT_2026_010)
                || nota.total.no("IBSCBSTot").existe()
                || nota.total.no("ISTot").existe()
                || tem("IBSCBS")
                || tem("IS")
        }
    }
}

/// The loosest blocks that end above a height, where they end, and what did not
/// fit their boxes.
fn apertar(forma: &Forma, nota: &Nota<'_>, limite: f32) -> (Aperto, f32, Vec<(String, String)>) {
    let ensaiar = |aperto| {
        let mut ensaio = Fluxo::novo(*forma, f32::MAX);
        let mut parcelas = blocks::antes_dos_itens(&mut ensaio, nota, aperto);
        let y = ensaio.y;
        parcelas.continuar(&mut ensaio);
        (aperto, y, ensaio.prancha.sobras)
    };
    for aperto in Aperto::TODOS {
        let feito = ensaiar(aperto);
        if feito.1 <= limite {
            return feito;
        }
    }
    let (_, sem_parcelas, _) = ensaiar(Aperto::maximo(0));
    // Its title, where there are instalments but no invoice.
    let livre = limite - sem_parcelas - TITULO;
    let cabem = (livre / blocks::PARCELA).max(0.0) as usize;
    ensaiar(Aperto::maximo(cabem))
}

/// Least height of the additional data with their title; where there are more
/// items than fit, they need the room more.
fn menor_pe(com_qr: bool, apertado: bool) -> f32 {
    let menor = if apertado { MENOR_PE_CHEIO } else { MENOR_PE };
    TITULO
        + if com_qr {
            menor.max(blocks::QR + ROTULO)
        } else {
            menor
        }
}

/// Height of the additional data with their title: all they need if everything
/// fits on the page. `livre` is what the blocks above leave for the items and
/// them.
fn altura_do_pe(linhas: usize, com_qr: bool, livre: f32, tabela: &Tabela) -> f32 {
    // A point to spare: sums of floats are not exact.
    let sobra = livre - tabela.altura() - 1.0;
    let menor = menor_pe(com_qr, true);
    let precisa = TITULO + ROTULO + linhas as f32 * ENTRELINHA + 4.0;
    if precisa <= sobra {
        let usual = menor_pe(com_qr, false).min(sobra);
        precisa.max(usual).max(menor)
    } else if sobra >= menor {
        // The items stay on this page, the text goes on to the next.
        sobra
    } else {
        // Items and text share the page; some items stay on it if the blocks
        // leave room for both.
        let um_terco = (livre / 3.0).min(livre - tabela.menor() - 1.0);
        precisa.min(um_terco).max(menor)
    }
}

fn dados_adicionais(
    prancha: &mut Prancha,
    forma: &Forma,
    pe: f32,
    texto: &mut Texto,
    com_qr: bool,
) {
    let topo = forma.fundo - pe + TITULO;
    prancha.titulo(forma.x, topo - 2.0, "DADOS ADICIONAIS");
    let do_qr = if com_qr { blocks::QR } else { 0.0 };
    let caixa = Area {
        x: forma.x,
        y: topo,
        largura: forma.largura - FISCO - do_qr,
        altura: pe - TITULO,
    };
    informacoes(prancha, caixa, "INFORMAÇÕES COMPLEMENTARES", texto);
    let fisco = Area {
        x: caixa.direita(),
        largura: FISCO,
        ..caixa
    };
    prancha.caixa(fisco);
    prancha.rotulo(fisco, "RESERVADO AO FISCO");
    if com_qr {
        let area = Area {
            x: fisco.direita(),
            largura: do_qr,
            ..caixa
        };
        prancha.caixa(area);
        prancha.rotulo(area, "QR CODE");
        // Four modules of white around: the box is wider by more than that.
        let lado = do_qr - 5.0 * MM;
        prancha.itens.push(Item::Qr {
            x: area.x + 2.5 * MM,
            y: area.y + ROTULO,
            lado,
        });
    }
}

/// A box with as many lines of the text as it takes.
fn informacoes(prancha: &mut Prancha, caixa: Area, rotulo: &str, texto: &mut Texto) {
    prancha.caixa(caixa);
    prancha.rotulo(caixa, rotulo);
    let limites = (caixa.x + RECUO, caixa.direita() - RECUO);
    let cabem = ((caixa.altura - ROTULO - 3.0) / ENTRELINHA).max(0.0) as usize;
    for (at, linha) in texto
        .tirar(cabem, limites.1 - limites.0)
        .into_iter()
        .enumerate()
    {
        let y = caixa.y + ROTULO + 5.6 + at as f32 * ENTRELINHA;
        prancha.escrito(limites, y, (Fonte::Times, TAMANHO), Alinha::Esquerda, linha);
    }
}

/// The rest of the additional data, over the whole width.
fn continuar(fluxo: &mut Fluxo, texto: &mut Texto) {
    let forma = fluxo.forma;
    let linhas = texto.linhas(forma.largura - 2.0 * RECUO);
    let menor = ROTULO + linhas.min(3) as f32 * ENTRELINHA + 4.0;
    if fluxo.na_primeira() {
        fluxo.nova_pagina();
    }
    fluxo.titulo("DADOS ADICIONAIS", menor);
    let precisa = ROTULO + linhas as f32 * ENTRELINHA + 4.0;
    let caixa = Area {
        x: forma.x,
        y: fluxo.y,
        largura: forma.largura,
        altura: precisa.min(fluxo.espaco()),
    };
    let rotulo = "CONTINUAÇÃO DAS INFORMAÇÕES COMPLEMENTARES";
    informacoes(&mut fluxo.prancha, caixa, rotulo, texto);
    fluxo.y = caixa.fundo();
}

/// Words across the page.
pub(super) fn marcas(
    nota: &Nota<'_>,
    opcoes: &Opcoes<'_>,
    folha: (f32, f32),
    maximo: f32,
) -> Vec<Marca> {
    let mut palavras = Vec::new();
    // A note on its way (contingency) is not authorized yet, but is valid.
    let em_contingencia = matches!(&*nota.ide.t("tpEmis"), "2" | "4" | "5" | "9");
    if nota.homologacao() {
        palavras.push("SEM VALOR FISCAL");
    } else if nota.denegada() {
        palavras.push("USO DENEGADO");
    } else if !nota.autorizada() && !em_contingencia {
        palavras.push("SEM AUTORIZAÇÃO DE USO");
    }
    if opcoes.cancelada {
        palavras.push("CANCELADA");
    }
    palavras.extend(opcoes.marca);
    writing::marcas(&palavras, folha, maximo)
}
