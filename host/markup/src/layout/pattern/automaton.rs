//! Tree of a pattern to a table of states.

use std::collections::HashMap;

use crate::layout::glushkov::Grafo;
use crate::layout::pattern::syntax::{Trecho, le};

/// States of the table. Reached only by a pattern that was not made for people.
const MAX_ESTADOS: usize = 20_000;
/// No way on.
const MORTO: u16 = 0;

/// A pattern ready to be asked.
#[derive(Debug)]
pub(in crate::layout) struct Padrao {
    /// Class of each character below U+0100.
    baixos: [u8; 256],
    /// First code point and class of each further range, sorted.
    altos: Vec<(u32, u8)>,
    classes: usize,
    /// `estado * classes + classe`: the next state; state 0 is dead, 1 the first.
    passos: Vec<u16>,
    aceita: Vec<bool>,
}

impl Padrao {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// A sentence in English: see [`le`]; or the automaton would be too large.
    pub fn compila(padrao: &str) -> Result<Padrao, String> {
        Padrao::determina(&Grafo::de(&le(padrao)?)?)
    }

    /// Does the whole text fit?
    pub fn casa(&self, texto: &str) -> bool {
        let mut estado = 1usize;
        let bytes = texto.as_bytes();
        let mut em = 0;
        while let Some(&byte) = bytes.get(em) {
            let classe = if byte < 0x80 {
                em += 1;
                self.baixos.get(usize::from(byte)).copied().unwrap_or(0)
            } else {
                let Some(c) = texto.get(em..).and_then(|resto| resto.chars().next()) else {
                    return false;
                };
                em += c.len_utf8();
                self.classe(u32::from(c))
            };
            let indice = estado * self.classes + usize::from(classe);
            estado = usize::from(self.passos.get(indice).copied().unwrap_or(MORTO));
            if estado == usize::from(MORTO) {
                return false;
            }
        }
        self.aceita.get(estado).copied().unwrap_or(false)
    }

    fn classe(&self, ponto: u32) -> u8 {
        if let Some(classe) = self.baixos.get(ponto as usize) {
            return *classe;
        }
        let depois = self.altos.partition_point(|(de, _)| *de <= ponto);
        depois
            .checked_sub(1)
            .and_then(|i| self.altos.get(i))
            .map_or(0, |(_, classe)| *classe)
    }

    fn determina(grafo: &Grafo<Vec<Trecho>>) -> Result<Padrao, String> {
        let alfabeto = Alfabeto::de(&grafo.simbolos)?;
        let mut conjuntos: HashMap<Vec<u16>, u16> = HashMap::new();
        let mut passos = vec![MORTO; alfabeto.classes * 2];
        let mut aceita = vec![false, grafo.vazio];
        // The first state has nothing behind it; all others are sets of positions.
        let mut pendente = vec![(1usize, grafo.inicio.clone())];
        while let Some((estado, seguintes)) = pendente.pop() {
            let mut por_classe: Vec<Vec<u16>> = vec![Vec::new(); alfabeto.classes];
            for &posicao in &seguintes {
                let Some(classes) = alfabeto.de_posicao.get(usize::from(posicao)) else {
                    continue;
                };
                for &classe in classes {
                    if let Some(lista) = por_classe.get_mut(usize::from(classe)) {
                        lista.push(posicao);
                    }
                }
            }
            for (classe, mut conjunto) in por_classe.into_iter().enumerate() {
                if conjunto.is_empty() {
                    continue;
                }
                conjunto.sort_unstable();
                conjunto.dedup();
                let destino = match conjuntos.get(&conjunto) {
                    Some(destino) => *destino,
                    None => {
                        let numero = aceita.len();
                        if numero >= MAX_ESTADOS {
                            return Err("the pattern needs too many states".to_owned());
                        }
                        let destino = u16::try_from(numero).unwrap_or(MORTO);
                        aceita.push(conjunto.iter().any(|p| grafo.acaba_em(*p)));
                        passos.resize(passos.len() + alfabeto.classes, MORTO);
                        let mut seguintes: Vec<u16> = conjunto
                            .iter()
                            .filter_map(|p| grafo.segue.get(usize::from(*p)))
                            .flatten()
                            .copied()
                            .collect();
                        seguintes.sort_unstable();
                        seguintes.dedup();
                        pendente.push((numero, seguintes));
                        conjuntos.insert(conjunto.clone(), destino);
                        destino
                    }
                };
                if let Some(passo) = passos.get_mut(estado * alfabeto.classes + classe) {
                    *passo = destino;
                }
            }
        }
        Ok(Padrao {
            baixos: alfabeto.baixos,
            altos: alfabeto.altos,
            classes: alfabeto.classes,
            passos,
            aceita,
        })
    }
}

/// Characters that no position tells apart are one class.
struct Alfabeto {
    baixos: [u8; 256],
    altos: Vec<(u32, u8)>,
    classes: usize,
    de_posicao: Vec<Vec<u8>>,
}

impl Alfabeto {
    fn de(posicoes: &[Vec<Trecho>]) -> Result<Alfabeto, String> {
        let mut cortes: Vec<u32> = vec![0];
        for &(de, ate) in posicoes.iter().flatten() {
            cortes.push(de);
            cortes.push(ate + 1);
        }
        cortes.sort_unstable();
        cortes.dedup();
        let classes = cortes.len();
        if classes > 255 {
            return Err("the pattern tells too many characters apart".to_owned());
        }
        let classe_de = |ponto: u32| (cortes.partition_point(|corte| *corte <= ponto) - 1) as u8;
        let mut baixos = [0; 256];
        for (ponto, classe) in (0u32..).zip(baixos.iter_mut()) {
            *classe = classe_de(ponto);
        }
        let altos = std::iter::once(256)
            .chain(cortes.iter().copied().filter(|corte| *corte > 256))
            .map(|corte| (corte, classe_de(corte)))
            .collect();
        let de_posicao = posicoes
            .iter()
            .map(|trechos| {
                trechos
                    .iter()
                    .flat_map(|&(de, ate)| classe_de(de)..=classe_de(ate))
                    .collect()
            })
            .collect();
        Ok(Alfabeto {
            baixos,
            altos,
            classes,
            de_posicao,
        })
    }
}
