//! Everything known of a document before the first transaction.

use crate::document::naming;
use crate::document::product::Details;
use crate::issue::body::{self, Body};
use crate::model::{Ambiente, Model};
use crate::new_flow::Lease;
use accounts::caller::Caller;
use authority::way::Way;
use std::sync::Arc;
use store::ids::NotaId;
use store::tables::emitters::EmitterRow;
use store::tables::idempotency::Scope;
use store::tables::notas::{NotaRow, NotaStatus};
use store::{Conn, DbResult};

pub struct Prepared {
    pub caller: Caller,
    pub emitter: EmitterRow,
    pub ambiente: Ambiente,
    pub model: Model,
    pub serie: String,
    pub next_number: i64,
    pub body: Body,
    /// JSON of the adapter's context and of the way its requests take.
    pub context: String,
    pub way: String,
    pub component: Arc<flow::Loaded>,
    pub price: i64,
    pub reference: String,
    /// No other company of the account may use the reference.
    pub sole_reference: bool,
    pub idempotency: Option<(Scope, String)>,
    pub draft: Option<NotaRow>,
    pub now_ms: i64,
    pub window_ms: i64,
    pub simulated: bool,
    pub lease: Lease,
    pub operation: String,
}

impl Prepared {
    /// The note that this one replaces.
    pub fn replaces(&self) -> Option<&NotaRow> {
        match &self.body {
            Body::Service(service) => service.replaces.as_ref(),
            Body::Product(_) | Body::Announced(_) => None,
        }
    }

    /// IBGE code of the emitter's municipality.
    pub fn municipality(&self) -> &str {
        match &self.body {
            Body::Service(service) => &service.municipality,
            Body::Product(product) => &product.municipality,
            Body::Announced(nota) => &nota.municipio,
        }
    }

    /// The row of the note as it is first written, without its number.
    ///
    /// # Errors
    /// None in practice: what is kept is plain JSON.
    pub fn row(&self, id: &NotaId, status: NotaStatus) -> DbResult<NotaRow> {
        let mut row = NotaRow {
            id: id.to_owned(),
            account_id: self.caller.account_id.clone(),
            emitter_id: self.emitter.id.clone(),
            modelo: self.model,
            ambiente: self.ambiente,
            simulada: i64::from(self.simulated),
            status,
            serie: self.serie.clone(),
            number_active: 1,
            referencia: self.reference.clone(),
            context: self.context.clone(),
            preco: self.price,
            valores: "null".to_owned(),
            request_id: self.caller.request_id.clone(),
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            ..NotaRow::default()
        };
        match &self.body {
            Body::Service(service) => service.describe(&mut row),
            Body::Product(product) => product.describe(&mut row)?,
            Body::Announced(nota) => {
                // The document stands; the call, its price and its answer are new.
                let mut details = Details::of(nota)?;
                let transport = details.transporte.as_mut();
                if let Some(announcement) = transport.and_then(|own| own.epec.as_mut()) {
                    announcement.attempt_ms = self.now_ms;
                }
                row = NotaRow {
                    detalhes: details.to_json()?,
                    status,
                    context: row.context,
                    preco: row.preco,
                    request_id: row.request_id,
                    updated_at_ms: row.updated_at_ms,
                    rejeicao: String::new(),
                    answer_status: 0,
                    answer: String::new(),
                    reconciliations: 0,
                    ..(**nota).clone()
                };
            }
        }
        Ok(row)
    }

    /// Puts the number into the row and its document; what the adapter gets.
    ///
    /// # Errors
    /// The content cannot be written or read: a mistake of ours.
    pub fn number(&self, row: &mut NotaRow, number: i64) -> DbResult<String> {
        row.numero = number;
        match &self.body {
            Body::Service(service) => {
                row.conteudo = service
                    .numbered(number)
                    .map_err(|error| sqlx::Error::Encode(error.into()))?;
            }
            Body::Product(product) => product.numbered(row)?,
            Body::Announced(_) => {}
        }
        naming::emission_of(row)
    }

    /// The way its requests take.
    ///
    /// # Errors
    /// None in practice: it was written by us.
    pub fn way(&self) -> serde_json::Result<Way> {
        serde_json::from_str(&self.way)
    }

    /// What must still hold when the first transaction begins.
    ///
    /// # Errors
    /// It does not.
    pub async fn recheck(
        &self,
        conn: &mut Conn,
    ) -> Result<(), store::TxError<base::errors::Refusal>> {
        match self.replaces() {
            Some(old) => body::still_replaceable(conn, old).await,
            None => Ok(()),
        }
    }
}
