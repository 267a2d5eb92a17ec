//! GET /api/v1/pessoas/{id}

use super::record::{self, Person};
use axum::extract::Path;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::only;
use issuing::emitters::party;
use store::ids::PessoaId;

pub fn built() -> Built {
    Built {
        operation: "pessoas.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra uma pessoa, com endereços e telefones, e a sua versão em ETag.")
            .sends("ETag", &[200])
            .success::<Person>(),
    }
}

async fn get(call: Call, Path(id): Path<PessoaId>) -> ApiAnswer<Person> {
    only(&call.query, &[])?;
    let mut conn = call.app.db.read().await?;
    let row = store::tables::pessoas::get(&mut conn, &call.caller.account_id, &id).await?;
    drop(conn);
    record::respond(&call, &row.ok_or_else(party::nonexistent)?)
}
