//! What received notes tell of products, for the catalogue of their account.

use crate::batch::{ReadDocument, Received};
use crate::keep::Owner;
use datasets::catalog::own;
use datasets::catalog::product::Product;
use issuing::Issuing;
use issuing::model::Ambiente;
use std::convert::Infallible;
use store::TxError;

/// Products of one transaction.
const AT_ONCE: usize = 100;

/// The products of all whole notes of an answer, where they are real.
pub(crate) fn told(owner: &Owner, received: &[Received]) -> Vec<Product> {
    if owner.ambiente != Ambiente::Production {
        return Vec::new();
    }
    let notes = received.iter().filter_map(|one| match &one.read {
        ReadDocument::Nota(nota) => Some(nota.products.iter().cloned()),
        ReadDocument::Evento(_) => None,
    });
    notes.flatten().collect()
}

/// Keeps products after their notes were kept, in transactions of their own: a note
/// never waits for them, and what is lost here comes with the next purchase.
pub(crate) async fn learn(app: &Issuing, owner: &Owner, products: Vec<Product>, now_ms: i64) {
    for some in products.chunks(AT_ONCE) {
        let input = (owner.account_id.clone(), some.to_vec(), now_ms);
        let learnt = app.db.write(input, |(account, products, now_ms), conn| {
            Box::pin(async move {
                for product in products {
                    own::learn(conn, account, product, *now_ms).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
        if let Err(error) = learnt.await {
            tracing::warn!(%error, "products of received notes are not in the catalogue");
            return;
        }
    }
}
