//! Text of a pattern to its tree.

use crate::layout::glushkov;

/// Inclusive range of code points.
pub(in crate::layout) type Span = (u32, u32);

/// A pattern taken apart: symbols are one character of these ranges (sorted,
/// not touching).
pub(in crate::layout) type Node = glushkov::Node<Vec<Span>>;

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 32;
/// Highest count in braces.
const MAX_TIMES: u32 = 4096;
const LAST: u32 = 0x0010_FFFF;

/// Reads a pattern.
///
/// # Errors
/// A sentence in English: the pattern is malformed or uses what is not supported.
pub(in crate::layout) fn read(pattern: &str) -> Result<Node, String> {
    let mut reader = Reader {
        rest: pattern.chars().collect(),
        at: 0,
    };
    let node = reader.choice(0)?;
    match reader.peek() {
        None => Ok(node),
        Some(c) => Err(format!("unexpected {c:?} in the pattern {pattern:?}")),
    }
}

struct Reader {
    rest: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn come(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn eat_if(&mut self, c: char) -> bool {
        let here = self.peek() == Some(c);
        self.at += usize::from(here);
        here
    }

    fn choice(&mut self, depth: usize) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err("groups are nested too deeply".to_owned());
        }
        let mut branches = vec![self.sequence(depth)?];
        while self.eat_if('|') {
            branches.push(self.sequence(depth)?);
        }
        Ok(match branches.len() {
            1 => branches.remove(0),
            _ => Node::Choice(branches),
        })
    }

    fn sequence(&mut self, depth: usize) -> Result<Node, String> {
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let atom = self.atom(depth)?;
            parts.push(self.quantity(atom)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Node::Sequence(parts),
        })
    }

    fn atom(&mut self, depth: usize) -> Result<Node, String> {
        match self.come() {
            Some('(') => {
                let within = self.choice(depth + 1)?;
                if self.eat_if(')') {
                    Ok(within)
                } else {
                    Err("a group is not closed".to_owned())
                }
            }
            Some('[') => Ok(Node::Symbol(self.class()?)),
            Some('.') => Ok(Node::Symbol(invert(&[(0xA, 0xA), (0xD, 0xD)]))),
            Some('\\') => Ok(Node::Symbol(self.escape()?)),
            Some(c @ ('?' | '*' | '+' | '{' | '}' | ']')) => {
                Err(format!("{c:?} stands where a character is expected"))
            }
            Some(c) => Ok(Node::Symbol(vec![one(c)])),
            None => Err("the pattern ends too early".to_owned()),
        }
    }

    fn quantity(&mut self, atom: Node) -> Result<Node, String> {
        let (min, max) = match self.peek() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => {
                self.at += 1;
                let min = self.number()?;
                let max = match self.come() {
                    Some('}') => Some(min),
                    Some(',') if self.eat_if('}') => None,
                    Some(',') => {
                        let max = self.number()?;
                        if !self.eat_if('}') {
                            return Err("a count is not closed".to_owned());
                        }
                        Some(max)
                    }
                    _ => return Err("a count is not closed".to_owned()),
                };
                if max.is_some_and(|max| max < min) {
                    return Err("a count whose end is before its beginning".to_owned());
                }
                return Ok(Node::Times(Box::new(atom), min, max));
            }
            _ => return Ok(atom),
        };
        self.at += 1;
        Ok(Node::Times(Box::new(atom), min, max))
    }

    fn number(&mut self) -> Result<u32, String> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            let new = value.unwrap_or(0) * 10 + digit;
            if new > MAX_TIMES {
                return Err("a count is too high".to_owned());
            }
            value = Some(new);
        }
        value.ok_or_else(|| "a count without number".to_owned())
    }

    /// After `[`.
    fn class(&mut self) -> Result<Vec<Span>, String> {
        let negated = self.eat_if('^');
        let mut spans = Vec::new();
        loop {
            let start = match self.come() {
                None => return Err("a class is not closed".to_owned()),
                Some(']') if !spans.is_empty() => break,
                Some('[') => return Err("\"[\" in a class".to_owned()),
                Some('\\') => {
                    let list = self.escape()?;
                    match list.as_slice() {
                        [(from, to)] if from == to => *from,
                        _ => {
                            spans.extend(list);
                            continue;
                        }
                    }
                }
                Some('-') if self.peek() == Some('[') => {
                    return Err("class subtraction is not supported".to_owned());
                }
                Some(c) => u32::from(c),
            };
            // A hyphen at the end stands for itself.
            let strip = self.peek() == Some('-')
                && !matches!(self.rest.get(self.at + 1), Some(']' | '[') | None);
            if !strip {
                spans.push((start, start));
                continue;
            }
            self.at += 1;
            let end = match self.come() {
                Some('\\') => match self.escape()?.as_slice() {
                    [(from, to)] if from == to => *from,
                    _ => return Err("a range that ends in a class".to_owned()),
                },
                Some(c) => u32::from(c),
                None => return Err("a class is not closed".to_owned()),
            };
            if end < start {
                return Err("a range whose end is before its beginning".to_owned());
            }
            spans.push((start, end));
        }
        let spans = join(spans);
        Ok(if negated { invert(&spans) } else { spans })
    }

    /// After the backslash.
    fn escape(&mut self) -> Result<Vec<Span>, String> {
        let c = self.come().ok_or("the pattern ends in a backslash")?;
        Ok(match c {
            'n' => vec![(0xA, 0xA)],
            'r' => vec![(0xD, 0xD)],
            't' => vec![(0x9, 0x9)],
            's' => spaces(),
            'S' => invert(&spaces()),
            'd' => digits(),
            'D' => invert(&digits()),
            '\\' | '|' | '.' | '?' | '*' | '+' | '(' | ')' | '{' | '}' | '-' | '[' | ']' | '^'
            | ',' | '/' | ':' => vec![one(c)],
            _ => return Err(format!("the escape \\{c} is not supported")),
        })
    }
}

fn one(c: char) -> Span {
    (u32::from(c), u32::from(c))
}

fn spaces() -> Vec<Span> {
    vec![(0x9, 0xA), (0xD, 0xD), (0x20, 0x20)]
}

/// Decimal digits of all scripts of the basic plane: `\d` is `\p{Nd}` (XSD
/// part 2, F.1.1), so a date in Devanagari digits matches. Each block has ten.
fn digits() -> Vec<Span> {
    const BLOCKS: [u32; 20] = [
        0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50,
        0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0x1946, 0xFF10,
    ];
    BLOCKS.iter().map(|&from| (from, from + 9)).collect()
}

/// Sorts and joins ranges that touch.
fn join(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut output: Vec<Span> = Vec::with_capacity(spans.len());
    for (from, to) in spans {
        match output.last_mut() {
            Some((_, end)) if from <= end.saturating_add(1) => *end = (*end).max(to),
            _ => output.push((from, to)),
        }
    }
    output
}

fn invert(spans: &[Span]) -> Vec<Span> {
    let mut output = Vec::new();
    let mut free = 0;
    for &(from, to) in spans {
        if from > free {
            output.push((free, from - 1));
        }
        free = to + 1;
    }
    if free <= LAST {
        output.push((free, LAST));
    }
    output
}
