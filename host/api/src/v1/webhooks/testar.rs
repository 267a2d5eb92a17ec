//! POST /api/v1/webhooks/{id}/testar: sends an example of an event.

use super::entregas::Delivery;
use super::load;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use events::webhooks::resend;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::WebhookId;

pub fn built() -> Built {
    Built {
        operation: "webhooks.testar",
        route: |method| on(method, test),
        docs: Docs::new("Envia ao webhook um exemplo de evento, com teste = true.")
            .explained("Use depois de registrar, para ver se o seu servidor responde e se a assinatura confere. A entrega aparece em GET /api/v1/webhooks/entregas com o que ele respondeu.")
            .body::<TestIn>()
            .answers(&[(202, "Na fila de entrega.")])
            .success::<TestarOut>(),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(default)]
struct TestIn {
    /// Um dos tipos de GET /api/v1/webhooks/tipos-evento.
    evento: String,
}

impl Default for TestIn {
    fn default() -> TestIn {
        TestIn {
            evento: "nfe.autorizada".to_owned(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct TestarOut {
    #[serde(flatten)]
    registro: Delivery,
    /// Sempre `true`.
    teste: bool,
    /// Onde ver o que foi feito dela.
    entrega: String,
}

async fn test(
    call: Call,
    Path(id): Path<WebhookId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<TestarOut> {
    // Nothing at all is a wish, too.
    let asked: TestIn = if bytes.is_empty() {
        TestIn::default()
    } else {
        body::read(body::parse(&call, &headers, &bytes)?, call.tolerant)?
    };
    let row = load(&call, &id).await?;
    call.about(&row.id);
    let delivery = resend::test(&call.app.events, &row, &asked.evento).await?;
    let testar = TestarOut {
        registro: Delivery::of(&delivery, 0),
        teste: true,
        entrega: format!("/api/v1/webhooks/entregas/{}", delivery.id),
    };
    call.answer(202, testar)
}
