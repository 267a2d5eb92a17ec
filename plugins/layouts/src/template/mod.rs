//! Messages with places for values: parsed once, checked whole, filled for a
//! call. README.md explains the language.

mod condition;
mod formats;
mod parse;
mod render;

pub use condition::Condition;
pub use formats::Format;
pub use render::{Escape, Rendering, Source, Value};

/// A mistake in a file of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line of the file, from 1.
    pub line: usize,
    pub text: String,
}

impl Mistake {
    pub fn new(line: usize, text: impl Into<String>) -> Self {
        Mistake {
            line,
            text: text.into(),
        }
    }
}

/// What a name may stand for, as far as a template is checked before there is
/// a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Decimal,
    Flag,
    /// A word of an enumeration, which needs a map.
    Word,
    /// Only whether it is there can be asked.
    Group,
    Secret,
    /// A whole document.
    Document,
}

/// The names a template may use.
pub trait Names {
    /// What a name stands for; None: nobody knows it.
    fn kind(&self, name: &str) -> Option<Kind>;
}

/// A parsed template.
#[derive(Clone, Debug, Default)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Literal(String),
    Field(Field),
    Group(Group),
    /// How many elements of this name the finished text has.
    Count(String),
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    /// Absent is empty.
    optional: bool,
    formats: Vec<Format>,
    /// It stands inside a tag.
    attribute: bool,
}

#[derive(Clone, Debug)]
struct Group {
    condition: Condition,
    then: Vec<Piece>,
    otherwise: Vec<Piece>,
}

impl Template {
    /// Reads a template of lines: each is trimmed, empty ones and those that
    /// begin with `#` are left out.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn parse(text: &str, names: &dyn Names) -> Result<Self, Mistake> {
        parse::template(text, names)
    }

    /// Reads a template of one line, which begins at `line` of its file.
    ///
    /// # Errors
    /// As [`Template::parse`].
    pub fn line(text: &str, line: usize, names: &dyn Names) -> Result<Self, Mistake> {
        parse::one_line(text, line, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Known, Scope};
    use std::collections::BTreeMap;

    /// Values by name; each is an error of its own name.
    struct Values(BTreeMap<&'static str, Value>);

    impl Source for Values {
        fn value(&self, name: &str) -> Option<Value> {
            self.0.get(name).cloned()
        }

        fn path(&self, name: &str) -> String {
            name.to_owned()
        }
    }

    fn known(variants: &[String]) -> Known<'_> {
        Known {
            scope: Scope::Declaration,
            variants,
        }
    }

    fn parsed(text: &str) -> Result<Template, Mistake> {
        let variants = ["a".to_owned()];
        Template::parse(text, &known(&variants))
    }

    fn filled(text: &str, escape: Escape) -> (String, bool) {
        let text_of = |text: &str| Value::Text(text.to_owned());
        let values = Values(BTreeMap::from([
            ("tomador.nome", text_of("A & \"B\" <C>")),
            ("tomador.email", text_of(" ")),
            (
                "valores.servico",
                Value::Decimal("12.5".parse().expect("decimal")),
            ),
            (
                "valores.retencoes.ir",
                Value::Decimal("0".parse().expect("decimal")),
            ),
            ("variante.a", Value::Flag(true)),
            ("calculado.retido", Value::Flag(false)),
        ]));
        let mut rendering = Rendering::new(&values);
        let text = rendering.text(&parsed(text).expect("template"), escape);
        (text, rendering.end().is_ok())
    }

    #[test]
    fn values_stand_in_their_places_and_are_escaped() {
        for (template, escape, expected) in [
            (
                "<n>\n  ${tomador.nome}\n</n>",
                Escape::Xml,
                "<n>A &amp; \"B\" &lt;C&gt;</n>",
            ),
            (
                "<n a=\"${tomador.nome}\"/>",
                Escape::Xml,
                "<n a=\"A &amp; &quot;B&quot; &lt;C&gt;\"/>",
            ),
            (
                "{\"n\":\"${tomador.nome}\"}",
                Escape::Json,
                "{\"n\":\"A & \\\"B\\\" <C>\"}",
            ),
            (
                "${tomador.nome}",
                Escape::Url,
                "A%20%26%20%22B%22%20%3CC%3E",
            ),
            ("${valores.servico|casas 2 ,}", Escape::Xml, "12,50"),
            (
                "# nothing\n${valores.servico|fracao|casas 4}",
                Escape::Xml,
                "0.1250",
            ),
            ("${tomador.email?}-${tomador.im|ou x}", Escape::Xml, "-x"),
            (
                "?<e>${tomador.email}</e>\n?<s>${valores.servico|casas 2}</s>",
                Escape::Xml,
                "<s>12.50</s>",
            ),
            ("?<r>${valores.retencoes.ir|casas 2}</r>", Escape::Xml, ""),
            (
                "${se variante.a e nao tomador.email}sim${senao}nao${fim}",
                Escape::Xml,
                "sim",
            ),
            (
                "${se tomador.im ou valores.servico = 12.50}sim${fim}",
                Escape::Xml,
                "sim",
            ),
            (
                "${se calculado.retido != sim}a${se variante.a}b${fim}c${fim}",
                Escape::Xml,
                "abc",
            ),
            ("${calculado.retido|mapa sim=1 nao=2}", Escape::Xml, "2"),
            (
                "<r>\n?<a>${tomador.nome|max 20}</a>\n<a x=\"1\"/>\n<ab/>\n<n>${conta a}${conta b}</n></r>",
                Escape::Xml,
                "<r><a>A &amp; \"B\" &lt;C&gt;</a><a x=\"1\"/><ab/><n>20</n></r>",
            ),
        ] {
            assert_eq!(
                filled(template, escape),
                (expected.to_owned(), true),
                "{template}"
            );
        }
    }

    #[test]
    fn what_is_missing_is_told() {
        assert!(!filled("${tomador.im}", Escape::Xml).1);
        assert!(!filled("${tomador.email}", Escape::Xml).1);
        assert!(!filled("${tomador.nome|max 3}", Escape::Xml).1);
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line, part) in [
            ("a\n${tomador.nme}", 2, "campo desconhecido"),
            ("${tomador.nome|corta 3}", 1, "formato desconhecido"),
            ("a\n\n${se tomador}\nb", 3, "sem ${fim}"),
            ("a\n${fim}", 2, "sem ${se}"),
            ("${senao}", 1, "sem ${se}"),
            ("${tomador.nome", 1, "falta }"),
            ("${se tomador.nome > 3}${fim}", 1, "condição"),
            ("${se tomador = 3}${fim}", 1, "não se compara"),
            ("${valores.servico}", 1, "casas"),
            ("${tomador.nome|casas 2}", 1, "não serve"),
            ("${regime.especial}", 1, "mapa"),
            ("${tomador}", 1, "condições"),
            ("${nota.chave}", 1, "campo desconhecido"),
            ("${variante.b}", 1, "campo desconhecido"),
            ("${segredo.outro}", 1, "campo desconhecido"),
            ("${conta }", 1, "campo desconhecido"),
            ("${tomador.nome|md5}", 1, "não serve"),
            ("${segredo.senha|max 3}", 1, "não serve"),
            ("?<a></a>", 1, "precisa de um campo"),
            ("?${se tomador}a${fim}", 1, "não tem grupos"),
        ] {
            let mistake = parsed(text).expect_err(text);
            assert_eq!(mistake.line, line, "{text}: {}", mistake.text);
            assert!(mistake.text.contains(part), "{text}: {}", mistake.text);
        }
        let deep = format!("{}{}", "${se tomador}".repeat(50), "${fim}".repeat(50));
        assert!(parsed(&deep).is_err());
    }
}
