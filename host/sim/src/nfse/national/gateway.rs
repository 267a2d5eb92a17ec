//! Cities that take the national DPS at their own address: what they are
//! asked is found by the document, the id or the key in the request, whatever
//! the path, and they answer in the form they were asked in.

use super::answer::refuse_list;
use super::codes::Refusal;
use super::dps::{Dps, NS};
use super::enveloped::{self, Question, Said};
use super::signed::{Signed, read, signer, signer_of};
use super::{Ambiente, caller, event, note, package, query};
use crate::engine::faults::Peek;
use crate::engine::{Call, Outcome};
use crate::pki::Holder;
use crate::request::{Answer, SimRequest};
use crate::xml::{Element, escape, parse};
use serde_json::{Value, json};

/// How a city speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The national API.
    Json,
    /// A list with one item, in requests and answers.
    List,
    /// XML that is received under a protocol.
    Xml,
    /// The same in SOAP.
    Soap,
    /// SOAP with the note in the answer.
    Note,
}

/// What a city is asked.
enum Ask {
    Issue(String),
    Register(String),
    /// A cancellation in the manner of ABRASF.
    Cancel(String),
    Dps {
        id: String,
        head: bool,
    },
    Note(String),
    Events(String),
    Status(String),
}

/// Whether a request to an unknown host is for such a city.
pub(crate) fn knows(req: &SimRequest) -> bool {
    asked(req).is_some()
}

fn asked(req: &SimRequest) -> Option<(Form, Ask)> {
    if req.method == "POST" {
        let body = std::str::from_utf8(&req.body).ok()?;
        return match serde_json::from_str::<Value>(body) {
            Ok(value) => packed(&value),
            Err(_) => plain(req, body),
        };
    }
    by_path(req)
}

/// A document in a field of a JSON object, or in a list there.
fn packed(value: &Value) -> Option<(Form, Ask)> {
    let field = value
        .as_object()?
        .iter()
        .find(|(name, _)| name.to_ascii_lowercase().ends_with("xmlgzipb64"))?
        .1;
    let (form, text) = match field {
        Value::Array(items) => (Form::List, items.first()?.as_str()?),
        other => (Form::Json, other.as_str()?),
    };
    document(&package::unpack(text).ok()?).map(|ask| (form, ask))
}

/// A document as it is, or in the envelope of SOAP.
fn plain(req: &SimRequest, body: &str) -> Option<(Form, Ask)> {
    let root = parse(body).ok()?;
    if root.name == "Envelope" && enveloped::answers_at_once(body) {
        return messages(&root, body)
            .iter()
            .find_map(|xml| document(xml).or_else(|| asked_in(xml)))
            .map(|ask| (Form::Note, ask));
    }
    let form = if root.name == "Envelope" {
        Form::Soap
    } else if by_protocol(req) {
        Form::Xml
    } else {
        // Asked in XML, answered in JSON.
        Form::Json
    };
    if let Some(protocol) = root.find("protocolo") {
        return Some((form, Ask::Status(protocol.text())));
    }
    ["DPS", "evento", "pedRegEvento"]
        .iter()
        .find_map(|name| root.find(name))
        .and_then(|found| document(found.source(body)))
        .or_else(|| texts(&root).iter().find_map(|text| document(text)))
        .map(|ask| (form, ask))
}

/// A question in a message.
fn asked_in(xml: &str) -> Option<Ask> {
    Some(match enveloped::question(&parse(xml).ok()?, xml)? {
        Question::Dps(id) => Ask::Dps { id, head: false },
        Question::Note(chave) => Ask::Note(chave),
        Question::Cancel(xml) => Ask::Cancel(xml),
    })
}

/// The messages of an envelope: documents in texts, or else those of the
/// layout among its elements, outermost first, and the whole.
fn messages(root: &Element, body: &str) -> Vec<String> {
    let held = texts(root);
    let mut found: Vec<String> = Vec::new();
    for text in held {
        found.extend(
            parse(&text)
                .ok()
                .and_then(|inner| layout_part(&inner, &text)),
        );
        found.push(text);
    }
    found.extend(layout_part(root, body));
    found.push(body.to_owned());
    found
}

/// The outermost document of the layout in a message.
fn layout_part(root: &Element, source: &str) -> Option<String> {
    let names = ["NFSe", "DPS", "evento", "pedRegEvento"];
    let found = names.iter().find_map(|name| root.find(name));
    // `DPS` is also the name of a question's field.
    found
        .filter(|found| found.elements().next().is_some())
        .map(|found| found.source(source).to_owned())
}

/// The one system of the registry that answers XML in XML.
fn by_protocol(req: &SimRequest) -> bool {
    let path = req.plain_path().to_ascii_lowercase();
    [
        "/recepcionardps",
        "/cancelarnfse",
        "/consultarlotedps/",
        "/consultarnfsedps/",
    ]
    .iter()
    .any(|part| path.contains(part))
}

/// Documents as texts inside an element.
fn texts(element: &Element) -> Vec<String> {
    let text = element.text();
    if text.trim_start().starts_with('<') {
        return vec![text];
    }
    element.elements().flat_map(texts).collect()
}

fn document(xml: &str) -> Option<Ask> {
    match parse(xml).ok()?.name.as_str() {
        "DPS" | "NFSe" => Some(Ask::Issue(xml.to_owned())),
        "evento" | "pedRegEvento" => Some(Ask::Register(xml.to_owned())),
        _ => None,
    }
}

/// A question by what stands in the path.
fn by_path(req: &SimRequest) -> Option<(Form, Ask)> {
    let path = req.plain_path();
    let lower = path.to_ascii_lowercase();
    let form = if by_protocol(req) {
        Form::Xml
    } else if lower.contains("/consultar") {
        Form::List
    } else {
        Form::Json
    };
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_id = |part: &&&str| part.len() == 45 && part.starts_with("DPS");
    let is_key = |part: &&&str| part.len() == 50 && part.bytes().all(|b| b.is_ascii_alphanumeric());
    let id = segments.iter().find(is_id).map(|id| (*id).to_owned());
    let ask = if let Some(id) = id {
        if lower.contains("/consultarlote") || lower.contains("/protocolo/") {
            Ask::Status(id)
        } else {
            Ask::Dps {
                id,
                head: req.method == "HEAD",
            }
        }
    } else if let Some(key) = segments.iter().find(is_key) {
        if lower.contains("eventos") {
            Ask::Events((*key).to_owned())
        } else {
            Ask::Note((*key).to_owned())
        }
    } else if let [.., name, provider, series, number] = segments.as_slice()
        && name.eq_ignore_ascii_case("consultardps")
    {
        // The municipality is not told: the end of the id says the rest.
        let end = format!("{provider:0>14}{series:0>5}{number:0>15}");
        Ask::Dps {
            id: end,
            head: false,
        }
    } else {
        return None;
    };
    Some((form, ask))
}

/// What the faults look at.
pub(crate) fn peek(req: &SimRequest, host: &str) -> Peek {
    let asked = asked(req).map(|(_, ask)| ask);
    let operation = match &asked {
        Some(Ask::Issue(_)) => "emitir",
        Some(Ask::Register(xml)) if xml.contains("e101101") => "cancelar",
        Some(Ask::Register(_)) => "evento",
        Some(Ask::Cancel(_)) => "cancelar",
        Some(Ask::Events(_)) => "eventos",
        Some(_) => "consultar",
        None => "outra",
    };
    let mut documents: Vec<String> = req.holder_document().into_iter().collect();
    if let Some(Ask::Issue(xml)) = &asked
        && let Ok(root) = parse(xml)
    {
        let dps = root.find("DPS").and_then(Dps::of);
        documents.extend(dps.and_then(|dps| dps.document("prest")));
    }
    Peek {
        host: host.to_owned(),
        operation,
        documents,
        ..Peek::default()
    }
}

/// Processes one request.
pub(crate) fn process(call: &mut Call<'_>) -> Outcome {
    let Some((form, ask)) = asked(call.req) else {
        return Answer::new(404, "text/plain", "").into();
    };
    let ambiente = ambiente(call, &ask);
    let caller = match caller(call, ambiente) {
        Ok(caller) => caller,
        Err(answer) => return answer.into(),
    };
    let outcome = match &ask {
        Ask::Issue(xml) => match national_form(call, xml, &caller) {
            Ok(given) => note::issue(call, ambiente, Some(given)),
            Err(refusal) => refuse_list(call, ambiente, 400, None, &[refusal]).into(),
        },
        Ask::Register(xml) => match national_event(call, xml, &caller) {
            Ok((chave, given)) => event::register(call, ambiente, &chave, Some(given)),
            Err(refusal) => refuse_list(call, ambiente, 400, None, &[refusal]).into(),
        },
        Ask::Cancel(xml) => match enveloped::national_order(call, ambiente, xml, &caller) {
            Ok((chave, given)) => event::register(call, ambiente, &chave, Some(given)),
            Err(refusal) => refuse_list(call, ambiente, 400, None, &[refusal]).into(),
        },
        Ask::Dps { id, head } => {
            let id = whole_id(call, id);
            query::dps(call, ambiente, &caller, &id, *head).into()
        }
        Ask::Note(chave) => query::note(call, ambiente, &caller, chave).into(),
        Ask::Events(chave) => query::events(call, ambiente, &caller, chave, None, None).into(),
        Ask::Status(id) => query::dps(call, ambiente, &caller, id, false).into(),
    };
    Outcome {
        answer: dressed(call, form, &ask, outcome.answer),
        if_duplicate: outcome
            .if_duplicate
            .map(|answer| dressed(call, form, &ask, answer)),
        tells_queue: outcome.tells_queue,
    }
}

/// Refusal that a fault orders.
pub(crate) fn refuse(call: &Call<'_>, code: &str, message: Option<&str>) -> Answer {
    let mut refusal = Refusal::from(code);
    refusal.description = message.map(str::to_owned);
    let answer = refuse_list(call, Ambiente::Production, 400, None, &[refusal]);
    match asked(call.req) {
        Some((form, ask)) => dressed(call, form, &ask, answer),
        None => answer,
    }
}

/// Environment of what is asked: said by a document, known of a note.
fn ambiente(call: &Call<'_>, ask: &Ask) -> Ambiente {
    let production = match ask {
        Ask::Issue(xml) | Ask::Register(xml) => parse(xml)
            .ok()
            .and_then(|root| root.find("tpAmb").map(Element::text))
            .is_some_and(|kind| kind == "1"),
        Ask::Dps { id, .. } | Ask::Status(id) => call
            .notes
            .notes_of_dps(id)
            .iter()
            .any(|n| n.local == Ambiente::Production.name()),
        Ask::Cancel(xml) => {
            enveloped::ordered(call, xml).is_some_and(|n| n.local == Ambiente::Production.name())
        }
        Ask::Note(chave) | Ask::Events(chave) => call
            .notes
            .note_by_key(chave)
            .is_some_and(|n| n.local == Ambiente::Production.name()),
    };
    if production {
        Ambiente::Production
    } else {
        Ambiente::Homologacao
    }
}

/// The id that a question without municipality is about.
fn whole_id(call: &Call<'_>, id: &str) -> String {
    match call.notes.notes_of_dps(id).into_iter().next() {
        Some(nota) => nota.chave_natural,
        None => format!("{id:0>45}").replacen("000", "DPS", 1),
    }
}

/// The DPS as the national system knows it, its signature verified as it came.
fn national_form(call: &Call<'_>, xml: &str, caller: &Holder) -> Result<Signed, Refusal> {
    let root = read(xml)?;
    if root.name == "NFSe" {
        return enveloped::inner_dps(call, xml, caller);
    }
    let target = root.child("infDPS").ok_or(Refusal::from("E1235"))?;
    let signer = signer(call, &root, target).map_err(Refusal::from)?;
    let mut national = xml.to_owned();
    if root.ns != NS {
        national = national
            .replacen(&root.ns, NS, 1)
            .replacen("versao=\"1.0\"", "versao=\"1.01\"", 1)
            .replacen("versao=\"1.00\"", "versao=\"1.01\"", 1)
            .replacen(" id=\"DPS", " Id=\"DPS", 1);
    }
    Ok(Signed {
        xml: national,
        signer,
    })
}

/// The request inside an event in the order of the layout, and its key.
fn national_event(
    call: &Call<'_>,
    xml: &str,
    caller: &Holder,
) -> Result<(String, Signed), Refusal> {
    let broken = || Refusal::from("E1235");
    let root = read(xml)?;
    let target = root
        .child("infEvento")
        .or_else(|| root.child("infPedReg"))
        .ok_or_else(broken)?;
    let signer = signer_of(call, &root, &root, target, caller)?;
    let request = root.find("infPedReg").ok_or_else(broken)?;
    let chave = request.text_at("chNFSe").ok_or_else(broken)?;
    let given = request
        .attr("Id")
        .or_else(|| request.attr("id"))
        .ok_or_else(broken)?;
    // Some cities go on to number requests as layout 1.00 did.
    let id = match given.strip_suffix("001") {
        Some(id) if request.child("nPedRegEvento").is_some() => id,
        _ => given,
    };
    let kind = request
        .elements()
        .find(|e| e.name.len() == 7 && e.name.starts_with('e'))
        .ok_or_else(broken)?;
    let parts: String = [
        "tpAmb",
        "verAplic",
        "dhEvento",
        "CNPJAutor",
        "CPFAutor",
        "chNFSe",
    ]
    .iter()
    .filter_map(|name| request.child(name))
    .map(|e| e.source(xml))
    .collect();
    let national = format!(
        "<pedRegEvento xmlns=\"{NS}\" versao=\"1.01\"><infPedReg Id=\"{id}\">{parts}{}</infPedReg></pedRegEvento>",
        kind.source(xml)
    );
    Ok((
        chave,
        Signed {
            xml: national,
            signer,
        },
    ))
}

/// An answer of the national system as this city gives it.
fn dressed(call: &Call<'_>, form: Form, ask: &Ask, answer: Answer) -> Answer {
    let Ok(body) = serde_json::from_slice::<Value>(&answer.body) else {
        return answer;
    };
    match form {
        Form::Json => answer,
        Form::List => listed(call, ask, &body),
        Form::Xml | Form::Soap => in_xml(form, ask, &body),
        Form::Note => with_note(call, ask, &body),
    }
}

fn listed(call: &Call<'_>, ask: &Ask, body: &Value) -> Answer {
    let note = |chave: &str| {
        let nota = call.notes.note_by_key(chave)?;
        Some(json!({"chave": chave, "xmlGZipB64": package::pack(&nota.xml)}))
    };
    let found = body["chaveAcesso"].as_str().and_then(note);
    let answer = match ask {
        Ask::Dps { .. } | Ask::Note(_) | Ask::Status(_) => {
            let notes: Vec<Value> = found.into_iter().collect();
            json!({"total": notes.len(), "notas": notes})
        }
        Ask::Events(_) => {
            let list = body["eventos"].as_array().map(Vec::as_slice);
            list.unwrap_or_default()
                .iter()
                .map(|e| json!({"tipo": e["tipoEvento"], "xmlGZipB64": e["arquivoXml"]}))
                .collect()
        }
        Ask::Issue(_) | Ask::Register(_) | Ask::Cancel(_) => {
            let document = ["nfseXmlGZipB64", "eventoXmlGZipB64"]
                .iter()
                .map(|name| &body[*name])
                .find(|packed| packed.is_string());
            json!({"lote": [{
                "chaveAcesso": body["chaveAcesso"],
                "xmlGZipB64": document,
                "erros": errors(body),
            }]})
        }
    };
    Answer::json(200, &answer)
}

/// The errors of a national answer, one object or a list.
fn errors(body: &Value) -> Vec<Value> {
    ["erros", "erro"]
        .iter()
        .flat_map(|name| match &body[*name] {
            Value::Array(list) => list.clone(),
            object @ Value::Object(_) => vec![object.clone()],
            _ => Vec::new(),
        })
        .collect()
}

fn with_note(call: &Call<'_>, ask: &Ask, body: &Value) -> Answer {
    let errors = errors(body);
    let said = match ask {
        Ask::Dps { .. } | Ask::Note(_) | Ask::Status(_) if !errors.is_empty() => Said::Nothing,
        _ if !errors.is_empty() => Said::Errors(&errors),
        Ask::Cancel(_) => Said::Cancelled,
        Ask::Register(_) => Said::Event(body["eventoXmlGZipB64"].as_str().unwrap_or_default()),
        _ => Said::Note(body["chaveAcesso"].as_str().unwrap_or_default()),
    };
    enveloped::answer(call, &said)
}

fn in_xml(form: Form, ask: &Ask, body: &Value) -> Answer {
    let refusals: String = errors(body)
        .iter()
        .map(|error| {
            let text = |camel: &str, pascal: &str| {
                let found = error[camel].as_str().or_else(|| error[pascal].as_str());
                escape(found.unwrap_or_default())
            };
            format!(
                "<mensagem><codigo>{}</codigo><mensagem>{}</mensagem></mensagem>",
                text("codigo", "Codigo"),
                text("descricao", "Descricao")
            )
        })
        .collect();
    let chave = body["chaveAcesso"].as_str().unwrap_or_default();
    let content = match ask {
        _ if !refusals.is_empty() && !matches!(ask, Ask::Dps { .. } | Ask::Status(_)) => format!(
            "<protocolo></protocolo><status>Rejeitado</status><listaMensagens>{refusals}</listaMensagens>"
        ),
        Ask::Issue(_) | Ask::Register(_) | Ask::Cancel(_) => {
            let protocol = body["idDps"].as_str().unwrap_or("1");
            format!("<protocolo>{protocol}</protocolo><status>Aguardando</status>")
        }
        // Nothing is said about what is not there yet.
        _ if chave.is_empty() => "<status>Aguardando</status>".to_owned(),
        Ask::Status(id) => format!(
            "<protocolo>{id}</protocolo><statusProcessamento>Processado com sucesso</statusProcessamento>\
             <emissao><idDps>{id}</idDps><chaveAcesso>{chave}</chaveAcesso></emissao>"
        ),
        _ => format!("<ChaveAcesso>{chave}</ChaveAcesso>"),
    };
    let message = format!("<Resposta>{content}</Resposta>");
    if form == Form::Xml {
        return Answer::new(200, "application/xml; charset=utf-8", message);
    }
    Answer::new(
        200,
        "text/xml; charset=utf-8",
        format!(
            "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>{message}</soap:Body></soap:Envelope>"
        ),
    )
}
