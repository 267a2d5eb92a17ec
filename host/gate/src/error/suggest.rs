//! What somebody meant who sent a member that an operation does not know: the member
//! whose name is nearly the same, or the one that other services call so.

mod expected;

use super::Carried;
use axum::response::Response;
use base::errors::place;
use base::errors::{Code, Failure, Refusal};
use markup::field::Field;
use serde_json::Value;
use std::sync::OnceLock;

/// What to do about a member that cannot be read, where the schema says no more.
pub(crate) const SEE_DOCUMENT: &str = "Veja o tipo do campo em /api/v1/openapi.json.";

/// Members of one refusal whose meaning is looked for.
const HELPED: usize = 20;
/// Longest name that is compared, in characters.
const COMPARED: usize = 60;

/// The members an operation takes, as its schema says. It is made when somebody first
/// misspells one.
pub struct Members {
    make: fn(&str) -> Option<Value>,
    operation: &'static str,
    schema: OnceLock<Option<Value>>,
}

impl Members {
    /// Of an operation, whose schema `make` makes.
    pub fn of(operation: &'static str, make: fn(&str) -> Option<Value>) -> Members {
        Members {
            make,
            operation,
            schema: OnceLock::new(),
        }
    }

    fn schema(&self) -> Option<&Value> {
        let schema = self.schema.get_or_init(|| (self.make)(self.operation));
        schema.as_ref()
    }
}

/// The answer, with what was meant by members that it does not know.
pub(crate) fn suggested(
    answered: Result<Response, Failure>,
    members: &Members,
) -> Result<Response, Failure> {
    let response = answered?;
    let Some(Carried(failure)) = response.extensions().get::<Carried>() else {
        return Ok(response);
    };
    let Failure::Refused(refusal) = &**failure else {
        return Ok(response);
    };
    if !refusal
        .fields
        .iter()
        .any(|field| is_unknown(field) || is_unread(field))
    {
        return Ok(response);
    }
    let Some(schema) = members.schema() else {
        return Ok(response);
    };
    let mut refusal: Refusal = (**refusal).clone();
    let unknown = refusal.fields.iter_mut().filter(|field| is_unknown(field));
    for field in unknown.take(HELPED) {
        let meant = match &field.valor {
            // A name that cannot be in a place stands beside it.
            Some(name) => nearest(name, &names_at(schema, place::group(&field.campo))),
            None => meant(schema, &field.campo),
        };
        if let Some(meant) = meant {
            field.correcao = format!("Você quis dizer {meant}? Se não, retire o campo.");
        } else if field.valor.is_none()
            && let Some(explained) = explained(&field.campo)
        {
            field.correcao = explained.to_owned();
        }
    }
    for field in refusal.fields.iter_mut().filter(|field| is_unread(field)) {
        if let Some(correction) = expected::at(schema, &field.campo) {
            field.correcao = correction;
        }
    }
    Err(refusal.into())
}

/// A member that is missing or of another type, and nothing more is said of it.
fn is_unread(field: &Field) -> bool {
    field.correcao == SEE_DOCUMENT
}

fn is_unknown(field: &Field) -> bool {
    field.codigo == Code::CampoDesconhecido.as_str()
}

/// The member that was meant at a path such as `itens[0].quantidad`.
pub fn meant<'s>(schema: &'s Value, path: &str) -> Option<&'s str> {
    let (group, name) = path.rsplit_once('.').unwrap_or(("", path));
    let known = names_at(schema, group);
    nearest(name, &known)
}

/// What to do instead of a member that no operation has, at the top of a body.
fn explained(path: &str) -> Option<&'static str> {
    let name = plain(path);
    let mut rows = EXPLAINED.iter();
    let found = rows.find(|(names, _)| names.contains(&name.as_str()))?;
    Some(found.1)
}

/// Names at the top of a body, in the form of [`plain`], and what to do instead.
const EXPLAINED: &[(&[&str], &str)] = &[
    (
        &["ambiente", "tpamb", "environment", "sandbox", "homologacao"],
        "Retire o campo: o ambiente é o da chave, de teste (svc_test_…) ou de produção (svc_live_…).",
    ),
    (
        &["numero", "nnf", "numeronota", "numerorps", "ndps"],
        "Retire o campo: o hub dá o próximo número da série.",
    ),
    (
        &["token", "apikey", "chaveapi", "senha", "authorization"],
        "Retire o campo: a chave de API vai no cabeçalho Authorization: Bearer <chave>.",
    ),
    (
        &[
            "nfe",
            "nfce",
            "nfse",
            "dps",
            "rps",
            "nota",
            "notafiscal",
            "infnfe",
            "infdps",
            "data",
            "dados",
            "body",
            "payload",
            "documento",
        ],
        "Ponha os campos direto no corpo, sem este objeto em volta.",
    ),
];

/// Names of the members that may stand in a group.
fn names_at<'s>(schema: &'s Value, group: &str) -> Vec<&'s str> {
    let places = places_of(schema, group);
    let properties = places
        .iter()
        .filter_map(|place| place["properties"].as_object());
    properties
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect()
}

/// The schemas that hold at a path such as `itens[0]`.
fn places_of<'s>(schema: &'s Value, path: &str) -> Vec<&'s Value> {
    let mut places = expanded(schema, schema);
    let steps = path.split('.').filter(|step| !step.is_empty());
    for step in steps {
        let (name, places_in_list) = step.split_once('[').unwrap_or((step, ""));
        places = within(schema, &places, |place| place["properties"].get(name));
        for _ in 0..places_in_list.matches(']').count() {
            places = within(schema, &places, |place| place.get("items"));
        }
    }
    places
}

fn within<'s>(
    root: &'s Value,
    places: &[&'s Value],
    step: impl Fn(&'s Value) -> Option<&'s Value>,
) -> Vec<&'s Value> {
    let stepped = places.iter().filter_map(|place| step(place));
    stepped.flat_map(|place| expanded(root, place)).collect()
}

/// A schema and those it refers to or is made of.
fn expanded<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        // A schema may refer to itself.
        if found.iter().any(|other| std::ptr::eq(*other, schema)) {
            continue;
        }
        found.push(schema);
        let referred = schema["$ref"].as_str();
        let referred = referred.and_then(|to| root.pointer(to.trim_start_matches('#')));
        let parts = ["anyOf", "oneOf", "allOf"].map(|word| schema[word].as_array());
        let parts = parts.into_iter().flatten().flatten();
        waiting.extend(parts.chain(referred));
    }
    found
}

/// The name that was meant; None: nothing is near.
pub(crate) fn nearest<'s>(name: &str, known: &[&'s str]) -> Option<&'s str> {
    if name.chars().count() > COMPARED {
        return None;
    }
    let plain = plain(name);
    let known: Vec<(&str, String)> = known.iter().map(|it| (*it, self::plain(it))).collect();
    let same = known.iter().find(|(_, other)| *other == plain);
    let called = || {
        let ours = CALLED.iter().filter(|(theirs, _)| *theirs == plain);
        let ours = ours.flat_map(|(_, ours)| ours.iter());
        ours.filter_map(|ours| known.iter().find(|(name, _)| name == ours))
            .next()
    };
    let slip = || {
        let most = slips(plain.len());
        // Names whose lengths differ by more cannot be as near.
        let near = known
            .iter()
            .filter(|(_, other)| other.len().abs_diff(plain.len()) <= most);
        let measured = near.map(|one| (strsim::damerau_levenshtein(&plain, &one.1), one));
        let nearest = measured.min_by_key(|(distance, _)| *distance)?;
        (nearest.0 <= most).then_some(nearest.1)
    };
    let found = same.or_else(called).or_else(slip)?;
    Some(found.0)
}

/// Letters in which a name of so many bytes may differ: ours are of ASCII.
const fn slips(bytes: usize) -> usize {
    match bytes {
        0..=2 => 0,
        3..=5 => 1,
        6..=10 => 2,
        _ => 3,
    }
}

/// A name without what spellings differ in: `valorUnitario` and `valor-unitario` are
/// `valorunitario`.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// What other services and layouts call members, in the form of [`plain`], and ours for it.
/// The first that the place knows is meant.
pub const CALLED: &[(&str, &[&str])] = &[
    ("bairrodestinatario", &["bairro"]),
    ("chavenfe", &["chave"]),
    ("cidade", &["municipio"]),
    ("cnpj", &["cpf_cnpj", "documento", "emitente_id"]),
    ("cnpjcpf", &["cpf_cnpj", "documento"]),
    ("cnpjdestinatario", &["cpf_cnpj"]),
    ("cnpjemitente", &["emitente_id"]),
    ("cnpjprestador", &["emitente_id"]),
    ("codigomunicipio", &["codigo_ibge"]),
    ("codigoncm", &["ncm"]),
    ("codigoproduto", &["codigo"]),
    ("cpf", &["cpf_cnpj", "documento"]),
    ("datafim", &["ate"]),
    ("datafinal", &["ate"]),
    ("datainicial", &["de"]),
    ("datainicio", &["de"]),
    ("desde", &["de"]),
    ("discriminacao", &["descricao"]),
    ("empresaid", &["emitente_id"]),
    ("fim", &["ate"]),
    ("formaspagamento", &["pagamentos"]),
    ("id", &["ref", "nota_id"]),
    ("inicio", &["de"]),
    ("inscricaoestadual", &["ie"]),
    ("inscricaomunicipal", &["im"]),
    ("items", &["itens"]),
    ("itensporpagina", &["limite"]),
    ("motivo", &["justificativa"]),
    ("ncmsh", &["ncm"]),
    ("nome", &["razao_social"]),
    ("notaid", &["ref"]),
    ("offset", &["cursor"]),
    ("page", &["cursor"]),
    ("pagesize", &["limite"]),
    ("pagina", &["cursor"]),
    ("perpage", &["limite"]),
    ("porpagina", &["limite"]),
    ("produtos", &["itens"]),
    ("quantidadecomercial", &["quantidade"]),
    ("razaosocial", &["nome"]),
    ("referencia", &["ref"]),
    ("telefonedestinatario", &["telefone"]),
    ("unidadecomercial", &["unidade"]),
    ("valorservicos", &["valor"]),
    ("valortotal", &["valor"]),
    ("valorunitariocomercial", &["valor_unitario"]),
];
