//! The client in TypeScript, and the same in JavaScript with JSDoc.

use super::model::{Model, Op, identifier, referred, required, types};
use serde_json::Value;
use std::fmt::Write as _;

/// What every client has, whatever the operations. `/*: T */` is a type:
/// JavaScript leaves it out; lines between `//ts{` and `//ts}` are TypeScript's.
const RUNTIME: &str = include_str!("runtime.js");

/// The whole file.
pub fn client(model: &Model, typed: bool) -> String {
    let mut out = format!(
        "// Cliente do hub {}, gerado por `hub client {}`. Uso:\n//\n\
         //   const hub = new Hub({{ base_url: {}, chave: \"svc_test_…\" }});\n\
         //   console.log(await hub.conta());\n//\n",
        model.version,
        if typed { "typescript" } else { "javascript" },
        quoted(model.address())
    );
    out.push_str(&runtime(typed));
    if typed {
        types_of_document(&mut out, model);
    }
    out.push_str("\n/** Todas as operações. */\nexport class Hub extends Base {\n");
    for op in &model.ops {
        method(&mut out, op, typed);
    }
    out.push_str("}\n");
    out
}

/// The types that operations take and give.
pub(super) fn types_of_document(out: &mut String, model: &Model) {
    for (name, schema) in model.types() {
        let _infallible = writeln!(out, "\nexport type {name} = {};", ty(&schema, 0));
    }
}

/// The fixed part, with its types or without.
fn runtime(typed: bool) -> String {
    let mut out = String::new();
    let mut skipping = false;
    for line in RUNTIME.lines() {
        match line.trim() {
            "//ts{" => skipping = !typed,
            "//ts}" => skipping = false,
            // TypeScript's own lines are comments, so that the file itself runs.
            _ if skipping => {}
            _ => {
                let line = match line.trim_start().strip_prefix("//ts ") {
                    Some(rest) => rest.to_owned(),
                    None => types_of(line, typed),
                };
                out.push_str(&line);
                out.push('\n');
            }
        }
    }
    out
}

/// A line with its `/*: T */` written out or removed.
fn types_of(line: &str, typed: bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("/*:") {
        let Some((kind, tail)) = after.split_once("*/") else {
            break;
        };
        out.push_str(before);
        if typed {
            let optional = kind.strip_prefix('?');
            let mark = if optional.is_some() { "?: " } else { ": " };
            out.push_str(mark);
            out.push_str(optional.unwrap_or(kind).trim());
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn method(out: &mut String, op: &Op, typed: bool) {
    let name = op.name();
    let (query, answer) = (query_of(op), answer_of(op));
    let parameters = parameters_of(op, &name, &query);
    let _infallible = writeln!(
        out,
        "  /**\n   * {} {}: {}",
        op.method,
        op.path,
        op.summary.replace("*/", "* /")
    );
    if !typed {
        jsdoc(out, op, &parameters);
    }
    out.push_str("   */\n");
    let signature: Vec<String> = parameters
        .iter()
        .map(|(name, kind, optional)| match (typed, optional) {
            (true, true) => format!("{name}: {kind} = {{}}"),
            (true, false) => format!("{name}: {kind}"),
            (false, true) => format!("{name} = {{}}"),
            (false, false) => name.clone(),
        })
        .collect();
    let returns = if typed {
        format!(": Promise<{answer}>")
    } else {
        String::new()
    };
    let path = path_of(op);
    let more = options_of(op);
    let _infallible = writeln!(
        out,
        "  {name}({signature}){returns} {{\n    return this.pedir(\"{method}\", `{path}`, {{ {more} }}, opcoes);\n  }}\n",
        signature = signature.join(", "),
        method = op.method,
        more = more.join(", "),
    );
    if op.paged() {
        all_pages(out, op, &name, &query, typed);
    }
}

/// The type of an operation's query. What a call is told besides may stand there, too: so it
/// is one list of named arguments, as in the other languages.
pub(super) fn query_of(op: &Op) -> String {
    let query = op.query.iter();
    let query = query.map(|param| format!("{}?: {}", quoted(&param.name), loose(&param.schema)));
    format!("{{ {} }} & Opcoes", query.collect::<Vec<_>>().join("; "))
}

/// The type of what an operation answers.
pub(super) fn answer_of(op: &Op) -> String {
    match op.answer_names("Uint8Array").as_slice() {
        [] => "void".to_owned(),
        names => names.join(" | "),
    }
}

/// Name, type and whether it may be left out, of each argument.
pub(super) fn parameters_of(op: &Op, name: &str, query: &str) -> Vec<(String, String, bool)> {
    let mut parameters: Vec<(String, String, bool)> = op
        .path_params
        .iter()
        .map(|param| (param.name.clone(), "string".to_owned(), false))
        .collect();
    if op.body.is_some() {
        parameters.push(("pedido".to_owned(), format!("{name}_pedido"), false));
    }
    if op.bytes {
        parameters.push(("bytes".to_owned(), "Uint8Array | string".to_owned(), false));
    }
    if !op.query.is_empty() {
        parameters.push(("consulta".to_owned(), query.to_owned(), true));
    }
    parameters.push(("opcoes".to_owned(), "Opcoes".to_owned(), true));
    parameters
}

/// Arguments and answer as JSDoc says them.
fn jsdoc(out: &mut String, op: &Op, parameters: &[(String, String, bool)]) {
    for (name, kind, optional) in parameters {
        let object = kind.ends_with("_pedido") || kind == "Opcoes" || name == "consulta";
        let kind = if object { "Object" } else { kind };
        let shown = if *optional {
            format!("[{name}]")
        } else {
            name.clone()
        };
        let _infallible = writeln!(out, "   * @param {{{kind}}} {shown}");
    }
    let kind = if op.answers.is_empty() && !op.file {
        "void"
    } else {
        "any"
    };
    let _infallible = writeln!(out, "   * @returns {{Promise<{kind}>}}");
}

/// The address of an operation as a template.
fn path_of(op: &Op) -> String {
    op.path_params.iter().fold(op.path.clone(), |path, param| {
        // Slashes of an object's path are part of the address.
        let encode = if param.name == "caminho" {
            "caminho_de"
        } else {
            "encodeURIComponent"
        };
        path.replace(
            &format!("{{{}}}", param.name),
            &format!("${{{encode}({})}}", param.name),
        )
    })
}

/// What the runtime is told of a call besides its address.
fn options_of(op: &Op) -> Vec<&'static str> {
    let mut more = Vec::new();
    if op.body.is_some() {
        more.push("pedido");
    }
    if op.bytes {
        more.push("bytes");
    }
    if !op.query.is_empty() {
        more.push("consulta");
    }
    if op.idempotent {
        more.push("idempotente: true");
    }
    if op.public {
        more.push("publica: true");
    }
    more
}

/// The method that goes through all pages of a listing.
fn all_pages(out: &mut String, op: &Op, name: &str, query: &str, typed: bool) {
    let item = if typed {
        format!("AsyncGenerator<{}>", item_of(op))
    } else {
        String::new()
    };
    let (query, item) = if typed {
        (
            format!("consulta: {query} = {{}}, opcoes: Opcoes = {{}}"),
            format!(": {item}"),
        )
    } else {
        ("consulta = {}, opcoes = {}".to_owned(), item)
    };
    let _infallible = writeln!(
        out,
        "  /** Todos os itens, página por página. */\n  {name}_todos({query}){item} {{\n    return this.paginas((cursor{any}) => this.{name}({{ ...consulta, ...(cursor ? {{ cursor }} : {{}}) }}, opcoes));\n  }}\n",
        any = if typed { ": string | undefined" } else { "" },
    );
}

/// The type of the items of a listing.
pub(super) fn item_of(op: &Op) -> String {
    let first = op.answers.first().map(|name| identifier(name));
    first.map_or_else(|| "any".to_owned(), |name| format!("Item<{name}>"))
}

/// A parameter of a query: numbers may be given as numbers.
fn loose(schema: &Value) -> String {
    let kind = ty(schema, 0);
    match kind.as_str() {
        "\"0\" | \"1\"" | "string" | "number" => "string | number".to_owned(),
        _ => kind,
    }
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

/// The type of a schema.
fn ty(schema: &Value, depth: usize) -> String {
    if let Some(name) = referred(schema) {
        return name;
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    let join = |all: &Value, by: &str| {
        let parts: Vec<String> = all
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| ty(one, depth))
            .collect();
        format!("({})", parts.join(by))
    };
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join(" | ");
    }
    for name in ["anyOf", "oneOf"] {
        if schema[name].is_array() && types(schema).is_empty() {
            return join(&schema[name], " | ");
        }
    }
    if schema["allOf"].is_array() {
        return join(&schema["allOf"], " & ");
    }
    let kinds = types(schema);
    if kinds.is_empty() && schema["properties"].is_object() {
        return object(schema, depth);
    }
    if kinds.is_empty() {
        return "any".to_owned();
    }
    let each = kinds.iter().map(|kind| match *kind {
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => format!(
            "Array<{}>",
            schema
                .get("items")
                .map_or("any".to_owned(), |items| ty(items, depth))
        ),
        "object" => object(schema, depth),
        _ => "any".to_owned(),
    });
    each.collect::<Vec<_>>().join(" | ")
}

fn object(schema: &Value, depth: usize) -> String {
    let Some(members) = schema["properties"]
        .as_object()
        .filter(|members| !members.is_empty())
    else {
        return match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => "Record<string, never>".to_owned(),
            Some(each) if each.is_object() => format!("Record<string, {}>", ty(each, depth)),
            _ => "Record<string, any>".to_owned(),
        };
    };
    let indent = "  ".repeat(depth + 1);
    let lines = members.iter().map(|(name, member)| {
        let mark = if required(schema, name) { "" } else { "?" };
        format!(
            "{indent}{}{mark}: {};\n",
            quoted(name),
            ty(member, depth + 1)
        )
    });
    format!("{{\n{}{}}}", lines.collect::<String>(), "  ".repeat(depth))
}
