//! Text of a table to types.

use std::collections::HashMap;

use super::{
    Attribute, Base, Blanks, Complex, Content, Declaration, ENDLESS, Model, Namespace, Simples,
    Table, TablePattern, Type, Unique,
};
use crate::layout::table::content::{Automaton, Check, Occurs, Particle, Wildcard};

/// Deepest nesting of groups in a particle.
const MAX_DEPTH: usize = 48;

pub(super) fn read(text: &'static str) -> Result<Table, String> {
    let mut reader = Reader {
        table: Table {
            namespace: "",
            roots: Vec::new(),
            simples: Vec::new(),
            complex: Vec::new(),
            patterns: Vec::new(),
            by_name: HashMap::new(),
        },
        names: HashMap::new(),
        patterns: HashMap::new(),
    };
    let mut roots = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut fields = line.split('\t');
        let letter = fields.next().unwrap_or("");
        let made = match letter {
            "L" => {
                reader.table.namespace = fields.nth(1).unwrap_or("");
                Ok(())
            }
            // Roots come before the types they name.
            "R" => {
                roots.push((fields.next().unwrap_or(""), fields.next().unwrap_or("")));
                Ok(())
            }
            "S" | "s" => reader.simples(letter == "S", fields),
            "C" | "c" => reader.complex(letter == "C", fields),
            comment if comment.starts_with('#') => Ok(()),
            other => Err(format!("unknown kind of line {other:?}")),
        };
        made.map_err(|error| format!("line {}: {error}", number + 1))?;
    }
    for (name, kind) in roots {
        let declaration = reader.declaration(name, kind)?;
        reader.table.roots.push(declaration);
    }
    if reader.table.roots.is_empty() || reader.table.namespace.is_empty() {
        return Err("a table without roots or namespace".to_owned());
    }
    Ok(reader.table)
}

/// A table that grows line by line.
struct Reader {
    table: Table,
    /// All types read so far, anonymous ones too.
    names: HashMap<&'static str, Type>,
    patterns: HashMap<&'static str, usize>,
}

type Fields = std::str::Split<'static, char>;

impl Reader {
    fn simples(&mut self, named: bool, mut fields: Fields) -> Result<(), String> {
        let name = fields.next().ok_or("a type without name")?;
        let embedded = fields.next().ok_or("a type without base")?;
        let mut kind = embedded_of(embedded)?;
        kind.name = name;
        kind.named = named;
        for field in fields {
            let (chave, value) = field.split_once('=').ok_or("a facet without value")?;
            match chave {
                "espacos" => {
                    kind.blanks = match value {
                        "preserve" => Blanks::Preserve,
                        "replace" => Blanks::Swap,
                        _ => Blanks::Join,
                    }
                }
                "tamanho" => kind.length = Some(number(value)?),
                "min" => kind.min = Some(number(value)?),
                "max" => kind.max = Some(number(value)?),
                "digitos" => kind.digits = Some(number(value)?),
                "decimais" => kind.decimals = Some(number(value)?),
                "de" => kind.from = Some(value),
                "ate" => kind.to = Some(value),
                "padrao" => kind.patterns.push(self.pattern(value)),
                "valor" => kind.values.push(value),
                "deriva" => kind.derive = Some(value),
                _ => return Err(format!("unknown facet {chave:?}")),
            }
        }
        let index = self.table.simples.len();
        self.table.simples.push(kind);
        self.names(name, Type::Simples(index), named);
        Ok(())
    }

    fn complex(&mut self, named: bool, mut fields: Fields) -> Result<(), String> {
        let name = fields.next().ok_or("a type without name")?;
        let mut kind = Complex {
            name,
            mixed: false,
            attributes: Vec::new(),
            any_attribute: false,
            unique: Vec::new(),
            content: Content::Empty,
        };
        for field in fields {
            if field == "misto" {
                kind.mixed = true;
            } else if field == "@*" {
                kind.any_attribute = true;
            } else if let Some(attribute) = field.strip_prefix('@') {
                kind.attributes.push(self.attribute(attribute)?);
            } else if let Some(simples) = field.strip_prefix('$') {
                kind.content = Content::Simples(self.simple_kind(simples)?);
            } else if let Some(unique) = field.strip_prefix('^') {
                let (reach, attribute) = unique.split_once('@').ok_or("a bad unique")?;
                kind.unique.push(Unique {
                    all: reach == "todos",
                    attribute,
                });
            } else {
                kind.content = Content::Elements(Box::new(read_particle(field, self)?));
            }
        }
        // In the order of C14N, which for names without prefix is that of the names.
        kind.attributes.sort_by_key(|attribute| attribute.name);
        let index = self.table.complex.len();
        self.table.complex.push(kind);
        self.names(name, Type::Complex(index), named);
        Ok(())
    }

    fn names(&mut self, name: &'static str, kind: Type, named: bool) {
        self.names.insert(name, kind);
        if named {
            self.table.by_name.insert(name, kind);
        }
    }

    fn pattern(&mut self, text: &'static str) -> usize {
        let patterns = &mut self.table.patterns;
        *self.patterns.entry(text).or_insert_with(|| {
            patterns.push(TablePattern::new(text));
            patterns.len() - 1
        })
    }

    fn attribute(&mut self, field: &'static str) -> Result<Attribute, String> {
        let (name, rest) = field.split_once('=').ok_or("an attribute without type")?;
        let (kind, fixed) = match rest.split_once('=') {
            Some((kind, fixed)) => (kind, Some(fixed)),
            None => (rest, None),
        };
        let mandatory = name.ends_with('!');
        Ok(Attribute {
            name: name.strip_suffix('!').unwrap_or(name),
            mandatory,
            kind: self.simple_kind(kind)?,
            fixed,
        })
    }

    fn simple_kind(&mut self, name: &'static str) -> Result<usize, String> {
        match self.kind(name)? {
            Type::Simples(index) => Ok(index),
            Type::Complex(_) => Err(format!("{name} is not a simple type")),
        }
    }

    fn kind(&mut self, name: &'static str) -> Result<Type, String> {
        if let Some(kind) = self.names.get(name) {
            return Ok(*kind);
        }
        if !name.starts_with("xs:") {
            return Err(format!("the type {name:?} comes later or never"));
        }
        let kind = Type::Simples(self.table.simples.len());
        self.table.simples.push(embedded_of(name)?);
        self.names.insert(name, kind);
        Ok(kind)
    }

    /// An element by the name and type of the table.
    fn declaration(
        &mut self,
        name: &'static str,
        kind: &'static str,
    ) -> Result<Declaration, String> {
        let kind = self.kind(kind)?;
        let (namespace, name) = match name.strip_prefix("ds:") {
            Some(name) => (Namespace::Signature, name),
            None => (Namespace::Layout, name),
        };
        Ok(Declaration::new(name, namespace, kind))
    }
}

/// Reads a particle: `(a=T,b=T?)`.
fn read_particle(text: &'static str, reader: &mut Reader) -> Result<Model, String> {
    let mut reading = Reading {
        text,
        at: 0,
        reader,
        declarations: Vec::new(),
        wildcards: Vec::new(),
    };
    let tree = reading.particle(0)?;
    if reading.at != text.len() {
        return Err(format!("something after the particle at {}", reading.at));
    }
    let automaton = Automaton::from(&tree.node())?;
    let group_repeats = tree.group_repeats();
    let declarations = &reading.declarations;
    let unique = declarations.iter().enumerate().all(|(index, this)| {
        declarations
            .iter()
            .skip(index + 1)
            .all(|d| d.name != this.name)
    });
    let signature = declarations
        .iter()
        .position(|d| d.namespace == Namespace::Signature && d.name == "Signature");
    Ok(Model {
        signature,
        names_decide: unique && reading.wildcards.is_empty() && !group_repeats,
        group_repeats,
        declarations: reading.declarations,
        wildcards: reading.wildcards,
        tree,
        automaton,
    })
}

struct Reading<'l> {
    text: &'static str,
    at: usize,
    reader: &'l mut Reader,
    declarations: Vec<Declaration>,
    wildcards: Vec<Wildcard>,
}

impl Reading<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn come(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    /// Up to one of `ends`, or the end.
    fn word(&mut self, ends: &[u8]) -> &'static str {
        let start = self.at;
        while self.peek().is_some_and(|byte| !ends.contains(&byte)) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or("")
    }

    fn particle(&mut self, depth: usize) -> Result<Occurs, String> {
        if depth > MAX_DEPTH {
            return Err("nested too deeply".to_owned());
        }
        let o = match self.peek() {
            Some(b'(') => self.group(depth)?,
            Some(b'*') => self.wildcard()?,
            _ => self.element()?,
        };
        let (min, max) = self.occurrence()?;
        Ok(Occurs { o, min, max })
    }

    fn group(&mut self, depth: usize) -> Result<Particle, String> {
        self.at += 1;
        let mut parts = Vec::new();
        let mut choice = false;
        while !self.come(b')') {
            if !parts.is_empty() {
                choice = self.peek() == Some(b'|');
                if !self.come(b'|') && !self.come(b',') {
                    return Err(format!("a separator is missing at {}", self.at));
                }
            }
            parts.push(self.particle(depth + 1)?);
        }
        Ok(if choice {
            Particle::Choice(parts)
        } else {
            Particle::Sequence(parts)
        })
    }

    fn wildcard(&mut self) -> Result<Particle, String> {
        let namespace = self.word(b"/");
        self.at += 1;
        let check = self.word(b"?*+{,|)");
        let except = match namespace {
            "*=##any" => None,
            "*=##other()" => Some(Namespace::Layout),
            "*=##other(ds)" => Some(Namespace::Signature),
            _ => return Err(format!("unknown wildcard {namespace:?}")),
        };
        let check = match check {
            "skip" => Check::Nothing,
            "lax" => Check::Known,
            "strict" => Check::All,
            _ => return Err(format!("unknown wildcard {check:?}")),
        };
        self.wildcards.push(Wildcard { except, check });
        Ok(Particle::Any(self.wildcards.len() - 1))
    }

    fn element(&mut self) -> Result<Particle, String> {
        let name = self.word(b"=");
        self.at += 1;
        let kind = self.word(b"?*+{,|)");
        let declaration = self.reader.declaration(name, kind)?;
        self.declarations.push(declaration);
        Ok(Particle::Element(self.declarations.len() - 1))
    }

    fn occurrence(&mut self) -> Result<(u32, u32), String> {
        if self.come(b'?') {
            return Ok((0, 1));
        }
        if self.come(b'*') {
            return Ok((0, ENDLESS));
        }
        if self.come(b'+') {
            return Ok((1, ENDLESS));
        }
        if !self.come(b'{') {
            return Ok((1, 1));
        }
        let min = number(self.word(b","))?;
        self.at += 1;
        let max = match self.word(b"}") {
            "" => ENDLESS,
            text => number(text)?,
        };
        self.at += 1;
        Ok((min, max))
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|number| *number != ENDLESS)
        .ok_or_else(|| format!("{text:?} is not a number"))
}

fn embedded_of(name: &'static str) -> Result<Simples, String> {
    let base = match name.strip_prefix("xs:").unwrap_or("") {
        "string" => Base::String,
        "normalizedString" => Base::NormalizedString,
        "token" => Base::Token,
        "ID" => Base::Id,
        "NCName" => Base::NonColonName,
        "anyURI" => Base::AnyUri,
        "base64Binary" => Base::Base64,
        "date" => Base::Date,
        "dateTime" => Base::DateTime,
        "gYearMonth" => Base::GYearMonth,
        "boolean" => Base::Boolean,
        "decimal" => Base::Decimal,
        "integer" => Base::Integer(None, None),
        "nonNegativeInteger" => Base::Integer(Some(0), None),
        "positiveInteger" => Base::Integer(Some(1), None),
        "long" => Base::Integer(Some(i64::MIN.into()), Some(i64::MAX.into())),
        "int" => Base::Integer(Some(i32::MIN.into()), Some(i32::MAX.into())),
        "short" => Base::Integer(Some(i16::MIN.into()), Some(i16::MAX.into())),
        "byte" => Base::Integer(Some(i8::MIN.into()), Some(i8::MAX.into())),
        "unsignedLong" => Base::Integer(Some(0), Some(u64::MAX.into())),
        "unsignedInt" => Base::Integer(Some(0), Some(u32::MAX.into())),
        "unsignedShort" => Base::Integer(Some(0), Some(u16::MAX.into())),
        "unsignedByte" => Base::Integer(Some(0), Some(u8::MAX.into())),
        _ => return Err(format!("unknown built-in type {name:?}")),
    };
    let blanks = match base {
        // libxml2 does not trim dates.
        Base::String | Base::Date | Base::DateTime | Base::GYearMonth => Blanks::Preserve,
        Base::NormalizedString => Blanks::Swap,
        _ => Blanks::Join,
    };
    Ok(Simples {
        name,
        named: true,
        base,
        embedded: name,
        blanks,
        length: None,
        min: None,
        max: None,
        from: None,
        to: None,
        digits: None,
        decimals: None,
        patterns: Vec::new(),
        values: Vec::new(),
        derive: None,
    })
}
