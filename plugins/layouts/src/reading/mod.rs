//! Reads an answer by the rules of a layout.

mod messages;
mod nota;
mod path;
mod repair;
mod rules;

pub use rules::Rules;

use messages::Found;
use rps::{Content, Login, Reading, Service, class, dates, isolate};
use rules::Yes;
use sdk::soap::{self, SoapError};
use sdk::xml::{self, Document, Element, escape_text};
use sdk::{Context, Documento, Mensagem, Response, Situacao};

/// Most notes read from one answer.
const MAX_NOTAS: usize = 50;
/// Situation of a batch in the queue.
const QUEUED: u8 = 2;
/// Longest protocol, in characters.
const MAX_PROTOCOL: usize = 100;

/// The answer as a document.
fn document(rules: &Rules, response: &Response) -> Result<Document, Reading> {
    let Some(text) = repair::text(&rules.repairs, &response.body) else {
        return Err(Reading::Illegible("a resposta nao e texto"));
    };
    let roots: Vec<&str> = rules.roots.iter().map(String::as_str).collect();
    soap::unwrap(text.as_bytes(), &roots).or_else(|error| match error {
        SoapError::Fault(fault) => Err(Reading::Fault(fault)),
        SoapError::Xml(_) => Err(Reading::Illegible("a resposta nao e XML")),
        SoapError::NotFound => {
            spoken(rules, &text).ok_or(Reading::Illegible("a resposta nao tem a mensagem esperada"))
        }
    })
}

/// What the answer to a login says: a token, a refusal in the service's own
/// words, or nothing certain.
pub fn read_login(rules: &Rules, response: &Response) -> Login {
    let explicit = rules.error_statuses.contains(&response.status);
    if !explicit && matches!(response.status, 401 | 403) {
        let code = format!("HTTP {}", response.status);
        let refused = Mensagem::new(&code, "A prefeitura não aceitou usuário e senha.");
        return Login::Refused(vec![refused]);
    }
    if !explicit && !response.is_success() && response.status != 500 {
        return Login::Unclear("a prefeitura nao atendeu ao login");
    }
    let document = match document(rules, response) {
        Ok(document) => document,
        Err(Reading::Fault(fault)) if class::of_fault(&fault).is_some() => {
            return Login::Refused(vec![Mensagem::new(&fault.code, &fault.text)]);
        }
        Err(_) => return Login::Unclear("resposta inesperada ao login"),
    };
    let text = rules.session.as_ref();
    let text = text.and_then(|path| path.text(document.root()));
    let token = text.map(|text| text.trim_matches('"').trim().to_owned());
    if response.is_success()
        && let Some(token) = token.filter(|token| is_token(rules, token))
    {
        return Login::Open(token);
    }
    let messages = messages::collect(rules, document.root()).messages;
    let own = response.is_success() || explicit;
    if own && !messages.is_empty() {
        return Login::Refused(messages);
    }
    Login::Unclear("resposta inesperada ao login")
}

/// A text that may stand in a header: it begins as the layout says, and what
/// follows has no blank.
fn is_token(rules: &Rules, text: &str) -> bool {
    let rest = text.strip_prefix(rules.session_start.as_str());
    rest.is_some_and(|rest| {
        let rest = rest.trim_start_matches(' ');
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_graphic())
    })
}

/// What an answer to a request of this service says.
pub fn read(rules: &Rules, service: Service, ctx: &Context, response: &Response) -> Reading {
    let explicit = rules.error_statuses.contains(&response.status);
    if !explicit && let Some(reading) = Reading::of_status(response) {
        return reading;
    }
    let document = match document(rules, response) {
        Ok(document) => document,
        Err(reading) => return reading,
    };
    let original = repair::is_xml(&response.body);
    let content = content(rules, service, ctx, &document, original);
    // Behind an error only a note itself is believed: a proxy or a half-dead
    // service may answer with messages of its own.
    if !response.is_success() && !explicit && content.notas.is_empty() {
        return Reading::Illegible("codigo HTTP de erro");
    }
    Reading::Content(Box::new(content))
}

/// The text of an element that stands for the whole answer. None unless its
/// words are known: a text that is not understood is no refusal. Digits alone
/// are a number, where the layout says that such a number is an answer.
fn spoken(rules: &Rules, answer: &str) -> Option<Document> {
    let document = xml::parse(answer.as_bytes()).ok()?;
    let elements = rules.spoken.iter().flat_map(|one| one.all(document.root()));
    let texts: Vec<&str> = elements
        .map(|element| element.text().trim())
        .filter(|text| !text.is_empty() && !text.starts_with('<'))
        .collect();
    let [text] = texts.as_slice() else {
        return None;
    };
    if rules.spoken_number && text.bytes().all(|b| b.is_ascii_digit()) {
        let document = format!("<{0}>{text}</{0}>", repair::NUMBER);
        return xml::parse(document.as_bytes()).ok();
    }
    let message = Mensagem::new("", text);
    let known = rules.meaning(&message).is_some() || class::of_text(text).is_some();
    let document = format!("<{0}>{1}</{0}>", repair::TEXT, escape_text(text));
    known.then(|| xml::parse(document.as_bytes()).ok())?
}

/// An answer while it is read.
struct Answer<'a> {
    rules: &'a Rules,
    ctx: &'a Context,
    document: &'a Document,
    /// The body is markup: an element of it is the authority's own text.
    original: bool,
    /// It has a message of success.
    successful: bool,
}

fn content(
    rules: &Rules,
    service: Service,
    ctx: &Context,
    document: &Document,
    original: bool,
) -> Content {
    let root = document.root();
    let Found {
        successes,
        mut messages,
        alertas,
    } = messages::collect(rules, root);
    let answer = Answer {
        rules,
        ctx,
        document,
        original,
        successful: !successes.is_empty(),
    };
    let protocol = rules.protocol.as_ref().and_then(|path| path.text(root));
    let mut content = Content {
        protocol: protocol.filter(|text| {
            let yes = rules.protocol_yes.as_ref();
            text.chars().count() <= MAX_PROTOCOL && yes.is_none_or(|yes| answer.says_yes(yes, root))
        }),
        status: batch_status(rules, root),
        ..Content::default()
    };
    answer.notas(&mut content);
    let is_empty = |list: &&Element| list.children().is_empty();
    let lists = rules.list.iter().filter_map(|one| one.first(root));
    content.empty_list =
        content.notas.is_empty() && messages.is_empty() && lists.filter(is_empty).count() > 0;
    // A yes beside a refusal is none.
    if service == Service::Cancel && messages.is_empty() {
        answer.cancellation(&mut content);
    }
    // In homologation some systems only say that the note would be valid.
    let nothing = content.notas.is_empty() && content.protocol.is_none();
    if service == Service::Issue && nothing && !ctx.in_production() {
        messages.extend(successes);
    }
    let silent = content.notas.is_empty() && messages.is_empty() && content.status.is_none();
    if service == Service::Batch && rules.silent_batch && silent {
        content.status = Some(QUEUED);
    }
    content.messages = messages;
    content.alertas = alertas;
    content
}

/// A text as a yes names it; `*` at its end stands for any end.
fn fits(value: &str, text: &str) -> bool {
    match value.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => value == text,
    }
}

impl Answer<'_> {
    fn says_yes(&self, yes: &Yes, element: &Element) -> bool {
        match yes {
            Yes::Always => true,
            Yes::Success => self.successful,
            Yes::Field(path, values) => path
                .text(element)
                .or_else(|| path.text(self.document.root()))
                .is_some_and(|text| values.iter().any(|value| fits(value, &text))),
        }
    }

    /// Notes that were issued, and those that are only named.
    fn notas(&self, content: &mut Content) {
        let rules = &self.rules.nota;
        let root = self.document.root();
        let elements = rules.elements.iter().flat_map(|one| one.all(root));
        for element in elements.take(MAX_NOTAS) {
            let nota = nota::read(self.rules, self.ctx, self.document, element, self.original);
            match nota {
                Some(nota) if self.says_yes(&rules.yes, element) => content.notas.push(nota),
                Some(nota) => content.known.push(nota),
                None => {}
            }
        }
    }

    /// What the answer to a cancellation says.
    fn cancellation(&self, content: &mut Content) {
        let rules = &self.rules.event;
        let root = self.document.root();
        let confirmed = rules
            .elements
            .iter()
            .flat_map(|one| one.all(root))
            .find(|element| self.says_yes(&rules.yes, element));
        let protocol = rules.protocol.as_ref().and_then(|path| path.text(root));
        match confirmed {
            Some(_) if rules.requested => content.requested = true,
            Some(element) => content.cancelamento = Some(self.event(element)),
            None => content.requested = protocol.is_some(),
        }
    }

    /// The confirmation of a cancellation.
    fn event(&self, element: &Element) -> Documento {
        let rules = &self.rules.event;
        let text = |path: &Option<path::Path>| path.as_ref().and_then(|path| path.text(element));
        let mut event = Documento::new("evento", Situacao::Cancelado);
        event.xml = self
            .original
            .then(|| isolate(self.document, element).into_bytes());
        event.numero = text(&rules.number);
        event.emitido_em = text(&rules.moment).and_then(|text| dates::moment(&text, self.ctx));
        event
    }
}

/// The situation of a batch, in the numbers of the ABRASF model.
fn batch_status(rules: &Rules, root: &Element) -> Option<u8> {
    let text = rules.batch_status.as_ref()?.text(root)?;
    let mapped = rules.batch_codes.iter().find(|(word, _)| *word == text);
    mapped.map(|(_, code)| *code)
}
