//! POST /api/v1/chaves: makes a key, shown this once.

use super::creator;
use super::record::{ApiKeyKind, NewChave};
use accounts::api_keys::{self, KeyOrder};
use accounts::scopes::{Scope, Scopes};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::net::Net;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;
use store::tables::budgets;
use store::words::Maybe;
use vault::apikey::KeyKind;

/// Longest name of a key.
const NAME_CHARS: usize = 80;
/// Ranges of addresses of a key.
const IPS: usize = 50;
/// The most a limit can be: ten million reais.
const LIMIT: i64 = 1_000_000_000;

pub fn built() -> Built {
    Built {
        operation: "chaves.create",
        route: |method| on(method, create),
        docs: Docs::new(
            "Cria uma chave de API; chave e segredo só aparecem nesta resposta. Ela não pode mais do que a chave que a cria.",
        )
        .body::<ChaveIn>()
        .answers(&[(201, "Chave criada.")])
        .success::<NewChave>(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct ChaveIn {
    /// Para reconhecê-la.
    #[schemars(length(min = 1, max = 80))]
    nome: String,
    tipo: ApiKeyKind,
    /// Ausente: os da chave que pede; todos, na maioria das chaves.
    #[schemars(length(min = 1))]
    escopos: Option<Vec<Scope>>,
    /// Momento (RFC 3339) a partir do qual é recusada; ausente: nunca.
    expira_em: Option<String>,
    /// Endereços de onde pode ser usada, em faixas (`203.0.113.0/24`,
    /// `2001:db8::/32`) ou avulsos; ausente ou vazio: qualquer um.
    #[schemars(length(max = 50))]
    ips: Option<Vec<String>>,
    /// Créditos que pode gastar por dia de Brasília; ausente: sem limite.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    limite_diario: Option<i64>,
    /// Créditos que pode gastar por mês de Brasília; ausente: sem limite.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    limite_mensal: Option<i64>,
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<NewChave> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: ChaveIn = body::read(value, call.tolerant)?;
    let creator = creator(&call)?;
    let request = read(body, Scopes::read(&creator.escopos), call.app.now_ms())?;
    let fresh = api_keys::create(&call.app.people, creator, request).await?;
    call.about(&fresh.row.id);
    let mut conn = call.app.db.read().await?;
    let spent = match fresh.row.budget_id.as_ref() {
        Some(id) => budgets::get(&mut conn, &fresh.row.account_id, id).await?,
        None => None,
    };
    drop(conn);
    let spent = spent.unwrap_or_default();
    call.created(NewChave::of(&fresh, spent, call.app.now_ms()))
}

/// What was asked for, with everything that is wrong in one answer.
fn read(body: ChaveIn, own: Scopes, now_ms: i64) -> Result<KeyOrder, Failure> {
    let mut wrong = Refusal::new(Code::ParametroInvalido);
    let mut refuse = |field: &str, message: &str, correction: &str| {
        let one = Refusal::field(Code::ParametroInvalido, field, message, correction);
        wrong.fields.extend(one.fields);
    };
    let name = body.nome.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        refuse("nome", "O nome tem de 1 a 80 caracteres.", "Ajuste o nome.");
    }
    let scopes = match body.escopos {
        None => own,
        Some(asked) => asked.into_iter().collect(),
    };
    if scopes.is_empty() {
        refuse(
            "escopos",
            "Uma chave tem ao menos um escopo.",
            "Diga os escopos, ou retire o campo.",
        );
    }
    let mut expires_at_ms = 0;
    if let Some(text) = body.expira_em {
        expires_at_ms = when::parse(&text).map_or(0, when::ms);
        if expires_at_ms <= now_ms {
            refuse(
                "expira_em",
                "A expiração é um momento futuro.",
                "Use data e hora com fuso (RFC 3339), como 2027-01-31T23:59:59-03:00.",
            );
        }
    }
    let nets = ranges(&body.ips.unwrap_or_default(), &mut refuse);
    for (field, limit) in [
        ("limite_diario", body.limite_diario),
        ("limite_mensal", body.limite_mensal),
    ] {
        if limit.is_some_and(|limit| !(0..=LIMIT).contains(&limit)) {
            refuse(
                field,
                "O limite vai de 0 a 1000000000 créditos.",
                "Ajuste o limite, ou retire o campo.",
            );
        }
    }
    if !wrong.fields.is_empty() {
        return Err(wrong.into());
    }
    Ok(KeyOrder {
        kind: match body.tipo {
            ApiKeyKind::Teste => KeyKind::Test,
            ApiKeyKind::Producao => KeyKind::Live,
        },
        name,
        scopes,
        ips: nets.join(" "),
        daily_limit: body.limite_diario,
        monthly_limit: body.limite_mensal,
        budget_id: Maybe(None),
        expires_at_ms,
    })
}

/// Ranges of addresses as they are kept, each once.
fn ranges(ips: &[String], refuse: &mut impl FnMut(&str, &str, &str)) -> Vec<String> {
    if ips.len() > IPS {
        refuse(
            "ips",
            "São no máximo 50 faixas de endereços.",
            "Junte faixas.",
        );
    }
    let mut nets = Vec::new();
    for (place, text) in ips.iter().enumerate().take(IPS) {
        match net(text) {
            Some(net) if nets.contains(&net) => {}
            Some(net) => nets.push(net),
            None => refuse(
                &format!("ips[{place}]"),
                "Não é uma faixa de endereços.",
                "Use um endereço ou uma faixa: 203.0.113.7, 203.0.113.0/24, 2001:db8::/32.",
            ),
        }
    }
    nets
}

/// A range as it is kept; an address alone is a range of one. Ranges of IPv4
/// are written as such: `::ffff:10.0.0.0/104` would never be met.
fn net(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let (address, bits) = text.split_once('/').unwrap_or((&text, ""));
    let address: IpAddr = address.parse().ok()?;
    let range = match (address.to_canonical(), bits) {
        (alone, "") if !text.contains('/') => {
            format!("{alone}/{}", if alone.is_ipv4() { 32 } else { 128 })
        }
        (same, bits) if same == address => format!("{same}/{bits}"),
        _ => return None,
    };
    range.parse::<Net>().is_ok().then_some(range)
}
