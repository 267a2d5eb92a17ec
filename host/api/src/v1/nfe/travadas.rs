//! GET /api/v1/nfe/travadas: notes whose result is still not known.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, bad, limit, limit_schema, page};
use issuing::answer::{ByModel, Nfce, Nfe, Record, Registered, registered};
use issuing::document::product::Details;
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::DbResult;
use store::tables::documents;
use store::tables::notas::{Filter, NotaRow, NotaStatus};

pub fn built() -> Built {
    Built {
        operation: "nfe.travadas",
        route: |method| on(method, travadas),
        docs: Docs::new("Lista as NF-e e NFC-e sem resultado depois de uma queda da SEFAZ, com o que o hub fará.")
            .query(
                "modelo",
                "55 (NF-e) ou 65 (NFC-e); ausente: as duas.",
                json!({ "type": "string", "enum": ["55", "65"] }),
            )
            .query(
                "desde",
                "Criadas a partir deste dia de Brasília, ou deste momento (RFC 3339).",
                limit_schema(),
            )
            .paged()
            .success::<Listing<StuckOut>>(),
    }
}

async fn travadas(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<StuckOut>> {
    let page = page(&query, &["modelo", "desde"])?;
    let filter = Filter {
        model: match query.get("modelo").map(String::as_str) {
            None => "produto".to_owned(),
            Some(model @ ("55" | "65")) => model.to_owned(),
            Some(_) => return Err(bad("modelo", "Use 55 ou 65.").into()),
        },
        status: NotaStatus::InTransmission.as_str().to_owned(),
        from_ms: limit(&query, "desde")?.map_or(0, |since| since.from_ms),
        before: page.before.clone(),
        limit: page.rows(),
        unseen: call.caller.unseen(),
        ..Filter::default()
    };
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let found = documents::notes(&mut conn, &call.caller.account_id, &filter).await?;
    drop(conn);
    let rows = &found.rows;
    let ids = rows.iter().map(|row| row.id.to_string()).collect();
    let stopped = found.stopped.as_ref().map(|(_, id)| id);
    let items: Result<Vec<_>, _> = rows.iter().map(item).collect();
    call.ok(page.listing_so_far(items?, ids, stopped))
}

/// Uma nota sem resultado, e o que o hub fará.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{N}Travada")]
struct Stuck<N> {
    #[serde(flatten)]
    nota: N,
    ultima_tentativa_em: String,
    /// `null` enquanto a transmissão ainda corre.
    proxima_consulta_em: Option<String>,
    acao_sugerida: String,
}

/// Uma NF-e ou NFC-e sem resultado.
type StuckOut = ByModel<Stuck<Registered<Nfe>>, Stuck<Registered<Nfce>>>;

fn item(nota: &NotaRow) -> DbResult<StuckOut> {
    Ok(match nota.modelo {
        Model::Nfce => ByModel::Nfce(stuck::<Nfce>(nota)?),
        Model::Nfe | Model::Nfse | Model::Cte | Model::Mdfe => ByModel::Nfe(stuck::<Nfe>(nota)?),
    })
}

fn stuck<D: Record>(nota: &NotaRow) -> DbResult<Stuck<Registered<D>>> {
    let please_wait = "Aguarde: o hub consulta a chave na SEFAZ e só reenvia os mesmos bytes; não emita outra nota.";
    let impediment = Details::of(nota)?.impedimento;
    Ok(Stuck {
        nota: registered(nota)?,
        ultima_tentativa_em: when::rfc3339(nota.updated_at_ms),
        proxima_consulta_em: (nota.next_check_ms > 0).then(|| when::rfc3339(nota.next_check_ms)),
        acao_sugerida: impediment.map_or_else(|| please_wait.to_owned(), |why| why.dica),
    })
}
