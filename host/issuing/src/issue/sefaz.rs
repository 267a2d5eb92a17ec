//! What the documents of a SEFAZ have in common before anything is written: who
//! issues them, where they go, and the row of what was judged.

use super::Order;
use super::body::Body;
use super::prepared::Prepared;
use super::ready::{certificate, emitter, incomplete};
use crate::Issuing;
use crate::emitters::profile::Perfil;
use crate::model::{Ambiente, Model};
use crate::new_flow::Lease;
use crate::route::{self, Sefaz};
use accounts::caller::Caller;
use authority::way::{Mode, Way};
use base::errors::Failure;
use base::when;
use flow::registry::Registry;
use std::sync::Arc;
use store::Conn;
use store::ids::EmitterId;
use store::tables::emitters::EmitterRow;
use store::tables::secrets;
use time::OffsetDateTime;

/// Who issues a document, and where it goes.
pub struct Issuer {
    /// One registry for the whole document, whatever is reloaded meanwhile.
    registry: Arc<Registry>,
    pub emitter: EmitterRow,
    pub perfil: Perfil,
    /// IBGE code of the emitter's municipality, and its state.
    pub municipality: String,
    pub uf: String,
    pub ambiente: Ambiente,
    pub model: Model,
    sefaz: Sefaz,
    way: Way,
    pub now_ms: i64,
}

/// What a judged document is kept with.
pub struct Judged {
    pub body: Body,
    pub serie: u16,
    pub issued_at: OffsetDateTime,
    /// The client's own id.
    pub reference: String,
}

impl Issuer {
    /// The issuer of a document of a model, in the environment that `ambiente`
    /// tells.
    ///
    /// # Errors
    /// There is no such emitter, its profile names no municipality, or nobody
    /// authorizes the model in its state.
    pub async fn of(
        app: &Issuing,
        conn: &mut Conn,
        caller: &Caller,
        id: Option<&EmitterId>,
        model: Model,
        ambiente: impl FnOnce(&Caller, &EmitterRow) -> Ambiente,
    ) -> Result<Issuer, Failure> {
        let registry = app.registry.load();
        let emitter = emitter(conn, caller, id).await?;
        let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
        let municipality = perfil.municipality().unwrap_or_default().to_owned();
        let uf = route::uf(&registry, &municipality).to_owned();
        if uf.is_empty() {
            return Err(
                incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into(),
            );
        }
        let ambiente = ambiente(caller, &emitter);
        let sefaz = route::sefaz(&registry, &uf, model)?;
        let way = route::sefaz_way(app, &sefaz, &emitter, ambiente)?;
        Ok(Issuer {
            registry,
            perfil,
            municipality,
            uf,
            ambiente,
            model,
            sefaz,
            way,
            now_ms: app.now_ms(),
            emitter,
        })
    }

    /// Name of the authorizer in the registry.
    pub fn autorizador(&self) -> &str {
        &self.sefaz.autorizador
    }

    /// Now, by the clocks of the emitter's state.
    pub fn now(&self) -> OffsetDateTime {
        when::local(self.now_ms, &self.uf)
    }

    /// Everything the first transaction needs of a document that was judged.
    ///
    /// # Errors
    /// The adapter is not installed, or the emitter has no certificate and needs
    /// one.
    pub async fn prepared(
        self,
        app: &Issuing,
        conn: &mut Conn,
        order: Order,
        needs_certificate: bool,
        judged: Judged,
    ) -> Result<Prepared, Failure> {
        let Issuer {
            emitter,
            perfil,
            way,
            ambiente,
            ..
        } = self;
        let component = route::adapter(
            &self.registry,
            &app.catalog,
            &self.sefaz.adapter,
            &emitter.id,
        )?;
        if needs_certificate {
            certificate(conn, &emitter, &way, true, self.now_ms).await?;
        }
        let caller = order.caller;
        let mut secrets = secrets::names_of(conn, &caller.account_id, &emitter.id).await?;
        secrets.push(authority::customer::DOCUMENTO.to_owned());
        let mut context =
            route::sefaz_context(&self.sefaz, &way, &emitter, &perfil, secrets, ambiente);
        context.now = when::format(judged.issued_at);
        context.entropy = base::random::entropy();
        let serie = judged.serie.to_string();
        let simulated = ambiente == Ambiente::Simulated;
        Ok(Prepared {
            simulated: simulated || way.mode == Mode::Simulator,
            price: if simulated { 0 } else { order.price },
            next_number: perfil.start(self.model, &serie, &emitter.id)?,
            model: self.model,
            body: judged.body,
            context: serde_json::to_string(&context)?,
            way: serde_json::to_string(&way)?,
            window_ms: app.config.issuing.idempotency_window_ms(),
            lease: Lease::of(app),
            operation: order.operation,
            caller,
            emitter,
            ambiente,
            serie,
            component,
            reference: judged.reference,
            sole_reference: order.sole_reference,
            idempotency: order.idempotency,
            draft: order.draft,
            now_ms: self.now_ms,
        })
    }
}
