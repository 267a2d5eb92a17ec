//! A payment service provider: charges by PIX, boleto and card, refunds, and
//! a callback when somebody pays.
//!
//! JSON over HTTP; `plugins/psp/README.md` has the protocol. The same
//! `Idempotency-Key` is the same charge or refund.

pub mod boleto;
pub mod brcode;
mod notice;

pub(crate) use notice::{Target, send};

use super::{authorized, idempotent, invalid, problem, read, unknown_route};
use crate::engine::faults::Peek;
use crate::engine::{self, Memory, Outcome};
use crate::notes::store::{Json, Store};
use crate::request::{Answer, SimRequest};
use rusqlite::Row;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Name of the system in the state and in orders of faults.
pub(crate) const SYSTEM: &str = "psp";
/// Host it answers at.
pub const HOST: &str = "psp.simulado.test";
/// Most charges kept.
const MAX_CHARGES: u64 = 100_000;
/// Rows are never deleted.
pub(crate) const TABLES: &str = "CREATE TABLE charges (seq INTEGER PRIMARY KEY, purchase TEXT NOT NULL UNIQUE, content TEXT NOT NULL);";

/// A charge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Charge {
    pub id: String,
    /// The purchase it was made for.
    pub referencia: String,
    pub valor_centavos: i64,
    pub meio: Means,
    pub parcelas: u32,
    pub situacao: ChargeState,
    pub pago_centavos: i64,
    pub pago_em: Option<String>,
    pub expira_em: String,
    pub pix: Option<Value>,
    pub boleto: Option<Value>,
    pub cartao: Option<Value>,
    pub reembolsos: Vec<Refund>,
}

/// Money given back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub referencia: String,
    pub valor_centavos: i64,
    pub situacao: String,
}

/// Means of payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    Pix,
    Boleto,
    Cartao,
}

/// What became of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeState {
    Aguardando,
    Paga,
    Expirada,
}

/// A change of what the PSP remembers.
#[derive(Clone, Debug, Deserialize)]
pub(crate) enum Record {
    /// A charge as it is now.
    Cobranca(Charge),
}

/// One request being processed by this system.
type Call<'a> = engine::Call<'a, ChargeMemory>;

/// Charges by purchase: all of it is kept.
#[derive(Debug, Default)]
pub(crate) struct ChargeMemory;

impl Memory for ChargeMemory {
    type Record = Record;

    fn apply(store: &Store, record: Record) {
        let Record::Cobranca(new) = record;
        let room = store.number("SELECT max(seq) FROM charges", []) < MAX_CHARGES;
        if room || charge(store, &new.referencia).is_some() {
            store.run(
                "INSERT INTO charges (purchase, content) VALUES (?, ?)
                 ON CONFLICT (purchase) DO UPDATE SET content = excluded.content",
                [&new.referencia, &store.json(&new)],
            );
        }
    }
}

/// A charge, by its purchase.
pub(crate) fn charge(store: &Store, reference: &str) -> Option<Charge> {
    let sql = "SELECT content FROM charges WHERE purchase = ?";
    store.one(sql, [reference], content)
}

/// The newest charges, at most so many, in the order of their purchases.
pub(crate) fn newest(store: &Store, limit: i64) -> Vec<Charge> {
    let sql = "SELECT content FROM charges ORDER BY seq DESC LIMIT ?";
    let mut found = store.all(sql, [limit], content);
    found.sort_by(|a, b| a.referencia.cmp(&b.referencia));
    found
}

fn content(row: &Row<'_>) -> rusqlite::Result<Charge> {
    row.get(0).map(|Json(charge)| charge)
}

#[derive(Deserialize)]
struct NewCharge {
    referencia: String,
    valor_centavos: i64,
    meio: Means,
    parcelas: u32,
    expira_em: String,
    vencimento: Option<String>,
    pagador: Payer,
}

#[derive(Deserialize)]
struct Payer {
    nome: String,
    documento: Option<String>,
}

#[derive(Deserialize)]
struct NewRefund {
    referencia: String,
    valor_centavos: i64,
}

pub(crate) fn knows(host: &str) -> bool {
    host == HOST
}

pub(crate) fn peek(req: &SimRequest, host: &str) -> Peek {
    Peek {
        host: host.to_owned(),
        operation: operation(req),
        ..Peek::default()
    }
}

fn operation(req: &SimRequest) -> &'static str {
    match (req.method.as_str(), req.plain_path()) {
        ("GET", _) => "consultar",
        (_, path) if path.ends_with("/reembolsos") => "reembolsar",
        _ => "criar",
    }
}

pub(crate) fn process(call: &mut Call<'_>) -> Outcome {
    answer(call).unwrap_or_else(|refusal| refusal).into()
}

pub(crate) fn refuse(code: &str, message: Option<&str>) -> Answer {
    problem(422, code, message.unwrap_or("Recusado pelo PSP."))
}

fn answer(call: &mut Call<'_>) -> Result<Answer, Answer> {
    authorized(call.req)?;
    let path = call.req.plain_path().to_owned();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match (call.req.method.as_str(), parts.as_slice()) {
        ("POST", ["v1", "cobrancas"]) => create(call),
        ("GET", ["v1", "cobrancas", reference]) => {
            let mut charge = found(call, reference)?;
            let over = moment(&charge.expira_em).is_some_and(|end| end <= call.now_ms);
            if charge.situacao == ChargeState::Aguardando && over {
                charge.situacao = ChargeState::Expirada;
            }
            Ok(shown(200, &charge))
        }
        ("POST", ["v1", "cobrancas", reference, "reembolsos"]) => refund(call, reference),
        _ => Err(unknown_route()),
    }
}

fn create(call: &mut Call<'_>) -> Result<Answer, Answer> {
    let asked: NewCharge = read(call.req)?;
    idempotent(call.req, &asked.referencia)?;
    if let Some(known) = charge(call.store(), &asked.referencia) {
        let same = known.valor_centavos == asked.valor_centavos && known.meio == asked.meio;
        return if same {
            Ok(shown(200, &known))
        } else {
            Err(problem(
                409,
                "referencia_usada",
                "A referência tem outra cobrança.",
            ))
        };
    }
    if asked.valor_centavos <= 0 || asked.pagador.nome.trim().is_empty() {
        return Err(invalid("valor_centavos e pagador.nome são obrigatórios."));
    }
    let installments = if asked.meio == Means::Cartao {
        1..=12
    } else {
        1..=1
    };
    if !installments.contains(&asked.parcelas) {
        return Err(invalid("parcelas fora dos limites do meio."));
    }
    if moment(&asked.expira_em).is_none_or(|end| end <= call.now_ms) {
        return Err(invalid("expira_em já passou."));
    }
    let secret = token(call, &asked.referencia);
    let number = call.draw(&format!("psp|{}", asked.referencia), 1_000_000_000_000);
    let mut charge = Charge {
        id: format!("cob_{number:012}"),
        referencia: asked.referencia,
        valor_centavos: asked.valor_centavos,
        meio: asked.meio,
        parcelas: asked.parcelas,
        situacao: ChargeState::Aguardando,
        pago_centavos: 0,
        pago_em: None,
        expira_em: asked.expira_em,
        pix: None,
        boleto: None,
        cartao: None,
        reembolsos: Vec::new(),
    };
    match charge.meio {
        Means::Pix => {
            let url = format!("{HOST}/qr/v2/{secret}");
            let code = brcode::dynamic(&url, charge.valor_centavos, "HUB SIMULADO", "SAO PAULO");
            charge.pix = Some(json!({ "brcode": code }));
        }
        Means::Boleto => {
            let document = asked.pagador.documento.unwrap_or_default();
            // A boleto is registered in somebody's name.
            if !matches!(document.len(), 11 | 14) {
                return Err(invalid("pagador.documento é obrigatório no boleto."));
            }
            let day = asked.vencimento.unwrap_or_default();
            let format = time::macros::format_description!("[year]-[month]-[day]");
            let due =
                time::Date::parse(&day, format).map_err(|_| invalid("vencimento: AAAA-MM-DD."))?;
            let (bars, line) = boleto::lines(due, charge.valor_centavos, number);
            charge.boleto = Some(
                json!({ "linha_digitavel": line, "codigo_de_barras": bars, "vencimento": day }),
            );
        }
        Means::Cartao => {
            let url = format!("https://{HOST}/checkout/{secret}");
            charge.cartao = Some(json!({ "url": url }));
        }
    }
    keep(call, &charge)?;
    Ok(shown(201, &charge))
}

fn refund(call: &mut Call<'_>, reference: &str) -> Result<Answer, Answer> {
    let asked: NewRefund = read(call.req)?;
    idempotent(call.req, &asked.referencia)?;
    let mut charge = found(call, reference)?;
    let told = |refund: &Refund| Answer::json(200, &json!(refund));
    if let Some(known) = charge
        .reembolsos
        .iter()
        .find(|refund| refund.referencia == asked.referencia)
    {
        return Ok(told(known));
    }
    if charge.situacao != ChargeState::Paga {
        return Err(problem(
            422,
            "cobranca_nao_paga",
            "A cobrança não foi paga.",
        ));
    }
    if asked.valor_centavos <= 0 || asked.valor_centavos > charge.pago_centavos - returned(&charge)
    {
        let text = "O valor passa do que ainda pode ser devolvido.";
        return Err(problem(422, "valor_excedente", text));
    }
    let refund = Refund {
        id: format!("{}-{}", charge.id, charge.reembolsos.len() + 1),
        referencia: asked.referencia,
        valor_centavos: asked.valor_centavos,
        situacao: "concluido".to_owned(),
    };
    charge.reembolsos.push(refund.clone());
    keep(call, &charge)?;
    Ok(told(&refund))
}

/// Somebody pays: all of it, or another amount; also after its time, as a
/// payment may be on its way.
pub(crate) fn pay(
    call: &mut Call<'_>,
    reference: &str,
    cents: Option<i64>,
) -> Result<Charge, String> {
    let mut charge = found(call, reference).map_err(|_| "compra: cobrança desconhecida")?;
    if charge.situacao != ChargeState::Aguardando {
        return Err("compra: a cobrança não está aguardando".to_owned());
    }
    charge.situacao = ChargeState::Paga;
    charge.pago_centavos = cents.unwrap_or(charge.valor_centavos).max(1);
    charge.pago_em = Some(rfc3339(call.now_ms));
    keep(call, &charge).map_err(|_| "diário do simulador".to_owned())?;
    Ok(charge)
}

/// Nobody may pay it any more.
pub(crate) fn expire(call: &mut Call<'_>, reference: &str) -> Result<Charge, String> {
    let mut charge = found(call, reference).map_err(|_| "compra: cobrança desconhecida")?;
    if charge.situacao == ChargeState::Paga {
        return Err("compra: a cobrança está paga".to_owned());
    }
    charge.situacao = ChargeState::Expirada;
    keep(call, &charge).map_err(|_| "diário do simulador".to_owned())?;
    Ok(charge)
}

/// Body of the callback of a paid charge.
pub(crate) fn notice(charge: &Charge) -> String {
    json!({ "evento": "cobranca.paga", "compra_id": charge.referencia, "cobranca_id": charge.id })
        .to_string()
}

fn found(call: &Call<'_>, reference: &str) -> Result<Charge, Answer> {
    charge(call.store(), reference)
        .ok_or_else(|| problem(404, "cobranca_inexistente", "Cobrança não encontrada."))
}

fn keep(call: &mut Call<'_>, charge: &Charge) -> Result<(), Answer> {
    let record = Record::Cobranca(charge.clone());
    call.keep(record)
}

fn returned(charge: &Charge) -> i64 {
    charge
        .reembolsos
        .iter()
        .map(|refund| refund.valor_centavos)
        .sum()
}

/// As the API shows it.
fn shown(status: u16, charge: &Charge) -> Answer {
    let mut body = json!(charge);
    body["reembolsado_centavos"] = returned(charge).into();
    Answer::json(status, &body)
}

/// What only the payer and the PSP know of a charge.
fn token(call: &Call<'_>, reference: &str) -> String {
    let hash = Sha256::digest(format!("{}|psp|{reference}", call.seed).as_bytes());
    let mut text = String::new();
    for byte in hash.iter().take(16) {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}

fn moment(text: &str) -> Option<i64> {
    let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Some(moment.unix_timestamp().saturating_mul(1_000))
}

fn rfc3339(ms: i64) -> String {
    OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000))
        .ok()
        .and_then(|moment| moment.format(&Rfc3339).ok())
        .unwrap_or_default()
}
