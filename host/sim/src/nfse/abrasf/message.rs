//! Takes the message out of the envelope and checks what does not depend on
//! its operation: header, structure, login, holder, signatures.

use super::codes::RefusalMessage;
use super::profiles::{Envelope, Op, Profile, Spaces};
use super::signed;
use super::soap::Version;
use crate::documents::same_holder;
use crate::engine::Call;
use crate::nfse::layout;
use crate::pki::Holder;
use crate::request::SimRequest;
use crate::xml::{Element, parse};

/// A message out of its envelope.
pub(super) struct Message {
    pub op: Op,
    pub root: Element,
    profile: &'static Profile,
}

/// Why a message cannot be processed.
pub(super) enum Problem {
    /// The envelope is wrong: answered with a Fault.
    Protocol(&'static str),
    /// The envelope is right, the message is not.
    Refused(Op, RefusalMessage),
}

/// The password that no city accepts, for tests of wrong credentials.
const WRONG_PASSWORD: &str = "errada";

pub(super) fn open(profile: &'static Profile, req: &SimRequest) -> Result<Message, Problem> {
    let text = std::str::from_utf8(&req.body)
        .map_err(|_| Problem::Protocol("Requisição fora de UTF-8"))?;
    let version = Version::of(req);
    if version == Version::Bare && profile.any_system() {
        let (root, op) = in_object(text).ok_or(Problem::Protocol("Mensagem ausente"))?;
        return Ok(Message { op, root, profile });
    }
    let envelope = parse(text).map_err(|_| Problem::Protocol("XML mal formado"))?;
    if envelope.name != "Envelope" || envelope.ns != version.namespace() {
        return Err(Problem::Protocol("Versão do SOAP não suportada"));
    }
    let call = envelope
        .child("Body")
        .and_then(|b| b.elements().next())
        .ok_or(Problem::Protocol("Corpo SOAP vazio"))?;
    match &profile.envelope {
        Envelope::Texts {
            service,
            suffix,
            head,
            data,
            action,
            ..
        } => {
            let op = call
                .name
                .strip_suffix(suffix)
                .filter(|_| call.ns == *service)
                .and_then(Op::by_service)
                .ok_or(Problem::Protocol("Operação desconhecida"))?;
            if let (Some(prefix), Version::V11) = (action, version) {
                let wanted = format!("{prefix}{}", op.service_name());
                if req.header("soapaction").map(|a| a.trim_matches('"')) != Some(wanted.as_str()) {
                    return Err(Problem::Protocol("SOAPAction não reconhecida"));
                }
            }
            let text_of = |name: &str| {
                call.child(name)
                    .filter(|e| e.elements().next().is_none())
                    .map(Element::text)
                    .ok_or(Problem::Protocol("Parâmetro ausente ou não textual"))
            };
            let (head, data) = (text_of(head)?, text_of(data)?);
            header(profile, &head).map_err(|m| Problem::Refused(op, m))?;
            message(profile, op, &data)
        }
        Envelope::Elements { service } => {
            let op = Op::by_service(&call.name)
                .filter(|_| {
                    call.ns == *service && call.name.starts_with(|c: char| c.is_ascii_lowercase())
                })
                .ok_or(Problem::Protocol("Operação desconhecida"))?;
            let inside = call
                .elements()
                .find(|e| e.name.ends_with("Envio"))
                .ok_or(Problem::Protocol("Mensagem ausente"))?;
            login(call).map_err(|m| Problem::Refused(op, m))?;
            // Read alone, as the service does after unmarshalling; a message that
            // uses a prefix of the envelope is taken as it stands there.
            let root = parse(inside.source(text)).unwrap_or_else(|_| inside.clone());
            expected(profile, op, root)
        }
        Envelope::Any => {
            // Its structure is not looked at: each of these systems has its own. The
            // operation may refer to an element behind it (multi-reference).
            let body = envelope.child("Body").into_iter();
            let (root, op) = body
                .flat_map(Element::elements)
                .find_map(|element| anywhere(element, text))
                .or_else(|| without_name(call))
                .ok_or(Problem::Protocol("Mensagem ausente"))?;
            Ok(Message { op, root, profile })
        }
    }
}

/// Login nodes beside the message (Fiorilli).
fn login(call: &Element) -> Result<(), RefusalMessage> {
    let (user, password) = (call.text_at("username"), call.text_at("password"));
    let given = user.is_some_and(|u| !u.trim().is_empty())
        && password.is_some_and(|p| !p.is_empty() && p != WRONG_PASSWORD);
    if given {
        Ok(())
    } else {
        Err(RefusalMessage::of("E157"))
    }
}

/// `<cabecalho versao="2.02"><versaoDados>2.02</versaoDados></cabecalho>`
fn header(profile: &Profile, text: &str) -> Result<(), RefusalMessage> {
    let root = parse(text).map_err(|_| RefusalMessage::of("S002"))?;
    let space_ok = match &profile.spaces {
        Spaces::One(all) => all.contains(&root.ns.as_str()),
        Spaces::PerMessage => root.ns == "http://www.giss.com.br/cabecalho-v2_04.xsd",
    };
    let data_version = root.text_at("versaoDados").unwrap_or_default();
    let ok = root.name == "cabecalho"
        && space_ok
        && data_version == profile.version
        && root.attr("versao").is_some_and(|v| !v.is_empty());
    if ok {
        Ok(())
    } else {
        Err(RefusalMessage::of("S002"))
    }
}

fn message(profile: &'static Profile, op: Op, text: &str) -> Result<Message, Problem> {
    let root = parse(text)
        .map_err(|e| Problem::Refused(op, RefusalMessage::of("E160").hint(&e.to_string())))?;
    expected(profile, op, root)
}

fn expected(profile: &'static Profile, op: Op, root: Element) -> Result<Message, Problem> {
    if root.name != op.request_root() {
        return Err(Problem::Refused(
            op,
            RefusalMessage::of("E160").hint(&format!("esperado {}", op.request_root())),
        ));
    }
    checked(profile, op, root)
}

fn checked(profile: &'static Profile, op: Op, root: Element) -> Result<Message, Problem> {
    let spaces = profile.namespaces(&root.name, &root.ns);
    let spaces: Vec<(&str, &str)> = spaces.iter().map(|(l, n)| (*l, n.as_str())).collect();
    layout::check(profile.layout(), &spaces, &root)
        .map_err(|v| Problem::Refused(op, RefusalMessage::of("E160").hint(&v.to_string())))?;
    Ok(Message { op, root, profile })
}

/// The only element of an operation, where its name says nothing.
fn without_name(call: &Element) -> Option<(Element, Op)> {
    let op = Op::by_service(&call.name)?;
    let mut inside = call.elements();
    let root = inside
        .next()
        .filter(|root| root.elements().next().is_some())?;
    inside.next().is_none().then(|| (root.clone(), op))
}

/// The message in a field of a JSON object.
fn in_object(text: &str) -> Option<(Element, Op)> {
    let object: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut texts = object.as_object()?.values().filter_map(|v| v.as_str());
    let message = texts.find(|text| text.trim_start().starts_with('<'))?;
    let root = parse(message).ok()?;
    Op::by_root(&root.name).map(|op| (root, op))
}

/// Looks for the message as element or as text, at any depth, for cities
/// without a profile. An element that only carries the message may have the
/// message's name, so what is inside is looked at first.
fn anywhere(element: &Element, text: &str) -> Option<(Element, Op)> {
    let named = |root: Element| Op::by_root(&root.name).map(|op| (root, op));
    let inside = element.elements().find_map(|child| anywhere(child, text));
    let inner_text = || {
        let inner = element.text();
        let document = inner
            .trim_start()
            .starts_with('<')
            .then(|| parse(&inner).ok());
        document.flatten().and_then(named)
    };
    inside
        .or_else(inner_text)
        .or_else(|| parse(element.source(text)).ok().and_then(named))
        .or_else(|| named(element.clone()).filter(|(root, _)| root.elements().next().is_some()))
}

impl Message {
    /// CNPJ or CPF of the provider.
    pub fn provider(&self) -> Option<String> {
        let holder = match self.op {
            // A cancellation may name provider and number alone.
            Op::Cancel | Op::Replace => self
                .root
                .find("IdentificacaoNfse")
                .or_else(|| self.root.child("Prestador")),
            Op::Batch | Op::SynchronousBatch => self.root.child("LoteRps"),
            _ => self
                .root
                .find("Prestador")
                .or_else(|| self.root.find("IdentificacaoRequerente")),
        }?;
        document(holder)
    }

    /// Login and signatures against the provider.
    pub fn checks(&self, call: &Call<'_>, caller: Option<&Holder>) -> Result<(), RefusalMessage> {
        let provider = self.provider().ok_or_else(|| RefusalMessage::of("E160"))?;
        if caller.is_some_and(|caller| !same_holder(&caller.document, &provider)) {
            return Err(RefusalMessage::of("E157"));
        }
        signed::check(call, self.profile, self.op, &self.root, &provider)
    }
}

/// CNPJ or CPF directly in an element, in its `CpfCnpj` or in its `Prestador`.
pub(super) fn document(element: &Element) -> Option<String> {
    [
        "Cnpj",
        "CpfCnpj/Cnpj",
        "CpfCnpj/Cpf",
        "Prestador/CpfCnpj/Cnpj",
        "Prestador/CpfCnpj/Cpf",
        "Prestador/Cnpj",
    ]
    .iter()
    .find_map(|path| element.text_at(path))
}
