//! The client in PHP, from 8.2 on, without dependencies. Types are those that PHPStan and
//! Psalm read in comments.

use super::model::{Model, Op, identifier, referred, required, types};
use serde_json::Value;
use std::fmt::Write as _;

/// What every client has, whatever the operations.
const RUNTIME: &str = include_str!("runtime.php");

/// The whole file.
pub fn client(model: &Model) -> String {
    let mut out = format!(
        "<?php\n\n// Cliente do hub {}, gerado por `hub client php`. Uso:\n//\n\
         //   $hub = new \\HubCliente\\Hub(base_url: {}, chave: 'svc_test_…');\n\
         //   print_r($hub->conta());\n\n\
         declare(strict_types=1);\n\nnamespace HubCliente;\n\n",
        model.version,
        quoted(model.address())
    );
    out.push_str(RUNTIME);
    out.push('\n');
    out.push_str(&hub(model));
    out
}

/// The class that has all operations.
fn hub(model: &Model) -> String {
    let mut out = "/**\n * Todas as operações.\n *\n".to_owned();
    for (name, schema) in model.types() {
        let _infallible = writeln!(out, " * @phpstan-type {name} {}", ty(&schema));
    }
    out.push_str(" */\nfinal class Hub extends Base\n{\n");
    for op in &model.ops {
        method(&mut out, op);
    }
    out.push_str("}\n");
    out
}

/// The same as files of one class each, as PHP finds them by the name of the class.
pub fn classes(model: &Model) -> Vec<(String, String)> {
    // The runtime has two classes; the second one begins with its comment.
    let second = "/** O que todo cliente tem";
    let (refusal, base) = RUNTIME.split_once(second).unwrap_or((RUNTIME, ""));
    let head = "<?php\n\ndeclare(strict_types=1);\n\nnamespace HubCliente;\n\n";
    let base = format!("{second}{base}");
    [
        ("ErroDoHub", refusal),
        ("Base", base.as_str()),
        ("Hub", &hub(model)),
    ]
    .into_iter()
    .map(|(name, text)| {
        (
            format!("src/{name}.php"),
            format!("{head}{}\n", text.trim_end()),
        )
    })
    .collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The name of a variable.
fn variable(name: &str) -> String {
    format!("${}", identifier(name))
}

/// The type of a schema, as comments say it.
fn ty(schema: &Value) -> String {
    if let Some(name) = referred(schema) {
        return name;
    }
    if let Some(value) = schema.get("const") {
        return literal(value);
    }
    if let Some(values) = schema["enum"].as_array() {
        return joined(values.iter().map(literal));
    }
    let kinds = types(schema);
    if kinds.is_empty() {
        for all in ["anyOf", "oneOf"] {
            if let Some(parts) = schema[all].as_array() {
                return joined(parts.iter().map(ty));
            }
        }
        if schema["properties"].is_object() {
            return object(schema);
        }
        return "mixed".to_owned();
    }
    joined(kinds.iter().map(|kind| match *kind {
        "string" => "string".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "int|float".to_owned(),
        "boolean" => "bool".to_owned(),
        "null" => "null".to_owned(),
        "array" => format!("list<{}>", ty(&schema["items"])),
        _ => object(schema),
    }))
}

/// Any of some types, each once.
fn joined(parts: impl Iterator<Item = String>) -> String {
    let mut known: Vec<String> = Vec::new();
    for part in parts {
        if !known.contains(&part) {
            known.push(part);
        }
    }
    known.join("|")
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn object(schema: &Value) -> String {
    let Some(members) = schema["properties"]
        .as_object()
        .filter(|members| !members.is_empty())
    else {
        return "array<string, mixed>".to_owned();
    };
    let members = members.iter().map(|(name, member)| {
        let mark = if required(schema, name) { "" } else { "?" };
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let name = if plain { name.clone() } else { quoted(name) };
        format!("{name}{mark}: {}", ty(member))
    });
    format!("array{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn method(out: &mut String, op: &Op) {
    let name = op.name();
    let mut said = vec![format!("{} {}: {}", op.method, op.path, op.summary)];
    let mut parameters = Vec::new();
    let mut given = Vec::new();
    for param in &op.path_params {
        parameters.push(format!("string {}", variable(&param.name)));
    }
    if op.body.is_some() {
        said.push(format!("@param {name}_pedido $pedido"));
        parameters.push("array|\\stdClass $pedido".to_owned());
        given.push("pedido: $pedido".to_owned());
    }
    if op.bytes {
        parameters.push("string $dados".to_owned());
        given.push("dados: $dados".to_owned());
    }
    let mut query = Vec::new();
    for param in &op.query {
        let variable = variable(&param.name);
        parameters.push(format!("string|int|float|bool|null {variable} = null"));
        query.push(format!("{} => {variable}", quoted(&param.name)));
    }
    if !query.is_empty() {
        given.push(format!("consulta: [{}]", query.join(", ")));
    }
    if op.idempotent {
        parameters.push("?string $idempotency_key = null".to_owned());
        given.push("idempotente: true, idempotency_key: $idempotency_key".to_owned());
    }
    if op.public {
        given.push("publica: true".to_owned());
    }
    parameters.push("array $cabecalhos = []".to_owned());
    said.push("@param array<string, string> $cabecalhos".to_owned());
    given.push("cabecalhos: $cabecalhos".to_owned());
    let answer = joined(op.answer_names("string").into_iter());
    let (kind, back) = match (op.answers.is_empty(), op.file) {
        (true, false) => ("void", ""),
        (true, true) => ("string", "return "),
        (false, false) => ("array", "return "),
        (false, true) => ("array|string", "return "),
    };
    if !answer.is_empty() {
        said.push(format!("@return {answer}"));
    }
    let said = said.join("\n     * ").replace("*/", "* /");
    let _infallible = writeln!(
        out,
        "    /**\n     * {said}\n     */\n    public function {name}({}): {kind}\n    {{\n        {back}$this->pedir('{}', {}, {});\n    }}\n",
        parameters.join(", "),
        op.method,
        path_of(op),
        given.join(", "),
    );
    if op.paged() {
        all_pages(out, op, &name);
    }
}

/// The address of an operation as PHP writes it.
fn path_of(op: &Op) -> String {
    let path = op.path_params.iter().fold(quoted(&op.path), |path, param| {
        let slashes = if param.name == "caminho" {
            ", true"
        } else {
            ""
        };
        let part = format!("' . self::parte({}{slashes}) . '", variable(&param.name));
        path.replace(&format!("{{{}}}", param.name), &part)
    });
    path.strip_suffix(" . ''")
        .map_or(path.clone(), str::to_owned)
}

/// The method that goes through all pages of a listing.
fn all_pages(out: &mut String, op: &Op, name: &str) {
    let filters: Vec<String> = op
        .query
        .iter()
        .filter(|param| param.name != "cursor")
        .map(|param| identifier(&param.name))
        .collect();
    let parameters = filters
        .iter()
        .map(|name| format!("string|int|float|bool|null ${name} = null"));
    let passed = filters.iter().map(|name| format!("{name}: ${name}"));
    let _infallible = writeln!(
        out,
        "    /** Todos os itens, página por página. */\n    public function {name}_todos({}): \\Generator\n    {{\n        return $this->paginas(fn (?string $cursor) => $this->{name}({}, cursor: $cursor));\n    }}\n",
        parameters.collect::<Vec<_>>().join(", "),
        passed.collect::<Vec<_>>().join(", "),
    );
}
