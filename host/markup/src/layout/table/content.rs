//! Particles: their tree and their automaton.

use super::{Espaco, SEM_FIM};
use crate::layout::glushkov::{Grafo, No};

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

impl Ocorre {
    pub(super) fn no(&self) -> No<Posicao> {
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
    pub(super) fn grupo_repete(&self) -> bool {
        match &self.o {
            Particula::Elemento(_) | Particula::Qualquer(_) => false,
            Particula::Sequencia(partes) | Particula::Escolha(partes) => {
                self.max > 1 || partes.iter().any(Ocorre::grupo_repete)
            }
        }
    }
}
