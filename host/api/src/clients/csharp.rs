//! The client in C# 7.2 (.NET Standard 2.0 and later, Mono), without dependencies.

use super::model::{Model, Op, identifier, referred, types};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What every client has, whatever the operations.
const RUNTIME: &str = include_str!("runtime.cs");

/// Words of C# that members have as their names.
const KEYWORDS: [&str; 20] = [
    "abstract", "as", "base", "bool", "case", "class", "const", "default", "event", "fixed", "in",
    "is", "lock", "new", "object", "operator", "out", "params", "ref", "string",
];

/// Most parts of a schema that stand for another one.
const DEEP: usize = 16;

/// The whole file.
pub fn client(model: &Model) -> String {
    let mut out = format!(
        "// Cliente do hub {}, gerado por `hub client csharp`. Uso:\n//\n\
         //   var hub = new HubCliente.Hub(base_url: {}, chave: \"svc_test_…\");\n\
         //   Console.WriteLine((await hub.conta()).nome);\n\n{USING}\nnamespace HubCliente\n{{\n",
        model.version,
        Value::from(model.address())
    );
    out.push_str(RUNTIME);
    let mut classes = Classes {
        model,
        out: String::new(),
        made: BTreeSet::new(),
    };
    let all = model.types();
    for (name, schema) in &all {
        // A name for a class that has one is none of its own.
        if schema.get("$ref").is_none() {
            classes.top(name, schema);
        }
    }
    let answers: Vec<Answer> = model.ops.iter().map(|op| classes.answer(op)).collect();
    out.push_str(&classes.out);
    out.push_str("\n    /// <summary>Todas as operações.</summary>\n    public sealed class Hub : Base\n    {\n");
    out.push_str("        public Hub(string base_url, string chave = \"\", int tentativas = 3, double prazo_s = 60, double espera_maxima_s = 30, HttpMessageHandler transporte = null, Func<double, Task> dormir = null)\n            : base(base_url, chave, tentativas, prazo_s, espera_maxima_s, transporte, dormir) { }\n");
    for (op, answer) in model.ops.iter().zip(&answers) {
        method(&mut out, &classes, op, answer);
    }
    out.push_str("    }\n}\n");
    out
}

const USING: &str = "using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Net.Http;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
";

/// What a method gives.
struct Answer {
    /// The class of a JSON answer; None: there is none.
    class: Option<String>,
    file: bool,
}

/// Classes made of schemas.
struct Classes<'m> {
    model: &'m Model,
    out: String,
    made: BTreeSet<String>,
}

impl Classes<'_> {
    /// A schema under its name: a class, if it is one of members.
    fn top(&mut self, name: &str, schema: &Value) {
        if let Some(members) = self.members(schema, DEEP) {
            self.class(name, &members, schema["description"].as_str());
        }
    }

    /// The members of an object, of what a schema refers to, or of all objects that it may
    /// be, together; None of anything else.
    fn members(&self, schema: &Value, deep: usize) -> Option<Map<String, Value>> {
        let deep = deep.checked_sub(1)?;
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next()?;
            return self.members(self.model.schemas.get(name)?, deep);
        }
        let mut all = Map::new();
        let mut found = false;
        if let Some(own) = schema["properties"].as_object() {
            found = true;
            all.extend(own.clone());
        }
        for parts in ["anyOf", "oneOf", "allOf"] {
            for part in schema[parts].as_array().into_iter().flatten() {
                if types(part) == ["null"]
                    || part.get("required").is_some() && part.get("properties").is_none()
                {
                    continue;
                }
                let members = self.members(part, deep)?;
                found = true;
                for (name, member) in members {
                    match all.get(&name) {
                        // What is of several types is read as it comes.
                        Some(known) if shallow(known) != shallow(&member) => {
                            all.insert(name, Value::Null);
                        }
                        _ => {
                            all.insert(name, member);
                        }
                    }
                }
            }
        }
        found.then_some(all)
    }

    fn class(&mut self, name: &str, members: &Map<String, Value>, said: Option<&str>) {
        if !self.made.insert(name.to_owned()) {
            return;
        }
        let mut lines = String::new();
        for (member, schema) in members {
            let own = format!("{name}_{}", identifier(member));
            let kind = self.ty(schema, &own, DEEP);
            if let Some(said) = schema["description"].as_str() {
                let _infallible = writeln!(lines, "        /// <summary>{}</summary>", plain(said));
            }
            let property = property(member);
            if property.trim_start_matches('@') != member {
                let _infallible =
                    writeln!(lines, "        [Nome({})]", Value::from(member.as_str()));
            }
            let _infallible = writeln!(lines, "        public {kind} {property} {{ get; set; }}");
        }
        let said = said.map(|said| format!("    /// <summary>{}</summary>\n", plain(said)));
        let _infallible = write!(
            self.out,
            "\n{}    public class {name}\n    {{\n{lines}    }}\n",
            said.unwrap_or_default()
        );
    }

    /// The type of a member; an object in it becomes a class of the name `own`.
    fn ty(&mut self, schema: &Value, own: &str, deep: usize) -> String {
        let Some(deep) = deep.checked_sub(1) else {
            return "object".to_owned();
        };
        if let Some(name) = referred(schema) {
            let target = self.model.schemas.get(name.as_str()).cloned();
            let target = target.unwrap_or_default();
            return match self.members(&target, DEEP) {
                Some(_) if target.get("$ref").is_none() => name,
                _ => self.ty(&target, own, deep),
            };
        }
        for parts in ["anyOf", "oneOf"] {
            if let Some(parts) = schema[parts].as_array() {
                let mut parts = parts.iter().filter(|part| types(part) != ["null"]);
                return match (parts.next(), parts.next()) {
                    (Some(only), None) => self.ty(only, own, deep),
                    _ => match self.members(schema, DEEP) {
                        Some(members) => {
                            self.class(own, &members, None);
                            own.to_owned()
                        }
                        None => "object".to_owned(),
                    },
                };
            }
        }
        let kinds: Vec<&str> = types(schema)
            .into_iter()
            .filter(|kind| *kind != "null")
            .collect();
        match kinds.as_slice() {
            ["string"] => "string".to_owned(),
            ["integer"] => "long?".to_owned(),
            ["number"] => "decimal?".to_owned(),
            ["boolean"] => "bool?".to_owned(),
            ["array"] => format!(
                "List<{}>",
                self.ty(&schema["items"], own, deep).trim_end_matches('?')
            ),
            ["object"] => match self
                .members(schema, DEEP)
                .filter(|members| !members.is_empty())
            {
                Some(members) => {
                    self.class(own, &members, None);
                    own.to_owned()
                }
                None => "Dictionary<string, object>".to_owned(),
            },
            [] if schema["enum"]
                .as_array()
                .is_some_and(|all| all.iter().all(Value::is_string)) =>
            {
                "string".to_owned()
            }
            _ => "object".to_owned(),
        }
    }

    /// What an operation answers with: the class of its only answer, or one with the members of
    /// all of them.
    fn answer(&mut self, op: &Op) -> Answer {
        let class = match op.answers.as_slice() {
            [] => None,
            [only] => Some(identifier(only)),
            several => {
                let parts = several.iter();
                let parts = parts.map(
                    |name| serde_json::json!({ "$ref": format!("#/components/schemas/{name}") }),
                );
                let schema = serde_json::json!({ "anyOf": parts.collect::<Vec<_>>() });
                let name = format!("{}_resposta", op.name());
                match self.members(&schema, DEEP) {
                    Some(members) => {
                        self.class(&name, &members, None);
                        Some(name)
                    }
                    None => Some("object".to_owned()),
                }
            }
        };
        let class = class.map(|name| match self.made.contains(&name) {
            true => name,
            false => "object".to_owned(),
        });
        Answer {
            class,
            file: op.file,
        }
    }
}

/// A type without what is said of it: two that are the same here are read alike.
fn shallow(schema: &Value) -> String {
    let without: Value = match schema {
        Value::Object(parts) => {
            let mut parts = parts.clone();
            for said in ["description", "enum", "default", "const"] {
                parts.remove(said);
            }
            parts.into()
        }
        other => other.clone(),
    };
    without.to_string()
}

/// A text as a comment of XML.
fn plain(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('\n', " ")
}

/// A name C# lets be.
fn property(name: &str) -> String {
    let mut name = identifier(name);
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.insert(0, '@');
    }
    name
}

fn method(out: &mut String, classes: &Classes<'_>, op: &Op, answer: &Answer) {
    let name = op.name();
    let mut parameters: Vec<String> = op
        .path_params
        .iter()
        .map(|param| format!("string {}", property(&param.name)))
        .collect();
    let mut given = Vec::new();
    if op.body.is_some() {
        let class = format!("{name}_pedido");
        let class = if classes.made.contains(&class) {
            class
        } else {
            "object".to_owned()
        };
        parameters.push(format!("{class} pedido"));
        given.push("pedido: pedido".to_owned());
    }
    if op.bytes {
        parameters.push("byte[] dados".to_owned());
        given.push("dados: dados".to_owned());
    }
    let mut query = Vec::new();
    for param in &op.query {
        let argument = property(&param.name);
        parameters.push(format!("object {argument} = null"));
        query.push(format!(
            "{{ {}, {argument} }}",
            Value::from(param.name.as_str())
        ));
    }
    if !query.is_empty() {
        given.push(format!(
            "consulta: new Dictionary<string, object> {{ {} }}",
            query.join(", ")
        ));
    }
    if op.idempotent {
        parameters.push("string idempotency_key = null".to_owned());
        given.push("idempotente: true, idempotency_key: idempotency_key".to_owned());
    }
    if op.public {
        given.push("publica: true".to_owned());
    }
    parameters.push("IDictionary<string, string> cabecalhos = null".to_owned());
    parameters.push("CancellationToken sinal = default(CancellationToken)".to_owned());
    given.push("cabecalhos: cabecalhos, sinal: sinal".to_owned());
    let call = format!(
        "await pedir(\"{}\", {}, {}).ConfigureAwait(false)",
        op.method,
        path_of(op),
        given.join(", ")
    );
    let (kind, body) = match (&answer.class, answer.file) {
        (None, false) => ("Task".to_owned(), call),
        (None, true) => ("Task<byte[]>".to_owned(), format!("return ({call}).bytes")),
        (Some(class), false) => (
            format!("Task<{class}>"),
            format!("return ({call}).como<{class}>()"),
        ),
        (Some(class), true) => (
            format!("Task<Resposta<{class}>>"),
            format!("return ({call}).ou_arquivo<{class}>()"),
        ),
    };
    let _infallible = writeln!(
        out,
        "\n        /// <summary>{} {}: {}</summary>\n        public async {kind} {name}({})\n        {{\n            {body};\n        }}",
        op.method,
        op.path,
        plain(&op.summary),
        parameters.join(", "),
    );
    if let Some(class) = answer.class.as_deref().filter(|_| op.paged()) {
        all_pages(out, classes, op, &name, class);
    }
}

/// The address of an operation as C# writes it.
fn path_of(op: &Op) -> String {
    let quoted = Value::from(op.path.as_str()).to_string();
    let path = op.path_params.iter().fold(quoted, |path, param| {
        let slashes = if param.name == "caminho" {
            ", true"
        } else {
            ""
        };
        let part = format!("\" + parte({}{slashes}) + \"", property(&param.name));
        path.replace(&format!("{{{}}}", param.name), &part)
    });
    path.strip_suffix(" + \"\"")
        .map_or(path.clone(), str::to_owned)
}

/// The method that goes through all pages of a listing.
fn all_pages(out: &mut String, classes: &Classes<'_>, op: &Op, name: &str, class: &str) {
    let items = classes.model.schemas.get(&op.answers[0]).cloned();
    let items = items.unwrap_or_default();
    let item = referred(&items["properties"]["itens"]["items"]);
    // One that is of several schemas has a class of its own.
    let own = format!("{class}_itens");
    let mut known = item.into_iter().chain([own]);
    let item = known.find(|item| classes.made.contains(item));
    let item = item.unwrap_or_else(|| "object".to_owned());
    let filters = op.query.iter().filter(|param| param.name != "cursor");
    let filters: Vec<String> = filters.map(|param| property(&param.name)).collect();
    let parameters = filters.iter().map(|name| format!("object {name} = null"));
    let passed = filters.iter().map(|name| format!("{name}: {name}"));
    let _infallible = writeln!(
        out,
        "\n        /// <summary>Todos os itens, página por página.</summary>\n        public IEnumerable<{item}> {name}_todos({})\n        {{\n            string seguinte = null;\n            while (true)\n            {{\n                {class} lida = {name}({}, cursor: seguinte).GetAwaiter().GetResult();\n                foreach (var um in lida.itens) yield return um;\n                if (lida.tem_mais != true || lida.proximo_cursor == null) yield break;\n                seguinte = lida.proximo_cursor;\n            }}\n        }}",
        parameters.collect::<Vec<_>>().join(", "),
        passed.collect::<Vec<_>>().join(", "),
    );
}
