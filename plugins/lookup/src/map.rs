//! How a source is asked and read: data, in JSON (`README.md` has the format).

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a source can be asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Map {
    /// By the name of the question.
    pub queries: BTreeMap<String, Query>,
}

/// One question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    /// Behind the base address; `{member}` is a member of the content.
    pub path: String,
    /// `{token}` in a value is the secret of this name.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Answers that say that there is nothing.
    #[serde(default)]
    pub missing: Vec<Missing>,
    /// Members of the answer that must be those of the question.
    #[serde(default)]
    pub echo: Vec<String>,
    /// Members without which it is no answer.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Empty: the answer is the content already.
    #[serde(default)]
    pub fields: BTreeMap<String, Field>,
}

impl Query {
    /// Whether an answer says that there is nothing. What the server's own
    /// trouble (5xx) says about the question is not believed.
    pub(crate) fn says_nothing(&self, status: u16, answer: Option<&Value>) -> bool {
        let said = |one: &Missing| answer.is_some_and(|answer| one.is_said(answer));
        let mut missing = self.missing.iter();
        missing.any(|one| one.status.contains(&status) || (status < 500 && said(one)))
    }
}

/// An answer that says that there is nothing: one of these.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Missing {
    pub status: Vec<u16>,
    /// Place in the answer (JSON pointer), with one of the values of `is`; without
    /// them: with anything but null, `false` and an empty list.
    pub at: Option<String>,
    pub is: Vec<Value>,
    /// Place of a list that is empty.
    pub empty: Option<String>,
}

impl Missing {
    fn is_said(&self, answer: &Value) -> bool {
        let empty = self.empty.as_ref().is_some_and(|at| {
            let list = answer.pointer(at).and_then(Value::as_array);
            list.is_some_and(Vec::is_empty)
        });
        let said = self.at.as_ref().is_some_and(|at| {
            let Some(value) = answer.pointer(at) else {
                return false;
            };
            if self.is.is_empty() {
                let nothing = [Value::Null, Value::Bool(false), Value::Array(Vec::new())];
                return !nothing.contains(value);
            }
            self.is.contains(value)
        });
        empty || said
    }
}

/// One member of the content.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Field {
    /// Places in the answer; the first that holds something counts.
    pub from: Vec<String>,
    /// Places whose texts are joined by spaces.
    pub join: Vec<String>,
    /// The form of the value.
    #[serde(rename = "as")]
    pub form: Form,
    /// Digits are filled up with zeros from the left.
    pub width: usize,
    /// Values of the source, and ours. What is not named stays as it is.
    pub words: BTreeMap<String, String>,
    /// Members of an object or, with `list`, of each of its elements.
    pub fields: BTreeMap<String, Field>,
    /// Place of a list.
    pub list: Option<String>,
    /// The value itself.
    pub value: Option<Value>,
}

/// The form of a value in the content.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    #[default]
    Text,
    /// Only the digits of a text or number.
    Digits,
    /// Letters and digits, in capitals.
    Code,
    /// Decimal number as text.
    Decimal,
    /// Amount as `R$ 1.234,56`, as decimal number.
    Money,
    Integer,
    Flag,
    /// `AAAA-MM-DD`, from that form, from `DD/MM/AAAA` and `AAAAMMDD`.
    Date,
    /// `AAAA-MM`, from `outubro de 2026` and that form.
    Month,
    /// Two letters of a state, also behind `BR-`.
    State,
}
