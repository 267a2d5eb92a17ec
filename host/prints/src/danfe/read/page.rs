//! What a page draws as text: pieces with their places (ISO 32000-1, §9.4).

use std::collections::HashMap;
use std::rc::Rc;

use super::ReadError;
use crate::danfe::read::file::File;
use crate::danfe::read::font::Font;
use crate::danfe::read::object::{Dictionary, Object, Reader, Symbol, blank};

/// Pieces of one document, and operators that are looked at.
const MAX_STRETCHES: usize = 400_000;
const MAX_OPERATORS: usize = 3_000_000;
/// Saved states, and forms within forms.
const MAX_STACK: usize = 64;
const MAX_FORMS: usize = 6;
const MAX_USES: usize = 500;
/// Text of one document: forty full pages have a quarter of it.
const MAX_TEXT: usize = 2 * 1024 * 1024;

/// A text and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    pub text: String,
    pub x: f32,
    pub y: f32,
    /// Direction of the writing: 0 right, 1 up, 2 left, 3 down.
    pub direction: u8,
}

type Matrix = [f32; 6];
const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// `a` done before `b`.
fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let [a0, a1, a2, a3, a4, a5] = *a;
    let [b0, b1, b2, b3, b4, b5] = *b;
    [
        a0 * b0 + a1 * b2,
        a0 * b1 + a1 * b3,
        a2 * b0 + a3 * b2,
        a2 * b1 + a3 * b3,
        a4 * b0 + a5 * b2 + b4,
        a4 * b1 + a5 * b3 + b5,
    ]
}

/// Reads pages one after the other, with one budget for all.
pub(super) struct Pages<'a, 'p> {
    file: &'a File<'p>,
    fonts: HashMap<u32, Rc<Font>>,
    stretches: usize,
    text: usize,
    operators: usize,
    uses: usize,
}

/// What `q` saves and `Q` brings back.
#[derive(Clone)]
struct State {
    ctm: Matrix,
    font: Rc<Font>,
    leading: f32,
}

/// Where the operators of a page or a form have got to.
struct Cursor {
    state: State,
    stack: Vec<State>,
    matrix: Matrix,
    /// Whether the next text goes on where the last one ended.
    goes_on: bool,
}

impl Cursor {
    fn new(ctm: Matrix) -> Cursor {
        Cursor {
            state: State {
                ctm,
                font: Rc::default(),
                leading: 0.0,
            },
            stack: Vec::new(),
            matrix: IDENTITY,
            goes_on: false,
        }
    }

    /// An operator that only moves or saves; others are passed over.
    fn apply(&mut self, operator: &[u8], operands: &[Object]) {
        let number = |at: usize| operands.get(at).and_then(Object::number).unwrap_or(0.0);
        let six = || std::array::from_fn(number);
        match operator {
            b"q" if self.stack.len() < MAX_STACK => self.stack.push(self.state.clone()),
            b"Q" => {
                if let Some(state) = self.stack.pop() {
                    self.state = state;
                }
            }
            b"cm" => self.state.ctm = times(&six(), &self.state.ctm),
            b"BT" => self.place(IDENTITY),
            b"Tm" => self.place(six()),
            b"Td" | b"TD" => {
                if operator == b"TD" {
                    self.state.leading = -number(1);
                }
                self.shift(number(0), number(1));
            }
            b"TL" => self.state.leading = number(0),
            b"T*" => self.next_line(),
            _ => {}
        }
    }

    /// The next text begins here.
    fn place(&mut self, matrix: Matrix) {
        self.matrix = matrix;
        self.goes_on = false;
    }

    /// The next text begins so far from where the last line began.
    fn shift(&mut self, x: f32, y: f32) {
        self.place(times(&[1.0, 0.0, 0.0, 1.0, x, y], &self.matrix));
    }

    fn next_line(&mut self) {
        self.shift(0.0, -self.state.leading);
    }
}

impl<'a, 'p> Pages<'a, 'p> {
    pub fn new(file: &'a File<'p>) -> Pages<'a, 'p> {
        Pages {
            file,
            fonts: HashMap::new(),
            stretches: 0,
            text: 0,
            operators: 0,
            uses: 0,
        }
    }

    /// Texts of a page in the order in which they are drawn.
    pub fn read(
        &mut self,
        page: &Dictionary,
        resources: &Dictionary,
    ) -> Result<Vec<Stretch>, ReadError> {
        let parts = match page.get(b"Contents") {
            Some(Object::List(list)) => list.clone(),
            Some(Object::Reference(number)) => {
                let direct = Object::Reference(*number);
                match self.file.follow(&direct)? {
                    Some(Object::List(list)) => list,
                    _ => vec![direct],
                }
            }
            _ => return Ok(Vec::new()),
        };
        let mut content = Vec::new();
        for part in parts.iter().take(1_000) {
            if let Some(stream) = self.file.stream(part)?
                && let Some(open) = self.file.content(&stream)?
            {
                content.extend_from_slice(&open);
                content.push(b'\n');
            }
        }
        let mut out = Vec::new();
        self.execute(&content, resources, IDENTITY, 0, &mut out)?;
        Ok(out)
    }

    /// Runs the operators of a page or of a form.
    fn execute(
        &mut self,
        content: &[u8],
        resources: &Dictionary,
        ctm: Matrix,
        depth: usize,
        out: &mut Vec<Stretch>,
    ) -> Result<(), ReadError> {
        let fonts = self
            .file
            .dictionary(resources, b"Font")?
            .unwrap_or_default();
        let objects = self
            .file
            .dictionary(resources, b"XObject")?
            .unwrap_or_default();
        let mut reader = Reader::new(content, 0);
        let mut cursor = Cursor::new(ctm);
        let mut operands: Vec<Object> = Vec::new();
        while let Some(symbol) = reader.symbol() {
            let operator = match symbol {
                Symbol::Object(object) => {
                    if operands.len() < 64 {
                        operands.push(object);
                    }
                    continue;
                }
                Symbol::Word(word) => word,
            };
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(ReadError::Large("operadores"));
            }
            match operator {
                b"Tf" => {
                    if let Some(Object::Name(name)) = operands.first() {
                        cursor.state.font = self.font(&fonts, name)?;
                    }
                }
                b"Tj" | b"TJ" | b"'" | b"\"" => {
                    if matches!(operator, b"'" | b"\"") {
                        cursor.next_line();
                    }
                    self.show(&mut cursor, operands.last(), out)?;
                }
                b"BI" => skip_image(&mut reader),
                b"Do" => {
                    if let Some(Object::Name(name)) = operands.first()
                        && depth < MAX_FORMS
                        && self.uses < MAX_USES
                    {
                        self.uses += 1;
                        let ctm = &cursor.state.ctm;
                        self.form((&objects, resources), name, ctm, depth, out)?;
                    }
                }
                _ => cursor.apply(operator, &operands),
            }
            operands.clear();
        }
        Ok(())
    }

    /// The text of an operand, where the cursor stands.
    fn show(
        &mut self,
        cursor: &mut Cursor,
        operand: Option<&Object>,
        out: &mut Vec<Stretch>,
    ) -> Result<(), ReadError> {
        let mut text = String::new();
        if let Some(object) = operand {
            write(object, &cursor.state.font, &mut text);
        }
        let place = times(&cursor.matrix, &cursor.state.ctm);
        self.keep(out, text, &place, cursor.goes_on)?;
        cursor.goes_on = true;
        Ok(())
    }

    fn keep(
        &mut self,
        out: &mut Vec<Stretch>,
        text: String,
        place: &Matrix,
        goes_on: bool,
    ) -> Result<(), ReadError> {
        self.text += text.len();
        self.stretches += 1;
        if self.stretches > MAX_STRETCHES || self.text > MAX_TEXT {
            return Err(ReadError::Large("texto"));
        }
        if goes_on && let Some(last) = out.last_mut() {
            last.text.push_str(&text);
            return Ok(());
        }
        let [a, b, _, _, x, y] = *place;
        let direction = match (a.abs() >= b.abs(), a >= 0.0, b >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 1,
            (false, _, false) => 3,
        };
        out.push(Stretch {
            text,
            x,
            y,
            direction,
        });
        Ok(())
    }

    fn font(&mut self, fonts: &Dictionary, name: &[u8]) -> Result<Rc<Font>, ReadError> {
        self.file.spend(fonts.0.len())?;
        let Some(object) = fonts.get(name) else {
            return Ok(Rc::default());
        };
        if let Object::Reference(number) = object
            && let Some(font) = self.fonts.get(number)
        {
            return Ok(Rc::clone(font));
        }
        let Some(Object::Dictionary(dictionary)) = self.file.follow(object)? else {
            return Ok(Rc::default());
        };
        let font = Rc::new(Font::read(self.file, &dictionary)?);
        if let Object::Reference(number) = object {
            self.fonts.insert(*number, Rc::clone(&font));
        }
        Ok(font)
    }

    /// A form: a piece of page of its own (§8.10).
    fn form(
        &mut self,
        (objects, resources): (&Dictionary, &Dictionary),
        name: &[u8],
        ctm: &Matrix,
        depth: usize,
        out: &mut Vec<Stretch>,
    ) -> Result<(), ReadError> {
        self.file.spend(objects.0.len())?;
        let stream = objects.get(name).map(|object| self.file.stream(object));
        let Some(stream) = stream.transpose()?.flatten() else {
            return Ok(());
        };
        if stream.dictionary.name(b"Subtype") != Some(b"Form") {
            return Ok(());
        }
        let Some(content) = self.file.content(&stream)? else {
            return Ok(());
        };
        let matrix = match self.file.value(&stream.dictionary, b"Matrix")? {
            Some(Object::List(list)) => {
                let numbers: Vec<f32> = list.iter().filter_map(Object::number).collect();
                numbers.try_into().unwrap_or(IDENTITY)
            }
            _ => IDENTITY,
        };
        let own = self.file.dictionary(&stream.dictionary, b"Resources")?;
        let resources = own.as_ref().unwrap_or(resources);
        self.execute(&content, resources, times(&matrix, ctm), depth + 1, out)
    }
}

/// A string, or strings with the space between them: a wide one is a blank.
fn write(object: &Object, font: &Font, out: &mut String) {
    match object {
        Object::Text(bytes) => font.text(bytes, out),
        Object::List(list) => {
            for part in list {
                match part {
                    Object::Text(bytes) => font.text(bytes, out),
                    Object::Number(indent) if *indent < -180.0 => out.push(' '),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Past the samples of a picture written into the page (§8.9.7).
fn skip_image(reader: &mut Reader<'_>) {
    let rest = reader.rest();
    let mut at = 0;
    while let Some(found) = crate::danfe::read::file::find(rest.get(at..).unwrap_or(&[]), b"EI") {
        let end = at + found;
        let before = end
            .checked_sub(1)
            .and_then(|i| rest.get(i))
            .is_none_or(|b| blank(*b));
        let after = rest.get(end + 2).is_none_or(|b| blank(*b));
        at = end + 2;
        if before && after {
            break;
        }
    }
    reader.at += if at == 0 { rest.len() } else { at };
}
