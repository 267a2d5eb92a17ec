//! A browser without a script: cookies, forms with their hidden fields, no
//! redirect followed unless it is told to.

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use tests::TestApp;
use tests::bodies::multipart;

#[derive(Clone)]
pub struct Browser {
    base_url: String,
    http: reqwest::Client,
    pub cookies: BTreeMap<String, String>,
    /// Hidden field of the last page that had one.
    pub csrf: String,
    /// Headers a browser adds.
    pub headers: Vec<(&'static str, String)>,
}

/// What came back.
pub struct Page {
    pub status: u16,
    pub html: String,
    /// Where a redirect leads.
    pub to: String,
    pub headers: reqwest::header::HeaderMap,
    pub bytes: Vec<u8>,
}

impl Page {
    /// The text of the first element with this id.
    pub fn id(&self, id: &str) -> &str {
        let mark = format!("id=\"{id}\"");
        let rest = self.html.split_once(&mark).map_or("", |(_, rest)| rest);
        let rest = rest.split_once('>').map_or("", |(_, rest)| rest);
        rest.split_once('<').map_or("", |(text, _)| text).trim()
    }

    /// The tag of the first element with this id, from behind the id.
    pub fn tag(&self, id: &str) -> &str {
        let mark = format!("id=\"{id}\"");
        let rest = self.html.split_once(&mark).map_or("", |(_, rest)| rest);
        rest.split('>').next().unwrap_or_default()
    }

    /// How many elements a browser would put the focus on.
    pub fn focused(&self) -> usize {
        self.html.matches(" autofocus").count()
    }

    pub fn has(&self, text: &str) -> bool {
        self.html.contains(text)
    }

    /// The name a browser saves it by.
    pub fn file_name(&self) -> &str {
        let sent = self.headers.get("content-disposition");
        let sent = sent.and_then(|value| value.to_str().ok());
        let name = sent.and_then(|value| value.split('"').nth(1));
        name.unwrap_or_default()
    }

    /// The forms that change something: where each is sent, and its inputs as
    /// they stand in the page.
    pub fn forms(&self) -> Vec<(String, Vec<(String, String)>)> {
        let forms = self.html.split("<form").skip(1).filter_map(|rest| {
            let (form, _) = rest.split_once("</form>")?;
            let (tag, inside) = form.split_once('>')?;
            if !tag.contains("method=\"post\"") {
                return None;
            }
            let inputs = inside.split("<input").skip(1).filter_map(|rest| {
                let tag = rest.split_once('>')?.0;
                let choice = tag.contains("type=\"checkbox\"") || tag.contains("type=\"radio\"");
                if choice && !tag.contains(" checked") {
                    return None;
                }
                Some((
                    attribute(tag, "name")?,
                    attribute(tag, "value").unwrap_or_default(),
                ))
            });
            Some((attribute(tag, "action")?, inputs.collect()))
        });
        forms.collect()
    }

    /// The pages of the panel that this one links to.
    pub fn links(&self) -> Vec<String> {
        let tags = self.html.split("<a ").skip(1);
        let hrefs =
            tags.filter_map(|tag| attribute(&format!(" {}", tag.split('>').next()?), "href"));
        hrefs.filter(|href| href.starts_with("/painel")).collect()
    }

    /// The inputs of the form that is sent there.
    pub fn form(&self, action: &str) -> Vec<(String, String)> {
        let mut forms = self.forms().into_iter();
        let found = forms.find(|(to, _)| to == action);
        found
            .unwrap_or_else(|| panic!("no form for {action}: {}", self.html))
            .1
    }

    /// The form that is sent there, with these fields filled in.
    pub fn filled(&self, action: &str, fields: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut form = self.form(action);
        form.retain(|(name, _)| fields.iter().all(|(field, _)| name != field));
        form.extend(
            fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        form
    }
}

impl Browser {
    pub fn new(app: &TestApp) -> Browser {
        Browser {
            base_url: app.base_url.clone(),
            http: reqwest::Client::builder()
                .no_proxy()
                .redirect(Policy::none())
                .build()
                .expect("client"),
            cookies: BTreeMap::new(),
            csrf: String::new(),
            headers: Vec::new(),
        }
    }

    pub async fn get(&mut self, path: &str) -> Page {
        let request = self.http.get(format!("{}{path}", self.base_url));
        self.done(request).await
    }

    /// Reads a page until it has a text.
    pub async fn until(&mut self, path: &str, text: &str) -> Page {
        tests::until(async || {
            let page = self.get(path).await;
            if page.has(text) {
                Ok(page)
            } else {
                Err(page.html)
            }
        })
        .await
    }

    /// Sends a form, with the hidden field of the last page and a token of its
    /// own.
    pub async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut url = reqwest::Url::parse("form:/").expect("an address");
        url.query_pairs_mut().extend_pairs(fields);
        if !fields.iter().any(|(name, _)| *name == "csrf") {
            url.query_pairs_mut().append_pair("csrf", &self.csrf);
        }
        if !fields.iter().any(|(name, _)| *name == "vez") {
            url.query_pairs_mut().append_pair("vez", &token());
        }
        let body = url.query().unwrap_or_default().to_owned();
        let media = "application/x-www-form-urlencoded";
        self.post(path, media, body.into_bytes()).await
    }

    /// Sends a form of a page as it was filled in.
    pub async fn submit(&mut self, path: &str, form: &[(String, String)]) -> Page {
        let fields: Vec<(&str, &str)> = form
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        self.send(path, &fields).await
    }

    /// Sends a form that carries files, as name, name of the file and bytes.
    pub async fn upload(&mut self, path: &str, parts: &[(&str, Option<&str>, &[u8])]) -> Page {
        let (csrf, token) = (self.csrf.clone(), token());
        let hidden = [
            ("csrf", None, csrf.as_bytes()),
            ("vez", None, token.as_bytes()),
        ];
        let (media, body) = multipart(&[parts, &hidden].concat());
        self.post(path, &media, body).await
    }

    /// Sends a body as it is.
    pub async fn post(&mut self, path: &str, media: &str, body: Vec<u8>) -> Page {
        let request = self.http.post(format!("{}{path}", self.base_url));
        let request = request.header("content-type", media).body(body);
        self.done(request).await
    }

    /// Sends a form and follows where it leads.
    pub async fn follow(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let page = self.send(path, fields).await;
        if page.to.is_empty() {
            return page;
        }
        self.get(&page.to.clone()).await
    }

    async fn done(&mut self, mut request: reqwest::RequestBuilder) -> Page {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        for line in headers.get_all(SET_COOKIE) {
            let pair = line
                .to_str()
                .expect("a cookie")
                .split(';')
                .next()
                .unwrap_or_default();
            let (name, value) = pair.split_once('=').expect("name and value");
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        let to = headers
            .get(LOCATION)
            .and_then(|to| to.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        let bytes = response.bytes().await.expect("a body").to_vec();
        let html = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((_, rest)) = html.split_once("name=\"csrf\" value=\"") {
            self.csrf = rest.split('"').next().unwrap_or_default().to_owned();
        }
        Page {
            status,
            html,
            to,
            headers,
            bytes,
        }
    }
}

/// A token no form had.
fn token() -> String {
    static SENT: AtomicU64 = AtomicU64::new(0);
    format!("teste-{}", SENT.fetch_add(1, Ordering::Relaxed))
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let value = rest.split('"').next()?;
    Some(
        value
            .replace("&quot;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&"),
    )
}
