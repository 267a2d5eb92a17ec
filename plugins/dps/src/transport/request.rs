//! The HTTP request of a call.

use super::{Body, Call, EventForm, Login, Names, Transport, pattern, row};
use sdk::soap::without_declaration;
use sdk::xml::Writer;
use sdk::{Context, Effect, Encoding, Failure, Mensagem, Request, gzip, host};

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
        if let Some(message) = self.message(call, ctx) {
            let content = pattern::fill(message, names, ctx).unwrap_or_default();
            let label = format!("POST {}", label(call));
            let request = self.request(ctx, call, "POST", &label, Effect::ReadOnly, names);
            let request = self.in_soap(ctx, call, request, &content);
            let request = self.authorized(call, request)?;
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
                let content = self.content(ctx, call, names, document.xml()?);
                self.in_soap(ctx, call, request, &content)
            }
        };
        let request = self.authorized(call, request)?;
        Ok(self.certified(call, request))
    }

    /// A document with the message of the city around it.
    fn content(&self, ctx: &Context, call: Call, names: &Names, xml: String) -> String {
        let whole = call == Call::Register && self.event_form == EventForm::Message;
        match self.message(call, ctx).filter(|_| !whole) {
            Some(message) => {
                let names = Names {
                    xml: without_declaration(&xml).to_owned(),
                    ..names.clone()
                };
                pattern::fill(message, &names, ctx).unwrap_or_default()
            }
            None => xml,
        }
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

    /// A message in the operation of its call.
    fn in_soap(&self, ctx: &Context, call: Call, request: Request, content: &str) -> Request {
        let soap = &self.soap;
        let (_, id, ..) = row(call);
        let operation = ctx.option(&format!("metodo_{id}")).unwrap_or_default();
        let action = ctx
            .option(&format!("soap_action_{id}"))
            .or(ctx.option("soap_action"))
            .unwrap_or("{metodo}");
        let action = pattern::named(action, operation);
        let mut namespaces = vec![("nfse", soap.namespace.as_str())];
        namespaces.extend(soap.parameters.as_deref().map(|uri| ("par", uri)));
        let body = self.operation(operation, content);
        let envelope = sdk::soap::envelope(soap.version, &namespaces, None, &body);
        let request = match soap.version.action_header(&action) {
            Some(value) => request.header("SOAPAction", &value),
            None => request,
        };
        request.body(&soap.version.content_type(&action), envelope)
    }

    /// The operation around its parameters.
    fn operation(&self, operation: &str, content: &str) -> String {
        let soap = &self.soap;
        let path = pattern::named(&soap.element, operation);
        let mut w = Writer::new();
        for element in path.split('/').filter(|element| !element.is_empty()) {
            w.open(element, &[]);
        }
        let mut parameter = |name: &str, content: &str| match name {
            super::NOTHING => {
                w.raw(&soap.wrapper.wrap(content));
            }
            name => {
                w.group(name, &[], |w| {
                    w.raw(&soap.wrapper.wrap(content));
                });
            }
        };
        if let Some((name, header)) = &soap.header {
            parameter(name, header);
        }
        parameter(&soap.parameter, content);
        w.finish()
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
