//! A service note before anything is written: what was asked becomes what
//! will be sent, or a list of everything to correct.

mod fields;
mod replace;

use super::body::{Corpo, Servico};
use super::prepared::Prepared;
use super::ready::{emitter, incomplete, ready};
use super::{Ordem, Pessoas};
use crate::Issuing;
use crate::emitters::profile::{Perfil, ViaPedida};
use crate::issue::party;
use crate::model::{Ambiente, Modelo};
use crate::new_flow::Lease;
use crate::route;
use accounts::caller::Caller;
use authority::way::Mode;
use base::errors::{Failure, Refusal};
use base::when;
use fiscal::nfse::dps::{Conteudo, Dps, Identificacao};
use fiscal::nfse::{Emissao, validate};
use flow::registry::{Caminho, Registry, Route, Via};
use markup::field::Campos;
use replace::replaced;
use serde::{Deserialize, Serialize};
use store;
use store::ids::EmitterId;
use store::tables::emitters::EmitterRow;
use time::{Date, OffsetDateTime};

/// A service note as the customer asked for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServiceOrder {
    pub referencia: Option<String>,
    pub emitente_id: Option<EmitterId>,
    pub via: ViaPedida,
    pub data_competencia: Option<String>,
    pub data_emissao: Option<String>,
    pub serie_rps: Option<String>,
    /// Registered persons of `tomador` and `intermediario`.
    #[serde(default)]
    pub pessoas: Pessoas,
    pub conteudo: Conteudo,
}

/// Checks and completes an order; writes nothing.
///
/// # Errors
/// Everything to correct, in one refusal where it can be.
pub async fn prepare(
    app: &Issuing,
    ordem: Ordem,
    pedido: ServiceOrder,
) -> Result<Prepared, Failure> {
    let now_ms = app.now_ms();
    // One registry for the whole note, whatever is reloaded meanwhile.
    let registry = app.registry.load();
    let mut conn = app.db.read().await?;
    let caller = ordem.caller;
    let emitter = emitter(&mut conn, &caller, pedido.emitente_id.as_ref()).await?;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let municipio = perfil.municipio().unwrap_or_default().to_owned();
    if municipio.is_empty() {
        return Err(incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into());
    }
    let ambiente = ambiente(&caller, &emitter);
    let mut campos = Campos::default();
    let now = when::local(now_ms, route::uf(&registry, &municipio));
    let (data_emissao, data_competencia) = fields::moments(&mut campos, &pedido, now);
    let serie = fields::serie(&mut campos, &pedido, &perfil);
    let referencia = pedido.referencia.unwrap_or_default();
    super::referencia(&mut campos, &referencia);

    let mut conteudo = pedido.conteudo;
    let ids = &pedido.pessoas;
    let absent = party::servico(&mut conn, &emitter, &mut campos, ids, &mut conteudo).await?;
    perfil.complete(&mut conteudo);
    let route = routed(&registry, &perfil, &conteudo, pedido.via, data_competencia)?;
    let emissao = Emissao {
        prestador: emitter.cnpj.clone(),
        data_emissao,
        data_competencia,
        layout_nacional: route.via != Caminho::Municipal,
    };
    check(&mut campos, &mut conteudo, &emissao, &serie, &absent);
    let substitui = replaced(&mut conn, &caller, &emitter, &mut conteudo, &mut campos).await?;
    campos.into_result().map_err(Refusal::fields)?;
    let component = route::component(&registry, &app.catalog, &route)?;
    let way = route::way(app, &route, &emitter, ambiente)?;
    let secrets =
        store::tables::secrets::names_of(&mut conn, &caller.account_id, &emitter.id).await?;
    ready(&mut conn, &emitter, &route, &way, &secrets, now_ms).await?;
    drop(conn);

    let mut context = route::context(&route, &way, &emitter, &perfil, secrets, ambiente);
    context.now = when::format(data_emissao);
    context.entropy = base::random::entropy();
    Ok(Prepared {
        simulada: ambiente == Ambiente::Simulado || way.mode == Mode::Simulator,
        preco: if ambiente == Ambiente::Simulado {
            0
        } else {
            ordem.preco
        },
        proximo_numero: perfil.inicio(Modelo::Nfse, &serie, &emitter.id)?,
        context: serde_json::to_string(&context)?,
        way: serde_json::to_string(&way)?,
        modelo: Modelo::Nfse,
        corpo: Corpo::Servico(Box::new(Servico {
            dps: dps(&serie, data_emissao, data_competencia, &municipio, conteudo),
            via: route.via,
            sistema: route.nome,
            municipio,
            substitui,
        })),
        window_ms: app.config.issuing.idempotency_window_ms(),
        lease: Lease::of(app),
        operation: ordem.operation,
        caller,
        emitter,
        ambiente,
        serie,
        component,
        referencia,
        idempotency: ordem.idempotency,
        draft: ordem.draft,
        now_ms,
    })
}

/// The route of a note: by municipality, regime of the content, competence, and
/// the route that was asked for.
fn routed(
    registry: &Registry,
    perfil: &Perfil,
    conteudo: &Conteudo,
    asked: ViaPedida,
    competencia: Date,
) -> Result<Route, Box<Refusal>> {
    let opcao = conteudo.regime.as_ref().map(|regime| regime.opcao_simples);
    let regime = route::regime(opcao.unwrap_or_default());
    let via = Via::from(perfil.via(asked));
    let municipio = perfil.municipio().unwrap_or_default();
    route::route(registry, municipio, regime, competencia, via)
}

/// What is wrong with a content; `absent` are members whose person is not
/// registered, which is told already.
fn check(
    campos: &mut Campos,
    conteudo: &mut Conteudo,
    emissao: &Emissao,
    serie: &str,
    absent: &[String],
) {
    if let Err(mut found) = validate(conteudo, emissao) {
        party::without(&mut found, absent);
        campos.0.extend(found);
    }
    fields::known_service(campos, conteudo, emissao.layout_nacional);
    if emissao.layout_nacional {
        fields::serie_nacional(campos, serie);
    }
}

/// The declaration, still without its number.
fn dps(
    serie: &str,
    data_emissao: OffsetDateTime,
    data_competencia: Date,
    municipio: &str,
    conteudo: Conteudo,
) -> Dps {
    Dps {
        identificacao: Identificacao {
            serie: serie.to_owned(),
            numero: 0,
        },
        data_emissao: when::format(data_emissao),
        data_competencia: data_competencia.to_string(),
        codigo_municipio_emissor: municipio.to_owned(),
        conteudo,
    }
}

/// A test key never leaves this process; a live key follows the emitter.
fn ambiente(caller: &Caller, emitter: &EmitterRow) -> Ambiente {
    if caller.is_test() {
        Ambiente::Simulado
    } else {
        emitter.ambiente.shown()
    }
}
