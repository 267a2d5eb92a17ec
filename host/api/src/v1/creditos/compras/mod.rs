//! /api/v1/creditos/compras

mod create;
mod get;
mod reembolso;

use crate::Built;
use crate::gate::Call;
use base::errors::{Code, Failure, Refusal};
use base::when;
use issuing::answer;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use store::tables::compras::{CompraRow, CompraStatus};
use store::tables::reembolsos::{self, ReembolsoRow, ReembolsoStatus};

pub fn built() -> Vec<Built> {
    vec![create::built(), get::built(), reembolso::built()]
}

/// Credits in R$ (1 credit is R$ 0,01): a JSON number with two decimal places.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(transparent)]
pub struct Reais(#[schemars(with = "f64")] pub i64);

impl Serialize for Reais {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        answer::number(&format!("{}.{:02}", self.0 / 100, self.0 % 100)).serialize(serializer)
    }
}

/// As [`Reais`], for a body that has no type yet.
pub fn reais(creditos: i64) -> Value {
    json!(Reais(creditos))
}

/// Money moves with live keys only.
fn with_live_key(call: &Call) -> Result<(), Failure> {
    if call.caller.is_test() {
        return Err(Refusal::new(Code::ChaveDeTeste)
            .message("Créditos são comprados e reembolsados com uma chave de produção.")
            .hint("Use uma chave de produção; as duas gastam do mesmo saldo.")
            .into());
    }
    Ok(())
}

/// A purchase as the API shows it.
async fn record(call: &Call, row: &CompraRow) -> Result<Value, Failure> {
    let mut conn = call.app.db.read().await?;
    let refunds = reembolsos::of_compra(&mut conn, &row.account_id, &row.id).await?;
    drop(conn);
    let pay: Value = serde_json::from_str(&row.cobranca).unwrap_or_default();
    let expira_em = when::rfc3339(row.expira_ms);
    let with_end = |what: &Value| {
        let mut what = what.clone();
        if let Some(members) = what.as_object_mut() {
            members.insert("expira_em".to_owned(), expira_em.clone().into());
        }
        what
    };
    let returned: i64 = refunds
        .iter()
        .filter(|refund| refund.status == ReembolsoStatus::Concluido)
        .map(|refund| refund.creditos)
        .sum();
    let status = if row.status == CompraStatus::Paga && returned == row.creditos {
        "reembolsada"
    } else {
        row.status.as_str()
    };
    let paid = row.paga_ms > 0;
    Ok(json!({
        "sucesso": true, "compra_id": row.id, "creditos": row.creditos, "valor": reais(row.creditos),
        "meio": row.meio, "parcelas": row.parcelas, "status": status,
        "pix": with_end(&pay["pix"]), "boleto": with_end(&pay["boleto"]), "cartao": with_end(&pay["cartao"]),
        "criada_em": when::rfc3339(row.created_at_ms), "expira_em": expira_em,
        "paga_em": paid.then(|| when::rfc3339(row.paga_ms)),
        "valor_pago": (row.pago_centavos > 0).then(|| reais(row.pago_centavos)),
        "reembolso_ate": paid.then(|| when::rfc3339(payments::limit_ms(row))),
        "motivo": Some(&row.motivo).filter(|motivo| !motivo.is_empty()),
        "reembolsos": refunds.iter().map(refund).collect::<Vec<_>>(),
        "request_id": call.caller.request_id,
    }))
}

fn refund(row: &ReembolsoRow) -> Value {
    json!({
        "reembolso_id": row.id, "status": refund_status(row), "creditos": row.creditos,
        "valor": reais(row.creditos), "motivo": row.motivo, "pedido_em": when::rfc3339(row.created_at_ms),
        "detalhe": Some(&row.detalhe).filter(|detalhe| !detalhe.is_empty()),
    })
}

/// What the customer reads while the PSP is being asked.
fn refund_status(row: &ReembolsoRow) -> &'static str {
    match row.status {
        ReembolsoStatus::Solicitado => "processando",
        ended => ended.as_str(),
    }
}
