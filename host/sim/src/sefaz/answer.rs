//! The pieces of return documents that several services share.

use super::cstat::Refusal;
use super::family::{Family, NFE};
use super::{NS, SYSTEM};
use crate::clock;
use crate::documents::{abbreviation_of, code_of};
use crate::notes::{Event, Nota};
use crate::sefaz::memory::{Call, given};
use crate::sefaz::services::{Op, Service};
use crate::xml::escape;

/// `verAplic`.
pub(super) const VERSION: &str = "SIMULADOR_1.0";

/// Where a request is processed and how that place writes.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub service: &'static Service,
}

impl Place {
    /// `producao` or `homologacao`.
    pub fn local(self) -> &'static str {
        local(self.service.ambiente())
    }

    pub fn tp_amb(self) -> &'static str {
        self.service.ambiente()
    }

    pub fn family(self) -> &'static Family {
        self.service.family
    }

    /// IBGE code of the state when the request does not say one.
    pub fn cuf(self) -> &'static str {
        let own = self.service.authorizers.iter().find_map(|a| code_of(a));
        match own {
            Some(code) => code,
            // The virtual ones are run by RS and by the national environment.
            None if self.service.is("SVRS") || self.service.is("SVC-RS") => "43",
            None => "53",
        }
    }

    /// Some authorizers write without accents.
    pub fn accents(self) -> bool {
        !["SVRS", "RS", "AN", "SVC-RS"]
            .iter()
            .any(|a| self.service.is(a))
    }

    pub fn reason(self, refusal: &Refusal) -> String {
        escape(&refusal.reason(self.family().texts, self.accents()))
    }

    /// Official text of a code.
    pub fn text(self, code: &str) -> String {
        self.reason(&Refusal::from(code))
    }
}

/// Name of an environment.
pub(super) fn local(tp_amb: &str) -> &'static str {
    if tp_amb == "1" {
        "producao"
    } else {
        "homologacao"
    }
}

/// `tpAmb` of an environment's name.
pub(super) fn tp_amb(local: &str) -> &'static str {
    if local == "producao" { "1" } else { "2" }
}

/// Date and time in the state.
pub(super) fn local_time(ms: i64, cuf: &str) -> String {
    clock::date_time_in(ms, abbreviation_of(cuf).unwrap_or_default())
}

/// A protocol of 15 digits: 1 for the authorizers and 8 for the national
/// environment, state, year, sequence.
pub(super) fn protocol(call: &Call<'_>, organ: &str) -> String {
    let kind = if organ == "91" { '8' } else { '1' };
    let start = call.draw("protocolo", 9_000_000);
    let n = (start + given(call.store()) + 1) % 10_000_000_000;
    let year = clock::year(call.now_ms).rem_euclid(100);
    format!("{kind}{organ:0>2}{year:02}{n:010}")
}

/// A receipt of 15 digits.
pub(super) fn receipt(call: &Call<'_>, cuf: &str) -> String {
    let start = call.draw("recibo", 900_000_000);
    let n = (start + given(call.store()) + 1) % 1_000_000_000_000;
    format!("{cuf:0>2}1{n:012}")
}

/// `protNFe`, `protCTe` or `protMDFe` of a judged document. Without protocol
/// it is a refusal.
pub(super) struct Protocol<'a> {
    pub place: Place,
    pub chave: &'a str,
    pub dh: String,
    pub protocol: Option<&'a str>,
    pub digest: Option<&'a str>,
    pub code: &'a str,
    pub reason: String,
}

impl Protocol<'_> {
    pub fn xml(&self) -> String {
        let id = self
            .protocol
            .map(|p| format!(" Id=\"ID{p}\""))
            .unwrap_or_default();
        let tag = |name: &str, value: Option<&str>| {
            value.map_or(String::new(), |v| format!("<{name}>{v}</{name}>"))
        };
        let Family {
            ns, name, version, ..
        } = self.place.family();
        format!(
            "<prot{name} xmlns=\"{ns}\" versao=\"{version}\"><infProt{id}><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic>\
             <ch{name}>{}</ch{name}><dhRecbto>{}</dhRecbto>{}{}<cStat>{}</cStat><xMotivo>{}</xMotivo></infProt></prot{name}>",
            self.place.tp_amb(),
            self.chave,
            self.dh,
            tag("nProt", self.protocol),
            tag("digVal", self.digest),
            self.code,
            self.reason
        )
    }
}

/// A document with its protocol: `nfeProc`, `cteProc`, `mdfeProc`.
pub(super) fn joined(nota: &Nota) -> String {
    let prot = nota.dados.get("prot").map_or("", String::as_str);
    let model = nota.dados.get("modelo").map_or("55", String::as_str);
    let family = Family::of(model).unwrap_or(&NFE);
    let Family {
        ns, data, version, ..
    } = family;
    format!(
        "<{data}Proc xmlns=\"{ns}\" versao=\"{version}\">{}{prot}</{data}Proc>",
        nota.xml
    )
}

/// Events of a note that an authorizer keeps, oldest first.
pub(super) fn events(call: &Call<'_>, chave: &str) -> Vec<Event> {
    let mut found = call.notes.events_of(chave);
    found.retain(|e| e.sistema == SYSTEM);
    found
}

/// The return document that carries a refusal of the whole request.
pub(super) fn general_refusal(
    call: &Call<'_>,
    place: Place,
    refusal: &Refusal,
    about: &About,
) -> String {
    let (amb, code) = (place.tp_amb(), &refusal.code);
    let reason = place.reason(refusal);
    let cuf = if about.cuf.is_empty() {
        place.cuf()
    } else {
        &about.cuf
    };
    let dh = local_time(call.now_ms, cuf);
    if !place.family().is_nfe() {
        return freight_refusal(place, (code, &reason), cuf, &dh);
    }
    match place.service.op {
        // MDF-e alone has it.
        Op::Open => String::new(),
        Op::Authorize => format!(
            "<retEnviNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{reason}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></retEnviNFe>"
        ),
        Op::Receipt => format!(
            "<retConsReciNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic><nRec>{}</nRec>\
             <cStat>{code}</cStat><xMotivo>{reason}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></retConsReciNFe>",
            about.receipt()
        ),
        Op::Query => format!(
            "<retConsSitNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{reason}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto><chNFe>{}</chNFe></retConsSitNFe>",
            about.chave()
        ),
        Op::Status => format!(
            "<retConsStatServ xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{reason}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></retConsStatServ>"
        ),
        Op::Event => format!(
            "<retEnvEvento xmlns=\"{NS}\" versao=\"1.00\"><idLote>{}</idLote><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic>\
             <cOrgao>{}</cOrgao><cStat>{code}</cStat><xMotivo>{reason}</xMotivo></retEnvEvento>",
            about.batch(),
            if place.service.is("AN") { "91" } else { cuf }
        ),
        Op::Void => format!(
            "<retInutNFe xmlns=\"{NS}\" versao=\"4.00\"><infInut><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{reason}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></infInut></retInutNFe>"
        ),
        Op::Register => format!(
            "<retConsCad xmlns=\"{NS}\" versao=\"2.00\"><infCons><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{reason}</xMotivo><UF>{}</UF>{}<dhCons>{dh}</dhCons><cUF>{cuf}</cUF></infCons></retConsCad>",
            abbreviation_of(cuf).unwrap_or("RS"),
            about.who()
        ),
        Op::Distribute => format!(
            "<retDistDFeInt xmlns=\"{NS}\" versao=\"1.01\"><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{reason}</xMotivo><dhResp>{dh}</dhResp><ultNSU>{:015}</ultNSU><maxNSU>{:015}</maxNSU></retDistDFeInt>",
            about.nsu.0, about.nsu.1
        ),
    }
}

/// The same of CT-e and MDF-e.
fn freight_refusal(place: Place, (code, reason): (&str, &str), cuf: &str, dh: &str) -> String {
    let amb = place.tp_amb();
    let said = format!("<cStat>{code}</cStat><xMotivo>{reason}</xMotivo>");
    let inside = match place.service.op {
        Op::Authorize => {
            format!("<tpAmb>{amb}</tpAmb><cUF>{cuf}</cUF><verAplic>{VERSION}</verAplic>{said}")
        }
        Op::Event => format!(
            "<infEvento><tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic><cOrgao>{cuf}</cOrgao>{said}</infEvento>"
        ),
        Op::Status => format!(
            "<tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic>{said}<cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto>"
        ),
        _ => format!("<tpAmb>{amb}</tpAmb><verAplic>{VERSION}</verAplic>{said}<cUF>{cuf}</cUF>"),
    };
    returned(place, &inside)
}

/// The return document of a service of CT-e or MDF-e with this inside.
pub(super) fn returned(place: Place, inside: &str) -> String {
    let Family { ns, version, .. } = place.family();
    let root = place.service.names.3;
    format!("<{root} xmlns=\"{ns}\" versao=\"{version}\">{inside}</{root}>")
}

/// `idLote` as the answer may repeat it.
pub(super) fn batch(said: &str) -> &str {
    let ok = (1..=15).contains(&said.len()) && said.bytes().all(|b| b.is_ascii_digit());
    if ok { said } else { "0" }
}

/// What a refusal repeats from the request.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    pub cuf: String,
    pub chave: String,
    pub receipt: String,
    pub batch: String,
    /// `<CNPJ>…</CNPJ>`, `<CPF>` or `<IE>` of the query.
    pub who: String,
    /// Last and greatest NSU.
    pub nsu: (u64, u64),
}

impl About {
    fn receipt(&self) -> &str {
        let ok = self.receipt.len() == 15 && self.receipt.bytes().all(|b| b.is_ascii_digit());
        if ok { &self.receipt } else { "000000000000000" }
    }

    fn chave(&self) -> String {
        if super::chave::split(&self.chave).is_some() {
            self.chave.clone()
        } else {
            "0".repeat(44)
        }
    }

    fn batch(&self) -> &str {
        batch(&self.batch)
    }

    fn who(&self) -> &str {
        if self.who.is_empty() {
            "<CNPJ>00000000000000</CNPJ>"
        } else {
            &self.who
        }
    }
}
