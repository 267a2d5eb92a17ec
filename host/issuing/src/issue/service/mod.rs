//! A service note before anything is written: what was asked becomes what
//! will be sent, or a list of everything to correct.

mod fields;
mod replace;

use super::body::{Body, Service};
use super::prepared::Prepared;
use super::ready::{emitter, incomplete, ready};
use super::{Order, Pessoas};
use crate::Issuing;
use crate::emitters::profile::{Perfil, RequestedVia};
use crate::issue::party;
use crate::model::{Ambiente, Model};
use crate::new_flow::Lease;
use crate::route;
use accounts::caller::Caller;
use authority::way::Mode;
use base::errors::{Failure, Refusal};
use base::when;
use fiscal::nfse::dps::{Content, Dps, Identification};
use fiscal::nfse::{Issue, validate};
use flow::registry::{Caminho, Registry, Route, Via};
use markup::field::Fields;
use replace::replaced;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;
use store::tables::emitters::EmitterRow;
use store::tables::secrets;
use time::{Date, OffsetDateTime};

/// A service note as the customer asked for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServiceOrder {
    pub referencia: Option<String>,
    pub emitente_id: Option<EmitterId>,
    pub via: RequestedVia,
    pub data_competencia: Option<String>,
    pub data_emissao: Option<String>,
    pub serie_rps: Option<String>,
    /// Registered persons of the members of [`super::SERVICE_PARTIES`].
    #[serde(default)]
    pub pessoas: Pessoas,
    pub conteudo: Content,
}

/// Checks and completes an order; writes nothing.
///
/// # Errors
/// Everything to correct, in one refusal where it can be.
pub async fn prepare(
    app: &Issuing,
    order: Order,
    request: ServiceOrder,
) -> Result<Prepared, Failure> {
    let now_ms = app.now_ms();
    // One registry for the whole note, whatever is reloaded meanwhile.
    let registry = app.registry.load();
    let mut conn = app.db.read().await?;
    let caller = order.caller;
    let emitter = emitter(&mut conn, &caller, request.emitente_id.as_ref()).await?;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let municipality = perfil.municipality().unwrap_or_default().to_owned();
    if municipality.is_empty() {
        return Err(incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into());
    }
    let ambiente = ambiente(&caller, &emitter);
    let mut fields = Fields::default();
    let now = when::local(now_ms, route::uf(&registry, &municipality));
    let (issue_date, period_date) = fields::moments(&mut fields, &request, now);
    let serie = fields::serie(&mut fields, &request, &perfil);
    let reference = request.referencia.unwrap_or_default();
    super::reference(&mut fields, &reference);

    let mut content = request.conteudo;
    let ids = &request.pessoas;
    let absent = party::service(&mut conn, &emitter, &mut fields, ids, &mut content).await?;
    perfil.complete(&mut content);
    let route = routed(&registry, &perfil, &content, request.via, period_date)?;
    let issue = Issue {
        prestador: emitter.cnpj.clone(),
        issue_date,
        period_date,
        layout_nacional: route.via != Caminho::Municipal,
    };
    check(&mut fields, &mut content, &issue, (&serie, &route), &absent);
    let replaces = replaced(&mut conn, &caller, &emitter, &mut content, &mut fields).await?;
    fields.into_result().map_err(Refusal::fields)?;
    let component = route::component(&registry, &app.catalog, &route, &emitter.id)?;
    let way = route::way(app, &registry, &route, &emitter, ambiente)?;
    let secrets = secrets::names_of(&mut conn, &caller.account_id, &emitter.id).await?;
    ready(&mut conn, &emitter, &route, &way, &secrets, now_ms).await?;
    drop(conn);

    let mut context = route::context(&route, &way, &emitter, &perfil, secrets, ambiente);
    context.now = when::format(issue_date);
    context.entropy = base::random::entropy();
    Ok(Prepared {
        simulated: ambiente == Ambiente::Simulated || way.mode == Mode::Simulator,
        price: if ambiente == Ambiente::Simulated {
            0
        } else {
            order.price
        },
        next_number: perfil.start(Model::Nfse, &serie, &emitter.id)?,
        context: serde_json::to_string(&context)?,
        way: serde_json::to_string(&way)?,
        model: Model::Nfse,
        body: Body::Service(Box::new(Service {
            dps: dps(&serie, issue_date, period_date, &municipality, content),
            via: route.via,
            system: route.name,
            municipality,
            replaces,
        })),
        window_ms: app.config.issuing.idempotency_window_ms(),
        lease: Lease::of(app),
        operation: order.operation,
        caller,
        emitter,
        ambiente,
        serie,
        component,
        reference,
        sole_reference: order.sole_reference,
        idempotency: order.idempotency,
        draft: order.draft,
        now_ms,
    })
}

/// The route of a note: by municipality, regime of the content, competence, and
/// the route that was asked for.
fn routed(
    registry: &Registry,
    perfil: &Perfil,
    content: &Content,
    asked: RequestedVia,
    period: Date,
) -> Result<Route, Box<Refusal>> {
    let option = content.regime.as_ref().map(|regime| regime.opcao_simples);
    let regime = route::regime(option.unwrap_or_default());
    let via = Via::from(perfil.via(asked));
    let municipality = perfil.municipality().unwrap_or_default();
    route::route(registry, municipality, regime, period, via)
}

/// What is wrong with a content; `absent` are members whose person is not
/// registered, which is told already.
fn check(
    fields: &mut Fields,
    content: &mut Content,
    issue: &Issue,
    (serie, route): (&str, &Route),
    absent: &[String],
) {
    if let Err(mut found) = validate(content, issue) {
        party::without(&mut found, absent);
        fields.0.extend(found);
    }
    fields::known_service(fields, content, issue.layout_nacional);
    if issue.layout_nacional {
        fields::serie_nacional(fields, serie);
    }
    if route.without_series {
        fields::single_serie(fields, serie);
    }
}

/// The declaration, still without its number.
fn dps(
    serie: &str,
    issue_date: OffsetDateTime,
    period_date: Date,
    municipality: &str,
    content: Content,
) -> Dps {
    Dps {
        identificacao: Identification {
            serie: serie.to_owned(),
            numero: 0,
        },
        data_emissao: when::format(issue_date),
        data_competencia: period_date.to_string(),
        codigo_municipio_emissor: municipality.to_owned(),
        conteudo: content,
    }
}

/// A test key never leaves this process; a live key follows the emitter.
pub(super) fn ambiente(caller: &Caller, emitter: &EmitterRow) -> Ambiente {
    if caller.is_test() {
        Ambiente::Simulated
    } else {
        emitter.ambiente.shown()
    }
}
