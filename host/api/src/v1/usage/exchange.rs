//! What a call had said to the authority and what it heard, masked.

use crate::gate::Call;
use authority::exchange::{self, Mask};
use authority::way::{Mode, Way};
use base::errors::Failure;
use base::when;
use flow::contract::{HttpRequest, Named, Target};
use issuing::run::journal::join_request;
use serde::Deserialize;
use serde_json::{Value, json as value};
use store::tables::artifacts;
use store::tables::eventos::{EventoRow, EventoStatus};
use store::tables::flows::{self, BodyRow, FlowPhase, HeadRow, TurnNext};
use store::tables::notas::{NotaRow, NotaStatus};
use store::tables::requests::RequestRow;
use store::{Conn, DbResult};

/// Exchanges shown of each end: a note in a queue may have a hundred.
const ENDS: usize = 10;

/// Operations whose questions are asked without a journal.
const QUESTIONS: [&str; 3] = [
    "nfe.autorizador.status",
    "nfce.autorizador.status",
    "nfe-entrada.consultar",
];

/// A document or event a call was about.
pub struct Subject {
    pub id: String,
    /// Steps towards the authority, in order.
    pub turns: Vec<HeadRow>,
    conteudo: String,
    /// Name under which the authority's XML is kept.
    kind: String,
    ambiente: String,
    /// There was something to send.
    transmitted: bool,
    open: bool,
    eliminated: bool,
}

impl From<NotaRow> for Subject {
    fn from(nota: NotaRow) -> Subject {
        Subject {
            transmitted: nota.status != NotaStatus::Rascunho,
            open: nota.is_open(),
            id: nota.id,
            turns: Vec::new(),
            conteudo: nota.conteudo,
            kind: nota.modelo.as_str().to_owned(),
            ambiente: nota.ambiente.as_str().to_owned(),
            eliminated: false,
        }
    }
}

impl From<EventoRow> for Subject {
    fn from(evento: EventoRow) -> Subject {
        Subject {
            transmitted: true,
            open: evento.status == EventoStatus::EmTransmissao,
            id: evento.id,
            turns: Vec::new(),
            conteudo: evento.conteudo,
            kind: "evento".to_owned(),
            ambiente: evento.ambiente.as_str().to_owned(),
            eliminated: false,
        }
    }
}

impl Subject {
    /// Reads its journal, and whether there once was one.
    ///
    /// # Errors
    /// The database failed.
    pub async fn read(&mut self, conn: &mut Conn, account: &str) -> DbResult<()> {
        self.turns = flows::heads_of(conn, account, &self.id).await?;
        if self.turns.is_empty() && self.transmitted {
            self.eliminated = match flows::last_of(conn, &self.id).await? {
                Some(flow) => flow.phase == FlowPhase::Done,
                None => !self.open,
            };
        }
        // A document that was authorized is kept with the authority's word alone.
        if self.conteudo.is_empty() {
            let kept = artifacts::get(conn, account, &self.id, &self.kind).await?;
            let xml = kept.and_then(|kept| String::from_utf8(kept.bytes).ok());
            self.conteudo = xml.as_deref().map(sent).unwrap_or_default().to_owned();
        }
        Ok(())
    }
}

/// What was sent, of the XML that joins it to what came.
fn sent(xml: &str) -> &str {
    let starts = ["<NFe ", "<NFe>", "<evento ", "<evento>"];
    let part = |start: &&str| {
        let from = xml.find(start)?;
        let end = format!("</{}>", start.trim_matches(['<', ' ', '>']));
        let to = xml.rfind(&end)? + end.len();
        xml.get(from..to)
    };
    starts.iter().find_map(part).unwrap_or_default()
}

/// One request and what came of it, as they are stored.
struct Troca {
    /// Place of its document among the call's.
    subject: usize,
    asked: HeadRow,
    after: Option<HeadRow>,
    request_body: Option<BodyRow>,
    answer_body: Option<BodyRow>,
}

/// The member `troca` of a call; null when it was about nothing an authority
/// is told.
pub async fn record(
    conn: &mut Conn,
    call: &Call,
    row: &RequestRow,
    mut subjects: Vec<Subject>,
) -> Result<Value, Failure> {
    subjects.retain(|subject| subject.transmitted);
    if subjects.is_empty() {
        let asks = QUESTIONS.contains(&row.operation.as_str());
        let said = "O que esta operação pergunta à autoridade não é guardado.";
        return Ok(if asks {
            told("nao_registrada", said)
        } else {
            Value::Null
        });
    }
    let unseen = call.caller.unseen();
    subjects.retain(|subject| subject.ambiente != unseen);
    if subjects.is_empty() {
        let said = "O documento é de um ambiente que esta chave não vê.";
        return Ok(told("outro_ambiente", said));
    }
    let gone = subjects.iter().any(|subject| subject.eliminated);
    let mut all = exchanges(&subjects);
    let gone = gone || all.iter().any(|troca| troca.asked.request.is_empty());
    all.retain(|troca| !troca.asked.request.is_empty());
    let eliminated = "Trocas desta chamada foram eliminadas ao fim do prazo de guarda.";
    if all.is_empty() {
        return Ok(if gone {
            told("eliminada", eliminated)
        } else {
            told("sem_contato", "Nada foi enviado à autoridade.")
        });
    }
    let omitted = all.len().saturating_sub(2 * ENDS);
    if omitted > 0 {
        all.drain(ENDS..ENDS + omitted);
    }
    let account = &call.caller.account_id;
    for troca in &mut all {
        let (flow, step) = (&troca.asked.flow_id, troca.asked.step);
        troca.request_body = flows::request_body(conn, account, flow, step).await?;
        if let Some(after) = &troca.after {
            troca.answer_body = flows::event_body(conn, account, flow, after.step).await?;
        }
    }
    // Up to 40 bodies are read and masked.
    let masked = tokio::task::spawn_blocking(move || masked(&subjects, &all));
    let items = masked.await.map_err(anyhow::Error::from)?;
    let link = |index: usize, side: &str| {
        let call = format!("/api/v1/usage/chamadas/{}", row.id);
        format!("{call}#/troca/itens/{index}/{side}/corpo")
    };
    let answered = items.iter().rposition(|item| !item["resposta"].is_null());
    Ok(value!({
        "situacao": "registrada",
        "mensagem": gone.then_some(eliminated),
        "requisicao_link": link(0, "requisicao"),
        "resposta_link": answered.map(|index| link(index, "resposta")),
        "omitidas": omitted,
        "itens": items,
    }))
}

/// No exchange, and why.
fn told(situation: &str, message: &str) -> Value {
    value!({
        "situacao": situation, "mensagem": message, "requisicao_link": null, "resposta_link": null,
        "omitidas": 0, "itens": [],
    })
}

fn exchanges(subjects: &[Subject]) -> Vec<Troca> {
    let mut all = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        for asked in subject
            .turns
            .iter()
            .filter(|turn| turn.next == TurnNext::Send)
        {
            let next = asked.step + 1;
            let follows = |turn: &&HeadRow| turn.flow_id == asked.flow_id && turn.step == next;
            all.push(Troca {
                subject: index,
                asked: asked.clone(),
                after: subject.turns.iter().find(follows).cloned(),
                request_body: None,
                answer_body: None,
            });
        }
    }
    all
}

fn masked(subjects: &[Subject], all: &[Troca]) -> Vec<Value> {
    let mut masks: Vec<Mask> = subjects
        .iter()
        .map(|subject| Mask::of(&subject.conteudo))
        .collect();
    all.iter()
        .filter_map(|troca| Some(item(troca, masks.get_mut(troca.subject)?)))
        .collect()
}

/// What the journal keeps of an answer, without its body.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Came {
    response: Option<Head>,
    #[serde(rename = "NoResponse")]
    no_response: Option<Fault>,
}

#[derive(Deserialize)]
struct Head {
    status: u16,
    headers: Vec<Named>,
}

#[derive(Deserialize)]
struct Fault {
    kind: flow::contract::TransportKind,
    maybe_arrived: bool,
}

fn item(troca: &Troca, mask: &mut Mask) -> Value {
    let Troca { asked, after, .. } = troca;
    let request = join_request(&asked.request, &[]).ok().flatten();
    let way: Option<Way> = serde_json::from_str(&asked.way).ok();
    let url = request
        .as_ref()
        .zip(way.as_ref())
        .and_then(|(request, way)| address(request, way));
    let host = url.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(
            url.port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
        )
    });
    // An event without fields, such as a pause that is over, is a plain word.
    let came: Came = after
        .as_ref()
        .and_then(|turn| serde_json::from_str(&turn.event).ok())
        .unwrap_or_default();
    let sent = request.as_ref().map(|request| request.headers.as_slice());
    let request_body = body(mask, sent, troca.request_body.as_ref());
    let answer_body = came
        .response
        .as_ref()
        .map(|head| body(mask, Some(&head.headers), troca.answer_body.as_ref()));
    value!({
        "em": when::rfc3339(asked.at_ms),
        "rotulo": asked.label,
        "metodo": request.as_ref().map(|request| request.method.as_str()),
        "host": host,
        "caminho": url.as_ref().map(exchange::path),
        "simulada": way.is_some_and(|way| way.mode != Mode::Official),
        "status": came.response.as_ref().map(|head| head.status),
        "duracao_ms": after.as_ref().map(|turn| turn.at_ms - asked.at_ms),
        "falha": came.no_response.as_ref().map(|fault| word(fault.kind)),
        "pode_ter_chegado": came.no_response.as_ref().map(|fault| fault.maybe_arrived),
        "requisicao": request_body,
        "resposta": answer_body,
    })
}

/// Where a request went.
fn address(request: &HttpRequest, way: &Way) -> Option<reqwest::Url> {
    let text = match &request.target {
        Target::Endpoint(target) => {
            let base = way.endpoints.get(&target.endpoint)?;
            format!("{}{}", base.trim_end_matches('/'), target.path)
        }
        Target::Url(url) => url.clone(),
    };
    reqwest::Url::parse(&text).ok()
}

fn body(mask: &mut Mask, headers: Option<&[Named]>, stored: Option<&BodyRow>) -> Value {
    let media_type = headers.and_then(media);
    let bytes = stored.map_or(&[][..], |row| row.bytes.as_slice());
    let total = stored.map_or(0, |row| row.total);
    let whole = bytes.len() < exchange::READ || usize::try_from(total) == Ok(bytes.len());
    let shown = mask.body(media_type.as_deref().unwrap_or_default(), bytes, whole);
    value!({ "tipo": media_type, "bytes": total, "corpo": shown.text, "cortado": shown.cut })
}

/// The content type: what it is and in which letters; other parameters may
/// hold anything.
fn media(headers: &[Named]) -> Option<String> {
    let header = headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-type"))?;
    let mut parts = header.value.split(';').map(str::trim);
    let token = |text: &str, room: usize| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"/.+_-".contains(&b);
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        !text.is_empty() && text.len() <= room && text.bytes().all(plain) && digits < 8
    };
    let media = parts
        .next()
        .filter(|media| token(media, 80))?
        .to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim_matches('"');
        (name.trim().eq_ignore_ascii_case("charset") && token(value, 20)).then_some(value)
    });
    Some(match charset {
        Some(charset) => format!("{media}; charset={}", charset.to_ascii_lowercase()),
        None => media,
    })
}

/// Why no answer came.
fn word(kind: flow::contract::TransportKind) -> &'static str {
    use flow::contract::TransportKind;
    match kind {
        TransportKind::Dns => "nome_nao_encontrado",
        TransportKind::Connect => "sem_conexao",
        TransportKind::Tls => "tls",
        TransportKind::ClientCertificateRefused => "certificado_recusado",
        TransportKind::Timeout => "tempo_esgotado",
        TransportKind::Reset => "conexao_encerrada",
        TransportKind::TooLarge => "resposta_grande_demais",
        TransportKind::Blocked => "nao_enviada",
        TransportKind::Other => "outra",
    }
}
