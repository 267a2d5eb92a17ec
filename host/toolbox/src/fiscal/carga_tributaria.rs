//! POST /api/v1/fiscal/carga-tributaria: the approximate taxes of a sale that
//! consumers are told (Lei 12.741/2012).

use super::ibpt::{EditionOut, find, state};
use super::tables::plain;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use datasets::rates::ibpt::Found;
use fiscal::nfe::order::Number;
use fiscal::taxes::burden::{Burden, Rates, burden};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::{batch, body};
use issuing::answer::Reais;
use markup::decimal::Exact;
use rust_decimal::{Decimal, RoundingStrategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most items of a call.
const ITEMS: usize = 500;

pub fn built() -> Built {
    Built {
        operation: "fiscal.carga-tributaria",
        route: |method| on(method, carga),
        docs: Docs::new("Calcula a carga tributária aproximada de uma venda (Lei 12.741/2012), item por item, pela tabela do IBPT da UF; grátis se ela não está carregada.")
            .body::<CargaIn>()
            .success::<Charged<CargaOut>>(),
    }
}

/// Uma venda ao consumidor.
#[derive(Deserialize, JsonSchema)]
struct CargaIn {
    /// Sigla do estado onde a venda ocorre.
    uf: String,
    #[schemars(length(min = 1, max = 500))]
    itens: Vec<CargaItemIn>,
}

/// Um item da venda.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ItemDaCargaPedido")]
struct CargaItemIn {
    /// NCM da mercadoria (8 dígitos), ou NBS (9) ou item da LC 116 (4) do
    /// serviço.
    ncm: String,
    /// Exceção da TIPI. Ausente: a linha do código.
    #[serde(default)]
    ex: Option<String>,
    /// Origem da mercadoria, de 0 a 8: 1, 2, 6 e 7 usam a alíquota da
    /// importada. Também `nacional` ou `importado`. Ausente: nacional.
    #[serde(default)]
    origem: Option<String>,
    /// Preço do item, em reais.
    valor: Number,
}

/// A carga aproximada da venda.
#[derive(Serialize, JsonSchema)]
struct CargaOut {
    itens: Vec<CargaItemOut>,
    /// Soma dos preços.
    valor: Reais,
    federal: Reais,
    estadual: Reais,
    municipal: Reais,
    /// A soma das três.
    total: Reais,
    /// O total sobre o preço, em percentual com duas casas.
    percentual: Exact,
    /// O que se imprime no documento.
    texto: String,
    #[serde(flatten)]
    edicao: EditionOut,
}

/// A carga aproximada de um item.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ItemDaCarga")]
struct CargaItemOut {
    ncm: String,
    descricao: String,
    /// A tabela não lista este NCM: são as alíquotas da linha 00000000, que ela
    /// manda usar.
    nao_listado: bool,
    importado: bool,
    valor: Reais,
    federal: Reais,
    estadual: Reais,
    municipal: Reais,
    total: Reais,
    /// As três alíquotas somadas.
    percentual: Exact,
}

async fn carga(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<CargaOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: CargaIn = body::read(value, call.tolerant)?;
    batch::of(body.itens.len(), ITEMS, "itens")?;
    let state = state("uf", Some(&body.uf))?;
    charge::affordable(&call).await?;
    let today = when::today(call.app.now_ms(), "DF").to_string();
    let mut conn = call.app.db.read().await?;
    let (mut items, mut sum, mut edition) = (Vec::new(), Burden::default(), None);
    for (at, item) in body.itens.iter().enumerate() {
        let imported = imported(item.origem.as_deref(), at)?;
        let code = plain(&item.ncm);
        let ex = item.ex.as_deref().unwrap_or_default();
        let found = find(&mut conn, state, &code, ex).await?;
        let burden = of_item(item, &found, imported, at)?;
        add(&mut sum, &burden);
        edition.get_or_insert_with(|| EditionOut::of(&found, &today));
        items.push(shown(code, &found, imported, &burden));
    }
    drop(conn);
    let edition = edition.ok_or_else(|| anyhow::anyhow!("a sale without items"))?;
    let answer = CargaOut {
        itens: items,
        valor: Reais(sum.base),
        federal: Reais(sum.federal),
        estadual: Reais(sum.state),
        municipal: Reais(sum.municipal),
        total: Reais(sum.value),
        percentual: Exact(share(&sum)),
        texto: sentence(&sum, &edition),
        edicao: edition,
    };
    charge::paid(&call, answer).await
}

fn of_item(
    item: &CargaItemIn,
    found: &Found,
    imported: bool,
    at: usize,
) -> Result<Burden, Failure> {
    let rates = Rates {
        federal: match imported {
            true => found.rates.federal_imported,
            false => found.rates.federal_national,
        },
        state: found.rates.state,
        municipal: found.rates.municipal,
    };
    let burden = burden(*item.valor, &rates);
    Ok(burden.map_err(|_| {
        Refusal::field(
            Code::ParametroInvalido,
            &format!("itens[{at}].valor"),
            "Não é um preço.",
            "Informe o preço do item em reais, a partir de zero.",
        )
    })?)
}

/// Whether goods of an origin bear the taxes of importation: those that come from
/// abroad, also bought in Brazil (1, 2, 6, 7). Goods made in Brazil with imported
/// content (3, 5, 8) are national.
fn imported(origin: Option<&str>, at: usize) -> Result<bool, Failure> {
    match origin.map(str::trim) {
        None | Some("" | "0" | "3" | "4" | "5" | "8" | "nacional") => Ok(false),
        Some("1" | "2" | "6" | "7" | "importado") => Ok(true),
        Some(_) => Err(Refusal::field(
            Code::ParametroInvalido,
            &format!("itens[{at}].origem"),
            "Origem desconhecida.",
            "Informe de 0 a 8, nacional ou importado.",
        )
        .into()),
    }
}

fn add(sum: &mut Burden, item: &Burden) {
    sum.base += item.base;
    sum.federal += item.federal;
    sum.state += item.state;
    sum.municipal += item.municipal;
    sum.value += item.value;
}

/// The taxes of a sale over its price, percent.
fn share(sum: &Burden) -> Decimal {
    let share = (sum.value * Decimal::ONE_HUNDRED).checked_div(sum.base);
    share
        .unwrap_or_default()
        .round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

fn shown(code: String, found: &Found, imported: bool, burden: &Burden) -> CargaItemOut {
    CargaItemOut {
        ncm: code,
        descricao: found.rates.description.clone(),
        nao_listado: found.unlisted,
        importado: imported,
        valor: Reais(burden.base),
        federal: Reais(burden.federal),
        estadual: Reais(burden.state),
        municipal: Reais(burden.municipal),
        total: Reais(burden.value),
        percentual: Exact(burden.rate),
    }
}

/// The sentence of the document, which names source and key.
fn sentence(sum: &Burden, edition: &EditionOut) -> String {
    let reais = |amount: Decimal| format!("{amount:.2}").replace('.', ",");
    format!(
        "Valor aproximado dos tributos: R$ {} federais, R$ {} estaduais, R$ {} municipais. {}",
        reais(sum.federal),
        reais(sum.state),
        reais(sum.municipal),
        edition.citacao
    )
}
