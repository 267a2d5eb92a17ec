//! What a form brings: only from a page of ours, in a session of its sender; its fields,
//! and what is wrong with them.

pub mod amount;
pub mod fields;
pub mod wrong;

use super::Panel;
use super::once::{self, Open, Slot, Turn};
use super::parts::{hidden, hidden_as};
use super::reply::Problem;
use super::visitor::{self, Visitor, ip, section, theme};
use amount::{NotANumber, amount, two_meanings};
use api::inside::Reply;
use axum::body::Bytes;
use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest, FromRequestParts, Multipart, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gate::request::body;
use issuing::issue::KeptForm;
use maud::Markup;
use reqwest::Url;
use serde_json::Value;
use std::time::Duration;
use subtle::ConstantTimeEq as _;

/// How a form may arrive.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Time it has.
    pub time: Duration,
    /// The limit of its router in words.
    pub most: &'static str,
}

/// The forms of the panel.
const FORM: Arrival = Arrival {
    time: Duration::from_secs(30),
    most: "1 MB",
};

/// Fields in the order they were sent; a name may come more than once. Files
/// stand apart.
// No `Debug`: it holds passwords.
#[derive(Clone, Default)]
pub struct Fields {
    texts: Vec<(String, String)>,
    /// Name of the field, of the file, and its bytes.
    files: Vec<(String, String, Bytes)>,
}

impl Fields {
    /// The fields of a form, which has its time to arrive: a handler never waits
    /// for a slow client.
    ///
    /// # Errors
    /// The page that says that it cannot be read, is too large or too slow.
    pub async fn read(request: Request, arrival: Arrival) -> Result<Fields, Response> {
        let fields = tokio::time::timeout(arrival.time, parsed(request, arrival.most)).await;
        let late = |_| {
            let sentence = "O formulário não chegou inteiro. Envie de novo.";
            Problem::new(408, "Formulário incompleto", sentence)
        };
        let fields = fields
            .map_err(late)
            .and_then(|fields| fields)
            .map_err(IntoResponse::into_response)?;
        // No name, id or text has one, and PostgreSQL cannot hold it.
        if fields.texts.iter().any(|(_, value)| value.contains('\0')) {
            let sentence = "O formulário tem o caractere nulo. Retire-o e envie de novo.";
            return Err(invalid(400, sentence).into_response());
        }
        Ok(fields)
    }

    /// The fields of a form that carries no files (`application/x-www-form-urlencoded`).
    pub fn parse(bytes: &[u8]) -> Fields {
        // The rules of a form's body are those of a query.
        let mut url = Url::parse("form:/").ok();
        let text = String::from_utf8_lossy(bytes);
        if let Some(url) = &mut url {
            url.set_query(Some(&text));
        }
        let pairs = url
            .iter()
            .flat_map(|url| url.query_pairs().into_owned().collect::<Vec<_>>());
        Fields {
            texts: pairs.collect(),
            files: Vec::new(),
        }
    }

    /// The fields of a form that carries files.
    async fn of_parts(mut parts: Multipart) -> Result<Fields, MultipartError> {
        let mut fields = Fields::default();
        // As many as fit into the limit of the router.
        while let Some(part) = parts.next_field().await? {
            let name = part.name().unwrap_or_default().to_owned();
            if let Some(file) = part.file_name().map(str::to_owned) {
                fields.files.push((name, file, part.bytes().await?));
            } else {
                let text = String::from_utf8_lossy(&part.bytes().await?).into_owned();
                fields.texts.push((name, text));
            }
        }
        Ok(fields)
    }

    /// The bytes of a file; none when it is absent.
    pub fn file(&self, name: &str) -> &[u8] {
        let found = self.files.iter().find(|(field, ..)| field == name);
        found.map_or(&[], |(.., bytes)| bytes)
    }

    /// What a file is called where it comes from; empty when it is absent.
    pub fn file_name(&self, name: &str) -> &str {
        let found = self.files.iter().find(|(field, ..)| field == name);
        found.map_or("", |(_, file, _)| file)
    }

    /// A field, trimmed; empty when it is absent.
    pub fn get(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// A number as people write it, `1.234,56`, as the API takes it; what is no number stays
    /// as it is. Empty where it could be two numbers: see [`Fields::doubt`].
    pub fn decimal(&self, name: &str) -> String {
        let text = self.get(name);
        match amount(text) {
            Ok(number) => number.to_string(),
            Err(NotANumber::TwoMeanings) => String::new(),
            Err(NotANumber::Unreadable) => text.to_owned(),
        }
    }

    /// What to say of a number that could be two.
    pub fn doubt(&self, name: &str) -> Option<String> {
        let text = self.get(name);
        (amount(text) == Err(NotANumber::TwoMeanings)).then(|| two_meanings(text))
    }

    /// A field as it was sent.
    pub fn raw(&self, name: &str) -> &str {
        let found = self.texts.iter().find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value)
    }

    /// All values of a name.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let found = self.texts.iter().filter(|(field, _)| field == name);
        found
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
            .collect()
    }

    /// The form has this field, filled in or not.
    pub fn has(&self, name: &str) -> bool {
        self.texts.iter().any(|(field, _)| field == name)
    }

    /// The fields of a form of text, as pairs.
    pub fn texts(&self) -> &[(String, String)] {
        &self.texts
    }

    /// What people filled in, for a page that asks before it is sent: without the fields
    /// of the form itself.
    pub fn kept(&self) -> impl Iterator<Item = &(String, String)> {
        let own = [
            once::FIELD,
            visitor::WORLD,
            "csrf",
            "confirmado",
            "corrigir",
        ];
        let fields = self.texts.iter();
        fields.filter(move |(name, _)| !own.contains(&name.as_str()))
    }

    /// A box that is ticked.
    pub fn on(&self, name: &str) -> bool {
        !self.raw(name).is_empty()
    }

    /// Puts a value in place of what the form has under this name.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.texts.iter_mut().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => self.texts.push((name.to_owned(), value)),
        }
    }

    /// Leaves of every value of a name at most so many characters.
    pub fn cut(&mut self, name: &str, most: usize) {
        for (_, value) in self.texts.iter_mut().filter(|(field, _)| field == name) {
            if let Some((end, _)) = value.char_indices().nth(most) {
                value.truncate(end);
            }
        }
    }

    /// Takes a field away, filled in or not.
    pub fn take(&mut self, name: &str) {
        self.texts.retain(|(field, _)| field != name);
    }
}

impl FromIterator<(String, String)> for Fields {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Fields {
        Fields {
            texts: pairs.into_iter().collect(),
            files: Vec::new(),
        }
    }
}

/// A form of somebody who is logged in, sent for the first time.
pub struct Sent {
    pub visitor: Visitor,
    pub fields: Fields,
}

/// A form that may come without a token: done again, it does the same. It says
/// how pages are shown, or ends the session.
pub struct Setting(pub Sent);

/// As [`Sent`], for operations that take an `Idempotency-Key`: if nobody knows
/// what came of the first send, the form is done again under the same key.
pub struct Keyed(pub Sent);

impl Sent {
    /// The form's token; empty where it is a [`Setting`].
    pub fn token(&self) -> &str {
        self.fields.get(once::FIELD)
    }

    /// Asks an operation of the API, once for this form.
    ///
    /// # Errors
    /// The operation could not be asked at all.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Reply, Problem> {
        self.ask_as(&self.visitor, method, path, body).await
    }

    /// As [`Sent::ask`], as another visitor.
    ///
    /// # Errors
    /// As there.
    pub async fn ask_as(
        &self,
        visitor: &Visitor,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Reply, Problem> {
        visitor.ask_with(self.headers(), method, path, body).await
    }

    /// Asks an operation that stores drafts to keep a form as it is, once.
    ///
    /// # Errors
    /// As [`Sent::ask`].
    pub async fn keep(&self, path: &str, form: &KeptForm) -> Result<Reply, Problem> {
        self.visitor.keep(self.headers(), path, form).await
    }

    /// What makes an operation that is asked for this form happen once.
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Ok(key) = HeaderValue::from_str(&format!("painel-{}", self.token()))
            && !self.token().is_empty()
        {
            headers.insert("idempotency-key", key);
        }
        headers
    }

    /// Reads a form and takes its turn; Some: nobody knows what came of its
    /// first send.
    async fn read(
        request: Request,
        panel: &Panel,
        slot: &Slot,
    ) -> Result<(Sent, Option<Open>), Response> {
        let sent = Sent::of_a_page(request, panel).await?;
        let token = sent.token();
        // A page that forgot it would be done as often as it is sent.
        if token.is_empty() {
            let sentence = "Falta no formulário a ficha que o faz valer uma vez só. Recarregue a página e envie de novo.";
            return Err(invalid(422, sentence).into_response());
        }
        if once::is_stale(&panel.app, token) {
            return Err(stale().into_response());
        }
        let turn = slot.take(&sent.visitor, token).await;
        match turn.map_err(IntoResponse::into_response)? {
            Turn::First => Ok((sent, None)),
            Turn::Done(to) => Err(once::again(&to)),
            Turn::Unknown(open) => Ok((sent, Some(open))),
        }
    }

    /// Reads a form that a page of ours showed in this session.
    async fn of_a_page(request: Request, panel: &Panel) -> Result<Sent, Response> {
        let (mut parts, body) = request.into_parts();
        same_site(&parts.headers).map_err(IntoResponse::into_response)?;
        let mut visitor =
            <Visitor as FromRequestParts<Panel>>::from_request_parts(&mut parts, panel).await?;
        let fields = Fields::read(Request::from_parts(parts, body), FORM).await?;
        let csrf = visitor.session.row.csrf.as_bytes();
        if !bool::from(csrf.ct_eq(fields.raw("csrf").as_bytes())) {
            return Err(foreign().into_response());
        }
        // It acts where it was shown, wherever the person looks by now.
        if let Some(live) = visitor::world(fields.get(visitor::WORLD)) {
            let turned = visitor.turned(live).await;
            visitor = turned.map_err(IntoResponse::into_response)?;
        }
        Ok(Sent { visitor, fields })
    }
}

impl FromRequest<Panel> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, panel: &Panel) -> Result<Self, Response> {
        let path = section(request.uri().path());
        let slot = slot(&request);
        match Sent::read(request, panel, &slot).await? {
            (sent, None) => Ok(sent),
            (_, Some(_)) => Err(unknown(&path).into_response()),
        }
    }
}

impl FromRequest<Panel> for Setting {
    type Rejection = Response;

    async fn from_request(request: Request, panel: &Panel) -> Result<Self, Response> {
        Sent::of_a_page(request, panel).await.map(Setting)
    }
}

impl FromRequest<Panel> for Keyed {
    type Rejection = Response;

    async fn from_request(request: Request, panel: &Panel) -> Result<Self, Response> {
        let slot = slot(&request);
        let (sent, open) = Sent::read(request, panel, &slot).await?;
        if let Some(open) = open {
            slot.resume(open);
        }
        Ok(Keyed(sent))
    }
}

fn slot(request: &Request) -> Slot {
    request
        .extensions()
        .get::<Slot>()
        .cloned()
        .unwrap_or_default()
}

/// A form of somebody who is not logged in yet. It has no token, which belongs to
/// a session: a second login is one more session, a second registration or
/// invitation finds the address taken or the link used, a link to a new password
/// is good once, and what is sent by mail is throttled per person and network.
pub struct Knock {
    pub fields: Fields,
    pub ip: String,
    pub theme: &'static str,
}

impl FromRequest<Panel> for Knock {
    type Rejection = Response;

    async fn from_request(request: Request, panel: &Panel) -> Result<Self, Response> {
        same_site(request.headers()).map_err(IntoResponse::into_response)?;
        let (parts, body) = request.into_parts();
        let (ip, theme) = outside(&parts, panel);
        let fields = Fields::read(Request::from_parts(parts, body), FORM).await?;
        Ok(Knock { fields, ip, theme })
    }
}

async fn parsed(request: Request, most: &str) -> Result<Fields, Problem> {
    let unreadable = |status| unreadable(status, most);
    if body::essence(request.headers()) == "multipart/form-data" {
        let parts = Multipart::from_request(request, &()).await;
        let parts = parts.map_err(|error| unreadable(error.status()))?;
        let fields = Fields::of_parts(parts).await;
        return fields.map_err(|error| unreadable(error.status()));
    }
    let bytes = Bytes::from_request(request, &()).await;
    let bytes = bytes.map_err(|error| unreadable(error.status()))?;
    Ok(Fields::parse(&bytes))
}

fn unreadable(status: StatusCode, most: &str) -> Problem {
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        let sentence = format!("O formulário, ou o arquivo dele, passa de {most}.");
        return invalid(413, &sentence);
    }
    let sentence = "O formulário não pôde ser lido. Recarregue a página e envie de novo.";
    invalid(400, sentence)
}

fn invalid(status: u16, sentence: &str) -> Problem {
    Problem::new(status, "Formulário inválido", sentence)
}

fn outside(parts: &Parts, panel: &Panel) -> (String, &'static str) {
    (ip(parts, panel), theme(&parts.headers))
}

/// Refuses what another site made a browser send.
///
/// # Errors
/// 403: its origin is not the host that was asked.
pub fn same_site(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site")
        && !matches!(site, "same-origin" | "none")
    {
        return Err(foreign());
    }
    if let Some(origin) = text(header::ORIGIN.as_str()) {
        let host = origin.split_once("://").map(|(_, host)| host);
        if host.is_none() || host != text(header::HOST.as_str()) {
            return Err(foreign());
        }
    }
    Ok(())
}

fn stale() -> Problem {
    let sentence = "A página ficou aberta por mais de um dia. Abra-a de novo e envie o formulário.";
    Problem::new(409, "Formulário antigo", sentence)
}

/// The first send of a form ended with its process.
fn unknown(page: &str) -> Problem {
    let sentence = "Este formulário já tinha sido enviado, e o resultado do primeiro envio se perdeu. \
                    Confira na página se a mudança aconteceu antes de enviar outro.";
    Problem::new(409, "Resultado desconhecido", sentence).back(page)
}

fn foreign() -> Problem {
    Problem::new(
        403,
        "Formulário recusado",
        "O formulário não veio desta página, ou a sessão mudou. Volte, recarregue e envie de novo.",
    )
}

/// As [`crate::parts::hidden`], where the form may be one that was sent: it keeps its token.
pub fn hidden_of(visitor: &Visitor, fields: &Fields) -> Markup {
    match fields.get(once::FIELD) {
        "" => hidden(visitor),
        token => hidden_as(visitor, token),
    }
}
