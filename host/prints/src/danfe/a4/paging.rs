//! Blocks one below the other, over to further pages when a page is full.

use crate::danfe::board::{Area, Campo, MM, Prancha};
use crate::pdf::sheet::{A4_ALTURA, A4_LARGURA};

/// Margin of the page: the MOC admits 0.2 to 0.8 cm (Anexo II §3.6.2, second-hand).
const MARGEM: f32 = 5.0 * MM;
/// Title above a block.
pub(super) const TITULO: f32 = 8.6;
/// The stub to be signed, with the line to cut along.
const CANHOTO: f32 = 17.0 * MM;
const PICOTE: f32 = 3.6 * MM;
/// More pages than any note of the layout takes.
const MAX_PAGINAS: usize = 1_500;

/// Measures of a note's pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forma {
    pub paisagem: bool,
    /// Width and height of the page.
    pub tamanho: (f32, f32),
    /// Left edge and width of everything but a lying page's stub.
    pub x: f32,
    pub largura: f32,
    /// Top of the header on the first page and on the others.
    pub topo: f32,
    pub topo_seguinte: f32,
    pub fundo: f32,
    /// Height of a captioned field.
    pub campo: f32,
    /// Height of the header's boxes of issuer, DANFE and key.
    pub identificacao: f32,
    /// Extra row for a bar code that needs more than the key's box; 0 if none.
    pub faixa_de_barras: f32,
    /// Blocks of NT 2026.010.
    pub reforma: bool,
}

impl Forma {
    pub fn nova(paisagem: bool, reforma: bool, alfanumerica: bool) -> Forma {
        let (largura, altura) = if paisagem {
            (A4_ALTURA, A4_LARGURA)
        } else {
            (A4_LARGURA, A4_ALTURA)
        };
        let x = if paisagem {
            MARGEM + CANHOTO + PICOTE
        } else {
            MARGEM
        };
        Forma {
            paisagem,
            tamanho: (largura, altura),
            x,
            largura: largura - MARGEM - x,
            topo: if paisagem {
                MARGEM
            } else {
                MARGEM + CANHOTO + PICOTE
            },
            topo_seguinte: MARGEM,
            fundo: altura - MARGEM,
            campo: if paisagem { 7.2 } else { 7.8 } * MM,
            identificacao: if paisagem { 33.0 } else { 36.0 } * MM,
            faixa_de_barras: if alfanumerica && !paisagem {
                13.0 * MM
            } else {
                0.0
            },
            reforma,
        }
    }

    /// The stub.
    pub fn canhoto(&self) -> Area {
        if self.paisagem {
            Area {
                x: MARGEM,
                y: MARGEM,
                largura: CANHOTO,
                altura: self.fundo - MARGEM,
            }
        } else {
            Area {
                x: MARGEM,
                y: MARGEM,
                largura: self.largura,
                altura: CANHOTO,
            }
        }
    }

    /// Height of the header, the same on every page.
    pub fn cabecalho(&self) -> f32 {
        let fileiras = if self.reforma { 3.0 } else { 2.0 };
        self.identificacao + self.faixa_de_barras + fileiras * self.campo
    }

    /// A row of fields at a height.
    pub fn fileira(&self, y: f32) -> Area {
        Area {
            x: self.x,
            y,
            largura: self.largura,
            altura: self.campo,
        }
    }
}

/// Pages being filled from the top.
pub(super) struct Fluxo {
    pub forma: Forma,
    /// The page being filled, and those before it.
    pub prancha: Prancha,
    prontas: Vec<Prancha>,
    pub y: f32,
    /// Where the blocks at the foot of the first page begin.
    fundo_da_primeira: f32,
    /// How far the first page was filled when it was left.
    pub fim_da_primeira: Option<f32>,
}

impl Fluxo {
    pub fn novo(forma: Forma, fundo_da_primeira: f32) -> Fluxo {
        Fluxo {
            forma,
            prancha: Prancha::default(),
            prontas: Vec::new(),
            y: forma.topo + forma.cabecalho(),
            fundo_da_primeira,
            fim_da_primeira: None,
        }
    }

    pub fn na_primeira(&self) -> bool {
        self.prontas.is_empty()
    }

    /// All pages.
    pub fn terminar(mut self) -> Vec<Prancha> {
        self.prontas.push(self.prancha);
        self.prontas
    }

    /// Where this page ends.
    pub fn limite(&self) -> f32 {
        if self.na_primeira() {
            self.fundo_da_primeira
        } else {
            self.forma.fundo
        }
    }

    pub fn espaco(&self) -> f32 {
        self.limite() - self.y
    }

    pub fn nova_pagina(&mut self) {
        if self.na_primeira() {
            self.fim_da_primeira = Some(self.y);
        }
        self.prontas.push(std::mem::take(&mut self.prancha));
        self.y = self.forma.topo_seguinte + self.forma.cabecalho();
    }

    /// Begins a new page unless this much is free.
    pub fn reservar(&mut self, altura: f32) {
        if self.espaco() < altura {
            self.nova_pagina();
        }
    }

    pub fn cheio(&self) -> bool {
        self.prontas.len() > MAX_PAGINAS
    }

    /// A title and rows of fields under it.
    pub fn bloco(&mut self, titulo: &str, fileiras: &[Vec<Campo<'_>>]) {
        // Together, unless it is a block no page would hold.
        let altura = fileiras.len() as f32 * self.forma.campo;
        let pagina = self.forma.fundo - self.forma.topo_seguinte - self.forma.cabecalho();
        self.titulo(titulo, altura.min(pagina - TITULO));
        for campos in fileiras {
            self.fileira(campos);
        }
    }

    /// A title that stays with so much of what follows.
    pub fn titulo(&mut self, titulo: &str, depois: f32) {
        self.reservar(TITULO + depois);
        let (x, y) = (self.forma.x, self.y + TITULO - 2.0);
        self.prancha.titulo(x, y, titulo);
        self.y += TITULO;
    }

    pub fn fileira(&mut self, campos: &[Campo<'_>]) {
        self.reservar(self.forma.campo);
        let area = self.forma.fileira(self.y);
        self.prancha.fileira(area, campos);
        self.y += self.forma.campo;
    }
}
