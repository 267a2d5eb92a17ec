//! Conditions: `campo`, `campo = valor`, `campo != valor`, joined by `e` and
//! `ou`; `e` binds closer, `nao` turns one term.

use super::{Kind, Mistake, Names};

/// A condition: one of the alternatives holds, each of which is a list of
/// terms that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub alternatives: Vec<Vec<Term>>,
}

/// One test of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub name: String,
    pub test: Test,
    /// `nao` stands before it.
    pub negated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// There, not blank, not zero, not false.
    Present,
    Equal(String),
}

impl Condition {
    /// All of these names are there.
    pub fn all_present(names: Vec<String>) -> Self {
        let term = |name| Term {
            name,
            test: Test::Present,
            negated: false,
        };
        Condition {
            alternatives: vec![names.into_iter().map(term).collect()],
        }
    }

    /// # Errors
    /// Another form, or a name that nobody knows.
    pub fn parse(text: &str, line: usize, names: &dyn Names) -> Result<Self, Mistake> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut alternatives = Vec::new();
        for alternative in words.split(|word| *word == "ou") {
            let terms = alternative
                .split(|word| *word == "e")
                .map(|words| term(words, line, names));
            alternatives.push(terms.collect::<Result<Vec<Term>, Mistake>>()?);
        }
        Ok(Condition { alternatives })
    }

    /// Whether it holds, by a test of one term.
    pub fn holds(&self, mut test: impl FnMut(&Term) -> bool) -> bool {
        self.alternatives
            .iter()
            .any(|terms| terms.iter().all(|term| test(term) != term.negated))
    }
}

fn term(words: &[&str], line: usize, names: &dyn Names) -> Result<Term, Mistake> {
    let (negated, words) = match words {
        ["nao", rest @ ..] => (true, rest),
        words => (false, words),
    };
    let (name, test, negated) = match words {
        [name] => (*name, Test::Present, negated),
        [name, "=", value] => (*name, Test::Equal((*value).to_owned()), negated),
        [name, "!=", value] => (*name, Test::Equal((*value).to_owned()), !negated),
        _ => {
            let found = words.join(" ");
            return Err(Mistake::new(line, format!("condição ilegível: {found:?}")));
        }
    };
    match names.kind(name) {
        None => Err(Mistake::new(line, format!("campo desconhecido: {name}"))),
        Some(Kind::Secret | Kind::Document | Kind::Group) if test != Test::Present => Err(
            Mistake::new(line, format!("{name} não se compara com um valor")),
        ),
        Some(_) => Ok(Term {
            name: name.to_owned(),
            test,
            negated,
        }),
    }
}
