//! The table of products and services, over as many pages as it takes.

use crate::danfe::DanfeError;
use crate::danfe::a4::blocks::Parcelas;
use crate::danfe::a4::columns::{CORPO, Coluna, RECUO, columns};
use crate::danfe::a4::line::{Celula, Linha, line};
use crate::danfe::a4::paging::{Fluxo, Forma};
use crate::danfe::board::{Alinha, Area};
use crate::danfe::nota::Nota;
use crate::pdf::font::Fonte;

/// From one line of an item to the next.
const ENTRELINHA: f32 = 7.2;
/// Above and below the lines of an item.
const FOLGA: f32 = 1.6;
const CABECALHO: f32 = 14.0;
/// As much of an item as is worth beginning on a page.
const MENOR_TRECHO: f32 = 6.0 * ENTRELINHA + 2.0 * FOLGA;
const PRODUTOS: &str = "DADOS DOS PRODUTOS / SERVIÇOS";
/// Lines of all items; a hundred times what a full note has.
const MAX_LINHAS: usize = 200_000;

/// The table, laid out but not yet placed on pages.
pub(super) struct Tabela {
    colunas: Vec<Coluna>,
    linhas: Vec<Linha>,
}

impl Tabela {
    pub fn montar(nota: &Nota<'_>, forma: &Forma) -> Result<Tabela, DanfeError> {
        let crt = nota.emit.t("CRT");
        let simples = matches!(&*crt, "1" | "4");
        let colunas = columns(forma, simples);
        let mut total = 0;
        let mut linhas = Vec::new();
        for item in nota.itens() {
            let linha = line(item, forma.reforma, simples, &colunas);
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
        crate::danfe::a4::paging::TITULO + CABECALHO + itens
    }

    /// Room without which the table does not begin: its title, and the first
    /// item or as much of it as is worth beginning.
    pub fn menor(&self) -> f32 {
        let primeira = self.linhas.first().map_or(0.0, altura_da);
        crate::danfe::a4::paging::TITULO + CABECALHO + primeira.min(MENOR_TRECHO)
    }

    /// Draws the table from the flow's place on, on the second page below the
    /// instalments that are left. The last page's table ends with the last item
    /// if something follows, else at the foot of the page.
    pub fn colocar(
        &self,
        fluxo: &mut Fluxo,
        segue: bool,
        parcelas: &mut Parcelas<'_>,
    ) -> Result<(), DanfeError> {
        fluxo.reservar(self.menor());
        if !fluxo.na_primeira() {
            parcelas.continuar(fluxo);
        }
        fluxo.titulo(PRODUTOS, self.menor() - crate::danfe::a4::paging::TITULO);
        let mut topo = self.abrir(fluxo);
        let pagina_inteira =
            fluxo.forma.fundo - fluxo.forma.topo_seguinte - fluxo.forma.cabecalho() - 40.0;
        for (at, linha) in self.linhas.iter().enumerate() {
            let altura = altura_da(linha);
            // The first one begins where the table does, even if it ends on the
            // next page: better than a page without any item.
            let cabe_noutra = at > 0 && altura <= pagina_inteira && fluxo.espaco() < altura;
            if cabe_noutra {
                topo = self.virar(fluxo, topo, parcelas)?;
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
                topo = self.virar(fluxo, topo, parcelas)?;
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
    fn virar(
        &self,
        fluxo: &mut Fluxo,
        topo: f32,
        parcelas: &mut Parcelas<'_>,
    ) -> Result<f32, DanfeError> {
        let fim = fluxo.limite();
        self.fechar(fluxo, topo, fim);
        fluxo.nova_pagina();
        if fluxo.cheio() {
            return Err(DanfeError::Extensa);
        }
        parcelas.continuar(fluxo);
        fluxo.titulo(PRODUTOS, CABECALHO + MENOR_TRECHO);
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
