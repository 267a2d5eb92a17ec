//! Glushkov's construction: a tree of symbols to the positions they stand at
//! and what may follow each. Patterns (symbols are classes of characters) and
//! content models (symbols are children) are both made of it.

/// A tree over symbols `S`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum No<S> {
    Simbolo(S),
    Sequencia(Vec<No<S>>),
    Escolha(Vec<No<S>>),
    /// Between so many and so many times; no upper bound is `None`.
    Vezes(Box<No<S>>, u32, Option<u32>),
}

/// Positions of one graph after counts are written out: far more than any
/// official schema has, few enough to be counted by 16 bits.
const MAX_POSICOES: usize = 20_000;

/// A symbol at each position, and which positions come after which.
#[derive(Debug)]
pub(super) struct Grafo<S> {
    pub simbolos: Vec<S>,
    /// May nothing come at all?
    pub vazio: bool,
    pub inicio: Vec<u16>,
    pub segue: Vec<Vec<u16>>,
    /// Sorted.
    finais: Vec<u16>,
}

impl<S: Clone> Grafo<S> {
    /// The graph of a tree.
    ///
    /// # Errors
    /// It would be too large.
    pub fn de(arvore: &No<S>) -> Result<Grafo<S>, String> {
        let mut grafo = Grafo {
            simbolos: Vec::new(),
            vazio: true,
            inicio: Vec::new(),
            segue: Vec::new(),
            finais: Vec::new(),
        };
        let inteiro = grafo.constroi(arvore)?;
        grafo.vazio = inteiro.vazia;
        grafo.inicio = inteiro.primeiras;
        grafo.finais = inteiro.ultimas;
        grafo.finais.sort_unstable();
        grafo.finais.dedup();
        Ok(grafo)
    }

    /// May it end at this position?
    pub fn acaba_em(&self, posicao: u16) -> bool {
        self.finais.binary_search(&posicao).is_ok()
    }

    fn constroi(&mut self, no: &No<S>) -> Result<Parte, String> {
        match no {
            No::Simbolo(simbolo) => self.posicao(simbolo),
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
                junto.vazia = ramos.is_empty();
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

    fn posicao(&mut self, simbolo: &S) -> Result<Parte, String> {
        let posicao = self.simbolos.len();
        if posicao >= MAX_POSICOES {
            return Err("more positions than are kept".to_owned());
        }
        self.simbolos.push(simbolo.clone());
        self.segue.push(Vec::new());
        Ok(Parte {
            vazia: false,
            primeiras: vec![posicao as u16],
            ultimas: vec![posicao as u16],
        })
    }

    fn vezes(&mut self, dentro: &No<S>, minimo: u32, maximo: Option<u32>) -> Result<Parte, String> {
        let mut junto = Parte::nada();
        for _ in 0..minimo {
            let parte = self.constroi(dentro)?;
            junto = self.emenda(junto, parte);
        }
        let mut resto = Parte::nada();
        match maximo {
            None => {
                resto = self.constroi(dentro)?;
                for ultima in &resto.ultimas {
                    self.liga(*ultima, &resto.primeiras);
                }
                resto.vazia = true;
            }
            // a{0,3} is (a(a(a)?)?)?: built from the inside, joined from the outside.
            Some(maximo) => {
                for _ in minimo..maximo {
                    let parte = self.constroi(dentro)?;
                    resto = self.emenda(parte, resto);
                    resto.vazia = true;
                }
            }
        }
        Ok(self.emenda(junto, resto))
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

    fn liga(&mut self, de: u16, para: &[u16]) {
        if let Some(lista) = self.segue.get_mut(usize::from(de)) {
            lista.extend_from_slice(para);
        }
    }
}

/// What a part of the tree begins and ends with.
struct Parte {
    vazia: bool,
    primeiras: Vec<u16>,
    ultimas: Vec<u16>,
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
