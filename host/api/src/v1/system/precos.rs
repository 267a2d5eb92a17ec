//! GET /api/v1/precos: every operation, its price, and whether it works.

use crate::missing;
use accounts::scopes::{self, Access};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::operations::{self, Operation};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use issuing::answer::Reais;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::OnceLock;

pub fn built() -> Built {
    Built {
        operation: "precos",
        route: |method| on(method, precos),
        docs: Docs::new(
            "Lista todas as operações: preço em créditos, quando é cobrado e disponibilidade.",
        )
        .success::<PrecosOut>(),
    }
}

#[derive(Serialize, JsonSchema)]
struct PrecosOut {
    moeda: &'static str,
    /// R$.
    credito_em_reais: Reais,
    itens: &'static [Price],
}

/// Uma operação e o que custa.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Preco")]
struct Price {
    /// Número na tabela de operações.
    n: &'static str,
    operacao: &'static str,
    metodo: &'static str,
    caminho: &'static str,
    /// O menor preço, em créditos.
    creditos: Option<i64>,
    /// Todos os preços, se dependem do tamanho.
    faixas: Option<Vec<i64>>,
    /// `authorized`: se a nota é autorizada; `call`: a cada chamada; `found`: se
    /// algo é encontrado; `never`: nunca.
    cobrado_quando: &'static str,
    disponibilidade: &'static str,
    familia: &'static str,
    precisa_de_chave: bool,
    /// O escopo que a chave precisa ter; `null`: nenhum.
    escopo: Option<&'static str>,
    /// `false`: ainda não atende.
    construida: bool,
}

async fn precos(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<PrecosOut> {
    only(&query, &[])?;
    // The table is part of the program: made once.
    static ITEMS: OnceLock<Vec<Price>> = OnceLock::new();
    let items = ITEMS.get_or_init(|| {
        let missing: Vec<&str> = missing().iter().map(|row| row.operation.as_str()).collect();
        operations::all()
            .iter()
            .map(|row| item(row, !missing.contains(&row.operation.as_str())))
            .collect()
    });
    call.ok(PrecosOut {
        moeda: "BRL",
        credito_em_reais: Reais::of_cents(1),
        itens: items,
    })
}

fn item(row: &'static Operation, built: bool) -> Price {
    // `8|20`: a price by size; the lowest one is shown first.
    let tiers = row.tiers();
    Price {
        n: &row.n,
        operacao: &row.operation,
        metodo: &row.method,
        caminho: &row.path,
        creditos: tiers.first().copied(),
        faixas: Some(tiers).filter(|tiers| tiers.len() > 1),
        cobrado_quando: &row.charged_when,
        disponibilidade: &row.availability,
        familia: &row.family,
        precisa_de_chave: row.auth == "key",
        escopo: scopes::access(row).and_then(Access::scope),
        construida: built,
    }
}
