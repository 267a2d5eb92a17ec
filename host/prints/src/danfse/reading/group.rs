//! Looking things up by local name, where anything may be missing.

use rust_decimal::Decimal;

use markup::xml::Element;

/// Longest number worth reading; the layouts stop at 17 digits.
const MAX_DIGITS: usize = 24;

/// An element that may be missing; everything read from a missing one is
/// missing too.
#[derive(Clone, Copy)]
pub(super) struct Group<'d>(Option<Element<'d>>);

impl<'d> From<Element<'d>> for Group<'d> {
    fn from(element: Element<'d>) -> Group<'d> {
        Group(Some(element))
    }
}

impl<'d> Group<'d> {
    /// The first element at a path of local names, `serv/cServ/cNBS`, whatever
    /// the namespaces and the case (cities differ in both).
    pub fn at(self, path: &str) -> Group<'d> {
        Group(self.0.and_then(|element| search(element, path)))
    }

    /// The first of several paths that has content.
    pub fn one_of(self, paths: &[&str]) -> Group<'d> {
        paths
            .iter()
            .map(|path| self.at(path))
            .find(|group| group.has_content())
            .unwrap_or(Group(None))
    }

    /// The first element of this name at any depth.
    pub fn within(self, name: &str) -> Group<'d> {
        Group(self.0.and_then(|element| {
            element
                .descendants_or_self()
                .skip(1)
                .find(|inner| inner.name().eq_ignore_ascii_case(name))
        }))
    }

    pub fn exists(self) -> bool {
        self.0.is_some()
    }

    /// Has it text or elements? `<IntermediarioServico/>` says nobody.
    pub fn has_content(self) -> bool {
        self.0.is_some_and(|element| {
            element
                .descendants_or_self()
                .any(|inner| !inner.text().trim().is_empty())
        })
    }

    /// Children with this name.
    pub fn children(self, name: &str) -> impl Iterator<Item = Group<'d>> {
        self.0
            .into_iter()
            .flat_map(Element::children)
            .filter(move |child| child.name().eq_ignore_ascii_case(name))
            .map(Group::from)
    }

    /// The element's own text, trimmed; empty if it is missing.
    pub fn own_text(self) -> String {
        self.0
            .map(|element| element.text().trim().to_owned())
            .unwrap_or_default()
    }

    /// Text at a path.
    pub fn text(self, path: &str) -> String {
        self.at(path).own_text()
    }

    /// Text at the first path that has some.
    pub fn text_of(self, paths: &[&str]) -> String {
        self.one_of(paths).own_text()
    }

    /// Number at a path; none if it is missing or not a plain decimal.
    pub fn value(self, path: &str) -> Option<Decimal> {
        number(&self.text(path))
    }

    /// Number at the first path that has text.
    pub fn value_of(self, paths: &[&str]) -> Option<Decimal> {
        number(&self.text_of(paths))
    }
}

/// "1234.56", or "1234,56" as a few cities write it.
pub(super) fn number(text: &str) -> Option<Decimal> {
    if text.len() > MAX_DIGITS {
        return None;
    }
    text.parse()
        .or_else(|_| text.replace(',', ".").parse())
        .ok()
}

fn search<'d>(element: Element<'d>, path: &str) -> Option<Element<'d>> {
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    element
        .children()
        .filter(|child| child.name().eq_ignore_ascii_case(name))
        .find_map(|child| {
            if rest.is_empty() {
                Some(child)
            } else {
                search(child, rest)
            }
        })
}
