//! The patterns of XML Schema simple types: a small, bounded matcher.
//!
//! A pattern always means the whole text. Supported: alternatives, groups,
//! classes, `.`, `\d \D \s \S \w`, escapes and the quantifiers `? * + {n} {n,} {n,m}`.

/// Most steps one match may take: a text that needs more does not match.
const MAX_STEPS: u32 = 2_000_000;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern(Alternatives);

type Alternatives = Vec<Vec<Piece>>;

#[derive(Debug, Clone)]
struct Piece {
    atom: Atom,
    min: u32,
    max: u32,
}

#[derive(Debug, Clone)]
enum Atom {
    Class { negated: bool, items: Vec<Item> },
    Group(Alternatives),
}

#[derive(Debug, Clone)]
enum Item {
    Range(char, char),
    Digit(bool),
    Space(bool),
    Word,
}

impl Pattern {
    /// Compiles; `None` for syntax outside the supported subset.
    pub fn new(source: &str) -> Option<Self> {
        let chars: Vec<char> = source.chars().collect();
        let mut at = 0;
        let alternatives = parse_alternatives(&chars, &mut at)?;
        (at == chars.len()).then_some(Self(alternatives))
    }

    /// True when the whole text follows the pattern.
    pub fn matches(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let mut matcher = Matcher {
            chars: &chars,
            steps: MAX_STEPS,
        };
        matcher.any(&self.0, 0, &mut |m, end| end == m.chars.len())
    }
}

struct Matcher<'a> {
    chars: &'a [char],
    steps: u32,
}

type Then<'t> = &'t mut dyn FnMut(&mut Matcher<'_>, usize) -> bool;

impl Matcher<'_> {
    fn any(&mut self, alternatives: &[Vec<Piece>], at: usize, then: Then<'_>) -> bool {
        alternatives
            .iter()
            .any(|pieces| self.sequence(pieces, at, then))
    }

    fn sequence(&mut self, pieces: &[Piece], at: usize, then: Then<'_>) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let Some((first, rest)) = pieces.split_first() else {
            return then(self, at);
        };
        match &first.atom {
            Atom::Class { negated, items } => {
                let fits = |c: &char| items.iter().any(|i| i.holds(*c)) != *negated;
                let run = self.chars.get(at..).unwrap_or_default();
                let most = run
                    .iter()
                    .take(first.max as usize)
                    .take_while(|c| fits(c))
                    .count();
                // Greedy, then give back one by one.
                for taken in (first.min as usize..=most).rev() {
                    if self.sequence(rest, at + taken, then) {
                        return true;
                    }
                }
                false
            }
            Atom::Group(inner) => self.group(inner, first.min, first.max, rest, at, then),
        }
    }

    fn group(
        &mut self,
        inner: &Alternatives,
        min: u32,
        max: u32,
        rest: &[Piece],
        at: usize,
        then: Then<'_>,
    ) -> bool {
        if max > 0 {
            let again = self.any(inner, at, &mut |m, end| {
                // An empty round would repeat for ever.
                end > at && m.group(inner, min.saturating_sub(1), max - 1, rest, end, then)
            });
            if again {
                return true;
            }
        }
        min == 0 && self.sequence(rest, at, then)
    }
}

impl Item {
    fn holds(&self, c: char) -> bool {
        match self {
            Item::Range(a, b) => (*a..=*b).contains(&c),
            Item::Digit(yes) => c.is_ascii_digit() == *yes,
            Item::Space(yes) => matches!(c, ' ' | '\t' | '\n' | '\r') == *yes,
            Item::Word => c.is_alphanumeric() || c == '_',
        }
    }
}

fn parse_alternatives(chars: &[char], at: &mut usize) -> Option<Alternatives> {
    let mut all = vec![Vec::new()];
    while let Some(c) = chars.get(*at) {
        match c {
            ')' => break,
            '|' => {
                *at += 1;
                all.push(Vec::new());
            }
            _ => {
                let atom = parse_atom(chars, at)?;
                let (min, max) = parse_quantifier(chars, at)?;
                all.last_mut()?.push(Piece { atom, min, max });
            }
        }
    }
    Some(all)
}

fn parse_atom(chars: &[char], at: &mut usize) -> Option<Atom> {
    let c = *chars.get(*at)?;
    *at += 1;
    Some(match c {
        '(' => {
            let inner = parse_alternatives(chars, at)?;
            if chars.get(*at) != Some(&')') {
                return None;
            }
            *at += 1;
            Atom::Group(inner)
        }
        '[' => parse_class(chars, at)?,
        '.' => Atom::Class {
            negated: true,
            items: vec![Item::Range('\n', '\n'), Item::Range('\r', '\r')],
        },
        '\\' => Atom::Class {
            negated: false,
            items: vec![parse_escape(chars, at)?],
        },
        '?' | '*' | '+' | '{' | '}' | ']' => return None,
        c => Atom::Class {
            negated: false,
            items: vec![Item::Range(c, c)],
        },
    })
}

fn parse_escape(chars: &[char], at: &mut usize) -> Option<Item> {
    let c = *chars.get(*at)?;
    *at += 1;
    Some(match c {
        'd' => Item::Digit(true),
        'D' => Item::Digit(false),
        's' => Item::Space(true),
        'S' => Item::Space(false),
        'w' => Item::Word,
        'n' => Item::Range('\n', '\n'),
        'r' => Item::Range('\r', '\r'),
        't' => Item::Range('\t', '\t'),
        c if c.is_alphanumeric() => return None,
        c => Item::Range(c, c),
    })
}

fn parse_class(chars: &[char], at: &mut usize) -> Option<Atom> {
    let negated = chars.get(*at) == Some(&'^');
    if negated {
        *at += 1;
    }
    let mut items = Vec::new();
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            ']' => return Some(Atom::Class { negated, items }),
            '\\' => items.push(parse_escape(chars, at)?),
            from if chars.get(*at) == Some(&'-')
                && chars.get(*at + 1).is_some_and(|n| *n != ']') =>
            {
                let to = *chars.get(*at + 1)?;
                *at += 2;
                items.push(Item::Range(from, to));
            }
            c => items.push(Item::Range(c, c)),
        }
    }
}

fn parse_quantifier(chars: &[char], at: &mut usize) -> Option<(u32, u32)> {
    let (min, max) = match chars.get(*at) {
        Some('?') => (0, 1),
        Some('*') => (0, u32::MAX),
        Some('+') => (1, u32::MAX),
        Some('{') => {
            let end = chars.get(*at..)?.iter().position(|c| *c == '}')? + *at;
            let inside: String = chars.get(*at + 1..end)?.iter().collect();
            *at = end;
            match inside.split_once(',') {
                None => {
                    let n = inside.parse().ok()?;
                    (n, n)
                }
                Some((n, "")) => (n.parse().ok()?, u32::MAX),
                Some((n, m)) => (n.parse().ok()?, m.parse().ok()?),
            }
        }
        _ => return Some((1, 1)),
    };
    *at += 1;
    Some((min, max))
}
