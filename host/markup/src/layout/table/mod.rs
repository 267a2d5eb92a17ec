//! A table in memory: types, particles and automata, made once from its text.

mod content;
mod reading;

pub(super) use content::{Automato, Curinga, Exame, Ocorre, Particula, Simbolo};

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::layout::pattern::Padrao;

/// Without upper bound.
pub(super) const SEM_FIM: u32 = u32::MAX;

/// Namespaces a table knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Espaco {
    Layout,
    Assinatura,
}

/// A type, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tipo {
    Simples(usize),
    Complexo(usize),
}

/// An element at one place of a layout, or a root.
#[derive(Clone, Debug)]
pub(super) struct Declaracao {
    pub nome: &'static str,
    pub espaco: Espaco,
    pub tipo: Tipo,
}

/// Built-in types (XSD part 2) that occur, with how each is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    String,
    NormalizedString,
    Token,
    Id,
    NcName,
    AnyUri,
    Base64,
    Date,
    DateTime,
    GYearMonth,
    Boolean,
    Decimal,
    /// Integers with the lowest and highest value, where the type has them.
    Inteiro(Option<i128>, Option<i128>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brancos {
    Preserva,
    Troca,
    Junta,
}

/// A simple type, flat: all it inherits is in it.
#[derive(Debug)]
pub(super) struct Simples {
    /// Name in the table; a global type's own name if `nomeado`.
    pub nome: &'static str,
    pub nomeado: bool,
    pub base: Base,
    /// `xs:string`.
    pub embutido: &'static str,
    pub brancos: Brancos,
    pub tamanho: Option<u32>,
    pub min: Option<u32>,
    pub max: Option<u32>,
    pub de: Option<&'static str>,
    pub ate: Option<&'static str>,
    pub digitos: Option<u32>,
    pub decimais: Option<u32>,
    /// Places in [`Tabela::padroes`].
    pub padroes: Vec<usize>,
    pub valores: Vec<&'static str>,
    /// Named type this one restricts.
    pub deriva: Option<&'static str>,
}

#[derive(Debug)]
pub(super) struct Atributo {
    pub nome: &'static str,
    pub obrigatorio: bool,
    pub tipo: usize,
    pub fixo: Option<&'static str>,
}

/// Elements below that differ in an attribute.
#[derive(Debug)]
pub(super) struct Unico {
    /// All descendants, not only children.
    pub todos: bool,
    pub atributo: &'static str,
}

#[derive(Debug)]
pub(super) struct Complexo {
    pub nome: &'static str,
    pub misto: bool,
    pub atributos: Vec<Atributo>,
    pub qualquer_atributo: bool,
    pub unicos: Vec<Unico>,
    pub conteudo: Conteudo,
}

#[derive(Debug)]
pub(super) enum Conteudo {
    Vazio,
    Simples(usize),
    Elementos(Box<Modelo>),
}

/// Order and occurrence of children.
#[derive(Debug)]
pub(super) struct Modelo {
    /// All elements of the type, in the order of the layout; particles and
    /// positions refer to them.
    pub declaracoes: Vec<Declaracao>,
    pub curingas: Vec<Curinga>,
    pub arvore: Ocorre,
    pub automato: Automato,
    /// A group repeats: items of one name may stand apart.
    pub grupo_repete: bool,
    /// The name of a child says where it belongs.
    pub nomes_decidem: bool,
}

/// A pattern's text; its automaton is made when first needed.
#[derive(Debug)]
pub(super) struct PadraoDaTabela {
    pub texto: &'static str,
    automato: OnceLock<Option<Padrao>>,
}

impl PadraoDaTabela {
    fn novo(texto: &'static str) -> PadraoDaTabela {
        PadraoDaTabela {
            texto,
            automato: OnceLock::new(),
        }
    }

    /// A pattern that does not compile accepts nothing; a test compiles all.
    pub fn casa(&self, texto: &str) -> bool {
        self.automato().is_some_and(|automato| automato.casa(texto))
    }

    fn automato(&self) -> Option<&Padrao> {
        self.automato
            .get_or_init(|| Padrao::compila(self.texto).ok())
            .as_ref()
    }
}

/// A whole table.
#[derive(Debug)]
pub(super) struct Tabela {
    pub namespace: &'static str,
    pub raizes: Vec<Declaracao>,
    pub simples: Vec<Simples>,
    pub complexos: Vec<Complexo>,
    pub padroes: Vec<PadraoDaTabela>,
    por_nome: HashMap<&'static str, Tipo>,
}

impl Tabela {
    /// Reads a table's text.
    ///
    /// # Errors
    /// A sentence in English with the line: the text was not made by the compiler.
    pub fn le(texto: &'static str) -> Result<Tabela, String> {
        reading::le(texto)
    }

    pub fn raiz(&self, espaco: Option<Espaco>, nome: &str) -> Option<&Declaracao> {
        self.raizes
            .iter()
            .find(|raiz| Some(raiz.espaco) == espaco && raiz.nome == nome)
    }

    /// Root by name alone: for trees, which carry no namespaces.
    pub fn raiz_por_nome(&self, nome: &str) -> Option<&Declaracao> {
        self.raizes.iter().find(|raiz| raiz.nome == nome)
    }

    /// Type of a root or, for parts of documents, of the first element of that
    /// name in the table.
    pub fn elemento_por_nome(&self, nome: &str) -> Option<Tipo> {
        if let Some(raiz) = self.raiz_por_nome(nome) {
            return Some(raiz.tipo);
        }
        self.complexos.iter().find_map(|complexo| {
            let Conteudo::Elementos(modelo) = &complexo.conteudo else {
                return None;
            };
            let declaracao = modelo.declaracoes.iter().find(|d| d.nome == nome);
            declaracao.map(|d| d.tipo)
        })
    }

    /// A global type, as `xsi:type` names it.
    pub fn tipo(&self, nome: &str) -> Option<Tipo> {
        self.por_nome.get(nome).copied()
    }

    pub fn uri(&self, espaco: Espaco) -> &'static str {
        match espaco {
            Espaco::Layout => self.namespace,
            Espaco::Assinatura => crate::xmldsig::DSIG_NAMESPACE,
        }
    }

    pub fn espaco(&self, uri: &str) -> Option<Espaco> {
        if uri == self.namespace {
            Some(Espaco::Layout)
        } else if uri == crate::xmldsig::DSIG_NAMESPACE {
            Some(Espaco::Assinatura)
        } else {
            None
        }
    }

    /// The table refers only to what it has, so these are always there; the
    /// reader made sure.
    pub fn simples(&self, indice: usize) -> Option<&Simples> {
        self.simples.get(indice)
    }

    pub fn complexo(&self, indice: usize) -> Option<&Complexo> {
        self.complexos.get(indice)
    }

    pub fn modelo(&self, tipo: Tipo) -> Option<&Modelo> {
        let Tipo::Complexo(indice) = tipo else {
            return None;
        };
        match &self.complexo(indice)?.conteudo {
            Conteudo::Elementos(modelo) => Some(modelo),
            _ => None,
        }
    }

    /// Text of every pattern that has no automaton; none in a good table.
    #[cfg(test)]
    pub fn padroes_maus(&self) -> Vec<&'static str> {
        self.padroes
            .iter()
            .filter(|padrao| padrao.automato().is_none())
            .map(|padrao| padrao.texto)
            .collect()
    }
}
