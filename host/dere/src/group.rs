//! A group of an event's document, and where it is in the request.

use crate::path::{DATA, item};
use markup::xml::{Document, Element};
use rust_decimal::Decimal;

/// A group and its place.
#[derive(Clone, Debug)]
pub struct Group<'d> {
    element: Element<'d>,
    path: String,
}

impl<'d> Group<'d> {
    /// The event's own element, below the root.
    pub fn event(doc: &'d Document<'d>) -> Option<Group<'d>> {
        Some(Group {
            element: doc.root().children().next()?,
            path: DATA.to_owned(),
        })
    }

    /// A group inside, of which there is at most one.
    pub fn child(&self, name: &str) -> Option<Group<'d>> {
        Some(Group {
            element: self.element.child(name)?,
            path: self.at(name),
        })
    }

    /// The groups of a list.
    pub fn items(&self, name: &str) -> Vec<Group<'d>> {
        let named = self.element.children().filter(|child| child.name() == name);
        named
            .enumerate()
            .map(|(index, element)| Group {
                element,
                path: self.at(&item(name, index)),
            })
            .collect()
    }

    /// Values of an element that may repeat.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let named = self.element.children().filter(|child| child.name() == name);
        named.map(|child| child.text().into_owned()).collect()
    }

    /// The value of an element.
    pub fn text(&self, name: &str) -> Option<String> {
        Some(self.element.child(name)?.text().into_owned())
    }

    /// The value of an element that must be there; empty where it is not.
    pub fn value(&self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// Whether an element is there.
    pub fn has(&self, name: &str) -> bool {
        self.element.child(name).is_some()
    }

    /// An amount; None where it is not there.
    pub fn amount(&self, name: &str) -> Option<Decimal> {
        markup::decimal::parse(&self.text(name)?)
    }

    /// An amount, zero where it is not there.
    pub fn amount_or_zero(&self, name: &str) -> Decimal {
        self.amount(name).unwrap_or_default()
    }

    /// The place of a member in the request.
    pub fn at(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    /// The place of the group itself.
    pub fn place(&self) -> &str {
        &self.path
    }
}
