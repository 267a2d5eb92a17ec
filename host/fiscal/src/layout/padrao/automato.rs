//! Tree of a pattern to a table of states.

use std::collections::HashMap;

use super::sintaxe::{No, Trecho, le};

/// Positions of the tree after counts are written out.
const MAX_POSICOES: usize = 20_000;
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
        let arvore = le(padrao)?;
        let mut grafo = Grafo::default();
        let inteiro = grafo.mede(&arvore)?;
        Padrao::determina(&grafo, &inteiro)
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

    fn determina(grafo: &Grafo, inteiro: &Parte) -> Result<Padrao, String> {
        let alfabeto = Alfabeto::de(&grafo.posicoes)?;
        let mut conjuntos: HashMap<Vec<u32>, u16> = HashMap::new();
        let mut passos = vec![MORTO; alfabeto.classes * 2];
        let mut aceita = vec![false, inteiro.vazia];
        let finais = |conjunto: &[u32]| {
            conjunto
                .iter()
                .any(|p| inteiro.ultimas.binary_search(p).is_ok())
        };
        // The first state has nothing behind it; all others are sets of positions.
        let mut pendente = vec![(1usize, inteiro.primeiras.clone())];
        while let Some((estado, seguintes)) = pendente.pop() {
            let mut por_classe: Vec<Vec<u32>> = vec![Vec::new(); alfabeto.classes];
            for &posicao in &seguintes {
                let Some(classes) = alfabeto.de_posicao.get(posicao as usize) else {
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
                        aceita.push(finais(&conjunto));
                        passos.resize(passos.len() + alfabeto.classes, MORTO);
                        let mut seguintes: Vec<u32> = conjunto
                            .iter()
                            .filter_map(|p| grafo.seguem.get(*p as usize))
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

/// Glushkov's construction: one position per character written.
#[derive(Default)]
struct Grafo {
    posicoes: Vec<Vec<Trecho>>,
    /// What may come after each position.
    seguem: Vec<Vec<u32>>,
}

/// What a part of the pattern begins and ends with.
#[derive(Clone)]
struct Parte {
    vazia: bool,
    primeiras: Vec<u32>,
    ultimas: Vec<u32>,
}

impl Parte {
    fn nada() -> Parte {
        Parte {
            vazia: true,
            primeiras: Vec::new(),
            ultimas: Vec::new(),
        }
    }
}

impl Grafo {
    fn mede(&mut self, no: &No) -> Result<Parte, String> {
        let mut parte = self.constroi(no)?;
        parte.ultimas.sort_unstable();
        parte.ultimas.dedup();
        Ok(parte)
    }

    fn constroi(&mut self, no: &No) -> Result<Parte, String> {
        match no {
            No::Classe(trechos) => {
                if self.posicoes.len() >= MAX_POSICOES {
                    return Err("the pattern is too long".to_owned());
                }
                let posicao = self.posicoes.len() as u32;
                self.posicoes.push(trechos.clone());
                self.seguem.push(Vec::new());
                Ok(Parte {
                    vazia: false,
                    primeiras: vec![posicao],
                    ultimas: vec![posicao],
                })
            }
            No::Sequencia(partes) => {
                let mut junto = Parte::nada();
                for parte in partes {
                    let parte = self.constroi(parte)?;
                    junto = self.emenda(junto, parte);
                }
                Ok(junto)
            }
            No::Escolha(ramos) => {
                let mut junto = Parte::nada();
                junto.vazia = false;
                for ramo in ramos {
                    let ramo = self.constroi(ramo)?;
                    junto.vazia |= ramo.vazia;
                    junto.primeiras.extend(ramo.primeiras);
                    junto.ultimas.extend(ramo.ultimas);
                }
                Ok(junto)
            }
            No::Vezes(dentro, minimo, maximo) => self.vezes(dentro, *minimo, *maximo),
        }
    }

    fn vezes(&mut self, dentro: &No, minimo: u32, maximo: Option<u32>) -> Result<Parte, String> {
        let mut junto = Parte::nada();
        for _ in 0..minimo {
            let parte = self.constroi(dentro)?;
            junto = self.emenda(junto, parte);
        }
        match maximo {
            None => {
                let mut parte = self.constroi(dentro)?;
                for ultima in &parte.ultimas {
                    self.liga(*ultima, &parte.primeiras);
                }
                parte.vazia = true;
                junto = self.emenda(junto, parte);
            }
            Some(maximo) => {
                // a{0,3} is (a(a(a)?)?)?: built from the inside, joined from the outside.
                let mut resto = Parte::nada();
                for _ in minimo..maximo {
                    let parte = self.constroi(dentro)?;
                    let mut fora = self.emenda(parte, resto);
                    fora.vazia = true;
                    resto = fora;
                }
                junto = self.emenda(junto, resto);
            }
        }
        Ok(junto)
    }

    fn emenda(&mut self, antes: Parte, depois: Parte) -> Parte {
        for ultima in &antes.ultimas {
            self.liga(*ultima, &depois.primeiras);
        }
        let mut primeiras = antes.primeiras;
        if antes.vazia {
            primeiras.extend_from_slice(&depois.primeiras);
        }
        let mut ultimas = depois.ultimas;
        if depois.vazia {
            ultimas.extend_from_slice(&antes.ultimas);
        }
        Parte {
            vazia: antes.vazia && depois.vazia,
            primeiras,
            ultimas,
        }
    }

    fn liga(&mut self, de: u32, para: &[u32]) {
        if let Some(lista) = self.seguem.get_mut(de as usize) {
            lista.extend_from_slice(para);
        }
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
