//! The tables of `wit/tables` as an adapter reads them: which elements a
//! layout has, in which order, with which text, and which field each one is.

use super::fields::{Field, Fields, find};

/// One element of a sequence.
#[derive(Debug)]
pub struct Element {
    pub name: &'static str,
    pub occurs: Occurs,
    pub content: Content,
    /// Where the content has it.
    pub field: Place,
    /// How the field becomes the text.
    pub written: Written,
    /// Which editions of the layout have it, a bit each: see [`edition`].
    pub editions: u16,
}

/// Bits of [`Element::editions`] in the table of the RPS.
pub mod edition {
    pub const V100: u16 = 1;
    pub const V200: u16 = 1 << 1;
    pub const V201: u16 = 1 << 2;
    pub const V202: u16 = 1 << 3;
    pub const V203: u16 = 1 << 4;
    pub const V204: u16 = 1 << 5;
    /// What WebISS added to its version.
    pub const WEBISS: u16 = 1 << 6;
    /// What Giss added to its version.
    pub const GISS: u16 = 1 << 7;
}

/// How often an element occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurs {
    Once,
    Optional,
    /// One of the elements of the group that say so.
    Choice,
    /// At most one of them.
    OptionalChoice,
    /// One to so many.
    UpTo(usize),
}

/// What is inside.
#[derive(Debug)]
pub enum Content {
    Text(Form),
    Group(&'static [Element]),
}

/// Form of a text; lengths in characters.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Not stated: the authority judges it, or code does.
    Any,
    /// Free text from so many to so many characters, not blank.
    Text(usize, usize),
    /// `[0-9]` from so many to so many.
    Digits(usize, usize),
    /// `[a-zA-Z0-9]` up to so many.
    Alphanumeric(usize),
    /// `[A-Z]` exactly so many.
    Uppercase(usize),
    /// One of these codes, each with the word of the content it stands for,
    /// or an empty one.
    OneOf(&'static [(&'static str, &'static str)]),
    /// Two decimals, up to so many integer digits.
    Decimal(usize),
    Date,
    DateTime,
    Cnpj,
    /// Access key of 50 (NFS-e) or 44 (NF-e) positions.
    Key(usize),
    Series,
    Number,
}

/// Where a content has an element. Paths have dots between their names.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// The content names neither the element nor what is below it.
    Nameless,
    /// Only the layout has this group: what is below it belongs to the object
    /// around it.
    Wrapper,
    /// The group is the object around it.
    Same,
    /// Below the object of the group around it.
    Below(&'static str),
    /// At this path of the whole content.
    FromRoot(&'static str),
}

/// How the field of an element becomes its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Calculated or conditional: code writes it.
    ByCode,
    /// As it is, also when it is blank.
    Text,
    /// As it is; left out when it is blank.
    Filled,
    /// Its digits; left out when it has none.
    Digits,
    /// With two decimals; more are refused, never rounded.
    Money,
    /// The same, and left out when it is zero.
    Positive,
    /// 1 or 0.
    Flag,
    /// The code of its word.
    Word,
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// An object of the content on the way down a table.
pub struct Object<'a> {
    root: &'a dyn Fields,
    fields: &'a dyn Fields,
    path: String,
}

impl<'a> Object<'a> {
    /// Where every table begins.
    pub fn root(content: &'a dyn Fields) -> Self {
        Object {
            root: content,
            fields: content,
            path: String::new(),
        }
    }

    /// The field of an element, and its path in the content. The path may be empty where there
    /// is no field: most elements of a layout are absent, and each path is made anew.
    pub fn find(&self, element: &Element) -> (Field<'a>, String) {
        match element.field {
            Place::Nameless => (Field::Absent, String::new()),
            Place::Wrapper | Place::Same => (Field::Object(self.fields), self.path.clone()),
            Place::Below(path) => match find(self.fields, path) {
                Field::Absent => (Field::Absent, String::new()),
                field => (field, below(&self.path, path)),
            },
            Place::FromRoot(path) => (find(self.root, path), path.to_owned()),
        }
    }

    /// An object that [`Object::find`] found.
    pub fn at(&self, fields: &'a dyn Fields, path: String) -> Self {
        Object {
            root: self.root,
            fields,
            path,
        }
    }
}

/// The path of the content for a path of the layout, in which a list has its
/// index: `toma.end.endNac.CEP` is `tomador.endereco.cep`. None for what the
/// content does not name.
pub fn field_path(elements: &[Element], layout_path: &str) -> Option<String> {
    let mut elements = elements;
    let mut path = String::new();
    let mut named = false;
    for step in layout_path.split('.') {
        let (name, index) = match step.find('[') {
            Some(at) => step.split_at(at),
            None => (step, ""),
        };
        let element = elements.iter().find(|element| element.name == name)?;
        named = true;
        match element.field {
            Place::Nameless => return None,
            Place::Wrapper => named = false,
            Place::Same => {}
            Place::Below(field) => path = below(&path, field),
            Place::FromRoot(field) => path = field.to_owned(),
        }
        path.push_str(index);
        elements = match element.content {
            Content::Group(inside) => inside,
            Content::Text(_) => &[],
        };
    }
    named.then_some(path)
}

/// `path.name`, or the name alone at the top.
pub fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The element at a path of the layout.
pub fn element<'a>(elements: &'a [Element], layout_path: &str) -> Option<&'a Element> {
    let (name, rest) = match layout_path.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (layout_path, None),
    };
    let found = elements.iter().find(|element| element.name == name)?;
    match (rest, &found.content) {
        (None, _) => Some(found),
        (Some(rest), Content::Group(inside)) => element(inside, rest),
        (Some(_), Content::Text(_)) => None,
    }
}
