//! Everything known of a document before the first transaction.

use crate::document::naming;
use crate::issue::body::{self, Corpo};
use crate::model::{Ambiente, Modelo};
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
    pub modelo: Modelo,
    pub serie: String,
    pub proximo_numero: i64,
    pub corpo: Corpo,
    /// JSON of the adapter's context and of the way its requests take.
    pub context: String,
    pub way: String,
    pub component: Arc<flow::Loaded>,
    pub preco: i64,
    pub referencia: String,
    pub idempotency: Option<(Scope, String)>,
    pub draft: Option<NotaRow>,
    pub now_ms: i64,
    pub window_ms: i64,
    pub simulada: bool,
    pub lease: Lease,
    pub operation: String,
}

impl Prepared {
    /// The note that this one replaces.
    pub fn substitui(&self) -> Option<&NotaRow> {
        match &self.corpo {
            Corpo::Servico(servico) => servico.substitui.as_ref(),
            Corpo::Produto(_) => None,
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
            modelo: self.modelo,
            ambiente: self.ambiente,
            simulada: i64::from(self.simulada),
            status,
            serie: self.serie.clone(),
            number_active: 1,
            referencia: self.referencia.clone(),
            context: self.context.clone(),
            preco: self.preco,
            valores: "null".to_owned(),
            request_id: self.caller.request_id.clone(),
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            ..NotaRow::default()
        };
        match &self.corpo {
            Corpo::Servico(servico) => servico.describe(&mut row),
            Corpo::Produto(produto) => produto.describe(&mut row)?,
        }
        Ok(row)
    }

    /// Puts the number into the row and its document; what the adapter gets.
    ///
    /// # Errors
    /// The content cannot be written or read: a mistake of ours.
    pub fn number(&self, row: &mut NotaRow, numero: i64) -> DbResult<String> {
        row.numero = numero;
        match &self.corpo {
            Corpo::Servico(servico) => {
                row.conteudo = servico
                    .numbered(numero)
                    .map_err(|error| sqlx::Error::Encode(error.into()))?;
            }
            Corpo::Produto(produto) => produto.numbered(row)?,
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
        match self.substitui() {
            Some(old) => body::still_replaceable(conn, old).await,
            None => Ok(()),
        }
    }
}
