//! Adapter of outside data sources that answer in JSON: addresses, companies,
//! vehicles, prices of vehicles, coordinates, routes, products.
//!
//! A source is data: a map says for each question where it is asked and which
//! part of the answer is which field (`README.md`). Maps of known sources are in
//! `sources`; the option `mapa` gives another.

mod convert;
mod map;
mod path;
mod read;
mod sources;

use map::{Map, Query};
use sdk::{
    Conteudo, Description, Encoding, Failure, FieldError, Flow, Mensagem, Operacao, OptionKind,
    OptionSpec, Outcome, Permissions, Request, Response, Situacao, Success, host,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Name of the one endpoint, and of the secret a source knows the hub by.
const API: &str = "api";
const TOKEN: &str = "token";
/// Option that names a known source, and option with the map of another.
const SOURCE: &str = "fonte";
const MAP: &str = "mapa";
/// Time a source has to answer.
const TIMEOUT_MS: u32 = 8_000;

/// The questions; the content of each has the schema `<name>/1`, its answer
/// `<name>.resposta/1`.
const QUESTIONS: [&str; 12] = [
    "consulta.cep",
    "consulta.ceps",
    "consulta.coordenadas",
    "consulta.empresa",
    "consulta.endereco",
    "consulta.fipe.anos",
    "consulta.fipe.marcas",
    "consulta.fipe.modelos",
    "consulta.fipe.precos",
    "consulta.placa",
    "consulta.produto",
    "consulta.rota",
];

/// Members of a question's content.
type Asked = BTreeMap<String, Value>;

fn describe() -> Description {
    let mut description = Description::new("lookup", env!("CARGO_PKG_VERSION"))
        .option(OptionSpec::choice(
            SOURCE,
            &sources::NAMES,
            "Known source whose map is used",
        ))
        .option(OptionSpec::new(
            MAP,
            OptionKind::Text,
            "Map of another source, as JSON",
        ))
        .endpoint(API, true, false, "Base address of the source");
    for name in QUESTIONS {
        description = description
            .schema(&format!("{name}/1"))
            .operation(name, true, "GET");
    }
    description
}

fn permissions() -> Permissions {
    Permissions::none().secret(TOKEN, &[API], "The source knows the hub by it")
}

async fn run(flow: Flow, op: Operacao) -> Outcome {
    let name = op.nome.as_str();
    if !QUESTIONS.contains(&name) {
        return Err(Failure::not_supported(name));
    }
    let asked: Asked = sdk::read_conteudo(&op.conteudo, &format!("{name}/1"))?;
    let map = map(&flow)?;
    let query = map
        .queries
        .get(name)
        .ok_or_else(|| Failure::not_supported(name))?;
    ask(&flow, name, query, &asked).await
}

/// The map the options name.
fn map(flow: &Flow) -> Result<Map, Failure> {
    let text = match (flow.ctx().option(MAP), flow.ctx().option(SOURCE)) {
        (Some(own), _) if !own.is_empty() => own,
        (_, Some(name)) => {
            sources::map(name).ok_or_else(|| Failure::other("fonte desconhecida"))?
        }
        _ => return Err(Failure::other("nenhuma fonte nas opções")),
    };
    serde_json::from_str(text).map_err(|error| {
        let place = format!("linha {}, coluna {}", error.line(), error.column());
        Failure::other(&format!("mapa ilegível: {place}"))
    })
}

async fn ask(flow: &Flow, name: &str, query: &Query, asked: &Asked) -> Outcome {
    let place = path::filled(&query.path, asked).map_err(|missing| {
        Failure::invalid_input(vec![FieldError::new(&missing, "valor", "Falta o valor.")])
    })?;
    let mut request = Request::get(name, API, &place)
        .timeout_ms(TIMEOUT_MS)
        .header("Accept", "application/json");
    for (header, value) in &query.headers {
        request = request.header(header, &with_token(value)?);
    }
    let response = flow.send(request).await?;
    let answer: Option<Value> = serde_json::from_slice(&response.body).ok();
    if query.says_nothing(response.status, answer.as_ref()) {
        return Ok(Success::new(Situacao::NaoEncontrado));
    }
    if !response.is_success() {
        return Err(refusal(&response));
    }
    let unreadable = |what: &str| Failure::unexpected(what, &response.body);
    let answer = answer.ok_or_else(|| unreadable("a resposta não é JSON"))?;
    let content = read::content(query, &answer, asked).map_err(|what| unreadable(&what))?;
    let mut success = Success::new(Situacao::Consultado);
    success.conteudo = Some(Conteudo {
        schema: format!("{name}.resposta/1"),
        json: Value::Object(content).to_string(),
    });
    Ok(success)
}

/// The value of a header, with the placeholder of the token in the place of
/// `{token}`.
fn with_token(value: &str) -> Result<String, Failure> {
    if !value.contains("{token}") {
        return Ok(value.to_owned());
    }
    let token = host::secret(TOKEN, Encoding::Plain).ok_or_else(|| {
        let text = "O hub não tem o token desta fonte.";
        Failure::credentials(vec![Mensagem::new("token", text)])
    })?;
    Ok(value.replace("{token}", &token))
}

/// A status that is no answer.
fn refusal(response: &Response) -> Failure {
    let status = response.status;
    if matches!(status, 401 | 403) {
        let message = Mensagem::new("credencial", "A fonte recusou a credencial ou o endereço.");
        return Failure::credentials(vec![message]);
    }
    if matches!(status, 400 | 404..=407 | 409..=424 | 426..=428) {
        let text = format!("A fonte recusou a consulta (HTTP {status}).");
        return Failure::rejected(vec![Mensagem::new(&status.to_string(), &text)])
            .with_evidence(&response.body);
    }
    Failure::unavailable(
        response.retry_after_ms(),
        &format!("HTTP {status} da fonte"),
    )
    .with_evidence(&response.body)
}

sdk::export_lookup!(describe, permissions, run);
