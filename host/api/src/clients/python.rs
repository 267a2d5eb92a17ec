//! The client in Python, from 3.8 on, of the standard library alone.

use super::model::{Model, Op, identifier, referred, required, types};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// What every client has, whatever the operations.
const RUNTIME: &str = include_str!("runtime.py");

/// Names Python keeps for itself.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// The whole file.
pub fn client(model: &Model) -> String {
    let mut out = format!(
        "\"\"\"Cliente do hub {}, gerado por `hub client python`. Uso:\n\n    \
         hub = Hub({}, \"svc_test_…\")\n    \
         print(hub.conta())\n\"\"\"\nfrom __future__ import annotations\n\n",
        model.version,
        Value::from(model.address())
    );
    out.push_str(RUNTIME);
    out.push_str("\n\n# Corpos e respostas.\n");
    let mut types = Types::default();
    for (name, schema) in model.types() {
        types.top(&name, &schema);
    }
    out.push_str(&types.out);
    out.push_str("\n\nclass Hub(_Base):\n    \"\"\"Todas as operações.\"\"\"\n");
    for op in &model.ops {
        method(&mut out, op);
    }
    out
}

/// Definitions of types, in the order they were met.
#[derive(Default)]
struct Types {
    out: String,
}

impl Types {
    fn top(&mut self, name: &str, schema: &Value) {
        match schema["properties"]
            .as_object()
            .filter(|members| !members.is_empty())
        {
            Some(members) => self.record(name, schema, members),
            None => {
                let made = self.of(schema, name);
                // What another name stands for comes last, after that.
                let other = referred(schema).is_some();
                let _infallible = if other || made.starts_with("Literal[") {
                    writeln!(self.out, "{name} = {made}")
                } else {
                    // Its parts may be defined further down.
                    writeln!(self.out, "{name} = Any  # {made}")
                };
            }
        }
    }

    fn record(&mut self, name: &str, schema: &Value, members: &Map<String, Value>) {
        let lines: Vec<String> = members
            .iter()
            .map(|(member, schema_of)| {
                let kind = self.of(schema_of, &format!("{name}_{}", identifier(member)));
                let kind = if required(schema, member) {
                    kind
                } else {
                    format!("NotRequired[{kind}]")
                };
                format!(
                    "    {}: {},\n",
                    Value::from(member.as_str()),
                    Value::from(kind)
                )
            })
            .collect();
        let _infallible = writeln!(
            self.out,
            "{name} = TypedDict(\"{name}\", {{\n{}}})",
            lines.concat()
        );
    }

    /// The type of a schema; records inside of it are defined under `name`.
    fn of(&mut self, schema: &Value, name: &str) -> String {
        if let Some(name) = referred(schema) {
            return name;
        }
        if let Some(value) = schema.get("const") {
            return literal(std::slice::from_ref(value));
        }
        if let Some(values) = schema["enum"].as_array() {
            return literal(values);
        }
        let kinds = types(schema);
        if kinds.is_empty() {
            for all in ["anyOf", "oneOf"] {
                let parts = schema[all].as_array().into_iter().flatten();
                // Records among them each have a name.
                let parts = parts.enumerate();
                let parts: Vec<String> = parts
                    .map(|(at, part)| self.of(part, &format!("{name}_{}", at + 1)))
                    .collect();
                if !parts.is_empty() {
                    return union(&parts);
                }
            }
            return "Any".to_owned();
        }
        let each: Vec<String> = kinds
            .iter()
            .map(|kind| match *kind {
                "string" => "str".to_owned(),
                "integer" => "int".to_owned(),
                "number" => "Union[int, float, Decimal]".to_owned(),
                "boolean" => "bool".to_owned(),
                "null" => "None".to_owned(),
                "array" => match schema.get("items") {
                    Some(items) => format!("List[{}]", self.of(items, name)),
                    None => "List[Any]".to_owned(),
                },
                _ => match schema["properties"]
                    .as_object()
                    .filter(|members| !members.is_empty())
                {
                    Some(members) => {
                        self.record(name, schema, members);
                        name.to_owned()
                    }
                    None => "Dict[str, Any]".to_owned(),
                },
            })
            .collect();
        match each.as_slice() {
            [one] => one.clone(),
            many => format!("Union[{}]", many.join(", ")),
        }
    }
}

/// Any of these; literals alone are one.
fn union(parts: &[String]) -> String {
    let inside = |part: &String| Some(part.strip_prefix("Literal[")?.strip_suffix(']')?.to_owned());
    let literals: Option<Vec<String>> = parts.iter().map(inside).collect();
    match literals {
        Some(all) => format!("Literal[{}]", all.join(", ")),
        None => format!("Union[{}]", parts.join(", ")),
    }
}

fn literal(values: &[Value]) -> String {
    let values = values.iter().map(|value| match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    });
    format!("Literal[{}]", values.collect::<Vec<_>>().join(", "))
}

/// A name Python lets be.
fn argument(name: &str) -> String {
    let name = identifier(name);
    if KEYWORDS.contains(&name.as_str()) {
        format!("{name}_")
    } else {
        name
    }
}

fn method(out: &mut String, op: &Op) {
    let name = op.name();
    let mut parameters: Vec<String> = op
        .path_params
        .iter()
        .map(|param| format!("{}: str", argument(&param.name)))
        .collect();
    let mut given = Vec::new();
    if op.body.is_some() {
        parameters.push(format!("pedido: {name}_pedido"));
        given.push("pedido=pedido".to_owned());
    }
    if op.bytes {
        parameters.push("dados: bytes".to_owned());
        given.push("dados=dados".to_owned());
    }
    let mut query = Vec::new();
    for param in &op.query {
        let argument = argument(&param.name);
        parameters.push(format!("{argument}: Any = None"));
        query.push(format!("{}: {argument}", Value::from(param.name.as_str())));
    }
    if !query.is_empty() {
        given.push(format!("consulta={{{}}}", query.join(", ")));
    }
    if op.idempotent {
        parameters.push("idempotency_key: Optional[str] = None".to_owned());
        given.push("idempotente=True, idempotency_key=idempotency_key".to_owned());
    }
    if op.public {
        given.push("publica=True".to_owned());
    }
    parameters.push("cabecalhos: Optional[Mapping[str, str]] = None".to_owned());
    given.push("cabecalhos=cabecalhos".to_owned());
    let answer = match op.answer_names("bytes").as_slice() {
        [] => "None".to_owned(),
        [one] => one.clone(),
        several => format!("Union[{}]", several.join(", ")),
    };
    let path = path_of(op);
    let (before, after) = match answer.as_str() {
        "None" => (String::new(), ""),
        answer => (format!("lida: {answer} = "), "\n        return lida"),
    };
    let _infallible = writeln!(
        out,
        "\n    def {name}(self, {parameters}) -> {answer}:\n        \"\"\"{method} {address}: {summary}\"\"\"\n        {before}self.pedir(\"{method}\", {path}, {given}){after}",
        parameters = parameters.join(", "),
        method = op.method,
        address = op.path,
        summary = op.summary.replace('"', "'"),
        given = given.join(", "),
    );
    if op.paged() {
        all_pages(out, op, &name);
    }
}

/// The address of an operation as Python writes it.
fn path_of(op: &Op) -> String {
    let path = op.path_params.iter().fold(op.path.clone(), |path, param| {
        let safe = if param.name == "caminho" {
            ", \"/\""
        } else {
            ""
        };
        path.replace(
            &format!("{{{}}}", param.name),
            &format!("{{_parte({}{safe})}}", argument(&param.name)),
        )
    });
    let quote = if path.contains('"') { "'" } else { "\"" };
    if op.path_params.is_empty() {
        format!("\"{path}\"")
    } else {
        format!("f{quote}{path}{quote}")
    }
}

/// The method that goes through all pages of a listing.
fn all_pages(out: &mut String, op: &Op, name: &str) {
    let filters: Vec<String> = op
        .query
        .iter()
        .filter(|param| param.name != "cursor")
        .map(|param| argument(&param.name))
        .collect();
    let parameters = filters.iter().map(|name| format!("{name}: Any = None"));
    let passed = filters.iter().map(|name| format!("{name}={name}"));
    let _infallible = writeln!(
        out,
        "\n    def {name}_todos(self, {parameters}) -> Iterator[Any]:\n        \"\"\"Todos os itens, página por página.\"\"\"\n        return self.paginas(lambda cursor: self.{name}({passed}, cursor=cursor))",
        parameters = parameters.collect::<Vec<_>>().join(", "),
        passed = passed.collect::<Vec<_>>().join(", "),
    );
}
