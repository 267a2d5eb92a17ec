//! GET /api/v1/creditos/compras/{id}

use super::record::Purchase;
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use store::ids::CompraId;
use store::tables::compras;

pub fn built() -> Built {
    Built {
        operation: "creditos.compras.get",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra uma compra: aguardando, paga, expirada, cancelada, divergente (foi pago outro valor; fale com o suporte) ou reembolsada. O saldo é da conta: chaves de teste e de produção veem as mesmas compras.",
        )
        .success::<Purchase>(),
    }
}

async fn get(
    call: Call,
    Path(id): Path<CompraId>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Purchase> {
    only(&query, &[])?;
    let mut conn = call.app.db.read().await?;
    let row = compras::get(&mut conn, &call.caller.account_id, &id).await?;
    drop(conn);
    let row =
        row.ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Compra não encontrada."))?;
    call.about(&row.id);
    call.ok(Purchase::of(&call, row).await?)
}
