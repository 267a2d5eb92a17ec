//! An operation that is built: its route, and what it says about itself beside
//! its handler, which the OpenAPI document shows.

pub mod forms;
pub mod meanings;

use crate::answer::Success;
use crate::request::list::limit_schema;
use crate::request::upload::Kind;
use axum::routing::{MethodFilter, MethodRouter};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// One operation that is built: its id and how to route it.
pub struct Built {
    /// Its id in the table of operations.
    pub operation: &'static str,
    /// Its handler under a method.
    pub route: fn(MethodFilter) -> MethodRouter,
    pub docs: Docs,
}

/// Makes the schema of a type: when the document is asked for, so that a start
/// does not wait for it.
type Schema = fn() -> Value;

/// What the schema of a request body is made of.
#[derive(Clone, Debug)]
enum Body {
    Json(Schema),
    File(&'static Kind, &'static str),
}

/// What an operation adds to its row of the table.
#[derive(Clone, Debug)]
pub struct Docs {
    /// What it does, pt-BR.
    pub summary: &'static str,
    /// When to use it, what follows, what it refuses, pt-BR; empty: the summary says it.
    pub explanation: &'static str,
    body: Option<Body>,
    required: &'static [&'static str],
    required_any: &'static [&'static str],
    /// Parameters of the query: name, meaning, schema.
    pub query: Vec<(&'static str, &'static str, Value)>,
    /// Names of the query's parameters without which it refuses.
    pub asked: &'static [&'static str],
    /// Statuses of success and what they say; none: it always refuses.
    pub answers: Vec<(u16, &'static str)>,
    /// Schemas of the JSON bodies: of one status, or of all others.
    pub bodies: Vec<(Option<u16>, Schema)>,
    /// Headers of an answer, and the statuses that have them.
    pub sent: Vec<(&'static str, &'static [u16])>,
    /// It takes `Idempotency-Key`.
    pub idempotent: bool,
    /// Headers it reads: name, meaning, schema.
    pub headers: Vec<(&'static str, &'static str, Value)>,
    /// Schema of the request as a form.
    pub form: Option<Value>,
    /// Media types an answer may have besides JSON.
    pub files: &'static [&'static str],
    /// The body is bytes of any kind.
    pub bytes: bool,
    /// Statuses of refusals that are this operation's alone.
    pub refusals: &'static [u16],
}

impl Docs {
    /// `summary` is read by customers: pt-BR.
    pub fn new(summary: &'static str) -> Docs {
        Docs {
            summary,
            explanation: "",
            body: None,
            required: &[],
            required_any: &[],
            query: Vec::new(),
            asked: &[],
            answers: vec![(200, "Sucesso.")],
            bodies: Vec::new(),
            sent: Vec::new(),
            idempotent: false,
            headers: Vec::new(),
            form: None,
            files: &[],
            bytes: false,
            refusals: &[],
        }
    }

    /// When to use the operation, what follows and what it refuses: one or a few
    /// sentences behind the summary, pt-BR.
    #[must_use]
    pub fn explained(mut self, text: &'static str) -> Docs {
        self.explanation = text;
        self
    }

    /// The request body is read as this type.
    #[must_use]
    pub fn body<T: JsonSchema>(self) -> Docs {
        self.body_of(|| schemars::schema_for!(T).to_value())
    }

    /// The request body has this JSON Schema.
    #[must_use]
    pub fn body_of(mut self, schema: fn() -> Value) -> Docs {
        self.body = Some(Body::Json(schema));
        self
    }

    /// Members that must be there, of a body whose type is shared with
    /// operations that do not ask for them.
    #[must_use]
    pub fn requires(mut self, members: &'static [&'static str]) -> Docs {
        self.required = members;
        self
    }

    /// At least one of these members of the body must be there.
    #[must_use]
    pub fn requires_any(mut self, members: &'static [&'static str]) -> Docs {
        self.required_any = members;
        self
    }

    /// Does it take a body that has a schema?
    pub fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// JSON Schema of the request body; None where there is none.
    pub fn body_schema(&self) -> Option<Value> {
        let mut schema = match self.body.as_ref()? {
            Body::Json(schema) => schema(),
            Body::File(kind, title) => kind.schema(title),
        };
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if !self.required_any.is_empty() {
            let forms = self.required_any.iter();
            schema["anyOf"] = forms.map(|one| json!({ "required": [one] })).collect();
        }
        Some(told(schema))
    }

    /// Members of every successful answer, between `sucesso` and `request_id`.
    #[must_use]
    pub fn success<T: JsonSchema>(self) -> Docs {
        self.plain::<Success<T>>()
    }

    /// Members of the answer with this status, where it has others.
    #[must_use]
    pub fn success_at<T: JsonSchema>(mut self, status: u16) -> Docs {
        self.bodies.push((Some(status), answer::<Success<T>>));
        self
    }

    /// The whole body of every successful answer.
    #[must_use]
    pub fn plain<B: JsonSchema>(mut self) -> Docs {
        self.bodies.push((None, answer::<B>));
        self
    }

    /// JSON Schema of the answer with this status; None where it is no JSON.
    pub fn answer_schema(&self, status: u16) -> Option<Value> {
        let own = self.bodies.iter().find(|(of, _)| *of == Some(status));
        let any = || self.bodies.iter().find(|(of, _)| of.is_none());
        own.or_else(any).map(|(_, schema)| told(schema()))
    }

    /// Takes no members; a body may be left out.
    #[must_use]
    pub fn no_members(self) -> Docs {
        self.body_of(|| json!({ "title": "Nada", "type": "object", "additionalProperties": false }))
    }

    /// The body is a file, bare or in base64: it may be larger than JSON.
    #[must_use]
    pub fn file(mut self, kind: &'static Kind, title: &'static str) -> Docs {
        self.body = Some(Body::File(kind, title));
        self
    }

    /// The body is bytes of any kind, which the operation reads as they come.
    #[must_use]
    pub fn bytes(mut self) -> Docs {
        self.bytes = true;
        self
    }

    /// Was it said with `bytes`?
    pub fn takes_bytes(&self) -> bool {
        self.bytes
    }

    /// What the operation does, pt-BR.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Does it answer with this status on success?
    pub fn has_answer(&self, status: u16) -> bool {
        self.answers.iter().any(|(known, _)| *known == status)
    }

    /// Has it no successful answer?
    pub fn always_refuses(&self) -> bool {
        self.answers.is_empty()
    }

    /// Was it said with `file`?
    pub fn takes_file(&self) -> bool {
        matches!(self.body, Some(Body::File(..)))
    }

    /// A query parameter: name, meaning, schema.
    #[must_use]
    pub fn query(mut self, name: &'static str, meaning: &'static str, schema: Value) -> Docs {
        self.query.push((name, meaning, schema));
        self
    }

    /// The query's parameters without which the operation refuses.
    #[must_use]
    pub fn asks_for(mut self, names: &'static [&'static str]) -> Docs {
        self.asked = names;
        self
    }

    /// The two parameters of every listing (`gate::request::list::page`).
    #[must_use]
    pub fn paged(self) -> Docs {
        let limit = json!({ "type": "integer", "minimum": 1, "maximum": 100 });
        let cursor = json!({ "type": "string", "minLength": 1 });
        self.query("limite", "Itens por página.", limit)
            .query("cursor", "Página seguinte.", cursor)
    }

    /// The period of a listing (`gate::request::list::period`).
    #[must_use]
    pub fn period(self) -> Docs {
        let (from, until) = (limit_schema(), limit_schema());
        self.query(
            "de",
            "Chegadas ao hub a partir deste dia de Brasília, ou deste momento (RFC 3339).",
            from,
        )
        .query(
            "ate",
            "Até este dia de Brasília, ou até este momento (RFC 3339).",
            until,
        )
    }

    /// JSON Schema of the same request as `multipart/form-data`.
    #[must_use]
    pub fn form(mut self, schema: Value) -> Docs {
        self.form = Some(schema);
        self
    }

    /// A header the operation reads: name, meaning, schema.
    #[must_use]
    pub fn header(mut self, name: &'static str, meaning: &'static str, schema: Value) -> Docs {
        self.headers.push((name, meaning, schema));
        self
    }

    /// Media types of the file an answer may be, besides JSON.
    #[must_use]
    pub fn files(mut self, media: &'static [&'static str]) -> Docs {
        self.files = media;
        self
    }

    /// Success statuses, instead of 200.
    #[must_use]
    pub fn answers(mut self, answers: &[(u16, &'static str)]) -> Docs {
        self.answers = answers.to_vec();
        self
    }

    /// A header that every answer with one of these statuses has.
    #[must_use]
    pub fn sends(mut self, name: &'static str, statuses: &'static [u16]) -> Docs {
        self.sent.push((name, statuses));
        self
    }

    /// Refusals of this operation alone, besides those any operation may
    /// answer with.
    #[must_use]
    pub fn refuses(mut self, statuses: &'static [u16]) -> Docs {
        self.refusals = statuses;
        self
    }

    /// Takes `Idempotency-Key`.
    #[must_use]
    pub fn idempotent(mut self) -> Docs {
        self.idempotent = true;
        self
    }
}

/// A schema as the document shows it.
fn told(schema: Value) -> Value {
    forms::readable(meanings::described(schema))
}

/// JSON Schema of what a type is written as.
fn answer<B: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings
        .into_generator()
        .into_root_schema_for::<B>()
        .to_value()
}
