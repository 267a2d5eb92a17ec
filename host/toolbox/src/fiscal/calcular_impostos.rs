//! POST /api/v1/fiscal/calcular-impostos: the taxes of a sale, item by item, with
//! the way each number came about.

use super::tables::plain;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Failure;
use base::when;
use compose::calculator::{
    CalcularImpostosIn, CalcularImpostosOut, ContributionRegime, MarginRow, calculate,
};
use compose::emitter::Regime;
use data::Validity;
use datasets::rates::mva::{self, Goods};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::answer::refusal::wrong_members;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::{batch, body};
use issuing::answer::Reais;
use markup::field::Field;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Conn;
use time::Date;

/// Most items of a call.
const ITEMS: usize = 100;

pub fn built() -> Built {
    Built {
        operation: "fiscal.calcular-impostos",
        route: |method| on(method, calcular),
        docs: Docs::new("Calcula os tributos de uma venda de mercadorias (ICMS, ST, DIFAL, FCP, IPI, PIS, COFINS, IBS, CBS), cada número com base, alíquota, regra e fundamento. Onde falta a linha de uma tabela a resposta diz, e não adivinha.")
            .explained("Use antes de vender, para mostrar preço e tributos, ou para conferir o seu cadastro de produtos: nada é emitido nem guardado. Recusa o pedido com campos errados, um por um.")
            .body::<CalcularIn>()
            .success::<Charged<CalcularOut>>(),
    }
}

/// Uma venda: o que vale para todos os itens, e os itens.
#[derive(Deserialize, JsonSchema)]
struct CalcularIn {
    /// Sigla do estado de onde a mercadoria sai.
    #[serde(default)]
    uf_origem: Option<String>,
    /// Sigla do estado onde ela é entregue.
    #[serde(default)]
    uf_destino: Option<String>,
    /// Regime tributário de quem vende.
    #[serde(default)]
    regime: Option<Regime>,
    /// O destinatário é contribuinte do ICMS.
    #[serde(default)]
    contribuinte: Option<bool>,
    /// O destinatário não revende nem industrializa. Ausente: só quem não é
    /// contribuinte.
    #[serde(default)]
    consumidor_final: Option<bool>,
    /// Como quem vende paga PIS e COFINS, no regime normal.
    #[serde(default)]
    regime_pis_cofins: Option<ContributionRegime>,
    /// Dia da operação, AAAA-MM-DD. Ausente: hoje.
    #[serde(default)]
    data: Option<String>,
    /// Um item pode ter os seus próprios valores dos campos acima.
    #[schemars(length(min = 1, max = 100))]
    itens: Vec<CalcularImpostosIn>,
}

/// Os tributos de cada item.
#[derive(Serialize, JsonSchema)]
struct CalcularOut {
    itens: Vec<CalcularImpostosOut>,
    totais: SaleTotals,
}

/// As somas dos itens.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TotaisDaVenda")]
struct SaleTotals {
    /// O que o destinatário paga, só com o que foi calculado.
    valor_nota: Reais,
    /// Os tributos que em algum item ficaram sem tabela.
    sem_tabela: Vec<&'static str>,
}

async fn calcular(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<CalcularOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: CalcularIn = body::read(value, call.tolerant)?;
    batch::of(body.itens.len(), ITEMS, "itens")?;
    charge::affordable(&call).await?;
    let today = when::today(call.app.now_ms(), "DF");
    let (mut items, mut wrong) = (Vec::new(), Vec::new());
    let mut conn = call.app.db.read().await?;
    for (at, item) in body.itens.iter().enumerate() {
        let own = of_sale(item, &body);
        let margin = margin(&mut conn, &own, today).await?;
        match calculate(&own, today, margin.as_ref()) {
            Ok(item) => items.push(item),
            Err(fields) => wrong.extend(fields.into_iter().map(|field| placed(field, item, at))),
        }
    }
    drop(conn);
    if !wrong.is_empty() {
        return Err(wrong_members(wrong).into());
    }
    let totals = totals(&items);
    let answer = CalcularOut {
        itens: items,
        totais: totals,
    };
    charge::paid(&call, answer).await
}

/// The rule of substitution for an item, where a table of margins was imported and
/// has one. What the item says wrong is told by the calculation.
async fn margin(
    conn: &mut Conn,
    item: &CalcularImpostosIn,
    today: Date,
) -> Result<Option<MarginRow>, Failure> {
    let plain = |code: &Option<String>| plain(code.as_deref().unwrap_or_default());
    let state = |uf: &Option<String>| uf.as_deref().unwrap_or_default().to_ascii_uppercase();
    let day = item.data.clone().unwrap_or_else(|| today.to_string());
    let goods = Goods {
        from: &state(&item.uf_origem),
        to: &state(&item.uf_destino),
        ncm: &plain(&item.ncm),
        cest: &plain(&item.cest),
        day: &day,
    };
    let found = mva::get(conn, &goods).await?;
    Ok(found.map(|found| MarginRow {
        validity: Validity {
            start: when::parse_date(&found.from),
            end: when::parse_date(&found.until),
        },
        agreement: found.agreement,
        original: found.original,
        at_4: found.at_4,
        at_7: found.at_7,
        at_12: found.at_12,
        list_price: found.list_price,
        reduction: found.reduction,
        fcp: found.fcp,
    }))
}

/// The item, with what it takes from the sale.
fn of_sale(item: &CalcularImpostosIn, sale: &CalcularIn) -> CalcularImpostosIn {
    let mut own = item.clone();
    own.uf_origem = own.uf_origem.or_else(|| sale.uf_origem.clone());
    own.uf_destino = own.uf_destino.or_else(|| sale.uf_destino.clone());
    own.regime = own.regime.or(sale.regime);
    own.contribuinte = own.contribuinte.or(sale.contribuinte);
    own.consumidor_final = own.consumidor_final.or(sale.consumidor_final);
    own.regime_pis_cofins = own.regime_pis_cofins.or(sale.regime_pis_cofins);
    own.data = own.data.or_else(|| sale.data.clone());
    own
}

/// The place of a wrong member in the body: in the item, or in the sale for a
/// member that the item takes from it.
fn placed(mut field: Field, item: &CalcularImpostosIn, at: usize) -> Field {
    let own = match field.campo.as_str() {
        "uf_origem" => item.uf_origem.is_some(),
        "uf_destino" => item.uf_destino.is_some(),
        "regime" => item.regime.is_some(),
        "contribuinte" => item.contribuinte.is_some(),
        "consumidor_final" => item.consumidor_final.is_some(),
        "regime_pis_cofins" => item.regime_pis_cofins.is_some(),
        "data" => item.data.is_some(),
        _ => true,
    };
    if own {
        field.campo = format!("itens[{at}].{}", field.campo);
    }
    field
}

fn totals(items: &[CalcularImpostosOut]) -> SaleTotals {
    let sum = items.iter().fold(Decimal::ZERO, |sum, item| {
        sum.saturating_add(item.totais.valor_nota.0)
    });
    let mut without: Vec<&'static str> = Vec::new();
    for tax in items.iter().flat_map(|item| &item.totais.sem_tabela) {
        if !without.contains(tax) {
            without.push(tax);
        }
    }
    SaleTotals {
        valor_nota: Reais(sum),
        sem_tabela: without,
    }
}
