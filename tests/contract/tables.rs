//! The tables of `wit/tables` against the schemas and against what was recorded.

use fiscal::nfse::dps;
use sdk::nfse::table::{Content, DPS, Element, Form, Place, RPS, RPS_SERVICE, RPS_VALUES, Written};
use sdk::xml;
use serde_json::Value;
use std::collections::BTreeSet;
use tests::adapters::workspace;

/// Fields that are no element of their own: they decide which elements there
/// are, or only the code of one adapter reads them.
const BY_CODE: [&str; 19] = [
    "inf_dps",
    "valores.tributos_aproximados.modo",
    "tomador.tipo",
    "intermediario.tipo",
    "ibs_cbs.destinatario.tipo",
    // Parties and addresses of the RPS are code.
    "tomador.endereco.uf",
    "intermediario.endereco.uf",
    "ibs_cbs.destinatario.endereco.uf",
    "ibs_cbs.destinatario.im",
    // Brazil or abroad; no layout has more of these addresses.
    "obra.endereco.codigo_ibge",
    "obra.endereco.codigo_pais",
    "obra.endereco.uf",
    "evento.endereco.codigo_ibge",
    "evento.endereco.codigo_pais",
    "evento.endereco.uf",
    // The note that is replaced, in the messages of ABRASF around the RPS.
    "substitui.numero_nfse",
    "substitui.codigo_verificacao",
    "substitui.rps.serie",
    "substitui.rps.numero",
];

/// The schema of the content, its references followed by [`property`].
fn schema() -> Value {
    let found = fiscal::nfse::schemas()
        .into_iter()
        .find(|(name, _)| *name == dps::SCHEMA);
    found.expect("the schema").1
}

/// What a schema says once references, and being optional, are taken off.
fn plain<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.trim_start_matches('#');
        return plain(root, root.pointer(pointer).expect(reference));
    }
    match schema["anyOf"].as_array().map(Vec::as_slice) {
        Some([one, null]) if null["type"] == "null" => plain(root, one),
        _ if schema["type"] == "array" => plain(root, &schema["items"]),
        _ => schema,
    }
}

/// The type of a field; amounts are texts or numbers, which is no type.
fn kind(field: &Value) -> &str {
    match &field["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.find(|kind| *kind != "null").unwrap_or("null")
        }
        _ => "decimal",
    }
}

/// The field at a path of the content.
fn property<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(root, |object, name| {
        object["properties"]
            .get(name)
            .map(|field| plain(root, field))
    })
}

/// Every leaf of a schema, by its path.
fn leaves(root: &Value, object: &Value, path: &str, to: &mut BTreeSet<String>) {
    let Some(properties) = object["properties"].as_object() else {
        to.insert(path.to_owned());
        return;
    };
    for (name, field) in properties {
        let path = sdk::nfse::table::below(path, name);
        leaves(root, plain(root, field), &path, to);
    }
}

/// An element, its path in the layout and its path in the content.
struct Row {
    element: &'static Element,
    official: String,
    field: Option<String>,
}

fn rows(elements: &'static [Element], official: &str, object: Option<&str>, to: &mut Vec<Row>) {
    for element in elements {
        let path = sdk::nfse::table::below(official, element.name);
        let below = |name: &str| object.map(|object| sdk::nfse::table::below(object, name));
        let (field, inside) = match element.field {
            Place::Nameless => (None, None),
            Place::Wrapper => (None, object.map(str::to_owned)),
            Place::Same => (object.map(str::to_owned), object.map(str::to_owned)),
            Place::Below(name) => (below(name), below(name)),
            Place::FromRoot(name) => (
                object.map(|_| name.to_owned()),
                object.map(|_| name.to_owned()),
            ),
        };
        if let Content::Group(elements) = element.content {
            rows(elements, &path, inside.as_deref(), to);
        }
        to.push(Row {
            element,
            official: path,
            field,
        });
    }
}

fn table(elements: &'static [Element]) -> Vec<Row> {
    let mut found = Vec::new();
    rows(elements, "", Some(""), &mut found);
    found
}

/// The emitter is of the context, not of the content.
fn of_content(field: &str) -> bool {
    field != "emitente" && !field.starts_with("emitente.")
}

fn words(schema: &Value) -> BTreeSet<&str> {
    let listed = schema["enum"].as_array().into_iter().flatten();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let choices = choices.flat_map(|choice| {
        let one = choice["const"].as_str();
        let more = choice["enum"].as_array().into_iter().flatten();
        one.into_iter().chain(more.filter_map(Value::as_str))
    });
    listed.filter_map(Value::as_str).chain(choices).collect()
}

#[test]
fn what_a_table_names_is_in_the_schema() {
    let schema = schema();
    let mut problems = Vec::new();
    let mut written = 0;
    for row in [DPS, RPS, RPS_SERVICE, RPS_VALUES]
        .into_iter()
        .flat_map(table)
    {
        let Some(field) = row.field.filter(|field| of_content(field)) else {
            continue;
        };
        let Some(found) = property(&schema, &field) else {
            problems.push(format!("{}: there is no field {field}", row.official));
            continue;
        };
        let kind = kind(found);
        let enumeration = !words(found).is_empty();
        let fits = match row.element.written {
            Written::ByCode => true,
            Written::Text => matches!(kind, "string" | "integer") && !enumeration,
            Written::Filled | Written::Digits => kind == "string" && !enumeration,
            Written::Money | Written::Positive => kind == "decimal",
            Written::Flag => kind == "boolean",
            Written::Word => enumeration,
        };
        if !fits {
            let how = row.element.written;
            problems.push(format!("{}: {field} is {kind}, not {how:?}", row.official));
        }
        written += usize::from(row.element.written != Written::ByCode);
        if let Content::Text(Form::OneOf(choices)) = row.element.content {
            let ours: BTreeSet<&str> = choices.iter().map(|(_, word)| *word).collect();
            if ours != BTreeSet::from([""]) && ours != words(found) {
                problems.push(format!("{}: other words than {field}", row.official));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
    assert!(written > 100, "only {written} elements by the tables");
}

#[test]
fn every_field_of_the_schema_is_in_a_table() {
    let schema = schema();
    let mut fields = BTreeSet::new();
    leaves(&schema, &schema, "", &mut fields);
    let named: BTreeSet<String> = [DPS, RPS, RPS_SERVICE, RPS_VALUES]
        .into_iter()
        .flat_map(table)
        .filter_map(|row| row.field)
        .collect();
    let lost: Vec<&String> = fields
        .iter()
        .filter(|field| !named.contains(*field) && !BY_CODE.contains(&field.as_str()))
        .collect();
    assert!(
        lost.is_empty(),
        "no line of wit/tables says which element these are: {lost:?}"
    );
    let idle: Vec<_> = BY_CODE
        .iter()
        .filter(|field| named.contains(**field) || !fields.contains(**field))
        .collect();
    assert!(
        idle.is_empty(),
        "BY_CODE: in a table, or no field: {idle:?}"
    );
}

/// The value of a content at a path; lists are answered by their first item.
fn given<'a>(content: &'a Value, path: &str) -> &'a Value {
    path.split('.')
        .fold(content, |value, name| match &value[name] {
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            other => other,
        })
}

fn same(written: Written, element: &Element, text: &str, value: &Value) -> bool {
    let number = |text: &str| text.parse::<rust_decimal::Decimal>().ok();
    match value {
        Value::Bool(yes) => text == if *yes { "1" } else { "0" },
        Value::String(given) => match written {
            Written::Money | Written::Positive => number(text) == number(given),
            Written::Digits => {
                let digits: String = given.chars().filter(char::is_ascii_digit).collect();
                text == digits
            }
            Written::Word => {
                matches!(element.content, Content::Text(Form::OneOf(choices)) if choices.contains(&(text, given)))
            }
            _ => text == given.trim(),
        },
        other => {
            let told = other.to_string();
            text == told
        }
    }
}

/// Reads the recorded declarations of the national adapter by the table: each
/// plain element says what the field it names says.
#[test]
fn recorded_declarations_read_by_the_table() {
    let rows: Vec<Row> = table(DPS)
        .into_iter()
        .filter(|row| row.element.written != Written::ByCode)
        .collect();
    let mut read = BTreeSet::new();
    let folder = workspace().join("plugins/dps/cases");
    for case in std::fs::read_dir(folder).expect("cases") {
        let case = case.expect("case").path();
        let Ok(xml) = std::fs::read(case.join("01-request.dpsXmlGZipB64.xml")) else {
            continue;
        };
        let input = std::fs::read_to_string(case.join("input.json")).expect("input");
        let input: Value = serde_json::from_str(&input).expect("JSON");
        let content = &input["operation"]["conteudo"];
        let document = xml::parse(&xml).expect("XML");
        let inf = document.root().descendant("infDPS").expect("infDPS");
        for row in &rows {
            let official = row.official.replace('.', "/");
            let by_customer = row
                .official
                .split('.')
                .fold(&content["inf_dps"], |value, name| &value[name]);
            let (Some(text), true) = (inf.text_at(&official), by_customer.is_null()) else {
                continue;
            };
            let field = row.field.as_deref().expect("a field");
            let value = given(content, field);
            // Absent in a hand-written case: the type's own empty value.
            if value.is_null() {
                continue;
            }
            assert!(
                same(row.element.written, row.element, text, value),
                "{}: {official} is {text:?}, {field} is {value}",
                case.display()
            );
            read.insert(row.official.clone());
        }
    }
    assert!(read.len() > 60, "only {} elements were read", read.len());
}
