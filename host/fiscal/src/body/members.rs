//! Members of a request by their names, for what goes by the table of fields
//! ([`crate::fields`]) instead of by code for each.

use super::Number;
use serde_json::{Map, Value};

/// A group of the request.
pub trait Members {
    /// The member of that name; `pedido.numero` looks into groups. None where
    /// it is absent or there is none.
    fn member(&self, name: &str) -> Option<Member<'_>>;
    /// Shows every member that is there, in the order of the code, until one answers false;
    /// says whether none did.
    fn all(&self, shown: &mut dyn FnMut(&'static str, Member<'_>) -> bool) -> bool;
}

/// What a member holds.
pub enum Member<'a> {
    Text(&'a str),
    Number(Number),
    Flag(bool),
    /// Official code of an enumeration.
    Code(&'static str),
    Group(&'a dyn Members),
    List(&'a dyn List),
    /// Official names, for which there is no table.
    Official(&'a Map<String, Value>),
}

/// A list of the request.
pub trait List {
    /// The entry at a position, from 0.
    fn at(&self, position: usize) -> Option<Member<'_>>;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A value that a member holds when it is there.
pub trait Held {
    fn held(&self) -> Member<'_>;
}

/// A member's place, which may be empty.
pub trait Place {
    fn taken(&self) -> Option<Member<'_>>;
}

impl<T: Held> Place for Option<T> {
    fn taken(&self) -> Option<Member<'_>> {
        self.as_ref().map(Held::held)
    }
}

impl<T: Held> Place for Vec<T> {
    fn taken(&self) -> Option<Member<'_>> {
        (!self.is_empty()).then_some(Member::List(self))
    }
}

impl<T: Held> List for Vec<T> {
    fn at(&self, position: usize) -> Option<Member<'_>> {
        self.get(position).map(Held::held)
    }

    fn len(&self) -> usize {
        Vec::len(self)
    }
}

impl Held for String {
    fn held(&self) -> Member<'_> {
        Member::Text(self)
    }
}

impl Held for Number {
    fn held(&self) -> Member<'_> {
        Member::Number(*self)
    }
}

impl Held for bool {
    fn held(&self) -> Member<'_> {
        Member::Flag(*self)
    }
}

impl Held for Map<String, Value> {
    fn held(&self) -> Member<'_> {
        Member::Official(self)
    }
}

/// Looks a dotted name up, group by group.
pub fn deep<'a>(member: Option<Member<'a>>, rest: &str) -> Option<Member<'a>> {
    match member? {
        Member::Group(group) => group.member(rest),
        _ => None,
    }
}
