//! GET /api/v1/gnre/configuracoes/{uf}: whether a state is paid by GNRE. Free.

use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use data::{gnre, versions};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use schemars::JsonSchema;
use serde::Serialize;

/// What nobody asks here.
const NOT_MEASURED: &str = "O portal da GNRE não é consultado aqui: não se sabe se está no ar.";

pub fn built() -> Built {
    Built {
        operation: "gnre.configuracoes.get",
        route: |method| on(method, get),
        docs: Docs::new(
            "Diz se uma UF recebe pela GNRE, e o que usa no lugar; com os códigos de receita da guia.",
        )
        .success::<SettingsOut>(),
    }
}

/// Como uma UF recebe os tributos devidos a ela por outra.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConfiguracaoOut")]
struct SettingsOut {
    uf: &'static str,
    /// A UF recebe pela GNRE.
    aderiu: bool,
    /// O portal está no ar; sempre `null`: não é medido.
    online: Option<bool>,
    observacao: String,
    /// Os códigos de receita da GNRE; a UF admite uma parte deles. Vazio sem
    /// adesão.
    receitas: Vec<RevenueOut>,
    /// Quem publicou as tabelas.
    fonte: &'static str,
    /// O dia que elas mostram.
    versao: &'static str,
}

/// Para que serve um pagamento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReceitaDaGnre")]
struct RevenueOut {
    /// Seis dígitos.
    codigo: &'static str,
    descricao: &'static str,
}

async fn get(
    call: Call,
    Path(uf): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<SettingsOut> {
    only(&query, &[])?;
    let state = gnre::state(&uf.trim().to_ascii_uppercase());
    let state = state.ok_or_else(|| bad("uf", "Use a sigla de um dos 26 estados ou DF."))?;
    let version = versions::get("gnre_ufs");
    let version = version.ok_or_else(|| anyhow::anyhow!("there is no table gnre_ufs"))?;
    let revenues = gnre::revenues().iter().filter(|_| state.joined);
    call.ok(SettingsOut {
        uf: state.uf,
        aderiu: state.joined,
        online: None,
        observacao: match state.joined {
            true => NOT_MEASURED.to_owned(),
            false => format!("{} não aderiu à GNRE: {}.", state.uf, state.nota),
        },
        receitas: revenues
            .map(|revenue| RevenueOut {
                codigo: revenue.codigo,
                descricao: revenue.description,
            })
            .collect(),
        fonte: version.source,
        versao: version.date,
    })
}
