//! Before anything is written: what was asked becomes what will be sent, or
//! a list of everything to correct.

use super::Ordem;
use crate::app::App;
use crate::db::emitters::{self, EmitterRow};
use crate::db::idempotency::Scope;
use crate::db::notas::{self, NotaRow};
use crate::db::{self, Conn};
use crate::errors::{Code, Failure, Refusal};
use crate::issuing::Caller;
use crate::issuing::context::{self, AmbienteNota, Way};
use crate::issuing::perfil::{Perfil, ViaPedida, serie_canonica, serie_valida};
use crate::issuing::work::Lease;
use crate::when;
use fiscal::campo::Campos;
use fiscal::nfse::dps::{Conteudo, Dps, Identificacao, OpcaoSimples};
use fiscal::nfse::{Emissao, validar};
use flow::registry::{Caminho, Regime, Route};
use std::sync::Arc;

/// Everything known before the first transaction.
pub struct Prepared {
    pub caller: Caller,
    pub emitter: EmitterRow,
    pub ambiente: AmbienteNota,
    pub route_via: Caminho,
    pub sistema: String,
    pub municipio: String,
    pub serie: String,
    pub proximo_numero: i64,
    pub dps: Dps,
    pub context: flow::contract::Context,
    pub way: Way,
    pub component: Arc<flow::Loaded>,
    pub preco: i64,
    pub referencia: String,
    pub substitui: Option<NotaRow>,
    pub idempotency: Option<(Scope, String)>,
    pub draft: Option<NotaRow>,
    pub now_ms: i64,
    pub window_ms: i64,
    pub simulada: bool,
    pub lease: Lease,
    pub operation: String,
}

/// Checks and completes an order; writes nothing.
///
/// # Errors
/// Everything to correct, in one refusal where it can be.
pub async fn prepare(app: &App, ordem: Ordem) -> Result<Prepared, Failure> {
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
        window_ms: app.config.issuing.idempotency_window_ms(),
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
