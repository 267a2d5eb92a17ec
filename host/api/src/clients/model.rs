//! The document as the generators need it.

use serde_json::{Map, Value, json};

/// Where requests go, when the document does not say.
const HERE: &str = "http://127.0.0.1:8080";

/// One operation.
pub struct Op {
    /// `nfe.create`
    pub id: String,
    pub family: String,
    /// Upper case.
    pub method: String,
    /// With `{parameters}`.
    pub path: String,
    pub summary: String,
    pub price: String,
    pub path_params: Vec<Param>,
    pub query: Vec<Param>,
    pub headers: Vec<Param>,
    /// Schema and example of a JSON body.
    pub body: Option<(Value, Value)>,
    /// The body is bytes of any kind.
    pub bytes: bool,
    /// Statuses of success; none: it always refuses.
    pub successes: Vec<u16>,
    /// The `id` of the first successful answer that the document shows.
    pub shown_id: Option<String>,
    /// Statuses of success that have a schema, with its name.
    pub typed: Vec<(String, String)>,
    /// Names of the schemas of successful answers.
    pub answers: Vec<String>,
    /// May a successful answer be something else than JSON?
    pub file: bool,
    pub idempotent: bool,
    pub public: bool,
}

pub struct Param {
    pub name: String,
    pub meaning: String,
    pub schema: Value,
    /// What the document shows; null when it shows nothing.
    pub example: Value,
}

impl Param {
    /// The example as text; empty when there is none.
    pub fn shown(&self) -> String {
        match &self.example {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

pub struct Model {
    pub version: String,
    base_url: String,
    pub ops: Vec<Op>,
    pub schemas: Map<String, Value>,
    /// Families in the order of the document, with their names for people.
    pub families: Vec<(String, String)>,
}

impl Model {
    /// Where requests of a collection go.
    pub fn address(&self) -> &str {
        let given = self.base_url.trim_end_matches('/');
        if given.is_empty() { HERE } else { given }
    }

    /// The types that operations take and give, by their names in a program: schemas, and
    /// the bodies of requests. An answer that another one stands for has its own name, too.
    pub fn types(&self) -> Vec<(String, Value)> {
        let schemas = self.schemas.iter();
        let schemas = schemas.map(|(name, schema)| (identifier(name), schema.clone()));
        let bodies = self.ops.iter().filter_map(|op| {
            let (schema, _) = op.body.as_ref()?;
            Some((format!("{}_pedido", op.name()), schema.clone()))
        });
        let mut all: Vec<(String, Value)> = schemas.chain(bodies).collect();
        for op in &self.ops {
            for (status, answer) in &op.typed {
                let own = format!("{}_{status}", op.name());
                if !all.iter().any(|(name, _)| *name == own) {
                    let schema = json!({ "$ref": format!("#/components/schemas/{answer}") });
                    all.push((own, schema));
                }
            }
        }
        all
    }

    pub fn of(document: &Value) -> Model {
        let mut ops = Vec::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for (method, one) in item.as_object().into_iter().flatten() {
                ops.push(op(path, method, one));
            }
        }
        let tags = document["tags"].as_array().into_iter().flatten();
        Model {
            version: text(&document["info"]["version"]),
            base_url: text(&document["servers"][0]["url"]),
            ops,
            schemas: document["components"]["schemas"]
                .as_object()
                .cloned()
                .unwrap_or_default(),
            families: tags
                .map(|tag| (text(&tag["name"]), text(&tag["description"])))
                .collect(),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn op(path: &str, method: &str, one: &Value) -> Op {
    let params = |place: &str| -> Vec<Param> {
        one["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|param| param["in"] == place)
            .map(|param| Param {
                name: text(&param["name"]),
                meaning: text(&param["description"]),
                schema: param["schema"].clone(),
                example: param["example"].clone(),
            })
            .collect()
    };
    let content = &one["requestBody"]["content"];
    let json = &content["application/json"];
    let mut answers = Vec::new();
    let mut file = false;
    let mut successes = Vec::new();
    let mut typed = Vec::new();
    let mut shown_id = None;
    for (status, answer) in one["responses"].as_object().into_iter().flatten() {
        if !status.starts_with('2') {
            continue;
        }
        successes.extend(status.parse::<u16>());
        for (media, shown) in answer["content"].as_object().into_iter().flatten() {
            let name = text(&shown["schema"]["$ref"]);
            let name = name.strip_prefix("#/components/schemas/");
            typed.extend(name.map(|name| (status.clone(), name.to_owned())));
            match name {
                Some(name) if !answers.iter().any(|known| known == name) => {
                    answers.push(name.to_owned())
                }
                _ => {}
            }
            let id = shown["example"]["id"].as_str();
            shown_id = shown_id.or_else(|| id.map(str::to_owned));
            file |= media != "application/json";
        }
    }
    let headers = params("header");
    Op {
        id: text(&one["operationId"]),
        family: text(&one["tags"][0]),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(&one["summary"]),
        price: text(&one["x-creditos"]),
        path_params: params("path"),
        query: params("query"),
        body: json
            .is_object()
            .then(|| (json["schema"].clone(), json["example"].clone())),
        bytes: content["*/*"].is_object(),
        successes,
        shown_id,
        typed,
        answers,
        file,
        idempotent: headers
            .iter()
            .any(|header| header.name == "Idempotency-Key"),
        public: one["security"].as_array().is_some_and(Vec::is_empty),
        headers,
    }
}

impl Op {
    /// `nfe_create`: the operation's own name, as programs can write it.
    pub fn name(&self) -> String {
        identifier(&self.id)
    }

    /// The path with `:ref` in the place of `{ref}`.
    pub fn colon_path(&self) -> String {
        self.path.replace('{', ":").replace('}', "")
    }

    /// Names of what a successful answer may be; `file` is that of bytes.
    pub fn answer_names(&self, file: &str) -> Vec<String> {
        let names = self.answers.iter().map(|name| identifier(name));
        names.chain(self.file.then(|| file.to_owned())).collect()
    }

    /// Has it pages (`limite`, `cursor`, `itens`)?
    pub fn paged(&self) -> bool {
        self.method == "GET" && self.query.iter().any(|param| param.name == "cursor")
    }
}

/// A name of letters, digits and underscores.
pub fn identifier(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// The name a `$ref` points to.
pub fn referred(schema: &Value) -> Option<String> {
    let name = schema["$ref"].as_str()?;
    name.rsplit('/').next().map(identifier)
}

/// The alternatives of a type: `["string", "null"]`.
pub fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Is a member always there?
pub fn required(schema: &Value, name: &str) -> bool {
    let names = schema["required"].as_array();
    names.is_some_and(|names| names.iter().any(|one| one == name))
}
