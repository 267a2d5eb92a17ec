//! A purchase of credits as the API shows it.

use base::errors::Failure;
use base::when;
use gate::Call;
use issuing::answer::Reais;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{CompraId, ReembolsoId};
use store::tables::compras::{PurchaseMeans, PurchaseRow, PurchaseStatus};
use store::tables::reembolsos::{self, ReembolsoRow, ReembolsoStatus};

/// Uma compra de créditos.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Compra")]
pub struct Purchase {
    /// O id da compra.
    id: CompraId,
    /// O mesmo que `id`.
    compra_id: CompraId,
    creditos: i64,
    /// R$.
    valor: Reais,
    meio: PurchaseMeans,
    parcelas: i64,
    status: ShownPurchaseStatus,
    /// Só com o meio `pix`, depois de registrada a cobrança.
    pix: Option<WithDeadline<Pix>>,
    /// Só com o meio `boleto`, depois de registrada a cobrança.
    boleto: Option<WithDeadline<Boleto>>,
    /// Só com o meio `cartao`, depois de registrada a cobrança.
    cartao: Option<WithDeadline<Card>>,
    criada_em: String,
    /// Até quando pode ser paga.
    expira_em: String,
    /// Quando os créditos entraram.
    paga_em: Option<String>,
    /// R$; `null` se nada foi pago.
    valor_pago: Option<Reais>,
    /// Até quando se pode pedir o reembolso (CDC, art. 49); `null` antes do
    /// pagamento.
    reembolso_ate: Option<String>,
    /// Por que foi cancelada.
    motivo: Option<String>,
    reembolsos: Vec<Reembolso>,
}

/// O que é feito de uma compra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StatusDaCompra")]
#[serde(rename_all = "snake_case")]
enum ShownPurchaseStatus {
    Aguardando,
    Paga,
    Expirada,
    Cancelada,
    /// Foi pago outro valor: fale com o suporte.
    Divergente,
    /// Todos os créditos foram devolvidos.
    Reembolsada,
}

/// Com que se paga, e até quando.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}")]
struct WithDeadline<T> {
    #[serde(flatten)]
    como: T,
    expira_em: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Pix {
    /// Texto do QR Code (BR Code), também para copiar e colar.
    brcode: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Boleto {
    /// 47 algarismos.
    linha_digitavel: String,
    /// 44 algarismos.
    codigo_de_barras: String,
    /// AAAA-MM-DD.
    vencimento: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Cartao")]
struct Card {
    /// Página do prestador de pagamento em que o cartão é informado.
    url: String,
}

/// A charge as `payments` stores it.
#[derive(Default, Deserialize)]
struct Charge {
    pix: Option<Pix>,
    boleto: Option<Boleto>,
    cartao: Option<Card>,
}

/// Um reembolso, inteiro ou de parte de uma compra.
#[derive(Serialize, JsonSchema)]
struct Reembolso {
    /// O id do reembolso.
    id: ReembolsoId,
    /// O mesmo que `id`.
    reembolso_id: ReembolsoId,
    status: StatusDoReembolso,
    creditos: i64,
    /// R$.
    valor: Reais,
    /// As palavras de quem o pediu.
    motivo: String,
    pedido_em: String,
    /// As palavras do prestador de pagamento, se recusou.
    detalhe: Option<String>,
}

/// O que é feito de um reembolso.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusDoReembolso {
    /// Os créditos saíram do saldo; o prestador de pagamento ainda não
    /// confirmou a devolução.
    Processando,
    Concluido,
    Recusado,
}

impl From<ReembolsoStatus> for StatusDoReembolso {
    fn from(status: ReembolsoStatus) -> StatusDoReembolso {
        match status {
            ReembolsoStatus::Requested => StatusDoReembolso::Processando,
            ReembolsoStatus::Concluded => StatusDoReembolso::Concluido,
            ReembolsoStatus::Refused => StatusDoReembolso::Recusado,
        }
    }
}

impl Purchase {
    /// Reads what belongs to a purchase.
    ///
    /// # Errors
    /// The database failed, or what is stored cannot be read.
    pub async fn of(call: &Call, row: PurchaseRow) -> Result<Purchase, Failure> {
        let mut conn = call.app.db.read().await?;
        let refunds = reembolsos::of_purchase(&mut conn, &row.account_id, &row.id).await?;
        drop(conn);
        // Nothing is stored before the PSP made the charge.
        let charge: Charge = if row.cobranca.is_empty() {
            Charge::default()
        } else {
            serde_json::from_str(&row.cobranca)?
        };
        let returned: i64 = refunds
            .iter()
            .filter(|refund| refund.status == ReembolsoStatus::Concluded)
            .map(|refund| refund.creditos)
            .sum();
        let status = match row.status {
            PurchaseStatus::Waiting => ShownPurchaseStatus::Aguardando,
            PurchaseStatus::Paid if returned == row.creditos => ShownPurchaseStatus::Reembolsada,
            PurchaseStatus::Paid => ShownPurchaseStatus::Paga,
            PurchaseStatus::Expired => ShownPurchaseStatus::Expirada,
            PurchaseStatus::Cancelled => ShownPurchaseStatus::Cancelada,
            PurchaseStatus::Divergent => ShownPurchaseStatus::Divergente,
        };
        let expires_at = when::rfc3339(row.expira_ms);
        let paid = row.paga_ms > 0;
        Ok(Purchase {
            creditos: row.creditos,
            valor: Reais::of_cents(row.creditos),
            meio: row.meio,
            parcelas: row.parcelas,
            status,
            pix: until(charge.pix, &expires_at),
            boleto: until(charge.boleto, &expires_at),
            cartao: until(charge.cartao, &expires_at),
            criada_em: when::rfc3339(row.created_at_ms),
            expira_em: expires_at,
            paga_em: paid.then(|| when::rfc3339(row.paga_ms)),
            valor_pago: (row.pago_centavos > 0).then_some(Reais::of_cents(row.pago_centavos)),
            reembolso_ate: paid.then(|| when::rfc3339(payments::limit_ms(&row))),
            motivo: Some(row.motivo).filter(|reason| !reason.is_empty()),
            reembolsos: refunds.into_iter().map(Reembolso::from).collect(),
            id: row.id.clone(),
            compra_id: row.id,
        })
    }
}

fn until<T>(way: Option<T>, expires_at: &str) -> Option<WithDeadline<T>> {
    let expires_at = expires_at.to_owned();
    way.map(|way| WithDeadline {
        como: way,
        expira_em: expires_at,
    })
}

impl From<ReembolsoRow> for Reembolso {
    fn from(row: ReembolsoRow) -> Reembolso {
        Reembolso {
            status: row.status.into(),
            creditos: row.creditos,
            valor: Reais::of_cents(row.creditos),
            motivo: row.motivo,
            pedido_em: when::rfc3339(row.created_at_ms),
            detalhe: Some(row.detalhe).filter(|detail| !detail.is_empty()),
            id: row.id.clone(),
            reembolso_id: row.id,
        }
    }
}
