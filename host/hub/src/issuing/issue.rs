//! POST /nfse and its kin: pre-flight, reserve, start, wait.

use super::context::{self, AmbienteNota, Way};
use super::perfil::{Perfil, ViaPedida, serie_canonica, serie_valida};
use super::query::insufficient;
use super::work::{self, Lease};
use super::{Caller, answer};
use crate::app::App;
use crate::db::emitters::{self, EmitterRow};
use crate::db::eventos;
use crate::db::flows::FlowRow;
use crate::db::idempotency::{Scope, Taken};
use crate::db::notas::{self, NotaRow};
use crate::db::numbers::{self, Series};
use crate::db::{self, Conn, TxError, idempotency};
use crate::errors::{Code, Failure, Refusal};
use crate::faultpoint;
use crate::ids;
use crate::ledger::{self, Movement, Reserve};
use crate::when;
use fiscal::campo::Campos;
use fiscal::nfse::dps::{Conteudo, Dps, Identificacao, OpcaoSimples};
use fiscal::nfse::{Emissao, validar};
use flow::registry::{Caminho, Regime, Route};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// A note as the customer asked for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pedido {
    pub referencia: Option<String>,
    pub emitente_id: Option<String>,
    pub via: ViaPedida,
    pub data_competencia: Option<String>,
    pub data_emissao: Option<String>,
    pub serie_rps: Option<String>,
    pub conteudo: Conteudo,
}

/// How it is to be carried out.
pub struct Ordem {
    pub caller: Caller,
    pub pedido: Pedido,
    /// Operation id, for ledger and usage.
    pub operation: String,
    /// Credits when authorized.
    pub preco: i64,
    pub idempotency: Option<(Scope, String)>,
    /// A draft that becomes this note.
    pub draft: Option<NotaRow>,
    /// Answer 202 at once (`Prefer: respond-async`).
    pub respond_async: bool,
}

/// Status, body, and whether an earlier answer was repeated.
pub type Answer = (u16, String, bool);

/// Everything known before the first transaction.
struct Prepared {
    caller: Caller,
    emitter: EmitterRow,
    ambiente: AmbienteNota,
    route_via: Caminho,
    sistema: String,
    municipio: String,
    serie: String,
    proximo_numero: i64,
    dps: Dps,
    context: flow::contract::Context,
    way: Way,
    component: Arc<flow::Loaded>,
    preco: i64,
    referencia: String,
    substitui: Option<NotaRow>,
    idempotency: Option<(Scope, String)>,
    draft: Option<NotaRow>,
    now_ms: i64,
    window_ms: i64,
    simulada: bool,
    lease: Lease,
    operation: String,
}

/// Issues a note: the final answer, or 202 with what is known.
///
/// # Errors
/// Everything to correct, without a number or a credit spent.
pub async fn issue(app: &App, ordem: Ordem) -> Result<Answer, Failure> {
    // A repeated request is answered before its content is judged again.
    if let Some(answer) = repeated(app, ordem.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let respond_async = ordem.respond_async;
    let prepared = prepare(app, ordem).await?;
    faultpoint::hit("reserve");
    // In a task of its own: a caller that goes away between the commit and
    // the start would leave a flow this node owns and nobody runs.
    let started = tokio::spawn(start(app.clone(), prepared))
        .await
        .map_err(anyhow::Error::from)??;
    let answer = wait(
        app,
        &started.id,
        started.existing,
        respond_async && !started.existing,
    )
    .await;
    faultpoint::hit("answer");
    answer
}

/// A note this call began, or an earlier one did.
struct Started {
    id: String,
    existing: bool,
}

async fn start(app: App, prepared: Prepared) -> Result<Started, Failure> {
    let begun = app
        .db
        .write(prepared, |prepared, conn| Box::pin(begin(conn, prepared)))
        .await?;
    faultpoint::hit("reserved");
    Ok(match begun {
        Begun::New(flow) => {
            let id = flow.subject_id.clone();
            work::spawn_owned(&app, *flow);
            Started {
                id,
                existing: false,
            }
        }
        Begun::Existing(id) => Started { id, existing: true },
    })
}

/// Validates and stores a draft; no number is taken.
///
/// # Errors
/// Everything to correct.
pub async fn draft(app: &App, caller: Caller, pedido: Pedido) -> Result<NotaRow, Failure> {
    let mut stored = pedido.clone();
    let ordem = Ordem {
        caller,
        pedido,
        operation: "nfse.criar".to_owned(),
        preco: 0,
        idempotency: None,
        draft: None,
        respond_async: false,
    };
    let prepared = prepare(app, ordem).await?;
    // The default emitter may be another one when the draft is issued.
    stored.emitente_id = Some(prepared.emitter.id.clone());
    let stored = serde_json::to_string(&stored)?;
    let mut nota = row(&prepared, "rascunho", 0, String::new());
    nota.number_active = 0;
    nota.conteudo = stored;
    let kept = nota.clone();
    app.db
        .write(nota, |nota, conn| {
            Box::pin(async move { Ok::<_, TxError<Refusal>>(notas::insert(conn, nota).await?) })
        })
        .await?;
    Ok(kept)
}

/// The answer of an earlier request with the same key and the same body.
///
/// # Errors
/// 409 while that request is still being worked on.
pub async fn repeated(
    app: &App,
    idempotency: Option<&(Scope, String)>,
) -> Result<Option<Answer>, Failure> {
    let Some((scope, fingerprint)) = idempotency else {
        return Ok(None);
    };
    match known(app, scope, fingerprint).await? {
        Some(id) => Ok(Some(wait(app, &id, true, false).await?)),
        None => Ok(None),
    }
}

/// The subject a key already stands for.
async fn known(app: &App, scope: &Scope, fingerprint: &str) -> Result<Option<String>, Failure> {
    let window_ms = window_ms(app);
    let mut conn = app.db.read().await?;
    let row = idempotency::get(&mut conn, scope).await?;
    let Some(row) = row.filter(|row| row.fingerprint == fingerprint) else {
        return Ok(None);
    };
    if row.created_at_ms >= app.now_ms() - window_ms {
        return Ok(Some(row.subject_id));
    }
    // Past the window a key still stands for what is not over.
    let nota = notas::by_id(&mut conn, &row.subject_id).await?;
    let open = nota.is_some_and(|nota| {
        matches!(
            nota.status.as_str(),
            "em_transmissao" | "pendente_prefeitura"
        )
    });
    Ok(open.then_some(row.subject_id))
}

fn window_ms(app: &App) -> i64 {
    i64::from(app.config.issuing.idempotency_hours) * 3_600_000
}

async fn prepare(app: &App, ordem: Ordem) -> Result<Prepared, Failure> {
    let Ordem {
        caller,
        pedido,
        operation,
        preco,
        idempotency,
        draft,
        ..
    } = ordem;
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let emitter = emitter(&mut conn, &caller, pedido.emitente_id.as_deref()).await?;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let municipio = perfil.municipio().unwrap_or_default().to_owned();
    if municipio.is_empty() {
        return Err(incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into());
    }
    let ambiente = ambiente(&caller, &emitter);
    let mut conteudo = pedido.conteudo;
    perfil.complete(&mut conteudo);

    let uf = app
        .registry
        .load()
        .municipio(municipio.parse().unwrap_or(0))
        .map(|m| m.uf.clone())
        .unwrap_or_default();
    let mut campos = Campos::default();
    let data_emissao = moment(
        &mut campos,
        pedido.data_emissao.as_deref(),
        when::local(now_ms, &uf),
        now_ms,
    );
    let data_competencia = match pedido.data_competencia.as_deref() {
        None => data_emissao.date(),
        Some(text) => when::parse_date(text).unwrap_or_else(|| {
            campos.add_value(
                "data_competencia",
                "data_invalida",
                text,
                "Data inválida.",
                "Use AAAA-MM-DD.",
            );
            data_emissao.date()
        }),
    };
    let nfse = perfil.nfse.clone().unwrap_or_default();
    let serie = pedido.serie_rps.or(nfse.serie_rps);
    let serie = serie_canonica(serie.as_deref().unwrap_or("1"));
    if !serie_valida(&serie) {
        campos.add_value(
            "serie_rps",
            "serie_invalida",
            &serie,
            "Série inválida.",
            "Use até 5 letras e dígitos; no padrão nacional, de 1 a 49999.",
        );
    }
    let referencia = pedido.referencia.unwrap_or_default();
    if referencia.chars().count() > 120
        || referencia.chars().any(char::is_control)
        || referencia.trim() != referencia
    {
        campos.add(
            "referencia",
            "tamanho_invalido",
            "A referência tem até 120 caracteres visíveis, sem espaços nas pontas.",
            "Encurte a referência.",
        );
    }
    let regime = conteudo
        .regime
        .as_ref()
        .map_or(OpcaoSimples::NaoOptante, |regime| regime.opcao_simples);
    let regime = match regime {
        OpcaoSimples::NaoOptante => Regime::Normal,
        OpcaoSimples::Mei => Regime::Mei,
        OpcaoSimples::MeEpp => Regime::SimplesMeEpp,
    };
    let via = if pedido.via == ViaPedida::Auto {
        nfse.via.unwrap_or_default()
    } else {
        pedido.via
    };
    let route = context::route(app, &municipio, regime, data_competencia, via)?;
    let emissao = Emissao {
        data_emissao,
        data_competencia,
        layout_nacional: route.via != Caminho::Municipal,
    };
    if let Err(found) = validar(&mut conteudo, &emissao) {
        campos.0.extend(found);
    }
    known_service(&mut campos, &mut conteudo, emissao.layout_nacional);
    if emissao.layout_nacional
        && !serie
            .parse()
            .is_ok_and(|serie: u32| (1..=49_999).contains(&serie))
    {
        // National rule E0010.
        campos.add_value(
            "serie_rps",
            "serie_invalida",
            &serie,
            "No padrão nacional a série vai de 1 a 49999.",
            "Corrija serie_rps ou a série do perfil fiscal.",
        );
    }
    let substitui = replaced(&mut conn, &caller, &emitter, &mut conteudo, &mut campos).await?;
    campos.into_result().map_err(Refusal::fields)?;
    let component = context::component(app, &route)?;
    let way = context::way(app, &route, &emitter, ambiente)?;
    let secrets: Vec<String> = db::secrets::of_emitter(&mut conn, &caller.account_id, &emitter.id)
        .await?
        .into_iter()
        .map(|row| row.nome)
        .collect();
    ready(&mut conn, &caller, &emitter, &route, &way, &secrets, now_ms).await?;

    let mut context = context::context(&route, &way, &emitter, &perfil, secrets, ambiente);
    context.now = when::format(data_emissao);
    context.entropy = context::entropy();
    let dps = Dps {
        identificacao: Identificacao {
            serie: serie.clone(),
            numero: 0,
        },
        data_emissao: when::format(data_emissao),
        data_competencia: data_competencia.to_string(),
        codigo_municipio_emissor: municipio.clone(),
        conteudo,
    };
    Ok(Prepared {
        simulada: ambiente == AmbienteNota::Simulado || way.mode == context::Mode::Simulator,
        preco: if ambiente == AmbienteNota::Simulado {
            0
        } else {
            preco
        },
        proximo_numero: nfse
            .proximo_numero
            .and_then(|numero| i64::try_from(numero).ok())
            .unwrap_or(1),
        route_via: route.via,
        sistema: route.nome,
        window_ms: window_ms(app),
        lease: Lease::of(app),
        operation,
        caller,
        emitter,
        ambiente,
        municipio,
        serie,
        dps,
        context,
        way,
        component,
        referencia,
        substitui,
        idempotency,
        draft,
        now_ms,
    })
}

/// The emitter named, or the account's default.
///
/// # Errors
/// 404 for an unknown one, 422 when there is no default.
pub async fn emitter(
    conn: &mut Conn,
    caller: &Caller,
    id: Option<&str>,
) -> Result<EmitterRow, Failure> {
    match id {
        Some(id) => Ok(emitters::get(conn, &caller.account_id, id)
            .await?
            .ok_or_else(|| {
                Refusal::field(
                    Code::NaoEncontrado,
                    "emitente_id",
                    "Emitente não encontrado.",
                    "Veja os seus em GET /api/v1/emitters.",
                )
            })?),
        None => Ok(emitters::default_of(conn, &caller.account_id)
            .await?
            .ok_or_else(|| {
                Refusal::field(
                    Code::ParametroAusente,
                    "emitente_id",
                    "A conta não tem emitente padrão.",
                    "Informe emitente_id ou marque um emitente como padrão.",
                )
            })?),
    }
}

/// A test key never leaves this process; a live key follows the emitter.
fn ambiente(caller: &Caller, emitter: &EmitterRow) -> AmbienteNota {
    match (caller.is_test(), emitter.ambiente.as_str()) {
        (true, _) => AmbienteNota::Simulado,
        (false, "producao") => AmbienteNota::Producao,
        (false, _) => AmbienteNota::Homologacao,
    }
}

fn moment(
    campos: &mut Campos,
    text: Option<&str>,
    now: time::OffsetDateTime,
    now_ms: i64,
) -> time::OffsetDateTime {
    let Some(text) = text else { return now };
    let parsed = when::parse(text).and_then(|moment| moment.replace_nanosecond(0).ok());
    match parsed {
        Some(moment) if when::ms(moment) > now_ms + 60_000 => {
            campos.add_value(
                "data_emissao",
                "data_futura",
                text,
                "A emissão não pode estar no futuro.",
                "Deixe data_emissao de fora para usar o horário atual.",
            );
            now
        }
        Some(moment) => moment,
        None => {
            campos.add_value(
                "data_emissao",
                "data_invalida",
                text,
                "Data inválida.",
                "Use RFC 3339 com fuso: 2026-10-05T10:15:00-03:00.",
            );
            now
        }
    }
}

/// Checks the national code against its list, and fills the item of LC 116
/// that cities ask for.
fn known_service(campos: &mut Campos, conteudo: &mut Conteudo, layout_nacional: bool) {
    let servico = &mut conteudo.servico;
    let Some(codigo) = servico
        .codigo_tributacao_nacional
        .as_deref()
        .filter(|codigo| codigo.len() == 6)
    else {
        return;
    };
    match data::servicos::get(codigo) {
        Some(known) if servico.item_lista_servico.is_none() => {
            servico.item_lista_servico = Some(known.item())
        }
        Some(_) => {}
        None if layout_nacional => campos.add_value(
            "servico.codigo_tributacao_nacional",
            "codigo_inexistente",
            codigo,
            "O código não existe na lista nacional de serviços.",
            "Veja a lista no Anexo VI da NFS-e nacional (item, subitem e desdobro).",
        ),
        None => {}
    }
}

/// Completes `substitui` with what we know of the old note.
async fn replaced(
    conn: &mut Conn,
    caller: &Caller,
    emitter: &EmitterRow,
    conteudo: &mut Conteudo,
    campos: &mut Campos,
) -> Result<Option<NotaRow>, Failure> {
    let Some(substitui) = &mut conteudo.substitui else {
        return Ok(None);
    };
    let Some(reference) = substitui.chave.clone() else {
        campos.add(
            "substitui.chave",
            "obrigatorio",
            "Falta a nota a substituir.",
            "Informe a chave ou o nota_id.",
        );
        return Ok(None);
    };
    let old = notas::by_ref(conn, &caller.account_id, &reference).await?;
    let Some(old) = old.filter(|old| old.emitter_id == emitter.id && old.modelo == "nfse") else {
        campos.add(
            "substitui.chave",
            "nao_encontrado",
            "A nota a substituir não existe neste emitente.",
            "Informe a chave ou o nota_id de uma nota autorizada.",
        );
        return Ok(None);
    };
    if !matches!(old.status.as_str(), "autorizada" | "validada") {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "A nota a substituir está {}.",
                old.status.replace('_', " ")
            ))
            .nota(&old.id)
            .into());
    }
    substitui.chave = Some(old.chave.clone()).filter(|chave| !chave.is_empty());
    substitui.numero_nfse = Some(old.numero_nfse.clone()).filter(|numero| !numero.is_empty());
    substitui.codigo_verificacao =
        Some(old.codigo_verificacao.clone()).filter(|codigo| !codigo.is_empty());
    substitui.rps = Some(Identificacao {
        serie: old.serie.clone(),
        numero: u64::try_from(old.numero).unwrap_or(0),
    });
    Ok(Some(old))
}

/// Certificate and logins the route demands.
async fn ready(
    conn: &mut Conn,
    caller: &Caller,
    emitter: &EmitterRow,
    route: &Route,
    way: &Way,
    secrets: &[String],
    now_ms: i64,
) -> Result<(), Failure> {
    let missing: Vec<&String> = route
        .credenciais_exigidas
        .iter()
        .filter(|name| !secrets.contains(name))
        .collect();
    if !missing.is_empty() {
        let mut refusal = Refusal::new(Code::PerfilFiscalIncompleto).message(format!(
            "{} pede credenciais que o emitente não tem.",
            route.nome
        ));
        for name in missing {
            let campo = format!("nfse.credenciais.{name}");
            refusal.campos.extend(
                Refusal::field(
                    Code::PerfilFiscalIncompleto,
                    &campo,
                    "Falta a credencial do portal do município.",
                    "Informe no perfil fiscal.",
                )
                .campos,
            );
        }
        return Err(refusal.into());
    }
    if way.mode == context::Mode::InProcess && way.certificate_id.is_empty() {
        return Ok(());
    }
    if way.certificate_id.is_empty() {
        return if route.certificado_exigido {
            Err(Refusal::new(Code::CertificadoAusente).into())
        } else {
            Ok(())
        };
    }
    let certificate = db::certificates::get(conn, &caller.account_id, &way.certificate_id).await?;
    match certificate {
        Some(certificate) if certificate.valido_ate_ms < now_ms => {
            Err(Refusal::new(Code::CertificadoVencido)
                .message(format!(
                    "O certificado de {} venceu em {}.",
                    emitter.apelido,
                    when::rfc3339(certificate.valido_ate_ms)
                ))
                .into())
        }
        Some(_) => Ok(()),
        None => Err(Refusal::new(Code::CertificadoAusente).into()),
    }
}

/// A field the fiscal profile lacks.
pub fn incomplete(campo: &str, mensagem: &str) -> Refusal {
    Refusal::field(
        Code::PerfilFiscalIncompleto,
        campo,
        mensagem,
        "Complete em PUT /api/v1/emitters/{id}/fiscal-profile.",
    )
}

enum Begun {
    /// The flow of the new note, leased to this node.
    New(Box<FlowRow>),
    Existing(String),
}

/// First transaction: key, hold, number, document and flow, or none of them.
async fn begin(conn: &mut Conn, p: &Prepared) -> Result<Begun, TxError<Refusal>> {
    let id = p
        .draft
        .as_ref()
        .map_or_else(|| ids::new("nfse", p.now_ms), |draft| draft.id.clone());
    if let Some(existing) = key_of_another(conn, p, &id).await? {
        return Ok(Begun::Existing(existing));
    }
    if let Some(draft) = &p.draft {
        claim_draft(conn, p, draft).await?;
    }
    if let Some(old) = &p.substitui {
        still_replaceable(conn, old).await?;
    }
    let movement = Movement {
        account_id: &p.caller.account_id,
        subject_id: &id,
        operation: &p.operation,
        request_id: &p.caller.request_id,
        now_ms: p.now_ms,
    };
    let hold_id = match ledger::reserve(conn, &movement, p.preco).await? {
        Reserve::Held(hold_id) => hold_id,
        Reserve::Insufficient { saldo } => {
            return Err(TxError::Abort(insufficient(p.preco, saldo)));
        }
    };
    let series = Series {
        emitter_id: p.emitter.id.clone(),
        ambiente: p.ambiente.as_str().to_owned(),
        modelo: "nfse".to_owned(),
        serie: p.serie.clone(),
    };
    let numero = numbers::take(conn, &series, p.proximo_numero).await?;
    let mut dps = p.dps.clone();
    dps.identificacao.numero = u64::try_from(numero).unwrap_or(0);
    let mut nota = row(p, "em_transmissao", numero, hold_id);
    nota.id = id.clone();
    nota.conteudo = serde_json::to_string(&dps)
        .map_err(|error| TxError::Db(sqlx::Error::Encode(Box::new(error))))?;
    if p.draft.is_some() {
        notas::save(conn, &nota).await?;
    } else if !notas::insert(conn, &nota).await? {
        return Err(conflict(conn, p).await?);
    }
    let base = FlowRow {
        account_id: nota.account_id.clone(),
        subject_id: id.clone(),
        component: p.component.description.name.clone(),
        digest: p.component.digest.clone(),
        conteudo: nota.conteudo.clone(),
        context: nota.context.clone(),
        way: serde_json::to_string(&p.way)
            .map_err(|error| TxError::Db(sqlx::Error::Encode(Box::new(error))))?,
        ..FlowRow::default()
    };
    let operacao = if p.substitui.is_some() {
        "substituir"
    } else {
        "emitir"
    };
    let flow = work::insert_owned_flow(conn, base, operacao, &p.lease, p.now_ms)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?;
    faultpoint::hit("reserve, before commit");
    Ok(Begun::New(Box::new(flow)))
}

/// The note the request's key already stands for, if it is not this one.
async fn key_of_another(
    conn: &mut Conn,
    p: &Prepared,
    id: &str,
) -> Result<Option<String>, TxError<Refusal>> {
    let Some((scope, fingerprint)) = &p.idempotency else {
        return Ok(None);
    };
    let taken = idempotency::take(conn, scope, fingerprint, id, p.now_ms, p.window_ms).await?;
    let Taken::Theirs(row) = taken else {
        return Ok(None);
    };
    if row.fingerprint == *fingerprint {
        return Ok(Some(row.subject_id));
    }
    // Nothing was authorized under this key: it serves the corrected body,
    // for the first who comes with one.
    let first = notas::by_id(conn, &row.subject_id).await?;
    let free =
        first.is_some_and(|first| matches!(first.status.as_str(), "rejeitada" | "nao_enviada"));
    if free && idempotency::replace(conn, scope, &row.subject_id, fingerprint, id, p.now_ms).await?
    {
        return Ok(None);
    }
    match idempotency::get(conn, scope).await? {
        Some(now) if now.fingerprint == *fingerprint => Ok(Some(now.subject_id)),
        now => {
            let subject = now.map_or(row.subject_id, |now| now.subject_id);
            Err(TxError::Abort(
                Refusal::new(Code::ChaveIdempotenciaReutilizada).nota(subject),
            ))
        }
    }
}

/// Turns a draft into a note in transmission, once.
async fn claim_draft(
    conn: &mut Conn,
    p: &Prepared,
    draft: &NotaRow,
) -> Result<(), TxError<Refusal>> {
    let refused = TxError::Abort::<Refusal>;
    if draft.emitter_id != p.emitter.id {
        return Err(refused(
            Refusal::new(Code::EstadoInvalido)
                .message("O rascunho foi montado para outro emitente.")
                .nota(&draft.id),
        ));
    }
    if !p.referencia.is_empty()
        && let Some(other) =
            notas::by_referencia(conn, &p.emitter.id, p.ambiente.as_str(), &p.referencia).await?
    {
        return Err(refused(Refusal::new(Code::JaAutorizada).nota(other.id)));
    }
    match notas::claim_draft(conn, &p.caller.account_id, &draft.id, p.now_ms).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(refused(
            Refusal::new(Code::EstadoInvalido)
                .message("O rascunho já foi emitido.")
                .nota(&draft.id),
        )),
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => Err(refused(
            Refusal::new(Code::EstadoInvalido)
                .message("Outra nota com esta referência ou esta substituição está em andamento.")
                .nota(&draft.id),
        )),
        Err(error) => Err(error.into()),
    }
}

/// The old note as it is now, kept until the commit.
async fn still_replaceable(conn: &mut Conn, old: &NotaRow) -> Result<(), TxError<Refusal>> {
    let now = notas::lock(conn, &old.id)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?;
    let cancelling = eventos::open_cancellation(conn, &old.id).await?.is_some();
    if cancelling || !matches!(now.status.as_str(), "autorizada" | "validada") {
        let what = if cancelling {
            "sendo cancelada".to_owned()
        } else {
            now.status.replace('_', " ")
        };
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!("A nota a substituir está {what}."))
                .nota(&old.id),
        ));
    }
    Ok(())
}

/// Which uniqueness the new note ran into.
async fn conflict(conn: &mut Conn, p: &Prepared) -> Result<TxError<Refusal>, TxError<Refusal>> {
    if !p.referencia.is_empty()
        && let Some(other) =
            notas::by_referencia(conn, &p.emitter.id, p.ambiente.as_str(), &p.referencia).await?
    {
        return Ok(TxError::Abort(
            Refusal::new(Code::JaAutorizada).nota(other.id),
        ));
    }
    if let Some(old) = &p.substitui {
        return Ok(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message("Já há uma substituição desta nota em andamento.")
                .nota(&old.id),
        ));
    }
    Ok(TxError::Db(sqlx::Error::RowNotFound))
}

fn row(p: &Prepared, status: &str, numero: i64, hold_id: String) -> NotaRow {
    let tomador = p.dps.conteudo.tomador.clone().unwrap_or_default();
    NotaRow {
        id: ids::new("nfse", p.now_ms),
        account_id: p.caller.account_id.clone(),
        emitter_id: p.emitter.id.clone(),
        modelo: "nfse".to_owned(),
        ambiente: p.ambiente.as_str().to_owned(),
        simulada: i64::from(p.simulada),
        status: status.to_owned(),
        serie: p.serie.clone(),
        numero,
        number_active: 1,
        referencia: p.referencia.clone(),
        municipio: p.municipio.clone(),
        via: p.route_via.as_str().to_owned(),
        sistema: p.sistema.clone(),
        context: serde_json::to_string(&p.context).unwrap_or_default(),
        competencia: p.dps.data_competencia.clone(),
        valor: p.dps.conteudo.valores.servico.to_string(),
        tomador_documento: tomador.cpf_cnpj.unwrap_or_default(),
        tomador_nome: tomador.nome.unwrap_or_default(),
        preco: p.preco,
        hold_id,
        valores: "null".to_owned(),
        substitui_id: p
            .substitui
            .as_ref()
            .map(|old| old.id.clone())
            .unwrap_or_default(),
        request_id: p.caller.request_id.clone(),
        created_at_ms: p.now_ms,
        updated_at_ms: p.now_ms,
        ..NotaRow::default()
    }
}

/// Waits for the final answer, within the configured time.
async fn wait(app: &App, id: &str, replay: bool, respond_async: bool) -> Result<Answer, Failure> {
    let watch = app.notifier.watch(id);
    let full = Duration::from_millis(app.config.issuing.wait_ms);
    // A duplicate waits less: it can be repeated, the first one cannot.
    let limit = if replay {
        full.min(Duration::from_secs(10))
    } else {
        full
    };
    let deadline = tokio::time::Instant::now() + limit;
    let poll = Duration::from_millis(app.config.issuing.poll_ms);
    loop {
        let changed = watch.changed();
        let mut conn = app.db.read().await?;
        let nota = notas::by_id(&mut conn, id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        if nota.answer_status != 0 {
            return Ok((
                u16::try_from(nota.answer_status).unwrap_or(500),
                nota.answer,
                replay,
            ));
        }
        let late = tokio::time::Instant::now() >= deadline;
        if late || respond_async || nota.status == "pendente_prefeitura" {
            let young = app.now_ms() - nota.created_at_ms
                < i64::try_from(full.as_millis()).unwrap_or(i64::MAX);
            if replay && late && young && nota.status == "em_transmissao" {
                return Err(Refusal::new(Code::RequisicaoEmAndamento)
                    .retry_after(5)
                    .nota(id)
                    .into());
            }
            let balances = ledger::balances(&mut conn, &nota.account_id).await?;
            let (status, body) = answer::issued(&nota, balances);
            return Ok((status, body.to_string(), replay));
        }
        drop(conn);
        let next = deadline.min(tokio::time::Instant::now() + poll);
        let _either = tokio::time::timeout_at(next, changed).await;
    }
}
