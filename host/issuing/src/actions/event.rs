//! Events of product notes: cancellation, correction letter, payments linked
//! later, events of the tax reform. Each is a signed document of its own.

use super::query::{self, Action, Assinavel, act};
use crate::Issuing;
use crate::document::layout::write;
use crate::document::product;
use crate::emitters::profile::Perfil;
use crate::issue::Answer;
use crate::model::{Ambiente, Modelo};
use crate::route::{self, Sefaz};
use accounts::caller::Caller;
use authority::way::Rumo;
use base::errors::{Code, Failure, Refusal};
use base::when;
use data::cancellation::{self, Tardio};
pub use fiscal::nfe::event::Receptor;
use fiscal::nfe::event::{Contexto, Evento, Tipo, assemble, nome_do_layout, pre_validar};
use markup::field::Campo;
use markup::ids::CpfCnpj;
use markup::ids::chave::Chave;
use serde_json::{Value, json};
use store;
use store::Present as _;
use store::tables::emitters::EmitterRow;
use store::tables::eventos::{self, EventoTipo};
use store::tables::flows::FlowOperation;
use store::tables::idempotency::Scope;
use store::tables::notas::{NotaRow, NotaStatus};
use time::{Duration, OffsetDateTime};

/// What the hub calls itself in `verAplic`.
pub const VER_APLIC: &str = concat!("hub ", env!("CARGO_PKG_VERSION"));

/// An event somebody wants registered.
pub struct Registro {
    pub caller: Caller,
    pub nota: NotaRow,
    pub tipo: &'static Tipo,
    pub nome: EventoTipo,
    /// Operation id, for the ledger.
    pub operation: String,
    pub dados: Value,
    /// Absent: the next one.
    pub sequencia: Option<u32>,
    /// How many registered events the note had when the caller decided
    /// ([`eventos::registered`]); None: they are counted here.
    pub vistos: Option<i64>,
    /// What the customer gave, kept to be shown.
    pub detalhes: Value,
    pub preco: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// Checks, signs, sends.
///
/// # Errors
/// The note's state does not allow it, everything to correct, or as [`act`].
pub async fn registrar(app: &Issuing, registro: Registro) -> Result<Answer, Failure> {
    if let Some(answer) = query::repeated(app, registro.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let Registro { nota, tipo, .. } = &registro;
    permitted(registro.nome, nota, registro.idempotency.is_some())?;
    let modelo = nota.modelo;
    let chave = Chave::parse(&nota.chave)
        .map_err(|error| anyhow::anyhow!("stored key of a note: {error}"))?;
    let mut conn = app.db.read().await?;
    let emitter = store::tables::emitters::get(&mut conn, &nota.account_id, &nota.emitter_id)
        .await?
        .present("emitter of a note", &nota.id)?;
    let vistos = match registro.vistos {
        Some(vistos) => vistos,
        None => eventos::registered(&mut conn, &nota.id).await?,
    };
    let last = eventos::last_sequence(&mut conn, &nota.id, tipo.codigo).await?;
    drop(conn);
    let sequencia = registro
        .sequencia
        .unwrap_or_else(|| u32::try_from(last + 1).unwrap_or(u32::MAX));

    let uf = chave.sigla_uf();
    let agora = when::local(app.now_ms(), uf);
    let autorizada_em = when::parse(&nota.autorizada_em);
    if registro.nome == EventoTipo::Cancelamento {
        in_time(modelo, uf, autorizada_em, agora)?;
    }
    correct(&registro, &chave, sequencia, autorizada_em, agora)?;
    let producao = nota.ambiente == Ambiente::Producao;
    let dados = registro.dados.clone();
    // The authority's clock may be ahead of ours, and an event is not older
    // than its note (cStat 577, 578).
    let em = autorizada_em.map_or(agora, |at| agora.max(at.to_offset(agora.offset())));
    let evento = novo(&emitter, tipo, chave, sequencia, producao, em, dados)?;
    let orgao = evento.orgao();
    let arvore = assemble(&evento).map_err(Refusal::fields)?;
    let xml = write(&nome_do_layout(tipo), &arvore)?;
    let rumo = rumo(app, &emitter, uf, modelo, tipo.receptor, nota.ambiente).await?;
    let conteudo = json!({
        "tipo_evento": tipo.codigo, "chave": nota.chave, "sequencia": sequencia, "versao": tipo.versao,
        "orgao": orgao.parse::<u8>().unwrap_or(0), "id_lote": product::id_lote(app.now_ms()),
    });
    let assinavel = Assinavel {
        xml,
        chave: nota.chave.clone(),
        codigo: tipo.codigo.to_owned(),
        sequencia: i64::from(sequencia),
        detalhes: registro.detalhes.to_string(),
        vistos,
    };
    let action = Action {
        caller: registro.caller,
        tipo: registro.nome,
        operacao: FlowOperation::Evento,
        operation: registro.operation,
        conteudo: conteudo.to_string(),
        documento: Some(assinavel),
        rumo: Some(rumo),
        preco: registro.preco,
        idempotency: registro.idempotency,
        nota: registro.nota,
    };
    act(app, action).await
}

/// Refuses an event whose content has points to correct.
fn correct(
    registro: &Registro,
    chave: &Chave,
    sequencia: u32,
    autorizada_em: Option<OffsetDateTime>,
    agora: OffsetDateTime,
) -> Result<(), Failure> {
    let contexto = Contexto {
        chave: Some(chave),
        sequencia: Some(sequencia),
        autorizada_em: autorizada_em.filter(|_| registro.nome != EventoTipo::Cancelamento),
        agora: Some(agora),
        ..Contexto::default()
    };
    let mut wrong = pre_validar(registro.tipo, &registro.dados, &contexto);
    if registro.nome != EventoTipo::Reforma {
        // Only the events of the reform have their content in a member `dados`.
        for campo in &mut wrong {
            if let Some(own) = campo.campo.strip_prefix("dados.") {
                campo.campo = own.to_owned();
            }
        }
    }
    refuse_all(wrong)
}

/// An event the company registers.
///
/// # Errors
/// The stored CNPJ is none.
pub fn novo(
    emitter: &EmitterRow,
    tipo: &'static Tipo,
    chave: Chave,
    sequencia: u32,
    producao: bool,
    em: OffsetDateTime,
    dados: Value,
) -> anyhow::Result<Evento> {
    Ok(Evento {
        tipo,
        chave,
        sequencia: u8::try_from(sequencia).unwrap_or(u8::MAX),
        autor: CpfCnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?,
        papel: None,
        orgao: None,
        orgao_autor: None,
        producao,
        em,
        ver_aplic: VER_APLIC.to_owned(),
        dados,
    })
}

/// Whether a note's state lets an event be.
fn permitted(nome: EventoTipo, nota: &NotaRow, repeatable: bool) -> Result<(), Failure> {
    match nota.status {
        NotaStatus::Autorizada => Ok(()),
        // With a key, the same call must get the same answer again.
        NotaStatus::Cancelada if nome == EventoTipo::Cancelamento && repeatable => Ok(()),
        NotaStatus::Cancelada if nome == EventoTipo::Cancelamento => {
            Err(Refusal::new(Code::JaCancelada).nota(&nota.id).into())
        }
        NotaStatus::EmTransmissao | NotaStatus::PendentePrefeitura => {
            Err(Refusal::new(Code::EmTransmissao).nota(&nota.id).into())
        }
        NotaStatus::Rascunho
        | NotaStatus::Validada
        | NotaStatus::Rejeitada
        | NotaStatus::Cancelada
        | NotaStatus::NaoEnviada => Err(Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "Uma nota {} não aceita este evento.",
                nota.status.in_words()
            ))
            .nota(&nota.id)
            .into()),
    }
}

/// Refuses a cancellation that comes too late for the state.
fn in_time(
    modelo: Modelo,
    uf: &str,
    autorizada_em: Option<OffsetDateTime>,
    agora: OffsetDateTime,
) -> Result<(), Failure> {
    let prazo = autorizada_em.and_then(|at| Prazo::de(modelo, uf, at));
    match prazo {
        Some(Prazo {
            atrasado: Some(ends),
            fonte,
            ..
        }) if ends < agora => Err(Refusal::new(Code::ForaDaJanelaDeCancelamento)
            .message(format!(
                "O prazo de {uf} para cancelar terminou em {}.",
                when::format(ends)
            ))
            .with("fonte", fonte)
            .into()),
        _ => Ok(()),
    }
}

/// Until when a note can be cancelled.
pub struct Prazo {
    pub minutos: u32,
    pub expira_em: OffsetDateTime,
    /// Until when the state takes a late request: the same moment where it
    /// takes none, none where no source says until when.
    pub atrasado: Option<OffsetDateTime>,
    pub fonte: &'static str,
}

impl Prazo {
    /// That of a note by its state and the moment of its authorization.
    pub fn de(modelo: Modelo, uf: &str, autorizada_em: OffsetDateTime) -> Option<Prazo> {
        let codigo = if modelo == Modelo::Nfce { 65 } else { 55 };
        let janela = cancellation::get(uf, codigo, autorizada_em.date())?;
        let after = |minutes: u32| autorizada_em + Duration::minutes(i64::from(minutes));
        Some(Prazo {
            minutos: janela.minutos,
            expira_em: after(janela.minutos),
            atrasado: match janela.tardio {
                Tardio::Nao => Some(after(janela.minutos)),
                Tardio::Ate(minutos) => Some(after(minutos.max(janela.minutos))),
                Tardio::SemLimiteConhecido => None,
            },
            fonte: janela.fonte,
        })
    }
}

/// Where an event goes now: today's addresses and today's certificate, not
/// those of the day the note was issued.
///
/// # Errors
/// The registry knows no authorizer, the emitter has no valid certificate, or
/// the database failed.
pub async fn rumo(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    modelo: Modelo,
    receptor: Receptor,
    ambiente: Ambiente,
) -> Result<Rumo, Failure> {
    let registry = app.registry.load();
    let mut sefaz = route::sefaz(&registry, uf, modelo)?;
    if matches!(receptor, Receptor::Svrs)
        || matches!(receptor, Receptor::SvrsOuAutorizador) && modelo == Modelo::Nfe
    {
        sefaz = route::svrs(&registry, uf, modelo)?;
    }
    rumo_ate(app, emitter, &sefaz, ambiente).await
}

/// As [`rumo`], to an authorizer that is known already.
///
/// # Errors
/// As [`rumo`].
pub async fn rumo_ate(
    app: &Issuing,
    emitter: &EmitterRow,
    sefaz: &Sefaz,
    ambiente: Ambiente,
) -> Result<Rumo, Failure> {
    let registry = app.registry.load();
    let way = route::sefaz_way(app, sefaz, emitter, ambiente)?;
    let component = route::adapter(&registry, &app.catalog, &sefaz.adapter)?;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let mut conn = app.db.read().await?;
    crate::issue::certificate(&mut conn, emitter, &way, true, app.now_ms()).await?;
    let mut secrets =
        store::tables::secrets::names_of(&mut conn, &emitter.account_id, &emitter.id).await?;
    drop(conn);
    secrets.push(authority::customer::DOCUMENTO.to_owned());
    let mut context = route::sefaz_context(sefaz, &way, emitter, &perfil, secrets, ambiente);
    context.now = when::format(when::local(app.now_ms(), &sefaz.uf));
    context.entropy = base::random::entropy();
    Ok(Rumo {
        component: component.description.name.clone(),
        digest: component.digest.clone(),
        context: serde_json::to_string(&context)?,
        way: serde_json::to_string(&way)?,
    })
}

fn refuse_all(campos: Vec<Campo>) -> Result<(), Failure> {
    if campos.is_empty() {
        return Ok(());
    }
    Err(Refusal::fields(campos)
        .message("O evento tem pontos a corrigir.")
        .into())
}
