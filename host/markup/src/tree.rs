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
    pub fn grupo(name: impl Into<Nome>) -> Elemento {
        Elemento {
            nome: name.into(),
            atributos: Vec::new(),
            conteudo: Conteudo::Filhos(Vec::new()),
        }
    }

    /// An element with a value.
    pub fn campo(name: impl Into<Nome>, value: impl Into<String>) -> Elemento {
        Elemento {
            nome: name.into(),
            atributos: Vec::new(),
            conteudo: Conteudo::Texto(value.into()),
        }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn atributo(mut self, name: impl Into<Nome>, value: impl Into<String>) -> Elemento {
        self.atributos.push((name.into(), value.into()));
        self
    }

    /// Adds a child with a value.
    #[must_use]
    pub fn com(mut self, name: impl Into<Nome>, value: impl Into<String>) -> Elemento {
        self.poe(Elemento::campo(name, value));
        self
    }

    /// Adds a child with a value, if there is one.
    #[must_use]
    pub fn com_se(self, name: impl Into<Nome>, value: Option<impl Into<String>>) -> Elemento {
        match value {
            Some(value) => self.com(name, value),
            None => self,
        }
    }

    /// Adds a child.
    #[must_use]
    pub fn filho(mut self, child: Elemento) -> Elemento {
        self.poe(child);
        self
    }

    /// Adds a child, if there is one.
    #[must_use]
    pub fn filho_se(self, child: Option<Elemento>) -> Elemento {
        match child {
            Some(child) => self.filho(child),
            None => self,
        }
    }

    /// Adds children.
    #[must_use]
    pub fn filhos(mut self, children: impl IntoIterator<Item = Elemento>) -> Elemento {
        for child in children {
            self.poe(child);
        }
        self
    }

    /// Adds a child in place. An element with text becomes a group: the
    /// layout's verdict on it is the caller's to ask.
    pub fn poe(&mut self, child: Elemento) {
        match &mut self.conteudo {
            Conteudo::Filhos(children) => children.push(child),
            Conteudo::Texto(_) => self.conteudo = Conteudo::Filhos(vec![child]),
        }
    }

    /// The children; none for an element with text.
    pub fn lista(&self) -> &[Elemento] {
        match &self.conteudo {
            Conteudo::Filhos(children) => children,
            Conteudo::Texto(_) => &[],
        }
    }

    /// The first child of that name.
    pub fn busca(&self, name: &str) -> Option<&Elemento> {
        self.lista().iter().find(|child| child.nome == name)
    }

    /// The element at the end of a path of first children.
    pub fn caminho(&self, names: &[&str]) -> Option<&Elemento> {
        names
            .iter()
            .try_fold(self, |current, name| current.busca(name))
    }

    /// The value, for an element with text.
    pub fn texto(&self) -> Option<&str> {
        match &self.conteudo {
            Conteudo::Texto(text) => Some(text),
            Conteudo::Filhos(_) => None,
        }
    }

    /// The value at the end of a path.
    pub fn valor(&self, names: &[&str]) -> Option<&str> {
        self.caminho(names)?.texto()
    }
}
