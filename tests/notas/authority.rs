//! The third judge: the simulated SEFAZ, in this process. Its rules are
//! written without the hub's, it needs nothing outside of the repository and
//! so it judges in every run.

use compose::emitter::Emitter;
use compose::frame::{Ambiente, Data, Model};
use futures::executor::block_on;
use sim::pki::{A1Files, A1Request};
use sim::{Pki, Sim, SimAnswer, SimConfig, SimRequest};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use time::{Duration, OffsetDateTime};

const WSDL: &str = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeAutorizacao4";
const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";

fn ms(when: OffsetDateTime) -> i64 {
    when.unix_timestamp() * 1_000
}

/// Made once: keys are what takes time.
static PKI: LazyLock<Pki> = LazyLock::new(|| Pki::generate(ms(crate::bench::NOW)).expect("keys"));
static CERTIFICATES: Mutex<BTreeMap<String, Arc<A1Files>>> = Mutex::new(BTreeMap::new());

/// Certificate of the company, or of the person, that issues: what signs the
/// note and calls the authority.
pub fn certificado(documento: &str) -> Arc<A1Files> {
    let mut certificates = CERTIFICATES.lock().unwrap_or_else(PoisonError::into_inner);
    let new = || {
        let now = crate::bench::NOW;
        let request = A1Request {
            document: documento.to_owned(),
            name: "EMPRESA DE TESTE LTDA".to_owned(),
            valid_from_ms: ms(now - Duration::days(60)),
            valid_until_ms: ms(now + Duration::days(300)),
        };
        Arc::new(PKI.issue_a1(request).expect("certificate"))
    };
    certificates
        .entry(documento.to_owned())
        .or_insert_with(new)
        .clone()
}

/// `cStat` of the note, and all of the answer.
#[derive(Debug)]
pub struct Verdict {
    pub codigo: String,
    pub answer: String,
}

/// A SEFAZ that has seen no note yet.
pub struct Sefaz {
    sim: Sim,
}

impl Sefaz {
    /// Its clock stands at a moment.
    pub fn at(now: OffsetDateTime) -> Self {
        let sim = Sim::new(SimConfig {
            seed: 7,
            now: Arc::new(move || ms(now)),
            pki: PKI.clone(),
            file: None,
            cities: sim::Cities::default(),
        });
        Self { sim }
    }

    /// Sends a message (`Header` and `Body`) over a connection with somebody's
    /// certificate.
    pub fn ask(&self, address: (&str, &str), action: &str, message: &str, holder: &str) -> String {
        let envelope = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap12:Envelope xmlns:soap12=\"{SOAP}\">{message}</soap12:Envelope>"
        );
        let kind = format!("application/soap+xml; charset=utf-8; action=\"{action}\"");
        let answer = block_on(self.sim.handle(SimRequest {
            host: address.0.to_owned(),
            method: "POST".to_owned(),
            path: address.1.to_owned(),
            headers: vec![("content-type".to_owned(), kind)],
            body: envelope.into_bytes(),
            client_cert_der: Some(certificado(holder).cert_der.clone()),
        }));
        let SimAnswer::Response {
            status: 200, body, ..
        } = answer
        else {
            panic!("{answer:?}");
        };
        String::from_utf8(body).expect("text")
    }

    /// Hands a note in at the address of São Paulo for its model and
    /// environment, over a connection with the emitter's certificate.
    pub fn judge(&self, emitter: &Emitter, data: &Data, xml: &str) -> Verdict {
        let (host, path) = match (data.modelo, data.ambiente) {
            (Model::Nfe, Ambiente::Producao) => {
                ("nfe.fazenda.sp.gov.br", "/ws/nfeautorizacao4.asmx")
            }
            (Model::Nfe, Ambiente::Homologacao) => (
                "homologacao.nfe.fazenda.sp.gov.br",
                "/ws/nfeautorizacao4.asmx",
            ),
            (Model::Nfce, Ambiente::Producao) => {
                ("nfce.fazenda.sp.gov.br", "/ws/NFeAutorizacao4.asmx")
            }
            (Model::Nfce, Ambiente::Homologacao) => (
                "homologacao.nfce.fazenda.sp.gov.br",
                "/ws/NFeAutorizacao4.asmx",
            ),
        };
        let batch = format!(
            "<nfeDadosMsg xmlns=\"{WSDL}\"><enviNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><idLote>1</idLote>\
             <indSinc>1</indSinc>{xml}</enviNFe></nfeDadosMsg>"
        );
        let action = format!("{WSDL}/nfeAutorizacaoLote");
        let body = format!("<soap12:Body>{batch}</soap12:Body>");
        let answer = self.ask((host, path), &action, &body, &emitter.cpf_cnpj);
        // The note's own where there is one, the batch's where that was refused.
        let place = answer.find("<infProt").unwrap_or(0);
        let codigo = answer[place..].split("<cStat>").nth(1);
        let codigo = codigo.and_then(|rest| rest.split('<').next());
        Verdict {
            codigo: codigo.unwrap_or_default().to_owned(),
            answer,
        }
    }
}

/// Hands the note in at the moment it was issued and wants it authorized, and
/// kept as it was sent.
pub fn authorize(emitter: &Emitter, data: &Data, xml: &str) {
    let sefaz = Sefaz::at(data.dh_emi);
    let verdict = sefaz.judge(emitter, data, xml);
    assert_eq!(verdict.codigo, "100", "{}\n{xml}", verdict.answer);
    let notas = sefaz.sim.notas();
    assert_eq!(notas.len(), 1);
    assert_eq!(notas[0].xml, xml);
}
