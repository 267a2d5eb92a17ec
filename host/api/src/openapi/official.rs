//! The official names of what a request says: the tables of fields, by which documents
//! are written and read, know the element that each member becomes.

use fiscal::fields::field::{Field, Kind};
use gate::docs::meanings::referred;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Most names that are told of one member: a party of a transport is written to many.
const TOLD: usize = 3;

/// Where types are in a schema, as a pointer.
const TYPES: &str = "/$defs/";

/// The table of what an operation writes.
fn table(operation: &str) -> Option<&'static [Field]> {
    match operation {
        "nfe.create" | "nfe.criar" | "nfce.create" | "nfce.criar" => {
            Some(fiscal::nfe::fields::INF_NFE)
        }
        "cte.criar" | "cte.criar-e-emitir" | "cte.epec" => Some(freight::cte::fields::INF_CTE),
        "mdfe.criar" | "mdfe.criar-e-emitir" => Some(freight::mdfe::fields::INF_MDFE),
        _ => None,
    }
}

/// Operations whose requests have all types that the tables write.
const TELLING: [&str; 3] = ["nfe.create", "cte.criar", "mdfe.criar"];

/// Elements by the place of a member in a request.
type Tags = BTreeMap<String, Vec<&'static str>>;

/// Names the elements in the descriptions of a request's members: those of types in all
/// requests alike, so that they stay one type.
pub(super) fn named(operation: &str, mut schema: Value) -> Value {
    let own = table(operation).map(|table| found(table, &schema));
    let of_root = own.into_iter().flatten();
    let of_root = of_root.filter(|(place, _)| !place.starts_with(TYPES));
    let of_types = types()
        .iter()
        .map(|(place, tags)| (place.clone(), tags.clone()));
    for (place, tags) in of_root.chain(of_types) {
        if let Some(member) = schema.pointer_mut(&place) {
            tell(member, &tags);
        }
    }
    schema
}

/// The elements of the members of types, whatever the request.
fn types() -> &'static Tags {
    static ALL: LazyLock<Tags> = LazyLock::new(|| {
        let mut all = Tags::new();
        for one in crate::built() {
            let telling = TELLING.contains(&one.operation);
            let table = table(one.operation).filter(|_| telling);
            let Some((table, schema)) = table.zip(one.docs.body_schema()) else {
                continue;
            };
            for (place, tags) in found(table, &schema) {
                let known = all.entry(place).or_default();
                let new = tags.into_iter().filter(|tag| !known.contains(tag));
                let new: Vec<_> = new.collect();
                known.extend(new);
            }
        }
        all.retain(|place, _| place.starts_with(TYPES));
        all
    });
    &ALL
}

/// The elements of a request's members, by the table of what it writes.
fn found(table: &'static [Field], schema: &Value) -> Tags {
    let consumer = schema["properties"]["consumidor"].is_object();
    let mut found = Found {
        root: schema,
        recipient: if consumer {
            "consumidor"
        } else {
            "destinatario"
        },
        tags: Tags::new(),
    };
    found.table(table, "");
    found.tags
}

/// Elements by the place of the member that becomes them.
struct Found<'s> {
    root: &'s Value,
    /// The request's name of whom the document is made out to.
    recipient: &'static str,
    tags: Tags,
}

impl Found<'_> {
    /// The fields of a table, whose members are in the schema at `place`.
    fn table(&mut self, fields: &'static [Field], place: &str) {
        for field in fields.iter().filter(|field| !field.note_only) {
            match field.kind {
                Kind::Dissolve(inside) | Kind::Variant(inside) => self.table(inside, place),
                Kind::Rises => {}
                _ => self.member(field, place),
            }
        }
    }

    fn member(&mut self, field: &'static Field, place: &str) {
        let mut at = place.to_owned();
        let mut names = field.request_name(self.recipient).split('.').peekable();
        while let Some(name) = names.next() {
            let member = format!("{at}/properties/{name}");
            let Some(schema) = self.root.pointer(&member) else {
                return;
            };
            at = inside(schema, &member);
            if names.peek().is_none() {
                let tag = field.tag.trim_start_matches('@');
                let tags = self.tags.entry(member).or_default();
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
        }
        if let Kind::Group(fields) | Kind::List(fields) = field.kind {
            self.table(fields, &at);
        }
    }
}

/// Where the type of a member, or of its items, says its own members.
fn inside(member: &Value, place: &str) -> String {
    match referred(member) {
        Some(name) => format!("{TYPES}{name}"),
        None if member["items"].is_object() => format!("{place}/items"),
        None => place.to_owned(),
    }
}

/// Adds the names to a description that does not have them.
fn tell(member: &mut Value, tags: &[&str]) {
    let said = member["description"].as_str().unwrap_or_default();
    let has = |tag: &&str| said.contains(&format!("`{tag}`"));
    if tags.len() > TOLD || tags.iter().any(has) {
        return;
    }
    let names: Vec<String> = tags.iter().map(|tag| format!("`{tag}`")).collect();
    let said = said.trim_end_matches('.');
    let text = match said.is_empty() {
        true => format!("{}.", names.join(", ")),
        false => format!("{said} ({}).", names.join(", ")),
    };
    if let Some(parts) = member.as_object_mut() {
        parts.insert("description".to_owned(), text.into());
    }
}
