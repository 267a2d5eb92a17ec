//! Looking things up by local name, where anything may be missing.

use rust_decimal::Decimal;

use markup::xml::Element;

/// Longest number worth reading; the layouts stop at 17 digits.
const MAX_DIGITOS: usize = 24;

/// An element that may not be there: what is asked of a missing one is missing.
#[derive(Clone, Copy)]
pub(super) struct Grupo<'d>(Option<Element<'d>>);

impl<'d> From<Element<'d>> for Grupo<'d> {
    fn from(element: Element<'d>) -> Grupo<'d> {
        Grupo(Some(element))
    }
}

impl<'d> Grupo<'d> {
    /// The first element at a path of local names, `serv/cServ/cNBS`, whatever
    /// the namespaces and the case (cities differ in both).
    pub fn em(self, caminho: &str) -> Grupo<'d> {
        Grupo(self.0.and_then(|element| procurar(element, caminho)))
    }

    /// The first of several paths that has content.
    pub fn um_de(self, caminhos: &[&str]) -> Grupo<'d> {
        caminhos
            .iter()
            .map(|caminho| self.em(caminho))
            .find(|grupo| grupo.tem_conteudo())
            .unwrap_or(Grupo(None))
    }

    /// The first element of this name at any depth.
    pub fn dentro(self, nome: &str) -> Grupo<'d> {
        Grupo(self.0.and_then(|element| {
            element
                .descendants_or_self()
                .skip(1)
                .find(|inner| inner.name().eq_ignore_ascii_case(nome))
        }))
    }

    pub fn existe(self) -> bool {
        self.0.is_some()
    }

    /// Has it text or elements? `<IntermediarioServico/>` says nobody.
    pub fn tem_conteudo(self) -> bool {
        self.0.is_some_and(|element| {
            element
                .descendants_or_self()
                .any(|inner| !inner.text().trim().is_empty())
        })
    }

    /// Children with this name.
    pub fn filhos(self, nome: &str) -> impl Iterator<Item = Grupo<'d>> {
        self.0
            .into_iter()
            .flat_map(Element::children)
            .filter(move |child| child.name().eq_ignore_ascii_case(nome))
            .map(Grupo::from)
    }

    /// The element's own text, trimmed; empty if it is missing.
    pub fn proprio_texto(self) -> String {
        self.0
            .map(|element| element.text().trim().to_owned())
            .unwrap_or_default()
    }

    /// Text at a path.
    pub fn texto(self, caminho: &str) -> String {
        self.em(caminho).proprio_texto()
    }

    /// Text at the first path that has some.
    pub fn texto_de(self, caminhos: &[&str]) -> String {
        self.um_de(caminhos).proprio_texto()
    }

    /// Number at a path; none if it is missing or not a plain decimal.
    pub fn valor(self, caminho: &str) -> Option<Decimal> {
        numero(&self.texto(caminho))
    }

    /// Number at the first path that has text.
    pub fn valor_de(self, caminhos: &[&str]) -> Option<Decimal> {
        numero(&self.texto_de(caminhos))
    }
}

/// "1234.56", or "1234,56" as a few cities write it.
pub(super) fn numero(texto: &str) -> Option<Decimal> {
    if texto.len() > MAX_DIGITOS {
        return None;
    }
    texto
        .parse()
        .or_else(|_| texto.replace(',', ".").parse())
        .ok()
}

fn procurar<'d>(element: Element<'d>, caminho: &str) -> Option<Element<'d>> {
    let (nome, resto) = caminho.split_once('/').unwrap_or((caminho, ""));
    element
        .children()
        .filter(|child| child.name().eq_ignore_ascii_case(nome))
        .find_map(|child| {
            if resto.is_empty() {
                Some(child)
            } else {
                procurar(child, resto)
            }
        })
}
