//! A row of the table of items: its cells broken to the widths of their columns.

use super::item::{Conteudo, Item};
use crate::danfe::a4::columns::{CORPO, Coluna, RECUO};
use crate::danfe::board::Alinha;
use crate::danfe::nota::No;
use crate::pdf::font::{Fonte, largura, quebrar, win_ansi};

/// Smallest size of codes before they go on two lines.
const MENOR: f32 = 5.0;
/// Numbers that have their names beside them.
const NOMEADO: f32 = 6.2;

/// An item, laid out.
pub(super) struct Linha {
    pub celulas: Vec<Celula>,
}

impl Linha {
    pub fn altura_em_linhas(&self) -> usize {
        let linhas = self.celulas.iter().map(|celula| celula.linhas.len());
        linhas.max().unwrap_or(0).max(1)
    }
}

pub(super) struct Celula {
    pub alinha: Alinha,
    pub tamanho: f32,
    pub linhas: Vec<Trecho>,
}

/// A line of a cell: a value, and its name on the left if it has one.
pub(super) struct Trecho {
    pub rotulo: Option<Vec<u8>>,
    pub texto: Vec<u8>,
}

/// An item in these columns.
pub(super) fn line(det: No<'_>, reforma: bool, simples: bool, colunas: &[Coluna]) -> Linha {
    let item = Item::novo(det);
    let conteudo = if reforma {
        item.da_reforma(simples)
    } else {
        item.do_moc()
    };
    let celulas = conteudo
        .into_iter()
        .zip(colunas)
        .map(|(conteudo, coluna)| compor(conteudo, coluna.largura - 2.0 * RECUO))
        .collect();
    Linha { celulas }
}

/// Breaks and shrinks what a cell shows to a width.
fn compor(conteudo: Conteudo, espaco: f32) -> Celula {
    let simples = |linha: &[u8]| Trecho {
        rotulo: None,
        texto: linha.to_vec(),
    };
    match conteudo {
        Conteudo::Texto(paragrafos) => {
            let mut linhas = Vec::new();
            for paragrafo in paragrafos.iter().filter(|p| !p.is_empty()) {
                let texto = win_ansi(paragrafo);
                let partes = quebrar(&texto, Fonte::Times, CORPO, espaco);
                linhas.extend(partes.into_iter().map(simples));
            }
            Celula {
                alinha: Alinha::Esquerda,
                tamanho: CORPO,
                linhas,
            }
        }
        Conteudo::Codigo(codigo) => {
            let texto = win_ansi(&codigo);
            // Two codes on two lines, but each of them on one.
            let palavras: Vec<&[u8]> = texto.split(|byte| *byte == b' ').collect();
            let tamanho = tamanho_para(&[&texto], espaco)
                .max(MENOR)
                .min(tamanho_para(&palavras, espaco));
            let partes = quebrar(&texto, Fonte::Times, tamanho, espaco);
            Celula {
                alinha: Alinha::Centro,
                tamanho,
                linhas: partes.into_iter().map(simples).collect(),
            }
        }
        Conteudo::Numeros(numeros) => {
            let textos: Vec<Vec<u8>> = numeros.iter().map(|n| win_ansi(n)).collect();
            let vistas: Vec<&[u8]> = textos.iter().map(Vec::as_slice).collect();
            Celula {
                alinha: Alinha::Direita,
                tamanho: tamanho_para(&vistas, espaco),
                linhas: vistas.into_iter().map(simples).collect(),
            }
        }
        Conteudo::Nomeados(pares) => nomeados(&pares, espaco),
    }
}

fn nomeados(pares: &[(&'static str, String)], espaco: f32) -> Celula {
    let pares: Vec<(Vec<u8>, Vec<u8>)> = pares
        .iter()
        .map(|(rotulo, numero)| (win_ansi(rotulo), win_ansi(numero)))
        .collect();
    let numeros: Vec<&[u8]> = pares.iter().map(|(_, numero)| &**numero).collect();
    let tamanho = tamanho_para(&numeros, espaco).min(NOMEADO);
    let mut linhas = Vec::with_capacity(pares.len());
    for (rotulo, numero) in pares {
        let juntos =
            largura(&rotulo, Fonte::Times, tamanho) + largura(&numero, Fonte::Times, tamanho) + 2.0;
        if juntos <= espaco {
            linhas.push(Trecho {
                rotulo: Some(rotulo),
                texto: numero,
            });
            continue;
        }
        linhas.push(Trecho {
            rotulo: Some(rotulo),
            texto: Vec::new(),
        });
        linhas.push(Trecho {
            rotulo: None,
            texto: numero,
        });
    }
    Celula {
        alinha: Alinha::Direita,
        tamanho,
        linhas,
    }
}

/// The usual size, or the one at which all lines fit: a number that breaks over
/// two lines is read as another number, however small it has to be.
fn tamanho_para(textos: &[&[u8]], espaco: f32) -> f32 {
    let maior = textos
        .iter()
        .map(|texto| largura(texto, Fonte::Times, 1.0))
        .fold(0.0, f32::max);
    if maior * CORPO <= espaco {
        CORPO
    } else {
        // A hair less: sums of floats are not exact.
        espaco / maior * 0.999
    }
}
