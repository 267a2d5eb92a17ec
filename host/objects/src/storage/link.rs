//! Links to objects: the same for a folder and for S3, served by the hub.

use super::parts::Objects;
use store::ids::ObjetoId;
use store::tables::objetos::ObjectRow;
use vault::link;

/// What links to objects are signed for.
const PURPOSE: &str = "hub/object-link/1";
/// How long a link works.
const LINK_S: i64 = 300;

/// Where an object can be fetched without a key, and until when.
pub struct Link {
    pub url: String,
    /// Epoch seconds.
    pub expires_s: i64,
}

impl Link {
    /// A link to what the object is when it is fetched.
    pub fn to(app: &Objects, row: &ObjectRow) -> Link {
        let expires_s = app.now_ms() / 1_000 + LINK_S;
        let query = link::query(&app.pepper, PURPOSE, &row.id, expires_s);
        let path = format!("/api/v1/storage/arquivos/{}?{query}", row.id);
        Link {
            url: format!("{}{path}", app.config.server.base_url),
            expires_s,
        }
    }
}

/// Whether this hub made the link.
pub fn genuine(app: &Objects, id: &ObjetoId, expires_s: i64, signature: &str) -> bool {
    link::genuine(&app.pepper, PURPOSE, id, expires_s, signature)
}
