//! The drawing board of A4 documents: boxes with a caption and a value, rows of
//! them, and texts that fit where they are put.

use std::borrow::Cow;

use crate::pdf::font::{Fonte, caber, largura, quebrar, win_ansi};
use crate::pdf::sheet::Item;

/// Points of a millimetre.
pub(super) const MM: f32 = 72.0 / 25.4;
/// Line of the boxes.
const TRACO: f32 = 0.5;
/// Between the edge of a box and its text.
pub(super) const RECUO: f32 = 2.0;
/// Captions (MOC 7.0, Anexo II §3.7.3, second-hand: 6 points at least).
const ROTULO: f32 = 6.0;
/// Smallest value on one line, and its size on two lines.
const MENOR: f32 = 7.0;
const EM_DUAS: f32 = 6.5;

/// Where a text stands in its box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alinha {
    Esquerda,
    Centro,
    Direita,
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub x: f32,
    pub y: f32,
    pub largura: f32,
    pub altura: f32,
}

impl Area {
    pub fn direita(&self) -> f32 {
        self.x + self.largura
    }

    pub fn fundo(&self) -> f32 {
        self.y + self.altura
    }
}

/// A captioned value in a row.
pub(super) struct Campo<'c> {
    /// In points; 0 shares what the others leave.
    pub largura: f32,
    pub rotulo: &'c str,
    pub valor: Cow<'c, str>,
    pub alinha: Alinha,
    pub negrito: bool,
}

impl<'c> Campo<'c> {
    /// `milimetros` 0 shares what the others leave.
    pub fn novo(milimetros: f32, rotulo: &'c str, valor: impl Into<Cow<'c, str>>) -> Campo<'c> {
        Campo {
            largura: milimetros * MM,
            rotulo,
            valor: valor.into(),
            alinha: Alinha::Esquerda,
            negrito: false,
        }
    }

    /// An amount: on the right.
    pub fn valor(rotulo: &'c str, valor: impl Into<Cow<'c, str>>) -> Campo<'c> {
        Campo::novo(0.0, rotulo, valor).alinhado(Alinha::Direita)
    }

    pub fn alinhado(self, alinha: Alinha) -> Campo<'c> {
        Campo { alinha, ..self }
    }

    pub fn negrito(self) -> Campo<'c> {
        Campo {
            negrito: true,
            ..self
        }
    }
}

/// One page being drawn, and what did not fit its boxes.
#[derive(Default)]
pub(super) struct Prancha {
    pub itens: Vec<Item>,
    /// Caption and whole text of each value that was cut.
    pub sobras: Vec<(String, String)>,
}

impl Prancha {
    pub fn caixa(&mut self, area: Area) {
        self.itens.push(Item::Caixa {
            x: area.x,
            y: area.y,
            largura: area.largura,
            altura: area.altura,
            espessura: TRACO,
        });
    }

    pub fn linha(&mut self, de: (f32, f32), ate: (f32, f32), espessura: f32) {
        self.itens.push(Item::Linha {
            x: de.0,
            y: de.1,
            ate_x: ate.0,
            ate_y: ate.1,
            espessura,
        });
    }

    /// Encoded text with its baseline at `y`, between two edges.
    pub fn escrito(
        &mut self,
        (de, ate): (f32, f32),
        y: f32,
        (fonte, tamanho): (Fonte, f32),
        alinha: Alinha,
        texto: Vec<u8>,
    ) {
        if texto.is_empty() {
            return;
        }
        let ocupa = match alinha {
            Alinha::Esquerda => 0.0,
            Alinha::Centro | Alinha::Direita => largura(&texto, fonte, tamanho),
        };
        let x = match alinha {
            Alinha::Esquerda => de,
            Alinha::Centro => (de + ate - ocupa) / 2.0,
            Alinha::Direita => ate - ocupa,
        };
        self.itens.push(Item::Texto {
            x,
            y,
            tamanho,
            fonte,
            vermelho: false,
            texto,
        });
    }

    /// A line of text made smaller to fit between two edges.
    pub fn ajustado(
        &mut self,
        limites: (f32, f32),
        y: f32,
        (fonte, tamanho): (Fonte, f32),
        alinha: Alinha,
        texto: &str,
    ) {
        let texto = win_ansi(texto);
        let tamanho = caber(&texto, fonte, tamanho, limites.1 - limites.0);
        self.escrito(limites, y, (fonte, tamanho), alinha, texto);
    }

    /// Lines from `y` (the first baseline) on; returns how many were written.
    /// The last of `maximo` ends in an ellipsis if there is more.
    pub fn paragrafo(
        &mut self,
        limites: (f32, f32),
        y: f32,
        (fonte, tamanho): (Fonte, f32),
        (alinha, entrelinha, maximo): (Alinha, f32, usize),
        texto: &str,
    ) -> usize {
        let texto = win_ansi(texto);
        let linhas = quebrar(&texto, fonte, tamanho, limites.1 - limites.0);
        let cabem = linhas.len().min(maximo);
        for (at, linha) in linhas.iter().take(maximo).enumerate() {
            let cortada = at + 1 == maximo && linhas.len() > maximo;
            let linha = if cortada {
                reticencias(linha, fonte, tamanho, limites.1 - limites.0)
            } else {
                linha.to_vec()
            };
            let y = y + at as f32 * entrelinha;
            self.escrito(limites, y, (fonte, tamanho), alinha, linha);
        }
        cabem
    }

    /// Title of a block: 5 points or more, bold, capitals (§3.7.1).
    pub fn titulo(&mut self, x: f32, y: f32, texto: &str) {
        let texto = win_ansi(texto);
        let limites = (x, f32::MAX);
        self.escrito(
            limites,
            y,
            (Fonte::TimesNegrito, 6.5),
            Alinha::Esquerda,
            texto,
        );
    }

    pub fn rotulo(&mut self, area: Area, texto: &str) {
        let limites = (area.x + RECUO, area.direita() - RECUO);
        self.ajustado(
            limites,
            area.y + 6.4,
            (Fonte::Times, ROTULO),
            Alinha::Esquerda,
            texto,
        );
    }

    /// A box with caption and value: 10 points (§3.7.9), less if the value is
    /// long, then two lines, then an ellipsis; an amount only becomes smaller.
    pub fn campo(&mut self, area: Area, campo: &Campo<'_>) {
        self.caixa(area);
        self.rotulo(area, campo.rotulo);
        let fonte = if campo.negrito {
            Fonte::TimesNegrito
        } else {
            Fonte::Times
        };
        let limites = (area.x + RECUO, area.direita() - RECUO);
        let espaco = limites.1 - limites.0;
        let texto = win_ansi(&campo.valor);
        let tamanho = caber(&texto, fonte, 10.0, espaco);
        // A number is never broken, however small it becomes.
        if tamanho >= MENOR || campo.alinha == Alinha::Direita {
            self.escrito(
                limites,
                area.fundo() - 3.2,
                (fonte, tamanho),
                campo.alinha,
                texto,
            );
            return;
        }
        let linhas = quebrar(&texto, fonte, EM_DUAS, espaco);
        let primeira = area.fundo() - 2.0 - EM_DUAS;
        for (at, linha) in linhas.iter().take(2).enumerate() {
            let linha = if at == 1 && linhas.len() > 2 {
                self.sobras
                    .push((campo.rotulo.to_owned(), campo.valor.clone().into_owned()));
                reticencias(linha, fonte, EM_DUAS, espaco)
            } else {
                linha.to_vec()
            };
            let y = primeira + at as f32 * EM_DUAS;
            self.escrito(limites, y, (fonte, EM_DUAS), campo.alinha, linha);
        }
    }

    /// Boxes side by side over the whole width.
    pub fn fileira(&mut self, area: Area, campos: &[Campo<'_>]) {
        let fixa: f32 = campos.iter().map(|campo| campo.largura).sum();
        let livres = campos.iter().filter(|campo| campo.largura == 0.0).count();
        let parte = (area.largura - fixa) / livres.max(1) as f32;
        let mut x = area.x;
        for campo in campos {
            let largura = if campo.largura == 0.0 {
                parte
            } else {
                campo.largura
            };
            self.campo(Area { x, largura, ..area }, campo);
            x += largura;
        }
    }

    /// A bar code in the middle of an area, its modules as wide as they fit with
    /// quiet zones of ten modules.
    pub fn codigo_de_barras(&mut self, area: Area, codigo: &crate::code128::Codigo128) {
        let modulos = codigo.modulos() as f32;
        let modulo = area.largura / (modulos + 20.0);
        self.itens.push(Item::Barras {
            x: area.x + 10.0 * modulo,
            y: area.y,
            altura: area.altura,
            modulo,
            larguras: codigo.larguras(),
        });
    }
}

/// A line shortened so that an ellipsis fits after it.
pub(super) fn reticencias(linha: &[u8], fonte: Fonte, tamanho: f32, limite: f32) -> Vec<u8> {
    let mut linha = linha.to_vec();
    while !linha.is_empty()
        && largura(&linha, fonte, tamanho) + largura(b"...", fonte, tamanho) > limite
    {
        linha.pop();
    }
    linha.extend(b"...");
    linha
}
