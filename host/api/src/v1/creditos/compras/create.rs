//! POST /api/v1/creditos/compras: buys credits.

use super::record::Purchase;
use super::with_live_key;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfse::FieldValue;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, idempotency};
use markup::field::Field;
use markup::ids::CpfCnpj;
use payments::{MAX_CREDITOS, MAX_INSTALLMENTS, MIN_CREDITOS, Means, Payer, PurchaseOrder};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use schemars::JsonSchema;
use serde::Deserialize;
use store::tables::{accounts, emitters};

/// Longest name and e-mail of a payer.
const NAME_CHARS: usize = 100;
const EMAIL_CHARS: usize = 200;

pub fn built() -> Built {
    Built {
        operation: "creditos.compras.create",
        route: |method| on(method, create),
        docs: Docs::new("Compra créditos (1 crédito = R$ 0,01) por PIX, boleto ou cartão. Os créditos entram quando o pagamento é confirmado. Só com chave de produção.")
            .body::<PurchaseIn>()
            .idempotent()
            .answers(&[(201, "Compra aguardando pagamento.")])
            .success::<Purchase>()
            .sends("Location", &[201]),
    }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CompraIn")]
struct PurchaseIn {
    /// R$, com até duas casas decimais: de 120,00 a 50.000,00.
    valor: FieldValue,
    meio: Means,
    /// Só com `cartao`: 1 a 12. Ausente: 1.
    #[schemars(range(min = 1, max = 12))]
    parcelas: Option<i64>,
    /// Ausente: o emitente padrão da conta, ou o nome dela. O boleto é
    /// registrado em um CPF ou CNPJ.
    pagador: Option<PayerIn>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "PagadorIn")]
struct PayerIn {
    #[schemars(length(min = 1, max = 100))]
    nome: String,
    /// Aceita máscara.
    cpf_cnpj: Option<String>,
    #[schemars(length(max = 200))]
    email: Option<String>,
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Purchase> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let idempotency = idempotency::key(&call, &headers, &mut value)?;
    let body: PurchaseIn = body::read(value, call.tolerant)?;
    with_live_key(&call)?;
    let request = PurchaseOrder {
        idempotency,
        ..read(&call, body).await?
    };
    let (row, again) = payments::buy(&call.app, &call.caller, request).await?;
    call.about(&row.id);
    let place = format!("/api/v1/creditos/compras/{}", row.id);
    let answer = call.created(Purchase::of(&call, row).await?)?;
    Ok(answer.header("location", &place).replayed(again))
}

/// What is wrong with a body, all at once.
struct Wrong(Vec<Field>);

impl Wrong {
    fn say(&mut self, field: &str, message: &str, correction: &str) {
        self.0.push(Field {
            campo: field.to_owned(),
            codigo: Code::ParametroInvalido.as_str().to_owned(),
            mensagem: message.to_owned(),
            correcao: correction.to_owned(),
            valor: None,
        });
    }
}

async fn read(call: &Call, body: PurchaseIn) -> Result<PurchaseOrder, Failure> {
    let mut wrong = Wrong(Vec::new());
    let creditos = cents(*body.valor).unwrap_or(0);
    if !(MIN_CREDITOS..=MAX_CREDITOS).contains(&creditos) {
        wrong.say(
            "valor",
            "O valor vai de R$ 120,00 a R$ 50.000,00, com até duas casas.",
            "Veja os pacotes em GET /api/v1/creditos/pacotes.",
        );
    }
    let installments = body.parcelas.unwrap_or(1);
    let most = if body.meio == Means::Cartao {
        MAX_INSTALLMENTS
    } else {
        1
    };
    if !(1..=most).contains(&installments) {
        wrong.say(
            "parcelas",
            "Parcelas só com cartão, de 1 a 12.",
            "Retire parcelas, ou use meio = cartao.",
        );
    }
    let payer = match body.pagador {
        Some(given) => given.read(&mut wrong),
        None => known(call).await?,
    };
    if body.meio == Means::Boleto && payer.documento.is_none() && wrong.0.is_empty() {
        wrong.say(
            "pagador.cpf_cnpj",
            "O boleto é registrado no CPF ou CNPJ de quem paga.",
            "Informe pagador.nome e pagador.cpf_cnpj.",
        );
    }
    if !wrong.0.is_empty() {
        let mut refusal = Refusal::new(Code::ParametroInvalido);
        refusal.fields = wrong.0;
        return Err(refusal.into());
    }
    Ok(PurchaseOrder {
        means: body.meio,
        installments,
        creditos,
        payer,
        idempotency: None,
    })
}

/// Whole centavos; None when there are parts of one.
fn cents(value: Decimal) -> Option<i64> {
    let cents = value.checked_mul(Decimal::ONE_HUNDRED)?;
    cents.is_integer().then(|| cents.to_i64()).flatten()
}

impl PayerIn {
    fn read(self, wrong: &mut Wrong) -> Payer {
        let name = self.nome.trim().to_owned();
        if !(1..=NAME_CHARS).contains(&name.chars().count()) {
            wrong.say(
                "pagador.nome",
                "O nome tem de 1 a 100 caracteres.",
                "Informe o nome de quem paga.",
            );
        }
        let documento = self.cpf_cnpj.and_then(|text| match CpfCnpj::parse(&text) {
            Ok(documento) => Some(documento.as_str().to_owned()),
            Err(_) => {
                wrong.say(
                    "pagador.cpf_cnpj",
                    "CPF ou CNPJ inválido.",
                    "Confira os dígitos.",
                );
                None
            }
        });
        let email = self.email.filter(|email| !email.is_empty());
        if email
            .as_deref()
            .is_some_and(|email| !email.contains('@') || email.chars().count() > EMAIL_CHARS)
        {
            wrong.say("pagador.email", "E-mail inválido.", "Confira o endereço.");
        }
        Payer {
            nome: name,
            documento,
            email,
        }
    }
}

/// Who pays when nobody is named.
async fn known(call: &Call) -> Result<Payer, Failure> {
    let account = &call.caller.account_id;
    let mut conn = call.app.db.read().await?;
    if let Some(emitter) = emitters::default_of(&mut conn, account).await? {
        return Ok(Payer {
            nome: emitter.razao_social,
            documento: Some(emitter.cnpj),
            email: None,
        });
    }
    let account = accounts::get(&mut conn, account).await?;
    Ok(Payer {
        nome: account.map(|account| account.nome).unwrap_or_default(),
        ..Payer::default()
    })
}
