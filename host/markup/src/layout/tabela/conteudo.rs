//! Particles: their text, their tree and their automaton.

use super::leitura::{Leitor, numero};
use super::{Declaracao, Espaco, Modelo, SEM_FIM};
use crate::layout::glushkov::{Grafo, No};

const MAX_FUNDO: usize = 48;

/// A particle and how often it occurs.
#[derive(Clone, Debug)]
pub(in crate::layout) struct Ocorre {
    pub o: Particula,
    pub min: u32,
    pub max: u32,
}

#[derive(Clone, Debug)]
pub(in crate::layout) enum Particula {
    /// Place in [`Modelo::declaracoes`].
    Elemento(usize),
    /// Place in [`Modelo::curingas`].
    Qualquer(usize),
    Sequencia(Vec<Ocorre>),
    Escolha(Vec<Ocorre>),
}

/// How closely content of a wildcard is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::layout) enum Exame {
    Nenhum,
    /// What has a global declaration.
    Conhecidos,
    /// There must be one.
    Todos,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::layout) struct Curinga {
    /// Any namespace but this one, and not none.
    pub exceto: Option<Espaco>,
    pub exame: Exame,
}

/// A place where a child may stand.
#[derive(Clone, Copy, Debug)]
pub(in crate::layout) struct Posicao {
    pub o: Simbolo,
    pub min: u32,
    pub max: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::layout) enum Simbolo {
    Elemento(usize),
    Qualquer(usize),
}

/// Automaton of a type. The official schemas obey Unique Particle Attribution
/// (XSD part 1, §3.8.6), so a child's name picks at most one way on. An element
/// that repeats is one position with a counter.
pub(in crate::layout) type Automato = Grafo<Posicao>;

/// Reads `(a=T,b=T?)`.
pub(super) fn le_particula(texto: &'static str, leitor: &mut Leitor) -> Result<Modelo, String> {
    let mut leitura = Leitura {
        texto,
        em: 0,
        leitor,
        declaracoes: Vec::new(),
        curingas: Vec::new(),
    };
    let arvore = leitura.particula(0)?;
    if leitura.em != texto.len() {
        return Err(format!("something after the particle at {}", leitura.em));
    }
    let automato = Automato::de(&arvore.no())?;
    let grupo_repete = arvore.grupo_repete();
    let declaracoes = &leitura.declaracoes;
    let unicos = declaracoes.iter().enumerate().all(|(indice, esta)| {
        declaracoes
            .iter()
            .skip(indice + 1)
            .all(|d| d.nome != esta.nome)
    });
    Ok(Modelo {
        nomes_decidem: unicos && leitura.curingas.is_empty() && !grupo_repete,
        grupo_repete,
        declaracoes: leitura.declaracoes,
        curingas: leitura.curingas,
        arvore,
        automato,
    })
}

struct Leitura<'l> {
    texto: &'static str,
    em: usize,
    leitor: &'l mut Leitor,
    declaracoes: Vec<Declaracao>,
    curingas: Vec<Curinga>,
}

impl Leitura<'_> {
    fn espia(&self) -> Option<u8> {
        self.texto.as_bytes().get(self.em).copied()
    }

    fn come(&mut self, byte: u8) -> bool {
        let aqui = self.espia() == Some(byte);
        self.em += usize::from(aqui);
        aqui
    }

    /// Up to one of `fins`, or the end.
    fn palavra(&mut self, fins: &[u8]) -> &'static str {
        let inicio = self.em;
        while self.espia().is_some_and(|byte| !fins.contains(&byte)) {
            self.em += 1;
        }
        self.texto.get(inicio..self.em).unwrap_or("")
    }

    fn particula(&mut self, fundo: usize) -> Result<Ocorre, String> {
        if fundo > MAX_FUNDO {
            return Err("nested too deeply".to_owned());
        }
        let o = match self.espia() {
            Some(b'(') => self.grupo(fundo)?,
            Some(b'*') => self.curinga()?,
            _ => self.elemento()?,
        };
        let (min, max) = self.ocorrencia()?;
        Ok(Ocorre { o, min, max })
    }

    fn grupo(&mut self, fundo: usize) -> Result<Particula, String> {
        self.em += 1;
        let mut partes = Vec::new();
        let mut escolha = false;
        while !self.come(b')') {
            if !partes.is_empty() {
                escolha = self.espia() == Some(b'|');
                if !self.come(b'|') && !self.come(b',') {
                    return Err(format!("a separator is missing at {}", self.em));
                }
            }
            partes.push(self.particula(fundo + 1)?);
        }
        Ok(if escolha {
            Particula::Escolha(partes)
        } else {
            Particula::Sequencia(partes)
        })
    }

    fn curinga(&mut self) -> Result<Particula, String> {
        let espaco = self.palavra(b"/");
        self.em += 1;
        let exame = self.palavra(b"?*+{,|)");
        let exceto = match espaco {
            "*=##any" => None,
            "*=##other()" => Some(Espaco::Layout),
            "*=##other(ds)" => Some(Espaco::Assinatura),
            _ => return Err(format!("unknown wildcard {espaco:?}")),
        };
        let exame = match exame {
            "skip" => Exame::Nenhum,
            "lax" => Exame::Conhecidos,
            "strict" => Exame::Todos,
            _ => return Err(format!("unknown wildcard {exame:?}")),
        };
        self.curingas.push(Curinga { exceto, exame });
        Ok(Particula::Qualquer(self.curingas.len() - 1))
    }

    fn elemento(&mut self) -> Result<Particula, String> {
        let nome = self.palavra(b"=");
        self.em += 1;
        let tipo = self.palavra(b"?*+{,|)");
        let declaracao = self.leitor.declaracao(nome, tipo)?;
        self.declaracoes.push(declaracao);
        Ok(Particula::Elemento(self.declaracoes.len() - 1))
    }

    fn ocorrencia(&mut self) -> Result<(u32, u32), String> {
        if self.come(b'?') {
            return Ok((0, 1));
        }
        if self.come(b'*') {
            return Ok((0, SEM_FIM));
        }
        if self.come(b'+') {
            return Ok((1, SEM_FIM));
        }
        if !self.come(b'{') {
            return Ok((1, 1));
        }
        let min = numero(self.palavra(b","))?;
        self.em += 1;
        let max = match self.palavra(b"}") {
            "" => SEM_FIM,
            texto => numero(texto)?,
        };
        self.em += 1;
        Ok((min, max))
    }
}

impl Ocorre {
    fn no(&self) -> No<Posicao> {
        let grupo = |partes: &[Ocorre]| partes.iter().map(Ocorre::no).collect();
        let o = match &self.o {
            Particula::Elemento(indice) => return self.posicao(Simbolo::Elemento(*indice)),
            Particula::Qualquer(indice) => return self.posicao(Simbolo::Qualquer(*indice)),
            Particula::Sequencia(partes) => No::Sequencia(grupo(partes)),
            Particula::Escolha(ramos) => No::Escolha(grupo(ramos)),
        };
        let max = (self.max != SEM_FIM).then_some(self.max);
        No::Vezes(Box::new(o), self.min, max)
    }

    fn posicao(&self, o: Simbolo) -> No<Posicao> {
        let posicao = No::Simbolo(Posicao {
            o,
            min: self.min.max(1),
            max: self.max,
        });
        match self.min {
            0 => No::Vezes(Box::new(posicao), 0, Some(1)),
            _ => posicao,
        }
    }

    /// Does a group repeat, here or inside?
    fn grupo_repete(&self) -> bool {
        match &self.o {
            Particula::Elemento(_) | Particula::Qualquer(_) => false,
            Particula::Sequencia(partes) | Particula::Escolha(partes) => {
                self.max > 1 || partes.iter().any(Ocorre::grupo_repete)
            }
        }
    }
}
