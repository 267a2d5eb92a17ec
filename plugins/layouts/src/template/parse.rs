//! Reads a template: `${campo|formato}`, `${se condição} … ${senao} … ${fim}`,
//! and lines that begin with `?`, which are written only when all their fields
//! are there.

use super::{Condition, Field, Format, Group, Kind, Mistake, Names, Piece, Template};

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 12;

/// A group whose end has not come yet.
struct Open {
    condition: Condition,
    line: usize,
    then: Vec<Piece>,
    /// After `${senao}`.
    otherwise: Option<Vec<Piece>>,
}

struct Reader<'n> {
    names: &'n dyn Names,
    line: usize,
    /// Pieces of the whole template, and the groups that are open.
    pieces: Vec<Piece>,
    open: Vec<Open>,
    /// The text so far ended inside a tag.
    in_tag: bool,
}

/// A text of one line, in which no character has a meaning of its own.
pub fn one_line(text: &str, line: usize, names: &dyn Names) -> Result<Template, Mistake> {
    let mut reader = Reader::new(names);
    reader.line = line;
    reader.pieces_of(text)?;
    reader.end()
}

/// A file of lines.
pub fn template(text: &str, names: &dyn Names) -> Result<Template, Mistake> {
    let mut reader = Reader::new(names);
    for (index, line) in text.lines().enumerate() {
        reader.line = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.strip_prefix('?') {
            Some(rest) if !rest.starts_with("xml") => reader.optional_line(rest)?,
            _ => reader.pieces_of(line)?,
        }
    }
    reader.end()
}

impl<'n> Reader<'n> {
    fn new(names: &'n dyn Names) -> Self {
        Reader {
            names,
            line: 0,
            pieces: Vec::new(),
            open: Vec::new(),
            in_tag: false,
        }
    }

    fn end(self) -> Result<Template, Mistake> {
        match self.open.last() {
            Some(open) => Err(Mistake::new(open.line, "grupo sem ${fim}")),
            None => Ok(Template {
                pieces: self.pieces,
            }),
        }
    }

    fn here(&mut self) -> &mut Vec<Piece> {
        match self.open.last_mut() {
            Some(Open {
                otherwise: Some(otherwise),
                ..
            }) => otherwise,
            Some(open) => &mut open.then,
            None => &mut self.pieces,
        }
    }

    /// A line that is there when its fields are.
    fn optional_line(&mut self, text: &str) -> Result<(), Mistake> {
        if text.contains("${se ") || text.contains("${fim}") || text.contains("${senao}") {
            return Err(self.mistake("uma linha com ? não tem grupos"));
        }
        let depth = self.open.len();
        self.open(Condition::all_present(Vec::new()))?;
        self.pieces_of(text)?;
        let open = self.open.pop();
        let then = open.map(|open| open.then).unwrap_or_default();
        debug_assert_eq!(depth, self.open.len());
        let needed: Vec<String> = then
            .iter()
            .filter_map(|piece| match piece {
                Piece::Field(field) if !field.optional => Some(field.name.clone()),
                _ => None,
            })
            .collect();
        if needed.is_empty() {
            return Err(self.mistake("uma linha com ? precisa de um campo"));
        }
        self.here().push(Piece::Group(Group {
            condition: Condition::all_present(needed),
            then,
            otherwise: Vec::new(),
        }));
        Ok(())
    }

    fn pieces_of(&mut self, text: &str) -> Result<(), Mistake> {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            self.literal(before);
            let Some((inside, tail)) = after.split_once('}') else {
                return Err(self.mistake("falta } depois de ${"));
            };
            self.mark(inside.trim())?;
            rest = tail;
        }
        self.literal(rest);
        Ok(())
    }

    fn literal(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(at) = text.rfind(['<', '>']) {
            self.in_tag = text.get(at..).is_some_and(|rest| rest.starts_with('<'));
        }
        self.here().push(Piece::Literal(text.to_owned()));
    }

    fn mark(&mut self, inside: &str) -> Result<(), Mistake> {
        if let Some(condition) = inside.strip_prefix("se ") {
            let condition = Condition::parse(condition, self.line, self.names)?;
            return self.open(condition);
        }
        if let Some(name) = inside.strip_prefix("conta ") {
            let name = name.trim().to_owned();
            self.here().push(Piece::Count(name));
            return Ok(());
        }
        match inside {
            "senao" => match self.open.last_mut() {
                Some(open) if open.otherwise.is_none() => {
                    open.otherwise = Some(Vec::new());
                    Ok(())
                }
                _ => Err(self.mistake("${senao} sem ${se}")),
            },
            "fim" => {
                let Some(open) = self.open.pop() else {
                    return Err(self.mistake("${fim} sem ${se}"));
                };
                self.here().push(Piece::Group(Group {
                    condition: open.condition,
                    then: open.then,
                    otherwise: open.otherwise.unwrap_or_default(),
                }));
                Ok(())
            }
            _ => {
                let field = self.field(inside)?;
                self.here().push(Piece::Field(field));
                Ok(())
            }
        }
    }

    fn open(&mut self, condition: Condition) -> Result<(), Mistake> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.mistake("grupos demais um no outro"));
        }
        self.open.push(Open {
            condition,
            line: self.line,
            then: Vec::new(),
            otherwise: None,
        });
        Ok(())
    }

    fn field(&self, inside: &str) -> Result<Field, Mistake> {
        let mut parts = inside.split('|');
        let name = parts.next().unwrap_or_default().trim();
        let (name, marked) = match name.strip_suffix('?') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let Some(mut kind) = self.names.kind(name) else {
            return Err(self.mistake(&format!("campo desconhecido: {name}")));
        };
        let mut formats = Vec::new();
        for part in parts {
            let Some(format) = Format::parse(part) else {
                return Err(self.mistake(&format!("formato desconhecido: {}", part.trim())));
            };
            // Only what the registry says may go into a request unescaped.
            let raw = format == Format::Raw && kind == Kind::Text && name.starts_with("opcao.");
            let Some(next) = format.of(kind).or_else(|| raw.then_some(kind)) else {
                let part = part.trim();
                return Err(self.mistake(&format!("{name}: {part} não serve para este campo")));
            };
            kind = next;
            formats.push(format);
        }
        let unfinished = match kind {
            Kind::Decimal => Some("um valor precisa de |casas"),
            Kind::Flag | Kind::Word => Some("uma palavra precisa de |mapa"),
            Kind::Group => Some("um grupo só serve para condições"),
            Kind::Text | Kind::Secret | Kind::Document => None,
        };
        if let Some(what) = unfinished {
            return Err(self.mistake(&format!("{name}: {what}")));
        }
        let has_default = formats
            .iter()
            .any(|format| matches!(format, Format::Default(_)));
        Ok(Field {
            name: name.to_owned(),
            optional: marked || has_default,
            formats,
            attribute: self.in_tag,
        })
    }

    fn mistake(&self, text: &str) -> Mistake {
        Mistake::new(self.line, text)
    }
}
