//! What a call had said to the authority and what it heard, masked.

use authority::exchange::{self, Mask};
use authority::way::{Mode, Way};
use base::errors::Failure;
use base::when;
use flow::contract::{HttpRequest, Named, Target, TransportKind};
use gate::Call;
use issuing::run::journal::join_request;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::AccountId;
use store::tables::artifacts;
use store::tables::eventos::{EventoRow, EventoStatus};
use store::tables::flows::{self, BodyRow, FlowPhase, HeadRow, TurnNext};
use store::tables::notas::{NotaRow, NotaStatus};
use store::tables::requests::RequestRow;
use store::{Conn, DbResult, Readable as _};

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
    /// Of `notas` or of `eventos`.
    pub id: String,
    /// Steps towards the authority, in order.
    pub turns: Vec<HeadRow>,
    content: String,
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
            // An announced CT-e is a draft again after its transmission was refused.
            transmitted: nota.status != NotaStatus::Draft || nota.answer_status != 0,
            open: nota.is_open(),
            id: nota.id.into(),
            turns: Vec::new(),
            content: nota.conteudo,
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
            open: evento.status == EventoStatus::InTransmission,
            id: evento.id.into(),
            turns: Vec::new(),
            content: evento.conteudo,
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
    pub async fn read(&mut self, conn: &mut Conn, account: &AccountId) -> DbResult<()> {
        self.turns = flows::heads_of(conn, account, &self.id).await?;
        if self.turns.is_empty() && self.transmitted {
            self.eliminated = match flows::last_of(conn, &self.id).await? {
                Some(flow) => flow.phase == FlowPhase::Done,
                None => !self.open,
            };
        }
        // A document that was authorized is kept with the authority's word alone.
        if self.content.is_empty() {
            let kept = artifacts::get(conn, account, &self.id, &self.kind).await?;
            if let Some(kept) = kept {
                let xml = std::str::from_utf8(&kept.bytes);
                let xml = xml.readable("document that was kept", &self.id)?;
                self.content = sent(xml).to_owned();
            }
        }
        Ok(())
    }
}

/// What was sent, of the XML that joins it to what came; all of it where that is
/// not told apart: what is not known to be hidden is not masked elsewhere.
fn sent(xml: &str) -> &str {
    let starts = ["<NFe ", "<NFe>", "<evento ", "<evento>"];
    let part = |start: &&str| {
        let from = xml.find(start)?;
        let end = format!("</{}>", start.trim_matches(['<', ' ', '>']));
        let to = xml.rfind(&end)? + end.len();
        xml.get(from..to)
    };
    starts.iter().find_map(part).unwrap_or(xml)
}

/// One request and what came of it, as they are stored.
struct Exchange {
    /// Place of its document among the call's.
    subject: usize,
    asked: HeadRow,
    after: Option<HeadRow>,
    request_body: Option<BodyRow>,
    answer_body: Option<BodyRow>,
}

/// O que foi dito à autoridade e o que ela respondeu, mascarado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TrocaComAutoridade")]
pub struct AuthorityExchange {
    situacao: ExchangeStatus,
    mensagem: Option<&'static str>,
    /// Onde está, nesta resposta, o primeiro corpo enviado.
    requisicao_link: Option<String>,
    /// Onde está, nesta resposta, o último corpo recebido.
    resposta_link: Option<String>,
    /// Trocas do meio, que não são mostradas.
    omitidas: usize,
    itens: Vec<ExchangeItem>,
}

/// O que há para mostrar de uma troca.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SituacaoDaTroca")]
#[serde(rename_all = "snake_case")]
enum ExchangeStatus {
    Registrada,
    NaoRegistrada,
    OutroAmbiente,
    Eliminada,
    SemContato,
}

/// Uma requisição e o que veio dela.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ItemDaTroca")]
struct ExchangeItem {
    em: String,
    /// O que foi pedido.
    rotulo: String,
    metodo: Option<String>,
    host: Option<String>,
    caminho: Option<String>,
    /// A autoridade é simulada.
    simulada: bool,
    /// Status HTTP; `null` se não houve resposta.
    status: Option<u16>,
    duracao_ms: Option<i64>,
    /// Por que não houve resposta.
    falha: Option<ExchangeFailure>,
    /// Sem resposta: se a requisição pode ter chegado.
    pode_ter_chegado: Option<bool>,
    requisicao: ShownBody,
    resposta: Option<ShownBody>,
}

/// Por que uma resposta não veio.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FalhaDaTroca")]
#[serde(rename_all = "snake_case")]
enum ExchangeFailure {
    NomeNaoEncontrado,
    SemConexao,
    Tls,
    CertificadoRecusado,
    TempoEsgotado,
    ConexaoEncerrada,
    RespostaGrandeDemais,
    NaoEnviada,
    Outra,
}

/// Um corpo, mascarado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CorpoMostrado")]
struct ShownBody {
    /// Content-Type.
    tipo: Option<String>,
    /// O tamanho inteiro.
    bytes: i64,
    /// `null` se não há corpo ou não é legível.
    corpo: Option<String>,
    /// Só o começo é mostrado.
    cortado: bool,
}

/// The member `troca` of a call; None when it was about nothing an authority
/// is told.
pub async fn record(
    conn: &mut Conn,
    call: &Call,
    row: &RequestRow,
    mut subjects: Vec<Subject>,
) -> Result<Option<AuthorityExchange>, Failure> {
    subjects.retain(|subject| subject.transmitted);
    if subjects.is_empty() {
        let asks = QUESTIONS.contains(&row.operation.as_str());
        let said = "O que esta operação pergunta à autoridade não é guardado.";
        return Ok(asks.then(|| told(ExchangeStatus::NaoRegistrada, said)));
    }
    let unseen = call.caller.unseen();
    subjects.retain(|subject| subject.ambiente != unseen);
    if subjects.is_empty() {
        let said = "O documento é de um ambiente que esta chave não vê.";
        return Ok(Some(told(ExchangeStatus::OutroAmbiente, said)));
    }
    let gone = subjects.iter().any(|subject| subject.eliminated);
    let mut all = exchanges(&subjects);
    let gone = gone || all.iter().any(|exchange| exchange.asked.request.is_empty());
    all.retain(|exchange| !exchange.asked.request.is_empty());
    let eliminated = "Trocas desta chamada foram eliminadas ao fim do prazo de guarda.";
    if all.is_empty() {
        return Ok(Some(if gone {
            told(ExchangeStatus::Eliminada, eliminated)
        } else {
            told(ExchangeStatus::SemContato, "Nada foi enviado à autoridade.")
        }));
    }
    let omitted = all.len().saturating_sub(2 * ENDS);
    if omitted > 0 {
        all.drain(ENDS..ENDS + omitted);
    }
    let account = &call.caller.account_id;
    for exchange in &mut all {
        let (flow, step) = (&exchange.asked.flow_id, exchange.asked.step);
        exchange.request_body = flows::request_body(conn, account, flow, step).await?;
        if let Some(after) = &exchange.after {
            exchange.answer_body = flows::event_body(conn, account, flow, after.step).await?;
        }
    }
    // Up to 40 bodies are read and masked.
    let masked = tokio::task::spawn_blocking(move || masked(&subjects, &all));
    let items = masked.await.map_err(anyhow::Error::from)??;
    let link = |index: usize, side: &str| {
        let call = format!("/api/v1/usage/chamadas/{}", row.id);
        format!("{call}#/troca/itens/{index}/{side}/corpo")
    };
    let answered = items.iter().rposition(|item| item.resposta.is_some());
    Ok(Some(AuthorityExchange {
        situacao: ExchangeStatus::Registrada,
        mensagem: gone.then_some(eliminated),
        requisicao_link: Some(link(0, "requisicao")),
        resposta_link: answered.map(|index| link(index, "resposta")),
        omitidas: omitted,
        itens: items,
    }))
}

/// No exchange, and why.
fn told(status: ExchangeStatus, message: &'static str) -> AuthorityExchange {
    AuthorityExchange {
        situacao: status,
        mensagem: Some(message),
        requisicao_link: None,
        resposta_link: None,
        omitidas: 0,
        itens: Vec::new(),
    }
}

fn exchanges(subjects: &[Subject]) -> Vec<Exchange> {
    let mut all = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        for asked in subject
            .turns
            .iter()
            .filter(|turn| turn.next == TurnNext::Send)
        {
            let next = asked.step + 1;
            let follows = |turn: &&HeadRow| turn.flow_id == asked.flow_id && turn.step == next;
            all.push(Exchange {
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

fn masked(subjects: &[Subject], all: &[Exchange]) -> Result<Vec<ExchangeItem>, serde_json::Error> {
    let mut masks: Vec<Mask> = subjects
        .iter()
        .map(|subject| Mask::of(&subject.content))
        .collect();
    let mut items = Vec::with_capacity(all.len());
    for exchange in all {
        if let Some(mask) = masks.get_mut(exchange.subject) {
            items.push(item(exchange, mask)?);
        }
    }
    Ok(items)
}

/// What the journal keeps of an answer, without its body.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Came {
    pub response: Option<Head>,
    #[serde(rename = "NoResponse")]
    no_response: Option<Fault>,
}

#[derive(Deserialize)]
pub struct Head {
    pub status: u16,
    headers: Vec<Named>,
}

#[derive(Deserialize)]
struct Fault {
    kind: TransportKind,
    maybe_arrived: bool,
}

/// An event of the journal.
#[derive(Deserialize)]
#[serde(untagged)]
enum Heard {
    /// An event without fields, such as a pause that is over.
    #[expect(dead_code, reason = "which word it was does not matter here")]
    Word(String),
    Came(Came),
}

/// What came before a turn; nothing before the first one of a flow.
///
/// # Errors
/// What is stored cannot be read.
pub fn came(turn: &HeadRow) -> Result<Came, serde_json::Error> {
    if turn.event.is_empty() {
        return Ok(Came::default());
    }
    Ok(match serde_json::from_str(&turn.event)? {
        Heard::Came(came) => came,
        Heard::Word(_) => Came::default(),
    })
}

fn item(exchange: &Exchange, mask: &mut Mask) -> Result<ExchangeItem, serde_json::Error> {
    let Exchange { asked, after, .. } = exchange;
    let request = join_request(&asked.request, &[])?;
    let way: Way = serde_json::from_str(&asked.way)?;
    let url = request.as_ref().and_then(|request| address(request, &way));
    let host = url.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(
            url.port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
        )
    });
    let came = after.as_ref().map(came).transpose()?.unwrap_or_default();
    let sent = request.as_ref().map(|request| request.headers.as_slice());
    let request_body = body(mask, sent, exchange.request_body.as_ref());
    let answer_body = came
        .response
        .as_ref()
        .map(|head| body(mask, Some(&head.headers), exchange.answer_body.as_ref()));
    Ok(ExchangeItem {
        em: when::rfc3339(asked.at_ms),
        rotulo: asked.label.clone(),
        metodo: request.as_ref().map(|request| request.method.clone()),
        host,
        caminho: url.as_ref().map(exchange::path),
        simulada: way.mode != Mode::Official,
        status: came.response.as_ref().map(|head| head.status),
        duracao_ms: after.as_ref().map(|turn| turn.at_ms - asked.at_ms),
        falha: came.no_response.as_ref().map(|fault| failure(fault.kind)),
        pode_ter_chegado: came.no_response.as_ref().map(|fault| fault.maybe_arrived),
        requisicao: request_body,
        resposta: answer_body,
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

fn body(mask: &mut Mask, headers: Option<&[Named]>, stored: Option<&BodyRow>) -> ShownBody {
    let media_type = headers.and_then(media);
    let bytes = stored.map_or(&[][..], |row| row.bytes.as_slice());
    let total = stored.map_or(0, |row| row.total);
    let whole = bytes.len() < exchange::READ || usize::try_from(total) == Ok(bytes.len());
    let shown = mask.body(media_type.as_deref().unwrap_or_default(), bytes, whole);
    ShownBody {
        tipo: media_type,
        bytes: total,
        corpo: shown.text,
        cortado: shown.cut,
    }
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
fn failure(kind: TransportKind) -> ExchangeFailure {
    match kind {
        TransportKind::Dns => ExchangeFailure::NomeNaoEncontrado,
        TransportKind::Connect => ExchangeFailure::SemConexao,
        TransportKind::Tls => ExchangeFailure::Tls,
        TransportKind::ClientCertificateRefused => ExchangeFailure::CertificadoRecusado,
        TransportKind::Timeout => ExchangeFailure::TempoEsgotado,
        TransportKind::Reset => ExchangeFailure::ConexaoEncerrada,
        TransportKind::TooLarge => ExchangeFailure::RespostaGrandeDemais,
        TransportKind::Blocked => ExchangeFailure::NaoEnviada,
        TransportKind::Other => ExchangeFailure::Outra,
    }
}
