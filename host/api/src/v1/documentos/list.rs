//! GET /api/v1/documentos: the account's documents of every kind, in one list.

use super::{DocumentOfModel, ambiente, ambiente_schema};
use crate::v1::nfe::list::{amount, amount_schema};
use accounts::opening::left_out;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::errors::Failure;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{
    Listing, Query, bad, is_key, key, number, page, period, signs, taxpayer,
};
use issuing::emitters::profile::canonical_serie;
use issuing::issue::cents;
use markup::decimal;
use serde_json::{Value, json};
use store::tables::documents::{self, Asked, Text};
use store::tables::notas;
use store::words::{Maybe, Model};

const FILTERS: [&str; 15] = [
    "modelo",
    "status",
    "emitente_id",
    "chave",
    "serie",
    "numero",
    "destinatario",
    "nome",
    "de",
    "ate",
    "valor_min",
    "valor_max",
    "q",
    "ordem",
    "ambiente",
];

/// States a list can be asked for.
const STATUS: [&str; 8] = [
    "rascunho",
    "em_transmissao",
    "pendente_prefeitura",
    "autorizada",
    "validada",
    "rejeitada",
    "cancelada",
    // Only where it is asked for: no list without the parameter has it.
    "nao_enviada",
];

/// Orders by their words; with `-` the newest comes first. An order by anything else
/// would need an index over all notes, which issuing pays for.
const ORDERS: [&str; 2] = ["-criada_em", "criada_em"];

/// Longest text to look for, in characters.
pub const TEXT: usize = 60;
/// Most digits a number of a document has.
const DIGITS: usize = 15;

pub fn built() -> Built {
    let text = || json!({ "type": "string" });
    let docs = Docs::new(
        "Lista os documentos da conta de todos os tipos: NF-e, NFC-e, NFS-e, CT-e e MDF-e.",
    )
    .explained("Use quando a tela mostra notas de mais de um tipo; cada item diz o seu modelo. Siga proximo_cursor até tem_mais ser false. Para procurar por nome, valor, número ou chave, use q; as notas recebidas de outros estão em POST /api/v1/documentos/buscar.")
    .query(
        "modelo",
        "55, 65, nfse, 57 ou 58; vários separados por vírgula. Ausente: todos.",
        several(Model::ALL.iter().map(|model| model.as_str())),
    )
    .query(
        "status",
        "Situação do documento; várias separadas por vírgula. Ausente: todas, menos nao_enviada.",
        several(STATUS.into_iter()),
    )
    .query("emitente_id", "Emitente.", text())
    .query("chave", "Chave de acesso.", text())
    .query("serie", "Série do documento, do RPS ou da DPS.", text())
    .query(
        "numero",
        "Número do documento, do RPS ou da DPS, ou da NFS-e.",
        json!({ "type": "integer", "minimum": 1 }),
    )
    .query(
        "destinatario",
        "CPF ou CNPJ da outra parte: destinatário, tomador.",
        text(),
    )
    .query(
        "nome",
        "Parte do nome da outra parte, com ou sem acentos.",
        text(),
    )
    .period()
    .query("valor_min", "Valor total a partir deste.", amount_schema())
    .query("valor_max", "Valor total até este.", amount_schema())
    .query(
        "q",
        "O que se procura: chave, número, CPF ou CNPJ, parte do nome, valor (1.234,56) ou referência; parte de uma referência só é procurada entre os documentos mais novos; a referência inteira, em todos.",
        json!({ "type": "string", "maxLength": TEXT }),
    )
    .query(
        "ordem",
        "Por chegada; com - os mais novos primeiro. Ausente: -criada_em.",
        json!({ "type": "string", "enum": ORDERS }),
    )
    .query(
        "ambiente",
        "Só os deste ambiente; producao só com chave de produção, simulado só com chave de teste. Ausente: todos os que a chave vê.",
        ambiente_schema(),
    )
    .paged()
    .success::<Listing<DocumentOfModel>>();
    Built {
        operation: "documentos.list",
        route: |method| on(method, list),
        docs,
    }
}

/// JSON Schema of words with a comma between them.
fn several<'w>(words: impl Iterator<Item = &'w str>) -> Value {
    let one = words.collect::<Vec<_>>().join("|");
    json!({ "type": "string", "pattern": format!("^({one})(,({one}))*$") })
}

/// The place that a cursor holds; None: the page is the first.
fn after(before: &str) -> Result<Option<(i64, String)>, Failure> {
    if before.is_empty() {
        return Ok(None);
    }
    let place = before
        .split_once(':')
        .and_then(|(place, id)| Some((place.parse().ok()?, id.to_owned())));
    let how = "Use o proximo_cursor de uma resposta anterior.";
    place.map(Some).ok_or_else(|| bad("cursor", how))
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<DocumentOfModel>> {
    let page = page(&query, &FILTERS)?;
    let mut asked = read(&query, call.caller.is_test())?;
    asked.after = after(&page.before)?;
    asked.limit = page.rows();
    let account = &call.caller.account_id;
    let mut conn = call.app.db.walk(account).await?;
    let found = documents::list(&mut conn, account, &asked).await?;
    drop(conn);
    let place = |at_ms: i64, id: &str| format!("{at_ms}:{id}");
    let places = found
        .rows
        .iter()
        .map(|row| place(row.created_at_ms, &row.id));
    let places = places.collect();
    let stopped = found.stopped.as_ref().map(|(at_ms, id)| place(*at_ms, id));
    let items: Result<Vec<_>, _> = found.rows.iter().map(DocumentOfModel::of).collect();
    call.ok(page.listing_so_far(items?, places, stopped))
}

/// What a request asks for, but for its page.
///
/// # Errors
/// 400 naming the parameter.
fn read(query: &Query, test: bool) -> Result<Asked, Failure> {
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let (from_ms, to_ms) = period(query)?;
    let name = text("nome");
    if name.chars().count() > TEXT {
        return Err(bad("nome", "Use até 60 caracteres do nome."));
    }
    let models: Vec<&str> = Model::ALL.iter().map(|model| model.as_str()).collect();
    Ok(Asked {
        modelos: words(query, "modelo", &models)?,
        status: words(query, "status", &STATUS)?,
        emitter_id: Maybe::of(&text("emitente_id")),
        from_ms,
        to_ms,
        chave: key(&text("chave")),
        serie: canonical_serie(&text("serie")),
        number: number(query)?,
        city_number: true,
        documento: taxpayer(&text("destinatario")),
        name: notas::part(&name),
        min_value: amount(query, "valor_min")?,
        max_value: amount(query, "valor_max")?,
        text: sought(&text("q"))?,
        ascending: ascending(query)?,
        left_out: left_out(test, ambiente(query, test)?),
        ..Asked::default()
    })
}

/// A parameter that is one of some words, or several with a comma between.
fn words(query: &Query, name: &str, known: &[&str]) -> Result<String, Failure> {
    let Some(given) = query.get(name) else {
        return Ok(String::new());
    };
    if given.split(',').all(|word| known.contains(&word)) {
        return Ok(given.clone());
    }
    let how = format!(
        "Use um ou mais destes, separados por vírgula: {}.",
        known.join(", ")
    );
    Err(bad(name, &how))
}

/// Whether the oldest come first.
fn ascending(query: &Query) -> Result<bool, Failure> {
    match query.get("ordem").map(String::as_str) {
        None | Some("-criada_em") => Ok(false),
        Some("criada_em") => Ok(true),
        Some(_) => Err(bad("ordem", "Use -criada_em ou criada_em.")),
    }
}

/// What a text may stand for. One without letters stands for exact things
/// alone; but for values they are found without reading a list.
///
/// # Errors
/// 400: it is too long.
pub fn sought(text: &str) -> Result<Option<Text>, Failure> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.chars().count() > TEXT {
        return Err(bad("q", "Procure por até 60 caracteres."));
    }
    let (signs, key) = (signs(text), key(text));
    let digits = signs.bytes().filter(u8::is_ascii_digit).count();
    let mut found = Text {
        value: -1,
        ..Text::default()
    };
    match signs.len() {
        11 if digits == 11 => found.documento.clone_from(&signs),
        // The letters of a CNPJ stand before its last two digits.
        14 if digits >= 2 && !text.contains(' ') => found.documento.clone_from(&signs),
        // As it is, as papers print it, or in the name of its file.
        _ if is_key(key.len()) && key.starts_with(|sign: char| sign.is_ascii_digit()) => {
            found.chave = key;
        }
        _ => {}
    }
    if text.len() <= DIGITS && text.bytes().all(|sign| sign.is_ascii_digit()) {
        found.number = text.parse().unwrap_or(0);
        text.clone_into(&mut found.number_text);
    }
    if let Some(value) = value(text) {
        found.value = value;
    }
    let exact = found.number > 0
        || found.value >= 0
        || !found.chave.is_empty()
        || !found.documento.is_empty();
    let worded = found.value < 0 && found.chave.is_empty() && digits < signs.len();
    if !exact || worded {
        found.part = notas::part(text);
        // A whole id of the customer's is found however old its document is.
        text.clone_into(&mut found.number_text);
    }
    Ok(Some(found))
}

/// An amount as people write it, with its cents; in cents.
fn value(text: &str) -> Option<i64> {
    let plain = text.trim_start_matches("R$").trim();
    let (whole, places) = plain.rsplit_once([',', '.'])?;
    if places.len() != 2 {
        return None;
    }
    let whole: String = whole.chars().filter(|sign| *sign != '.').collect();
    let amount = decimal::parse(&format!("{whole}.{places}"))?;
    (whole.len() <= 13 && !amount.is_sign_negative()).then(|| cents(amount))
}
