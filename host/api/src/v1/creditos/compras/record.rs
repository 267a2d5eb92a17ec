//! A purchase of credits as the API shows it.

use crate::gate::Call;
use base::errors::Failure;
use base::when;
use issuing::answer::Reais;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{CompraId, ReembolsoId};
use store::tables::compras::{CompraMeio, CompraRow, CompraStatus};
use store::tables::reembolsos::{self, ReembolsoRow, ReembolsoStatus};

/// Uma compra de créditos.
#[derive(Serialize, JsonSchema)]
pub struct Compra {
    compra_id: CompraId,
    creditos: i64,
    /// R$.
    valor: Reais,
    meio: CompraMeio,
    parcelas: i64,
    status: StatusDaCompra,
    /// Só com o meio `pix`, depois de registrada a cobrança.
    pix: Option<ComPrazo<Pix>>,
    /// Só com o meio `boleto`, depois de registrada a cobrança.
    boleto: Option<ComPrazo<Boleto>>,
    /// Só com o meio `cartao`, depois de registrada a cobrança.
    cartao: Option<ComPrazo<Cartao>>,
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
#[serde(rename_all = "snake_case")]
enum StatusDaCompra {
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
struct ComPrazo<T> {
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
struct Cartao {
    /// Página do prestador de pagamento em que o cartão é informado.
    url: String,
}

/// A charge as `payments` stores it.
#[derive(Default, Deserialize)]
struct Cobranca {
    pix: Option<Pix>,
    boleto: Option<Boleto>,
    cartao: Option<Cartao>,
}

/// Um reembolso, inteiro ou de parte de uma compra.
#[derive(Serialize, JsonSchema)]
struct Reembolso {
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
            ReembolsoStatus::Solicitado => StatusDoReembolso::Processando,
            ReembolsoStatus::Concluido => StatusDoReembolso::Concluido,
            ReembolsoStatus::Recusado => StatusDoReembolso::Recusado,
        }
    }
}

impl Compra {
    /// Reads what belongs to a purchase.
    ///
    /// # Errors
    /// The database failed, or what is stored cannot be read.
    pub async fn of(call: &Call, row: CompraRow) -> Result<Compra, Failure> {
        let mut conn = call.app.db.read().await?;
        let refunds = reembolsos::of_compra(&mut conn, &row.account_id, &row.id).await?;
        drop(conn);
        // Nothing is stored before the PSP made the charge.
        let cobranca: Cobranca = if row.cobranca.is_empty() {
            Cobranca::default()
        } else {
            serde_json::from_str(&row.cobranca)?
        };
        let returned: i64 = refunds
            .iter()
            .filter(|refund| refund.status == ReembolsoStatus::Concluido)
            .map(|refund| refund.creditos)
            .sum();
        let status = match row.status {
            CompraStatus::Aguardando => StatusDaCompra::Aguardando,
            CompraStatus::Paga if returned == row.creditos => StatusDaCompra::Reembolsada,
            CompraStatus::Paga => StatusDaCompra::Paga,
            CompraStatus::Expirada => StatusDaCompra::Expirada,
            CompraStatus::Cancelada => StatusDaCompra::Cancelada,
            CompraStatus::Divergente => StatusDaCompra::Divergente,
        };
        let expira_em = when::rfc3339(row.expira_ms);
        let paid = row.paga_ms > 0;
        Ok(Compra {
            creditos: row.creditos,
            valor: Reais::of_cents(row.creditos),
            meio: row.meio,
            parcelas: row.parcelas,
            status,
            pix: until(cobranca.pix, &expira_em),
            boleto: until(cobranca.boleto, &expira_em),
            cartao: until(cobranca.cartao, &expira_em),
            criada_em: when::rfc3339(row.created_at_ms),
            expira_em,
            paga_em: paid.then(|| when::rfc3339(row.paga_ms)),
            valor_pago: (row.pago_centavos > 0).then_some(Reais::of_cents(row.pago_centavos)),
            reembolso_ate: paid.then(|| when::rfc3339(payments::limit_ms(&row))),
            motivo: Some(row.motivo).filter(|motivo| !motivo.is_empty()),
            reembolsos: refunds.into_iter().map(Reembolso::from).collect(),
            compra_id: row.id,
        })
    }
}

fn until<T>(como: Option<T>, expira_em: &str) -> Option<ComPrazo<T>> {
    let expira_em = expira_em.to_owned();
    como.map(|como| ComPrazo { como, expira_em })
}

impl From<ReembolsoRow> for Reembolso {
    fn from(row: ReembolsoRow) -> Reembolso {
        Reembolso {
            status: row.status.into(),
            creditos: row.creditos,
            valor: Reais::of_cents(row.creditos),
            motivo: row.motivo,
            pedido_em: when::rfc3339(row.created_at_ms),
            detalhe: Some(row.detalhe).filter(|detalhe| !detalhe.is_empty()),
            reembolso_id: row.id,
        }
    }
}
