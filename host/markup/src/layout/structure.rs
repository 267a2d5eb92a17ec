//! Names of children against a content model, whatever their order: what is
//! missing, what is too much, and which order would be the layout's. The
//! automaton says whether there is an error; this says which.

use std::collections::{HashMap, VecDeque};

use crate::layout::table::{Modelo, Ocorre, Particula, SEM_FIM};

/// How children fit a type.
#[derive(Debug, Default)]
pub(super) struct Arranjo {
    /// Child and declaration, in the order of the layout.
    pub ordem: Vec<(usize, Lugar)>,
    pub faltam: Vec<Falta>,
    pub sobram: Vec<Sobra>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lugar {
    Elemento(usize),
    Qualquer(usize),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Falta {
    /// The declaration, and how often it must occur and does.
    Elemento {
        declaracao: usize,
        min: u32,
        ha: u32,
    },
    /// One of these.
    UmDe(Vec<usize>),
    /// Anything, for a wildcard.
    Qualquer,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sobra {
    /// The child, and how often its name may occur.
    Repetido { filho: usize, max: u32 },
    /// The child, and the children of the alternative that was taken.
    Excluido { filho: usize, por: Vec<usize> },
    /// The layout has no such child here.
    Desconhecido { filho: usize },
}

/// Alternatives, or what was taken of one, that a message names.
const MAX_ALTERNATIVAS: usize = 8;

pub(super) fn arranja(modelo: &Modelo, nomes: &[&str]) -> Arranjo {
    let mut filas: HashMap<&str, VecDeque<usize>> = HashMap::with_capacity(nomes.len().min(64));
    for declaracao in &modelo.declaracoes {
        filas.entry(declaracao.nome).or_default();
    }
    let mut outros = VecDeque::new();
    for (filho, nome) in nomes.iter().enumerate() {
        match filas.get_mut(nome) {
            Some(fila) => fila.push_back(filho),
            None => outros.push_back(filho),
        }
    }
    let mut obra = Obra {
        modelo,
        filas,
        outros,
        excluidos: HashMap::new(),
        maximos: HashMap::new(),
        arranjo: Arranjo::default(),
    };
    obra.consome(&modelo.arvore);
    obra.sobras();
    obra.arranjo
}

/// Order of children by declaration, where names alone decide it: no group
/// repeats, no name has two places, and all are known. The usual case, for
/// writers; says nothing about what is missing or too much.
pub(super) fn ordem_simples(modelo: &Modelo, nomes: &[&str]) -> Option<Vec<(usize, usize)>> {
    if !modelo.nomes_decidem {
        return None;
    }
    let mut ordem = Vec::with_capacity(nomes.len());
    let mut esperado = 0;
    let mut em_ordem = true;
    for (filho, nome) in nomes.iter().enumerate() {
        // Builders nearly always follow the layout: look from the last place on.
        let adiante = modelo.declaracoes.get(esperado..).unwrap_or_default();
        let lugar = match adiante.iter().position(|d| d.nome == *nome) {
            Some(passos) => esperado + passos,
            None => {
                em_ordem = false;
                modelo.declaracoes.iter().position(|d| d.nome == *nome)?
            }
        };
        esperado = lugar;
        ordem.push((filho, lugar));
    }
    if !em_ordem {
        ordem.sort_by_key(|(_, lugar)| *lugar);
    }
    Some(ordem)
}

struct Obra<'m, 'n> {
    modelo: &'m Modelo,
    filas: HashMap<&'n str, VecDeque<usize>>,
    outros: VecDeque<usize>,
    /// Name of an alternative not taken: what was taken instead.
    excluidos: HashMap<&'m str, Vec<usize>>,
    maximos: HashMap<&'m str, u32>,
    arranjo: Arranjo,
}

impl<'m: 'n, 'n> Obra<'m, 'n> {
    fn consome(&mut self, ocorre: &'m Ocorre) {
        match &ocorre.o {
            Particula::Elemento(declaracao) => self.elemento(*declaracao, ocorre),
            Particula::Qualquer(curinga) => self.qualquer(*curinga, ocorre),
            grupo => {
                let mut vezes = 0;
                while vezes < ocorre.max {
                    let antes = self.arranjo.ordem.len();
                    let presente = self.presentes(grupo) > 0;
                    if !presente && vezes >= ocorre.min {
                        break;
                    }
                    self.grupo(grupo);
                    vezes += 1;
                    // Nothing was there to take: what is missing was said once.
                    if self.arranjo.ordem.len() == antes {
                        break;
                    }
                }
            }
        }
    }

    fn grupo(&mut self, grupo: &'m Particula) {
        match grupo {
            Particula::Sequencia(partes) => {
                for parte in partes {
                    self.consome(parte);
                }
            }
            Particula::Escolha(ramos) => self.escolha(ramos),
            _ => {}
        }
    }

    fn escolha(&mut self, ramos: &'m [Ocorre]) {
        let presentes = |ramo: &Ocorre| self.presentes(&ramo.o);
        let melhor = ramos
            .iter()
            .enumerate()
            .map(|(indice, ramo)| (presentes(ramo), std::cmp::Reverse(indice)))
            .max()
            .filter(|(quantos, _)| *quantos > 0)
            .map(|(_, std::cmp::Reverse(indice))| indice);
        let Some(melhor) = melhor else {
            if !ramos.iter().any(|ramo| self.pode_faltar(ramo)) {
                let mut nomes = Vec::new();
                for ramo in ramos {
                    nomes.extend(self.primeiro(ramo));
                }
                nomes.truncate(MAX_ALTERNATIVAS);
                self.arranjo.faltam.push(match nomes.as_slice() {
                    [] => Falta::Qualquer,
                    _ => Falta::UmDe(nomes),
                });
            }
            return;
        };
        let Some(ramo) = ramos.get(melhor) else {
            return;
        };
        let antes = self.arranjo.ordem.len();
        self.consome(ramo);
        let tomados: Vec<usize> = self
            .arranjo
            .ordem
            .get(antes..)
            .unwrap_or_default()
            .iter()
            .map(|(filho, _)| *filho)
            .take(MAX_ALTERNATIVAS)
            .collect();
        for (indice, outro) in ramos.iter().enumerate() {
            if indice != melhor {
                self.exclui(outro, &tomados);
            }
        }
    }

    fn exclui(&mut self, ocorre: &'m Ocorre, por: &[usize]) {
        match &ocorre.o {
            Particula::Elemento(declaracao) => {
                if let Some(declaracao) = self.modelo.declaracoes.get(*declaracao) {
                    self.excluidos
                        .entry(declaracao.nome)
                        .or_insert_with(|| por.to_vec());
                }
            }
            Particula::Qualquer(_) => {}
            Particula::Sequencia(partes) | Particula::Escolha(partes) => {
                for parte in partes {
                    self.exclui(parte, por);
                }
            }
        }
    }

    fn elemento(&mut self, declaracao: usize, ocorre: &Ocorre) {
        let Some(nome) = self.modelo.declaracoes.get(declaracao).map(|d| d.nome) else {
            return;
        };
        let mut ha = 0;
        if let Some(fila) = self.filas.get_mut(nome) {
            while ha < ocorre.max {
                let Some(filho) = fila.pop_front() else { break };
                self.arranjo
                    .ordem
                    .push((filho, Lugar::Elemento(declaracao)));
                ha += 1;
            }
        }
        *self.maximos.entry(nome).or_insert(0) += ocorre.max.min(SEM_FIM / 1024);
        if ha < ocorre.min {
            self.arranjo.faltam.push(Falta::Elemento {
                declaracao,
                min: ocorre.min,
                ha,
            });
        }
    }

    fn qualquer(&mut self, curinga: usize, ocorre: &Ocorre) {
        let mut ha = 0;
        while ha < ocorre.max {
            let Some(filho) = self.outros.pop_front() else {
                break;
            };
            self.arranjo.ordem.push((filho, Lugar::Qualquer(curinga)));
            ha += 1;
        }
        if ha < ocorre.min {
            self.arranjo.faltam.push(Falta::Qualquer);
        }
    }

    fn sobras(&mut self) {
        let mut sobram: Vec<(usize, &str)> = Vec::new();
        for (nome, fila) in &self.filas {
            sobram.extend(fila.iter().map(|filho| (*filho, *nome)));
        }
        sobram.sort_unstable();
        for (filho, nome) in sobram {
            self.arranjo.sobram.push(match self.maximos.get(nome) {
                Some(max) => Sobra::Repetido { filho, max: *max },
                None => Sobra::Excluido {
                    filho,
                    por: self.excluidos.get(nome).cloned().unwrap_or_default(),
                },
            });
        }
        for filho in std::mem::take(&mut self.outros) {
            self.arranjo.sobram.push(Sobra::Desconhecido { filho });
        }
    }

    /// How many different names of the group are there.
    fn presentes(&self, particula: &Particula) -> usize {
        match particula {
            Particula::Elemento(declaracao) => {
                let nome = self.modelo.declaracoes.get(*declaracao).map(|d| d.nome);
                let fila = nome.and_then(|nome| self.filas.get(nome));
                usize::from(fila.is_some_and(|fila| !fila.is_empty()))
            }
            Particula::Qualquer(_) => usize::from(!self.outros.is_empty()),
            Particula::Sequencia(partes) | Particula::Escolha(partes) => {
                partes.iter().map(|parte| self.presentes(&parte.o)).sum()
            }
        }
    }

    fn pode_faltar(&self, ocorre: &Ocorre) -> bool {
        if ocorre.min == 0 {
            return true;
        }
        match &ocorre.o {
            Particula::Elemento(_) | Particula::Qualquer(_) => false,
            Particula::Sequencia(partes) => partes.iter().all(|parte| self.pode_faltar(parte)),
            Particula::Escolha(ramos) => {
                ramos.is_empty() || ramos.iter().any(|ramo| self.pode_faltar(ramo))
            }
        }
    }

    /// First elements that must or may begin the branch.
    fn primeiro(&self, ocorre: &Ocorre) -> Vec<usize> {
        match &ocorre.o {
            Particula::Elemento(declaracao) => vec![*declaracao],
            Particula::Qualquer(_) => Vec::new(),
            Particula::Sequencia(partes) => partes
                .iter()
                .find(|parte| !self.pode_faltar(parte))
                .or(partes.first())
                .map_or_else(Vec::new, |parte| self.primeiro(parte)),
            Particula::Escolha(ramos) => ramos.iter().flat_map(|r| self.primeiro(r)).collect(),
        }
    }
}

/// Which members of a sequence of places stand out of order: those that are
/// not in a longest increasing subsequence.
pub(super) fn deslocados(lugares: &[usize]) -> Vec<bool> {
    // Patience sorting, with the predecessor of each member kept.
    let mut pilhas: Vec<usize> = Vec::new();
    let mut anterior: Vec<Option<usize>> = Vec::with_capacity(lugares.len());
    for (indice, lugar) in lugares.iter().enumerate() {
        let pilha = pilhas.partition_point(|topo| lugares.get(*topo).is_some_and(|l| l < lugar));
        anterior.push(pilha.checked_sub(1).and_then(|p| pilhas.get(p)).copied());
        match pilhas.get_mut(pilha) {
            Some(topo) => *topo = indice,
            None => pilhas.push(indice),
        }
    }
    let mut fora = vec![true; lugares.len()];
    let mut atual = pilhas.last().copied();
    while let Some(indice) = atual {
        if let Some(marca) = fora.get_mut(indice) {
            *marca = false;
        }
        atual = anterior.get(indice).copied().flatten();
    }
    fora
}
