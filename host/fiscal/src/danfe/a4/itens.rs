//! The table of products and services, over as many pages as it takes.

use super::fluxo::{Fluxo, Forma};
use super::linha::{Celula, Linha, colunas, linha};
use crate::danfe::DanfeError;
use crate::danfe::nota::Nota;
use crate::danfe::prancha::{Alinha, Area, MM};
use crate::pdf::fonte::Fonte;

/// Text of the items: 6 points at least (MOC 7.0, Anexo II §3.7.7, second-hand).
pub(super) const CORPO: f32 = 6.5;
pub(super) const ENTRELINHA: f32 = 7.2;
/// Above and below the lines of an item.
const FOLGA: f32 = 1.6;
/// Between the edge of a column and its text.
pub(super) const RECUO: f32 = 1.6;
const CABECALHO: f32 = 14.0;
/// Lines of all items; a hundred times what a full note has.
const MAX_LINHAS: usize = 200_000;

/// A column of the table.
pub(super) struct Coluna {
    /// One or two lines.
    pub titulo: [&'static str; 2],
    pub x: f32,
    pub largura: f32,
}

/// The table, laid out but not yet placed on pages.
pub(super) struct Tabela {
    colunas: Vec<Coluna>,
    linhas: Vec<Linha>,
}

impl Tabela {
    pub fn montar(nota: &Nota<'_>, forma: &Forma) -> Result<Tabela, DanfeError> {
        let crt = nota.emit.t("CRT");
        let simples = matches!(&*crt, "1" | "4");
        let colunas = colunas(forma, simples);
        let mut total = 0;
        let mut linhas = Vec::new();
        for item in nota.itens() {
            let linha = linha(item, forma.reforma, simples, &colunas);
            total += linha.altura_em_linhas();
            if total > MAX_LINHAS {
                return Err(DanfeError::Extensa);
            }
            linhas.push(linha);
        }
        Ok(Tabela { colunas, linhas })
    }

    /// Height of the whole table on a page without end.
    pub fn altura(&self) -> f32 {
        let itens: f32 = self.linhas.iter().map(altura_da).sum();
        super::fluxo::TITULO + CABECALHO + itens
    }

    /// Draws the table from the flow's place on. The last page's table ends with
    /// the last item if something follows, else at the foot of the page.
    pub fn colocar(&self, fluxo: &mut Fluxo, segue: bool) -> Result<(), DanfeError> {
        let menor = CABECALHO + 3.0 * ENTRELINHA + 2.0 * FOLGA;
        fluxo.titulo("DADOS DOS PRODUTOS / SERVIÇOS", menor);
        let mut topo = self.abrir(fluxo);
        let pagina_inteira =
            fluxo.forma.fundo - fluxo.forma.topo_seguinte - fluxo.forma.cabecalho() - 40.0;
        for linha in &self.linhas {
            let altura = altura_da(linha);
            let cabe_noutra = altura <= pagina_inteira && fluxo.espaco() < altura;
            if cabe_noutra {
                topo = self.virar(fluxo, topo)?;
            }
            let mut feitas = 0;
            let todas = linha.altura_em_linhas();
            loop {
                let espaco = ((fluxo.espaco() - 2.0 * FOLGA) / ENTRELINHA).max(0.0) as usize;
                let agora = espaco.min(todas - feitas);
                self.desenhar(fluxo, linha, feitas, agora);
                feitas += agora;
                if feitas >= todas {
                    break;
                }
                topo = self.virar(fluxo, topo)?;
            }
        }
        let fim = if segue && !fluxo.na_primeira() {
            fluxo.y
        } else {
            fluxo.limite()
        };
        self.fechar(fluxo, topo, fim);
        fluxo.y = fim;
        Ok(())
    }

    /// Closes the table on this page and opens it on the next.
    fn virar(&self, fluxo: &mut Fluxo, topo: f32) -> Result<f32, DanfeError> {
        let fim = fluxo.limite();
        self.fechar(fluxo, topo, fim);
        fluxo.nova_pagina();
        if fluxo.cheio() {
            return Err(DanfeError::Extensa);
        }
        fluxo.titulo("DADOS DOS PRODUTOS / SERVIÇOS", 0.0);
        Ok(self.abrir(fluxo))
    }

    fn abrir(&self, fluxo: &mut Fluxo) -> f32 {
        let topo = fluxo.y;
        for coluna in &self.colunas {
            let limites = (coluna.x + 0.8, coluna.x + coluna.largura - 0.8);
            let dois = !coluna.titulo[1].is_empty();
            for (at, titulo) in coluna.titulo.iter().enumerate() {
                let y = topo + if dois { 5.8 + at as f32 * 5.8 } else { 8.8 };
                let fonte = (Fonte::TimesNegrito, 5.5);
                fluxo
                    .prancha
                    .ajustado(limites, y, fonte, Alinha::Centro, titulo);
            }
        }
        fluxo.y += CABECALHO;
        let (x, largura) = (fluxo.forma.x, fluxo.forma.largura);
        fluxo
            .prancha
            .linha((x, fluxo.y), (x + largura, fluxo.y), 0.5);
        topo
    }

    fn fechar(&self, fluxo: &mut Fluxo, topo: f32, fim: f32) {
        let (x, largura) = (fluxo.forma.x, fluxo.forma.largura);
        fluxo.prancha.caixa(Area {
            x,
            y: topo,
            largura,
            altura: fim - topo,
        });
        for coluna in self.colunas.iter().skip(1) {
            fluxo.prancha.linha((coluna.x, topo), (coluna.x, fim), 0.5);
        }
    }

    /// Some of the lines of an item.
    fn desenhar(&self, fluxo: &mut Fluxo, linha: &Linha, de: usize, quantas: usize) {
        if quantas == 0 {
            return;
        }
        let y = fluxo.y + FOLGA + CORPO * 0.82;
        for (coluna, celula) in self.colunas.iter().zip(&linha.celulas) {
            escrever(fluxo, coluna, celula, y, (de, quantas));
        }
        fluxo.y += quantas as f32 * ENTRELINHA + 2.0 * FOLGA;
        let (x, largura) = (fluxo.forma.x, fluxo.forma.largura);
        fluxo
            .prancha
            .linha((x, fluxo.y), (x + largura, fluxo.y), 0.25);
    }
}

fn escrever(
    fluxo: &mut Fluxo,
    coluna: &Coluna,
    celula: &Celula,
    y: f32,
    (de, quantas): (usize, usize),
) {
    let limites = (coluna.x + RECUO, coluna.x + coluna.largura - RECUO);
    for (at, linha) in celula.linhas.iter().skip(de).take(quantas).enumerate() {
        let y = y + at as f32 * ENTRELINHA;
        let fonte = (Fonte::Times, celula.tamanho);
        if let Some(rotulo) = &linha.rotulo {
            fluxo
                .prancha
                .escrito(limites, y, fonte, Alinha::Esquerda, rotulo.clone());
        }
        fluxo
            .prancha
            .escrito(limites, y, fonte, celula.alinha, linha.texto.clone());
    }
}

fn altura_da(linha: &Linha) -> f32 {
    linha.altura_em_linhas() as f32 * ENTRELINHA + 2.0 * FOLGA
}

/// Columns one beside the other; the one of width 0 takes what is left.
pub(super) fn dispor(forma: &Forma, larguras: &[(f32, [&'static str; 2])]) -> Vec<Coluna> {
    // A lying page has a third more room: the columns grow, too.
    let escala = if forma.paisagem { 1.2 } else { 1.0 } * MM;
    let fixa: f32 = larguras.iter().map(|(largura, _)| largura * escala).sum();
    let mut x = forma.x;
    larguras
        .iter()
        .map(|(largura, titulo)| {
            let largura = if *largura == 0.0 {
                forma.largura - fixa
            } else {
                largura * escala
            };
            let coluna = Coluna {
                titulo: *titulo,
                x,
                largura,
            };
            x += largura;
            coluna
        })
        .collect()
}
