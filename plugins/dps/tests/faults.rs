//! The adapter against an authority that loses, delays and garbles answers:
//! whatever happens, it never denies a note that exists and never invents one.

use sdk::{
    Adapter, Conteudo, Context, Effect, Event, HttpRequest, Named, Operacao, Response, Situacao,
    Step, TransportFault, TransportKind,
};
use serde_json::{Value, json};

const FLOWS: u64 = 600;
/// Limits of the host.
const MAX_STEPS: u32 = 64;
const MAX_STATE: usize = 256 * 1024;

/// A linear congruential generator: the same faults in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// How the authority speaks.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// The national API.
    National,
    /// One item in a list, refusals with a status of success.
    List,
    /// XML, received under a protocol and looked at later.
    Protocol,
    /// The national API at a city that refuses copies in words of its own; the
    /// search is made in the national environment, where notes arrive later.
    Afar,
}

impl Form {
    /// Options of the registry that ask for this form.
    fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Form::National => &[],
            Form::List => &[
                (
                    "caminho_consulta_dps",
                    "/ConsultarDPS/{documento}/{serie}/{numero}",
                ),
                ("campo_dps", "loteXmlGZipB64"),
                ("corpo", "json_lista"),
            ],
            Form::Protocol => &[
                ("caminho_consulta_dps", "/consultar/{id}"),
                ("caminho_consulta_protocolo", "/protocolo/{protocolo}"),
                ("corpo", "xml"),
            ],
            Form::Afar => &[("nacional", "consulta_dps,consulta_eventos,consulta_nota")],
        }
    }
}

/// What the authority has, and how it answers.
struct City {
    dice: Dice,
    form: Form,
    chave: String,
    note: String,
    /// The content breaks a rule: it is refused whenever it is looked at.
    refuses: bool,
    exists: bool,
    /// A copy that arrived but is processed so many requests later.
    late: Option<u64>,
    /// Requests until a note that exists can be found.
    hidden: u64,
    posts: Vec<Vec<u8>>,
    /// Asked since the last post.
    asked: bool,
}

impl City {
    fn answer(&mut self, request: &HttpRequest) -> Event {
        if let Some(left) = self.late {
            self.late = left.checked_sub(1);
            self.exists |= self.late.is_none();
        }
        if self.exists {
            self.hidden = self.hidden.saturating_sub(1);
        }
        match request.effect {
            Effect::Once => self.post(request),
            _ => self.query(request),
        }
    }

    fn post(&mut self, request: &HttpRequest) -> Event {
        assert!(
            self.posts.is_empty() || self.asked,
            "sent again without asking"
        );
        self.posts.push(request.body.clone());
        self.asked = false;
        assert!(
            self.posts.iter().all(|body| *body == self.posts[0]),
            "sent other bytes"
        );
        match self.dice.roll(10) {
            0 => return fault(TransportKind::Connect, false),
            1 => return response(429, "slow down"),
            2 if !self.refuses => {
                self.late.get_or_insert(self.dice.0 % 9);
                return fault(TransportKind::Timeout, true);
            }
            _ => {}
        }
        let answer = if self.exists && self.form == Form::Afar {
            self.refusal("X100")
        } else if self.exists {
            self.refusal("E0014")
        } else if self.form == Form::Protocol {
            if !self.refuses {
                self.late.get_or_insert(self.dice.0 % 9);
            }
            response(200, "<r><protocolo>P1</protocolo></r>")
        } else if self.refuses {
            self.refusal("E0084")
        } else {
            self.exists = true;
            response(201, &self.issued())
        };
        self.garble(answer)
    }

    fn refusal(&self, code: &str) -> Event {
        match self.form {
            Form::National => response(
                400,
                &json!({"erros": [{"Codigo": code, "Descricao": "nao"}]}).to_string(),
            ),
            Form::Afar => response(
                200,
                &json!({"erros": [{"codigo": code, "descricao": "nao"}]}).to_string(),
            ),
            Form::List => response(
                200,
                &json!({"lote": [{"erros": [{"codigo": code, "descricao": "nao"}]}]}).to_string(),
            ),
            Form::Protocol => response(
                200,
                &format!("<r><e><Codigo>{code}</Codigo><Descricao>nao</Descricao></e></r>"),
            ),
        }
    }

    fn query(&mut self, request: &HttpRequest) -> Event {
        self.asked = true;
        let found = self.exists && self.hidden == 0;
        let sdk::Target::Endpoint(target) = &request.target else {
            panic!("an address of its own");
        };
        let answer = match self.form {
            Form::National | Form::Afar => None,
            Form::List if found => Some(response(
                200,
                &json!({"notas": [{"chave": self.chave, "xmlGZipB64": self.packed()}]}).to_string(),
            )),
            Form::List => Some(response(200, r#"{"total":0,"notas":[]}"#)),
            Form::Protocol if target.path.starts_with("/nfse/") => None,
            Form::Protocol if target.path.starts_with("/protocolo/") && self.refuses => {
                Some(self.refusal("E0084"))
            }
            Form::Protocol if found => Some(response(
                200,
                &format!("<r><ChaveAcesso>{}</ChaveAcesso></r>", self.chave),
            )),
            Form::Protocol => Some(response(200, "<r><status>Aguardando</status></r>")),
        };
        if let Some(answer) = answer {
            return self.garble(answer);
        }
        let body = match (&request.target, request.method.as_str()) {
            (_, "HEAD") => String::new(),
            (sdk::Target::Endpoint(target), _) if !found => {
                format!(r#"{{"erro":{{"codigo":"{}"}}}}"#, target.endpoint)
            }
            (sdk::Target::Endpoint(_), _) => self.issued(),
            (sdk::Target::Url(_), _) => String::new(),
        };
        let answer = response(if found { 200 } else { 404 }, &body);
        self.garble(answer)
    }

    fn packed(&self) -> String {
        sdk::gzip::encode(self.note.as_bytes())
    }

    fn issued(&self) -> String {
        let item = json!({"chaveAcesso": self.chave, "xmlGZipB64": self.packed()});
        match self.form {
            Form::List => json!({ "lote": [item] }).to_string(),
            _ => json!({"chaveAcesso": self.chave, "nfseXmlGZipB64": self.packed()}).to_string(),
        }
    }

    /// The answer, or what a bad line makes of it.
    fn garble(&mut self, answer: Event) -> Event {
        let Event::Response(response_) = &answer else {
            return answer;
        };
        match self.dice.roll(12) {
            0 => fault(TransportKind::Reset, true),
            1 => fault(TransportKind::TooLarge, true),
            2 => response(502, "<html>bad gateway</html>"),
            3 => response(500, r#"{"erros":[{"codigo":"X","descricao":"interno"}]}"#),
            4 => response(200, "<html>captive portal</html>"),
            5 => response(403, r#"{"message":"forbidden"}"#),
            6 => {
                let body = &response_.body;
                let cut = self.dice.0 as usize % (body.len() + 1);
                Event::Response(Response {
                    body: body[..cut].to_vec(),
                    ..response_.clone()
                })
            }
            7 => response(201, "{}"),
            _ => answer,
        }
    }
}

fn response(status: u16, body: &str) -> Event {
    Event::Response(Response {
        status,
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    })
}

fn fault(kind: TransportKind, maybe_arrived: bool) -> Event {
    Event::NoResponse(TransportFault {
        kind,
        detail: "fault".into(),
        maybe_arrived,
    })
}

/// Content and context of the cassette "issued", and its note.
fn issued() -> (Value, String, String) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/issued");
    let input = std::fs::read(folder.join("input.json")).expect("input");
    let outcome: Value =
        serde_json::from_slice(&std::fs::read(folder.join("outcome.json")).expect("outcome"))
            .expect("JSON");
    let chave = outcome["success"]["documentos"][0]["chave"]
        .as_str()
        .expect("key")
        .to_owned();
    let note = std::fs::read_to_string(folder.join("nfse.xml")).expect("note");
    (serde_json::from_slice(&input).expect("JSON"), chave, note)
}

fn context(input: &Value) -> Context {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let ctx = &input["context"];
    Context {
        flow: "flw".into(),
        step: 0,
        now: text(&ctx["now"]).expect("now"),
        entropy: vec![0; 32],
        ambiente: sdk::Ambiente::Homologacao,
        municipio: None,
        uf: None,
        emitente: sdk::Emitente {
            documento: text(&ctx["emitente"]["documento"]).expect("documento"),
            inscricao_municipal: text(&ctx["emitente"]["inscricao_municipal"]),
            inscricao_estadual: None,
            razao_social: "TESTE".into(),
            extras: vec![Named {
                name: "telefone".into(),
                value: "4133330000".into(),
            }],
        },
        endpoints: vec!["nacional".into(), "sefin".into()],
        options: Vec::new(),
        secrets: Vec::new(),
    }
}

#[test]
fn what_exists_is_never_denied_and_what_is_said_exists() {
    let (input, chave, note) = issued();
    let ctx = context(&input);
    let op = Operacao {
        nome: "emitir".into(),
        conteudo: Conteudo {
            schema: "nfse.dps/1".into(),
            json: input["operation"]["conteudo"].to_string(),
        },
    };
    let adapter: Adapter = adapter_dps::adapter();
    sdk::host::FakeHost {
        documento: Some(ctx.emitente.documento.clone()),
        ..Default::default()
    }
    .install();
    let (mut yes, mut no, mut unknown) = (0, 0, 0);
    for seed in 0..FLOWS {
        // Every second authority refuses copies by rule, and is hurried.
        let mut ctx = ctx.clone();
        ctx.options.push(Named {
            name: sdk::REFUSES_DUPLICATES.into(),
            value: (seed % 2 == 1).to_string(),
        });
        let form = match seed % 5 {
            2 => Form::List,
            3 => Form::Protocol,
            4 => Form::Afar,
            _ => Form::National,
        };
        for (name, value) in form.options() {
            ctx.options.push(Named {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
            });
        }
        let mut city = City {
            dice: Dice(seed),
            form,
            chave: chave.clone(),
            note: note.clone(),
            refuses: seed % 7 == 0,
            exists: false,
            late: None,
            hidden: if form == Form::Afar { seed % 40 } else { 0 },
            posts: Vec::new(),
            asked: false,
        };
        let mut step = (adapter.start)(op.clone(), ctx.clone());
        let mut steps = 0;
        let outcome = loop {
            steps += 1;
            assert!(steps <= MAX_STEPS, "seed {seed}: too many steps");
            let (state, event) = match step {
                Step::Done(outcome) => break outcome,
                Step::Wait(_) if city.dice.roll(60) == 0 => {
                    break Err(sdk::Failure::other("host stopped").maybe_exists());
                }
                Step::Wait(pause) => (pause.state, Event::Elapsed),
                Step::Send(exchange) => (exchange.state, city.answer(&exchange.request)),
            };
            assert!(
                state.len() < MAX_STATE,
                "seed {seed}: state of {} bytes",
                state.len()
            );
            step = (adapter.resume)(
                state,
                event,
                Context {
                    step: steps,
                    ..ctx.clone()
                },
            );
        };
        // A late copy may still come to be.
        let exists = city.exists || city.late.is_some();
        match outcome {
            Ok(success) if success.situacao == Situacao::EmProcessamento => {
                assert_eq!(success.protocolo.as_deref(), Some("P1"), "seed {seed}");
                assert_eq!(city.posts.len(), 1, "seed {seed}: the receipt of one copy");
                unknown += 1;
            }
            Ok(success) => {
                assert!(city.exists, "seed {seed}: invented a note");
                assert_eq!(
                    success.documentos[0].xml.as_deref(),
                    Some(note.as_bytes()),
                    "seed {seed}"
                );
                yes += 1;
            }
            Err(failure) if failure.may_exist => unknown += 1,
            Err(failure) => {
                assert!(
                    !exists,
                    "seed {seed}: denied a note that exists: {failure:?}"
                );
                no += 1;
            }
        }
    }
    // The faults must leave room for every kind of end.
    assert!(
        yes > FLOWS / 4 && no > FLOWS / 20 && unknown > 0,
        "yes {yes}, no {no}, unknown {unknown}"
    );
}
