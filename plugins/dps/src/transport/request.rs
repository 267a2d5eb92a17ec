//! The HTTP request of a call.

use super::{Body, Call, Login, Names, Transport, pattern};
use sdk::xml::Writer;
use sdk::{Context, Effect, Encoding, Failure, Mensagem, Request, gzip, host, soap};

/// What is sent.
enum Document<'a> {
    Dps(&'a str),
    Event(&'a str),
}

impl<'a> Document<'a> {
    /// gzip in base64.
    fn packed(&self) -> &'a str {
        match *self {
            Document::Dps(packed) | Document::Event(packed) => packed,
        }
    }

    fn xml(&self) -> Result<String, Failure> {
        let bytes = gzip::decode(self.packed()).map_err(|_| Failure::other("estado ilegivel"))?;
        String::from_utf8(bytes).map_err(|_| Failure::other("estado ilegivel"))
    }

    /// One of two names: the DPS's or the event's.
    fn of<'n>(&self, names: &'n [String; 2]) -> &'n str {
        let [dps, event] = names;
        match self {
            Document::Dps(_) => dps,
            Document::Event(_) => event,
        }
    }
}

impl Transport {
    /// The DPS, packed.
    ///
    /// # Errors
    /// The city wants credentials and the customer has none.
    pub fn issue(&self, ctx: &Context, id: &str, dps: &str) -> Result<Request, Failure> {
        let names = Names::of_dps(id);
        self.sending(ctx, Call::Issue, "POST nfse", &names, &Document::Dps(dps))
    }

    /// An event of a note, packed.
    ///
    /// # Errors
    /// The city wants credentials and the customer has none.
    pub fn event(&self, ctx: &Context, chave: &str, event: &str) -> Result<Request, Failure> {
        let names = Names::of_chave(chave);
        self.sending(
            ctx,
            Call::Register,
            "POST evento",
            &names,
            &Document::Event(event),
        )
    }

    /// A query: GET, or HEAD when only the status matters.
    ///
    /// # Errors
    /// The city wants credentials and the customer has none.
    pub fn query(
        &self,
        ctx: &Context,
        call: Call,
        method: &str,
        names: &Names,
    ) -> Result<Request, Failure> {
        if let Some(message) = self
            .status_message
            .as_ref()
            .filter(|_| call == Call::Protocol)
        {
            let body = pattern::fill(message, names, ctx).unwrap_or_default();
            let label = format!("POST {}", label(call));
            let request = self.request(ctx, call, "POST", &label, Effect::ReadOnly, names);
            let action = self.action(&self.soap.status);
            let request = self.authorized(call, self.enveloped(request, &action, &body))?;
            return Ok(self.certified(call, request));
        }
        let request = self
            .request(
                ctx,
                call,
                method,
                &format!("{method} {}", label(call)),
                Effect::ReadOnly,
                names,
            )
            .header("Accept", self.accepted(call));
        let request = self.authorized(call, request)?;
        Ok(self.certified(call, request))
    }

    fn sending(
        &self,
        ctx: &Context,
        call: Call,
        label: &str,
        names: &Names,
        document: &Document<'_>,
    ) -> Result<Request, Failure> {
        let request = self.request(ctx, call, "POST", label, Effect::Once, names);
        let body = if self.is_national(call) {
            Body::Json
        } else {
            self.body
        };
        let request = match body {
            Body::Json | Body::JsonList => request
                .header("Accept", "application/json")
                .body("application/json", self.json(call, document)),
            Body::Xml => request
                .header("Accept", self.accepted(call))
                .body("application/xml; charset=utf-8", document.xml()?),
            Body::Soap => {
                let operation = document.of(&self.soap.operations);
                let content = self.soap.wrapper.wrap(&document.xml()?);
                let body = self.operation(operation, &content);
                let action = match &self.soap.issue_action {
                    Some(action) if call == Call::Issue => action.clone(),
                    _ => self.action(operation),
                };
                return self
                    .authorized(call, self.enveloped(request, &action, &body))
                    .map(|request| self.certified(call, request));
            }
        };
        let request = self.authorized(call, request)?;
        Ok(self.certified(call, request))
    }

    fn json(&self, call: Call, document: &Document<'_>) -> String {
        let packed = document.packed();
        if self.is_national(call) {
            let field = match document {
                Document::Dps(_) => "dpsXmlGZipB64",
                Document::Event(_) => "pedidoRegistroEventoXmlGZipB64",
            };
            return serde_json::json!({ field: packed }).to_string();
        }
        let field = document.of(&self.fields);
        match self.body {
            Body::JsonList => serde_json::json!({ field: [packed] }).to_string(),
            _ => serde_json::json!({ field: packed }).to_string(),
        }
    }

    fn request(
        &self,
        ctx: &Context,
        call: Call,
        method: &str,
        label: &str,
        effect: Effect,
        names: &Names,
    ) -> Request {
        let path = self.path(call, names, ctx);
        Request::new(label, effect, method, self.endpoint(call, ctx), &path)
    }

    /// The media type of the answer.
    fn accepted(&self, call: Call) -> &'static str {
        if self.body == Body::Xml && !self.is_national(call) {
            "application/xml, application/json"
        } else {
            "application/json"
        }
    }

    /// The SOAP action of an operation.
    fn action(&self, operation: &str) -> String {
        match self.soap.action.as_str() {
            super::NOTHING => String::new(),
            action => action.replace("{metodo}", operation),
        }
    }

    /// The operation around its parameter.
    fn operation(&self, operation: &str, content: &str) -> String {
        let path = self.soap.element.replace("{metodo}", operation);
        let mut w = Writer::new();
        for element in path.split('/') {
            w.open(element, &[]);
        }
        match self.soap.parameter.as_str() {
            super::NOTHING => {
                w.raw(content);
            }
            parameter => {
                w.group(parameter, &[], |w| {
                    w.raw(content);
                });
            }
        }
        w.finish()
    }

    fn enveloped(&self, request: Request, action: &str, body: &str) -> Request {
        let version = self.soap.version;
        let namespaces = [("nfse", self.soap.namespace.as_str())];
        let envelope = soap::envelope(version, &namespaces, None, body);
        let request = match version.action_header(action) {
            Some(value) => request.header("SOAPAction", &value),
            None => request,
        };
        request.body(&version.content_type(action), envelope)
    }

    /// With the credentials of the city; the national environment knows the
    /// customer by the certificate.
    fn authorized(&self, call: Call, request: Request) -> Result<Request, Failure> {
        if self.is_national(call) {
            return Ok(request);
        }
        Ok(match self.login {
            Login::None => request,
            Login::Basic => {
                let value = host::basic_auth("usuario", "senha")
                    .ok_or_else(|| missing("usuário e senha"))?;
                request.header("Authorization", &value)
            }
            Login::Bearer => {
                let token =
                    host::secret("token", Encoding::Plain).ok_or_else(|| missing("token"))?;
                request.header("Authorization", &format!("Bearer {token}"))
            }
        })
    }

    fn certified(&self, call: Call, request: Request) -> Request {
        if self.client_certificate || self.is_national(call) {
            request.client_certificate()
        } else {
            request
        }
    }
}

fn label(call: Call) -> &'static str {
    match call {
        Call::Issue | Call::Note => "nfse",
        Call::Register => "evento",
        Call::Dps => "dps",
        Call::Events => "eventos",
        Call::Protocol => "protocolo",
    }
}

fn missing(what: &str) -> Failure {
    Failure::credentials(vec![Mensagem::new(
        "",
        &format!("A prefeitura exige {what} do webservice."),
    )])
}
