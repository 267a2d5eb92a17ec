//! An XML element as it is put together: names and values, no order yet.
//!
//! Builders add members in whatever order reads best; the layout
//! ([`crate::layout`]) knows the official one and writes it.

use std::borrow::Cow;

/// Name of an element or attribute: nearly always one of the layout's own.
pub type Nome = Cow<'static, str>;

/// An element with its attributes and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elemento {
    /// Local name, as the layout has it.
    pub nome: Nome,
    /// Without namespace declarations.
    pub atributos: Vec<(Nome, String)>,
    /// Its children or its text.
    pub conteudo: Conteudo,
}

/// What an element has inside: fiscal layouts never mix text and elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conteudo {
    /// Elements, in any order.
    Filhos(Vec<Elemento>),
    /// Not escaped.
    Texto(String),
}

impl Elemento {
    /// An element that will have children.
    pub fn grupo(nome: impl Into<Nome>) -> Elemento {
        Elemento {
            nome: nome.into(),
            atributos: Vec::new(),
            conteudo: Conteudo::Filhos(Vec::new()),
        }
    }

    /// An element with a value.
    pub fn campo(nome: impl Into<Nome>, valor: impl Into<String>) -> Elemento {
        Elemento {
            nome: nome.into(),
            atributos: Vec::new(),
            conteudo: Conteudo::Texto(valor.into()),
        }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn atributo(mut self, nome: impl Into<Nome>, valor: impl Into<String>) -> Elemento {
        self.atributos.push((nome.into(), valor.into()));
        self
    }

    /// Adds a child with a value.
    #[must_use]
    pub fn com(mut self, nome: impl Into<Nome>, valor: impl Into<String>) -> Elemento {
        self.poe(Elemento::campo(nome, valor));
        self
    }

    /// Adds a child with a value, if there is one.
    #[must_use]
    pub fn com_se(self, nome: impl Into<Nome>, valor: Option<impl Into<String>>) -> Elemento {
        match valor {
            Some(valor) => self.com(nome, valor),
            None => self,
        }
    }

    /// Adds a child.
    #[must_use]
    pub fn filho(mut self, filho: Elemento) -> Elemento {
        self.poe(filho);
        self
    }

    /// Adds a child, if there is one.
    #[must_use]
    pub fn filho_se(self, filho: Option<Elemento>) -> Elemento {
        match filho {
            Some(filho) => self.filho(filho),
            None => self,
        }
    }

    /// Adds children.
    #[must_use]
    pub fn filhos(mut self, filhos: impl IntoIterator<Item = Elemento>) -> Elemento {
        for filho in filhos {
            self.poe(filho);
        }
        self
    }

    /// Adds a child in place. An element with text becomes a group: the
    /// layout's verdict on it is the caller's to ask.
    pub fn poe(&mut self, filho: Elemento) {
        match &mut self.conteudo {
            Conteudo::Filhos(filhos) => filhos.push(filho),
            Conteudo::Texto(_) => self.conteudo = Conteudo::Filhos(vec![filho]),
        }
    }

    /// The children; none for an element with text.
    pub fn lista(&self) -> &[Elemento] {
        match &self.conteudo {
            Conteudo::Filhos(filhos) => filhos,
            Conteudo::Texto(_) => &[],
        }
    }

    /// The first child of that name.
    pub fn busca(&self, nome: &str) -> Option<&Elemento> {
        self.lista().iter().find(|filho| filho.nome == nome)
    }

    /// The element at the end of a path of first children.
    pub fn caminho(&self, nomes: &[&str]) -> Option<&Elemento> {
        nomes.iter().try_fold(self, |atual, nome| atual.busca(nome))
    }

    /// The value, for an element with text.
    pub fn texto(&self) -> Option<&str> {
        match &self.conteudo {
            Conteudo::Texto(texto) => Some(texto),
            Conteudo::Filhos(_) => None,
        }
    }

    /// The value at the end of a path.
    pub fn valor(&self, nomes: &[&str]) -> Option<&str> {
        self.caminho(nomes)?.texto()
    }
}
