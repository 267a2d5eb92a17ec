//! The pieces of return documents that several services share.

use super::cstat::Recusa;
use super::{NS, SISTEMA};
use crate::clock;
use crate::documents::{code_of, sigla_of};
use crate::notes::{Evento, Nota};
use crate::sefaz::memory::Call;
use crate::sefaz::services::{Op, Servico};
use crate::xml::escape;

/// `verAplic`.
pub(super) const VERSAO: &str = "SIMULADOR_1.0";

/// Where a request is processed and how that place writes.
#[derive(Clone, Copy)]
pub(super) struct Lugar {
    pub servico: &'static Servico,
}

impl Lugar {
    /// `producao` or `homologacao`.
    pub fn local(self) -> &'static str {
        local(self.servico.ambiente())
    }

    pub fn tp_amb(self) -> &'static str {
        self.servico.ambiente()
    }

    /// IBGE code of the state when the request does not say one.
    pub fn cuf(self) -> &'static str {
        let own = self.servico.autorizadores.iter().find_map(|a| code_of(a));
        match own {
            Some(code) => code,
            // The virtual ones are run by RS and by the national environment.
            None if self.servico.is("SVRS") || self.servico.is("SVC-RS") => "43",
            None => "53",
        }
    }

    /// Some authorizers write without accents.
    pub fn accents(self) -> bool {
        !["SVRS", "RS", "AN", "SVC-RS"]
            .iter()
            .any(|a| self.servico.is(a))
    }

    pub fn motivo(self, recusa: &Recusa) -> String {
        escape(&recusa.motivo(self.accents()))
    }

    /// Official text of a code.
    pub fn texto(self, code: &str) -> String {
        self.motivo(&Recusa::from(code))
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
pub(super) fn hora(ms: i64, cuf: &str) -> String {
    clock::date_time_in(ms, sigla_of(cuf).unwrap_or_default())
}

/// A protocol of 15 digits: 1 for the authorizers and 8 for the national
/// environment, state, year, sequence.
pub(super) fn protocolo(call: &Call<'_>, orgao: &str) -> String {
    let kind = if orgao == "91" { '8' } else { '1' };
    let start = call.draw("protocolo", 9_000_000);
    let n = (start + call.memory.given() + 1) % 10_000_000_000;
    let year = clock::year(call.now_ms).rem_euclid(100);
    format!("{kind}{orgao:0>2}{year:02}{n:010}")
}

/// A receipt of 15 digits.
pub(super) fn recibo(call: &Call<'_>, cuf: &str) -> String {
    let start = call.draw("recibo", 900_000_000);
    let n = (start + call.memory.given() + 1) % 1_000_000_000_000;
    format!("{cuf:0>2}1{n:012}")
}

/// `protNFe` of a judged note. Without protocol it is a refusal.
pub(super) struct Protocolo<'a> {
    pub lugar: Lugar,
    pub chave: &'a str,
    pub dh: String,
    pub protocolo: Option<&'a str>,
    pub digest: Option<&'a str>,
    pub codigo: &'a str,
    pub motivo: String,
}

impl Protocolo<'_> {
    pub fn xml(&self) -> String {
        let id = self
            .protocolo
            .map(|p| format!(" Id=\"ID{p}\""))
            .unwrap_or_default();
        let tag = |name: &str, value: Option<&str>| {
            value.map_or(String::new(), |v| format!("<{name}>{v}</{name}>"))
        };
        format!(
            "<protNFe xmlns=\"{NS}\" versao=\"4.00\"><infProt{id}><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic>\
             <chNFe>{}</chNFe><dhRecbto>{}</dhRecbto>{}{}<cStat>{}</cStat><xMotivo>{}</xMotivo></infProt></protNFe>",
            self.lugar.tp_amb(),
            self.chave,
            self.dh,
            tag("nProt", self.protocolo),
            tag("digVal", self.digest),
            self.codigo,
            self.motivo
        )
    }
}

/// The note with its protocol, as it is distributed.
pub(super) fn nfe_proc(nota: &Nota) -> String {
    let prot = nota.dados.get("prot").map_or("", String::as_str);
    format!(
        "<nfeProc xmlns=\"{NS}\" versao=\"4.00\">{}{prot}</nfeProc>",
        nota.xml
    )
}

/// Events of a note that an authorizer keeps, oldest first.
pub(super) fn eventos<'a>(call: &'a Call<'_>, chave: &str) -> Vec<&'a Evento> {
    call.notes
        .events_of(chave)
        .filter(|e| e.sistema == SISTEMA)
        .collect()
}

/// The return document that carries a refusal of the whole request.
pub(super) fn recusa_geral(
    call: &Call<'_>,
    lugar: Lugar,
    recusa: &Recusa,
    sobre: &Sobre,
) -> String {
    let (amb, code) = (lugar.tp_amb(), &recusa.codigo);
    let motivo = lugar.motivo(recusa);
    let cuf = if sobre.cuf.is_empty() {
        lugar.cuf()
    } else {
        &sobre.cuf
    };
    let dh = hora(call.now_ms, cuf);
    match lugar.servico.op {
        Op::Autorizar => format!(
            "<retEnviNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{motivo}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></retEnviNFe>"
        ),
        Op::Recibo => format!(
            "<retConsReciNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSAO}</verAplic><nRec>{}</nRec>\
             <cStat>{code}</cStat><xMotivo>{motivo}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></retConsReciNFe>",
            sobre.recibo()
        ),
        Op::Consultar => format!(
            "<retConsSitNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{motivo}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto><chNFe>{}</chNFe></retConsSitNFe>",
            sobre.chave()
        ),
        Op::Status => format!(
            "<retConsStatServ xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{amb}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{motivo}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></retConsStatServ>"
        ),
        Op::Evento => format!(
            "<retEnvEvento xmlns=\"{NS}\" versao=\"1.00\"><idLote>{}</idLote><tpAmb>{amb}</tpAmb><verAplic>{VERSAO}</verAplic>\
             <cOrgao>{}</cOrgao><cStat>{code}</cStat><xMotivo>{motivo}</xMotivo></retEnvEvento>",
            sobre.lote(),
            if lugar.servico.is("AN") { "91" } else { cuf }
        ),
        Op::Inutilizar => format!(
            "<retInutNFe xmlns=\"{NS}\" versao=\"4.00\"><infInut><tpAmb>{amb}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{motivo}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{dh}</dhRecbto></infInut></retInutNFe>"
        ),
        Op::Cadastro => format!(
            "<retConsCad xmlns=\"{NS}\" versao=\"2.00\"><infCons><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{motivo}</xMotivo><UF>{}</UF>{}<dhCons>{dh}</dhCons><cUF>{cuf}</cUF></infCons></retConsCad>",
            sigla_of(cuf).unwrap_or("RS"),
            sobre.quem()
        ),
        Op::Distribuir => format!(
            "<retDistDFeInt xmlns=\"{NS}\" versao=\"1.01\"><tpAmb>{amb}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
             <xMotivo>{motivo}</xMotivo><dhResp>{dh}</dhResp><ultNSU>{:015}</ultNSU><maxNSU>{:015}</maxNSU></retDistDFeInt>",
            sobre.nsu.0, sobre.nsu.1
        ),
    }
}

/// `idLote` as the answer may repeat it.
pub(super) fn lote(said: &str) -> &str {
    let ok = (1..=15).contains(&said.len()) && said.bytes().all(|b| b.is_ascii_digit());
    if ok { said } else { "0" }
}

/// What a refusal repeats from the request.
#[derive(Debug, Clone, Default)]
pub(super) struct Sobre {
    pub cuf: String,
    pub chave: String,
    pub recibo: String,
    pub lote: String,
    /// `<CNPJ>…</CNPJ>`, `<CPF>` or `<IE>` of the query.
    pub quem: String,
    /// Last and greatest NSU.
    pub nsu: (u64, u64),
}

impl Sobre {
    fn recibo(&self) -> &str {
        let ok = self.recibo.len() == 15 && self.recibo.bytes().all(|b| b.is_ascii_digit());
        if ok { &self.recibo } else { "000000000000000" }
    }

    fn chave(&self) -> String {
        if super::chave::split(&self.chave).is_some() {
            self.chave.clone()
        } else {
            "0".repeat(44)
        }
    }

    fn lote(&self) -> &str {
        lote(&self.lote)
    }

    fn quem(&self) -> &str {
        if self.quem.is_empty() {
            "<CNPJ>00000000000000</CNPJ>"
        } else {
            &self.quem
        }
    }
}
