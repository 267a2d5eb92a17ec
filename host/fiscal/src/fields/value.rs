//! What was read, under the names of the API.

use std::borrow::Cow;

use rust_decimal::Decimal;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A value of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue<'d> {
    Text(Cow<'d, str>),
    /// Digits as the document has them.
    Number(Cow<'d, str>),
    Boolean(bool),
    Group(Group<'d>),
    List(Vec<FieldValue<'d>>),
}

/// Members in the order they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group<'d> {
    members: Vec<(&'static str, FieldValue<'d>)>,
}

impl<'d> FieldValue<'d> {
    /// Text or number as it stands.
    pub fn text(&self) -> Option<&str> {
        match self {
            FieldValue::Text(text) | FieldValue::Number(text) => Some(text),
            _ => None,
        }
    }

    pub fn group(&self) -> Option<&Group<'d>> {
        match self {
            FieldValue::Group(group) => Some(group),
            _ => None,
        }
    }
}

impl<'d> Group<'d> {
    /// The member of that name; `endereco.uf` looks into groups.
    pub fn get(&self, name: &str) -> Option<&FieldValue<'d>> {
        match name.split_once('.') {
            Some((group, rest)) => self.get(group)?.group()?.get(rest),
            None => self
                .members
                .iter()
                .find(|(member, _)| *member == name)
                .map(|(_, value)| value),
        }
    }

    /// Text or number of a member.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    /// A member as a number; none where it is no decimal of the usual size.
    pub fn decimal(&self, name: &str) -> Option<Decimal> {
        self.text(name)?.parse().ok()
    }

    /// The groups of a list; none where there is no such list.
    pub fn list(&self, name: &str) -> impl Iterator<Item = &Group<'d>> {
        let values = match self.get(name) {
            Some(FieldValue::List(values)) => values.as_slice(),
            _ => &[],
        };
        values.iter().filter_map(FieldValue::group)
    }

    /// All members.
    pub fn members(&self) -> impl Iterator<Item = (&'static str, &FieldValue<'d>)> {
        self.members.iter().map(|(name, value)| (*name, value))
    }

    /// All members, taken out.
    pub fn into_members(self) -> impl Iterator<Item = (&'static str, FieldValue<'d>)> {
        self.members.into_iter()
    }

    /// Is there no member?
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// A group that has room for so many members.
    pub fn with_capacity(members: usize) -> Group<'d> {
        Group {
            members: Vec::with_capacity(members),
        }
    }

    /// Puts a value at a dotted path; gives it back where there is one already.
    pub(super) fn put(
        &mut self,
        caminho: &'static str,
        value: FieldValue<'d>,
    ) -> Result<(), FieldValue<'d>> {
        match caminho.rsplit_once('.') {
            None => {
                if self.members.iter().any(|(member, _)| *member == caminho) {
                    return Err(value);
                }
                self.members.push((caminho, value));
                Ok(())
            }
            Some((group, name)) => match self.inside(group) {
                Some(group) => group.put(name, value),
                None => Err(value),
            },
        }
    }

    /// Appends to the list at a dotted path.
    pub(super) fn append(
        &mut self,
        name: &'static str,
        value: FieldValue<'d>,
    ) -> Result<(), FieldValue<'d>> {
        if let Some((group, name)) = name.rsplit_once('.') {
            return match self.inside(group) {
                Some(group) => group.append(name, value),
                None => Err(value),
            };
        }
        match self.members.iter_mut().find(|(member, _)| *member == name) {
            Some((_, FieldValue::List(list))) => list.push(value),
            Some(_) => return Err(value),
            None => self.members.push((name, FieldValue::List(vec![value]))),
        }
        Ok(())
    }

    /// The group at a dotted path, made if absent; none where something else
    /// is in the way.
    pub(super) fn inside(&mut self, caminho: &'static str) -> Option<&mut Group<'d>> {
        self.inside_of(caminho, 0)
    }

    /// The same; a group that is made has room for so many members.
    pub(super) fn inside_of(
        &mut self,
        caminho: &'static str,
        room: usize,
    ) -> Option<&mut Group<'d>> {
        let (name, rest) = match caminho.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (caminho, None),
        };
        let position = match self.members.iter().position(|(member, _)| *member == name) {
            Some(position) => position,
            None => {
                self.members
                    .push((name, FieldValue::Group(Group::with_capacity(room))));
                self.members.len() - 1
            }
        };
        let (_, FieldValue::Group(group)) = self.members.get_mut(position)? else {
            return None;
        };
        match rest {
            Some(rest) => group.inside_of(rest, room),
            None => Some(group),
        }
    }
}

impl Serialize for FieldValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            FieldValue::Text(text) => serializer.serialize_str(text),
            // With the document's own digits: 10.00 stays 10.00.
            FieldValue::Number(text) => match json_number(text) {
                Some(number) => number.serialize(serializer),
                None => serializer.serialize_str(text),
            },
            FieldValue::Boolean(value) => serializer.serialize_bool(*value),
            FieldValue::Group(group) => group.serialize(serializer),
            FieldValue::List(list) => list.serialize(serializer),
        }
    }
}

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.members.len()))?;
        for (name, value) in &self.members {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// A JSON number of the same digits, where JSON can say them: no leading
/// zeros, no sign but minus, no exponent, of a size somebody may compute with.
fn json_number(text: &str) -> Option<serde_json::Number> {
    let absolute = text.strip_prefix('-').unwrap_or(text);
    let (integer, fraction) = absolute.split_once('.').unwrap_or((absolute, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let fits = text.len() <= 28 && digits(integer) && digits(fraction);
    let begins = integer == "0" || !integer.starts_with('0');
    (fits && begins).then(|| text.parse().ok())?
}

/// A value under its official path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Other<'d> {
    /// `infNFe/det[2]/prod/xFoo`, `infNFe/@x`.
    pub caminho: String,
    pub valor: Cow<'d, str>,
}
