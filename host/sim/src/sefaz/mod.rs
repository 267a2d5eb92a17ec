//! NF-e (55) and NFC-e (65): all authorizers and the national environment.
//!
//! Sources: MOC 7.0 (overview and annex I), NT 2014.002, 2018.004, 2019.001,
//! 2025.001, 2025.002 and 2026.002 as public repositories show them (second
//! hand), XSD packages PL_010d to PL_010f, recorded traffic of 2020. Nothing
//! here is shared with the hub's rules.

mod answer;
mod author;
mod authorize;
mod chave;
mod cstat;
mod distribute;
mod document;
mod event;
mod memory;
mod query;
mod rules;
mod services;
mod soap;
mod structure;
mod supplier;
mod taxpayers;
mod void;

use crate::engine::Outcome;
use crate::engine::faults::Peek;
use crate::pki::holder;
use crate::request::{Answer, SimRequest};
use crate::xml::Element;
use answer::{Lugar, Sobre};
use author::Transmissor;
pub(crate) use author::forbidden;
use cstat::Recusa;
use memory::Call;
pub use memory::Inutilizacao;
pub(crate) use memory::{Memoria, Registro};
pub(crate) use services::knows;
use services::{Op, Servico};
use soap::{Mensagem, Problema};
pub use supplier::Deposito;
pub(crate) use supplier::{cancelar as cancelar_deposito, depositar};

/// Name of this system in the state and the counters.
pub(crate) const SISTEMA: &str = "sefaz";
/// Namespace of the documents.
const NS: &str = "http://www.portalfiscal.inf.br/nfe";

/// The service a request is for; `None`: the host has no such address.
#[derive(Clone, Copy)]
pub(crate) struct Rota(Option<&'static Servico>);

impl Rota {
    pub fn of(req: &SimRequest, host: &str) -> Self {
        Self(services::find(host, req.plain_path()))
    }
}

/// A note of this system with its protocol.
pub(crate) fn proc_of(nota: &crate::notes::Nota) -> Option<String> {
    (nota.sistema == SISTEMA).then(|| answer::nfe_proc(nota))
}

/// What the faults look at.
pub(crate) fn peek(rota: Rota, req: &SimRequest, host: &str) -> Peek {
    let mut peek = Peek {
        host: host.to_owned(),
        operacao: "outra",
        ..Peek::default()
    };
    peek.documentos.extend(
        req.client_cert_der
            .as_deref()
            .and_then(holder)
            .map(|h| h.documento),
    );
    let Some(servico) = rota.0 else { return peek };
    let message = soap::abrir(req, servico).ok();
    let root = message.as_ref().map(|m| &m.raiz);
    peek.operacao = match servico.op {
        Op::Autorizar => "autorizar",
        Op::Recibo => "recibo",
        Op::Consultar => "consultar",
        Op::Status => "status",
        Op::Evento => "evento",
        Op::Inutilizar => "inutilizar",
        Op::Cadastro => "cadastro",
        Op::Distribuir => "distribuir",
    };
    if servico.op == Op::Evento
        && let Some(tipo) = root.and_then(|r| r.text_at("evento/infEvento/tpEvento"))
    {
        peek.operacao = event::operacao(&tipo);
        peek.apelidos = vec!["evento".to_owned(), format!("evento:{tipo}")];
    }
    let documents = root.into_iter().flat_map(issuers);
    peek.documentos.extend(documents);
    peek
}

/// Documents that a request is about.
fn issuers(root: &Element) -> Vec<String> {
    let places = match root.name.as_str() {
        "enviNFe" => "NFe/infNFe/emit",
        "envEvento" => "evento/infEvento",
        "inutNFe" => "infInut",
        "ConsCad" => "infCons",
        "distDFeInt" => "",
        "consSitNFe" => {
            let key = root.text_at("chNFe").unwrap_or_default();
            return chave::split(&key)
                .map(|c| c.documento().to_owned())
                .into_iter()
                .collect();
        }
        _ => return Vec::new(),
    };
    let element = if places.is_empty() {
        Some(root)
    } else {
        root.at(places)
    };
    let found = document::document(element);
    if found.is_empty() {
        Vec::new()
    } else {
        vec![found]
    }
}

/// Processes one request.
pub(crate) fn process(call: &mut Call<'_>, rota: Rota) -> Outcome {
    let Some(servico) = rota.0 else {
        return not_found().into();
    };
    let lugar = Lugar { servico };
    let caller = match author::transmissor(call) {
        Ok(caller) => caller,
        Err(Transmissor::Http(answer)) => return answer.into(),
        Err(Transmissor::Recusa(recusa)) => return refuse_all(call, lugar, &recusa).into(),
    };
    let mensagem = match soap::abrir(call.req, servico) {
        Ok(mensagem) => mensagem,
        Err(Problema::Http(answer)) => return answer.into(),
        Err(Problema::Recusa(recusa)) => return refuse_all(call, lugar, &recusa).into(),
    };
    if let Err(recusa) = structure::check(lugar, &mensagem.raiz, &mensagem.texto) {
        return refuse_all(call, lugar, &recusa).into();
    }
    let pedido = Incoming {
        lugar,
        mensagem: &mensagem,
        caller,
    };
    match servico.op {
        Op::Autorizar => authorize::lote(call, &pedido),
        Op::Recibo => authorize::recibo(call, &pedido).into(),
        Op::Consultar => query::protocolo(call, &pedido).into(),
        Op::Status => query::status(call, &pedido).into(),
        Op::Evento => event::lote(call, &pedido),
        Op::Inutilizar => void::faixa(call, &pedido),
        Op::Cadastro => taxpayers::consulta(call, &pedido).into(),
        Op::Distribuir => distribute::interesse(call, &pedido).into(),
    }
}

/// One request being processed.
struct Incoming<'m> {
    lugar: Lugar,
    mensagem: &'m Mensagem,
    /// Whose transmission certificate.
    caller: crate::pki::Holder,
}

impl Incoming<'_> {
    fn raiz(&self) -> &Element {
        &self.mensagem.raiz
    }

    fn t(&self, path: &str) -> String {
        self.raiz().text_at(path).unwrap_or_default()
    }

    fn responder(&self, call: &Call<'_>, document: &str) -> Answer {
        soap::responder(call.req, self.lugar.servico, document)
    }

    fn recusar(&self, call: &Call<'_>, recusa: &Recusa) -> Answer {
        let document = answer::recusa_geral(call, self.lugar, recusa, &sobre(self.raiz()));
        self.responder(call, &document)
    }
}

/// What a refusal repeats from a request.
fn sobre(root: &Element) -> Sobre {
    let t = |path: &str| root.text_at(path).unwrap_or_default();
    let quem = ["IE", "CNPJ", "CPF"].iter().find_map(|name| {
        let value = root.text_at(&format!("infCons/{name}"))?;
        let plain = (8..=14).contains(&value.len())
            && value
                .bytes()
                .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        plain.then(|| format!("<{name}>{value}</{name}>"))
    });
    let chave = t("chNFe");
    let cuf = [
        t("cUF"),
        t("infInut/cUF"),
        t("NFe/infNFe/ide/cUF"),
        chave.get(..2).unwrap_or_default().to_owned(),
        crate::documents::code_of(&t("infCons/UF"))
            .unwrap_or_default()
            .to_owned(),
    ]
    .into_iter()
    .find(|c| crate::documents::sigla_of(c).is_some())
    .unwrap_or_default();
    Sobre {
        cuf,
        chave,
        recibo: t("nRec"),
        lote: t("idLote"),
        quem: quem.unwrap_or_default(),
        nsu: (0, 0),
    }
}

/// A refusal of the whole request, when its document may be unreadable.
fn refuse_all(call: &Call<'_>, lugar: Lugar, recusa: &Recusa) -> Answer {
    let sobre = soap::abrir(call.req, lugar.servico)
        .map(|m| sobre(&m.raiz))
        .unwrap_or_default();
    let document = answer::recusa_geral(call, lugar, recusa, &sobre);
    soap::responder(call.req, lugar.servico, &document)
}

fn not_found() -> Answer {
    Answer::new(
        404,
        "text/html",
        "<html><head><title>404 - File or directory not found.</title></head></html>",
    )
}

/// Refusal that a fault orders: of the document in it where there is one, of
/// the request otherwise.
pub(crate) fn refuse(call: &Call<'_>, rota: Rota, codigo: &str, texto: Option<&str>) -> Answer {
    let Some(servico) = rota.0 else {
        return not_found();
    };
    let lugar = Lugar { servico };
    let recusa = Recusa {
        texto: texto.map(str::to_owned),
        ..Recusa::from(codigo)
    };
    // A paused service and throttling are answers about the request.
    let whole = matches!(
        codigo,
        "108" | "109" | "113" | "114" | "656" | "280" | "281"
    );
    let Ok(mensagem) = soap::abrir(call.req, servico) else {
        return refuse_all(call, lugar, &recusa);
    };
    let document = match servico.op {
        Op::Autorizar if !whole => authorize::ordered(call, lugar, &mensagem, &recusa),
        Op::Evento if !whole => event::ordered(call, lugar, &mensagem, &recusa),
        _ => None,
    };
    match document {
        Some(document) => soap::responder(call.req, servico, &document),
        None => refuse_all(call, lugar, &recusa),
    }
}

/// The service's own internal error.
pub(crate) fn internal_error(call: &Call<'_>) -> Answer {
    soap::fault(call.req, "Internal error of the service")
}

/// What it answers to a certificate that expired.
pub(crate) fn expired(call: &Call<'_>, rota: Rota) -> Answer {
    refuse(call, rota, "281", None)
}
