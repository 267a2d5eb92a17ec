//! An independent writer of CT-e, MDF-e and their events: plain text in
//! canonical form.

use sim::SimAnswer;
use sim::pki::A1Files;

use super::sefaz::{cstat, date, dv, tag};
use super::*;

/// What the two kinds of document call their parts.
pub struct Kind {
    pub name: &'static str,
    /// The signed part.
    pub part: &'static str,
    pub data: &'static str,
    pub model: &'static str,
    pub version: &'static str,
    /// Digits of `nSeqEvento` in `Id`.
    sequence: usize,
    schemas: &'static str,
}

pub static CTE: Kind = Kind {
    name: "CTe",
    part: "infCte",
    data: "cte",
    model: "57",
    version: "4.00",
    sequence: 3,
    schemas: "schemas/cte/PL_CTe_400_NT2026.002_RTC_1.00",
};
pub static MDFE: Kind = Kind {
    name: "MDFe",
    part: "infMDFe",
    data: "mdfe",
    model: "58",
    version: "3.00",
    sequence: 2,
    schemas: "schemas/mdfe/PL_MDFe_300b_NT2025.001_1.03",
};

/// Host, and path with `{}` for the service.
pub type Address = (&'static str, &'static str);
pub const CTE_SP: Address = ("homologacao.nfe.fazenda.sp.gov.br", "/CTeWS/WS/{}.asmx");
pub const CTE_SVRS: Address = ("cte-homologacao.svrs.rs.gov.br", "/ws/{}/{}.asmx");
pub const MDFE_SVRS: Address = ("mdfe-homologacao.svrs.rs.gov.br", "/ws/{}/{}.asmx");

impl Kind {
    pub fn space(&self) -> String {
        format!("http://www.portalfiscal.inf.br/{}", self.data)
    }

    /// Validates a document by the official schema of its root.
    pub fn valid(&self, root: &str, xml: &str) {
        let schema = format!("{}/{root}_v{}.xsd", self.schemas, self.version);
        xmllint(&schema, xml);
    }

    /// The return document of an answer, checked against its schema.
    pub fn returned(&self, answer: &SimAnswer) -> String {
        let (root, document) = self.unchecked(answer);
        self.valid(&root, &document);
        document
    }

    fn unchecked(&self, answer: &SimAnswer) -> (String, String) {
        assert_eq!(status(answer), 200, "{}", text(answer));
        let whole = text(answer);
        let from = whole.find("<ret").expect("a return document");
        let root: String = whole[from + 1..]
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .collect();
        let end = format!("</{root}>");
        let to = whole.find(&end).expect("end") + end.len();
        (root, whole[from..to].to_owned())
    }
}

/// What a test changes in a document.
#[derive(Clone)]
pub struct Freight {
    pub kind: &'static Kind,
    pub cuf: &'static str,
    pub uf: &'static str,
    pub cmun: &'static str,
    pub ie: &'static str,
    pub number: u32,
    pub code: &'static str,
    pub tp_emis: &'static str,
    pub tp_amb: &'static str,
    /// Epoch milliseconds.
    pub issued_ms: i64,
    /// Texts replaced in the document before it is signed.
    pub swaps: Vec<(String, String)>,
    pub qr: String,
}

impl Freight {
    pub fn cte(number: u32) -> Self {
        Self {
            kind: &CTE,
            cuf: "35",
            uf: "SP",
            cmun: "3550308",
            ie: "110042490114",
            number,
            code: "48213957",
            tp_emis: "1",
            tp_amb: "2",
            issued_ms: NOW - 60_000,
            swaps: Vec::new(),
            qr: "https://homologacao.nfe.fazenda.sp.gov.br/CTeConsulta/qrCode".to_owned(),
        }
    }

    pub fn mdfe(number: u32) -> Self {
        Self {
            kind: &MDFE,
            qr: "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode".to_owned(),
            ..Self::cte(number)
        }
    }

    pub fn swap(mut self, from: &str, to: &str) -> Self {
        self.swaps.push((from.to_owned(), to.to_owned()));
        self
    }

    pub fn key(&self) -> String {
        let moment = date(self.issued_ms);
        let body = format!(
            "{}{}{}{COMPANY}{}001{:09}{}{}",
            self.cuf,
            &moment[2..4],
            &moment[5..7],
            self.kind.model,
            self.number,
            self.tp_emis,
            self.code
        );
        format!("{body}{}", dv(&body))
    }

    fn inside(&self) -> String {
        let mut text = if self.kind.model == "57" {
            self.cte_inside()
        } else {
            self.mdfe_inside()
        };
        for (from, to) in &self.swaps {
            assert!(text.contains(from), "{from} not in {text}");
            text = text.replacen(from, to, 1);
        }
        text
    }

    fn cte_inside(&self) -> String {
        let Self {
            cuf,
            uf,
            cmun,
            ie,
            number,
            code,
            tp_emis,
            tp_amb,
            ..
        } = self;
        let (moment, key) = (date(self.issued_ms), self.key());
        let digit = &key[43..];
        let name = "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
        format!(
            "<ide><cUF>{cuf}</cUF><cCT>{code}</cCT><CFOP>5353</CFOP><natOp>Transporte</natOp><mod>57</mod><serie>1</serie><nCT>{number}</nCT>\
             <dhEmi>{moment}</dhEmi><tpImp>1</tpImp><tpEmis>{tp_emis}</tpEmis><cDV>{digit}</cDV><tpAmb>{tp_amb}</tpAmb><tpCTe>0</tpCTe><procEmi>0</procEmi>\
             <verProc>teste</verProc><cMunEnv>{cmun}</cMunEnv><xMunEnv>CAPITAL</xMunEnv><UFEnv>{uf}</UFEnv><modal>01</modal><tpServ>0</tpServ>\
             <cMunIni>{cmun}</cMunIni><xMunIni>CAPITAL</xMunIni><UFIni>{uf}</UFIni><cMunFim>{cmun}</cMunFim><xMunFim>CAPITAL</xMunFim><UFFim>{uf}</UFFim>\
             <retira>1</retira><indIEToma>9</indIEToma><toma3><toma>3</toma></toma3></ide>\
             <emit><CNPJ>{COMPANY}</CNPJ><IE>{ie}</IE><xNome>EMPRESA DE TESTE LTDA</xNome><enderEmit><xLgr>Rua A</xLgr><nro>1</nro><xBairro>Centro</xBairro>\
             <cMun>{cmun}</cMun><xMun>CAPITAL</xMun><CEP>01001000</CEP><UF>{uf}</UF></enderEmit><CRT>3</CRT></emit>\
             <rem><CNPJ>{COMPANY}</CNPJ><IE>{ie}</IE><xNome>{name}</xNome><enderReme><xLgr>Rua A</xLgr><nro>1</nro><xBairro>Centro</xBairro>\
             <cMun>{cmun}</cMun><xMun>CAPITAL</xMun><UF>{uf}</UF></enderReme></rem>\
             <dest><CNPJ>{OTHER}</CNPJ><xNome>{name}</xNome><enderDest><xLgr>Rua B</xLgr><nro>2</nro><xBairro>Centro</xBairro>\
             <cMun>{cmun}</cMun><xMun>CAPITAL</xMun><UF>{uf}</UF></enderDest></dest>\
             <vPrest><vTPrest>500.00</vTPrest><vRec>500.00</vRec></vPrest>\
             <imp><ICMS><ICMS00><CST>00</CST><vBC>500.00</vBC><pICMS>12.00</pICMS><vICMS>60.00</vICMS></ICMS00></ICMS></imp>\
             <infCTeNorm><infCarga><vCarga>1000.00</vCarga><proPred>Pecas</proPred><infQ><cUnid>01</cUnid><tpMed>PESO BRUTO</tpMed><qCarga>10.0000</qCarga></infQ></infCarga>\
             <infDoc><infNFe><chave>{}</chave></infNFe></infDoc><infModal versaoModal=\"4.00\"><rodo><RNTRC>12345678</RNTRC></rodo></infModal></infCTeNorm>",
            nfe(1)
        )
    }

    fn mdfe_inside(&self) -> String {
        let Self {
            cuf,
            uf,
            cmun,
            ie,
            number,
            code,
            tp_emis,
            tp_amb,
            ..
        } = self;
        let (moment, key) = (date(self.issued_ms), self.key());
        let digit = &key[43..];
        format!(
            "<ide><cUF>{cuf}</cUF><tpAmb>{tp_amb}</tpAmb><tpEmit>2</tpEmit><mod>58</mod><serie>1</serie><nMDF>{number}</nMDF><cMDF>{code}</cMDF><cDV>{digit}</cDV>\
             <modal>1</modal><dhEmi>{moment}</dhEmi><tpEmis>{tp_emis}</tpEmis><procEmi>0</procEmi><verProc>teste</verProc><UFIni>{uf}</UFIni><UFFim>RJ</UFFim>\
             <infMunCarrega><cMunCarrega>{cmun}</cMunCarrega><xMunCarrega>CAPITAL</xMunCarrega></infMunCarrega></ide>\
             <emit><CNPJ>{COMPANY}</CNPJ><IE>{ie}</IE><xNome>EMPRESA DE TESTE LTDA</xNome><enderEmit><xLgr>Rua A</xLgr><nro>1</nro><xBairro>Centro</xBairro>\
             <cMun>{cmun}</cMun><xMun>CAPITAL</xMun><CEP>01001000</CEP><UF>{uf}</UF></enderEmit></emit>\
             <infModal versaoModal=\"3.00\"><rodo><veicTracao><placa>ABC1D23</placa><tara>7000</tara><condutor><xNome>MOTORISTA</xNome><CPF>52998224725</CPF></condutor>\
             <tpRod>01</tpRod><tpCar>02</tpCar><UF>{uf}</UF></veicTracao></rodo></infModal>\
             <infDoc><infMunDescarga><cMunDescarga>3304557</cMunDescarga><xMunDescarga>RIO DE JANEIRO</xMunDescarga><infNFe><chNFe>{}</chNFe></infNFe></infMunDescarga></infDoc>\
             <tot><qNFe>1</qNFe><vCarga>1000.00</vCarga><cUnid>01</cUnid><qCarga>10.0000</qCarga></tot>",
            nfe(1)
        )
    }

    /// The signed document.
    pub fn signed(&self, a1: &A1Files) -> String {
        let Kind {
            name,
            part,
            version,
            ..
        } = self.kind;
        let (space, inside, key) = (self.kind.space(), self.inside(), self.key());
        let id = format!("{name}{key}");
        let canonical =
            format!("<{part} xmlns=\"{space}\" Id=\"{id}\" versao=\"{version}\">{inside}</{part}>");
        let signature = signature(&canonical, &id, a1, Algorithms::Sha1);
        let address = if self.qr.contains('?') {
            self.qr.clone()
        } else {
            format!("{}?ch{name}={key}&amp;tpAmb={}", self.qr, self.tp_amb)
        };
        let field = if self.kind.model == "57" {
            "qrCodCTe"
        } else {
            "qrCodMDFe"
        };
        let supplement = format!("inf{name}Supl");
        format!(
            "<{name} xmlns=\"{space}\"><{part} Id=\"{id}\" versao=\"{version}\">{inside}</{part}>\
             <{supplement}><{field}>{address}</{field}></{supplement}>{signature}</{name}>"
        )
    }
}

/// Key of a note that is carried.
pub fn nfe(number: u32) -> String {
    let body = format!("352611{COMPANY}55001{number:09}148213957");
    format!("{body}{}", dv(&body))
}

/// RSA with SHA-1 over a text, in base64.
pub fn rsa_sha1(text: &str, a1: &A1Files) -> String {
    let key = PKey::private_key_from_pkcs8(&a1.key_pkcs8_der).expect("key");
    let mut signer = Signer::new(MessageDigest::sha1(), &key).expect("signer");
    STANDARD.encode(
        signer
            .sign_oneshot_to_vec(text.as_bytes())
            .expect("signature"),
    )
}

/// An event that is signed when it is sent.
#[derive(Clone)]
pub struct Said {
    pub kind: &'static Kind,
    pub key: String,
    pub code: &'static str,
    pub sequence: u32,
    pub ms: i64,
    pub author: &'static str,
    pub detail: String,
}

impl Said {
    pub fn new(document: &Freight, code: &'static str, detail: &str) -> Self {
        Self {
            kind: document.kind,
            key: document.key(),
            code,
            sequence: 1,
            ms: NOW,
            author: COMPANY,
            detail: detail.to_owned(),
        }
    }

    pub fn signed(&self, a1: &A1Files) -> String {
        let Kind {
            name,
            version,
            sequence,
            ..
        } = self.kind;
        let space = self.kind.space();
        let Self {
            key,
            code,
            author,
            detail,
            ..
        } = self;
        let id = format!("ID{code}{key}{:0sequence$}", self.sequence);
        let inside = format!(
            "<cOrgao>{}</cOrgao><tpAmb>2</tpAmb><CNPJ>{author}</CNPJ><ch{name}>{key}</ch{name}><dhEvento>{}</dhEvento><tpEvento>{code}</tpEvento>\
             <nSeqEvento>{}</nSeqEvento><detEvento versaoEvento=\"{version}\">{detail}</detEvento>",
            &key[..2],
            date(self.ms),
            self.sequence
        );
        let canonical = format!("<infEvento xmlns=\"{space}\" Id=\"{id}\">{inside}</infEvento>");
        let signature = signature(&canonical, &id, a1, Algorithms::Sha1);
        format!(
            "<evento{name} xmlns=\"{space}\" versao=\"{version}\"><infEvento Id=\"{id}\">{inside}</infEvento>{signature}</evento{name}>"
        )
    }
}

/// Cancellation of a document with this protocol.
pub fn cancelling(document: &Freight, protocol: &str) -> Said {
    let name = document.kind.name;
    Said::new(
        document,
        "110111",
        &format!(
            "<evCanc{name}><descEvento>Cancelamento</descEvento><nProt>{protocol}</nProt><xJust>Erro na emissao do documento</xJust></evCanc{name}>"
        ),
    )
}

impl World {
    /// One SOAP 1.2 call of CT-e or MDF-e; the answer as it came.
    pub async fn freight(
        &self,
        kind: &Kind,
        (host, path): Address,
        service: &str,
        message: &str,
    ) -> SimAnswer {
        let space = format!("{}/wsdl/{service}", kind.space());
        let data = kind.data;
        let header = if kind.model == "58" {
            format!(
                "<soap12:Header><mdfeCabecMsg xmlns=\"{space}\"><cUF>35</cUF><versaoDados>3.00</versaoDados></mdfeCabecMsg></soap12:Header>"
            )
        } else {
            String::new()
        };
        let envelope = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap12:Envelope xmlns:soap12=\"http://www.w3.org/2003/05/soap-envelope\">{header}\
             <soap12:Body><{data}DadosMsg xmlns=\"{space}\">{message}</{data}DadosMsg></soap12:Body></soap12:Envelope>"
        );
        let headers = vec![(
            "content-type".to_owned(),
            format!("application/soap+xml; charset=utf-8; action=\"{space}/metodo\""),
        )];
        let path = path.replace("{}", service);
        self.request(
            host,
            "POST",
            &path,
            headers,
            envelope.into_bytes(),
            Some(&COMPANY_A1),
        )
        .await
    }

    /// Sends a document as it is packed.
    pub async fn packed(&self, kind: &Kind, address: Address, document: &str) -> SimAnswer {
        let service = if kind.model == "57" {
            "CTeRecepcaoSincV4"
        } else {
            "MDFeRecepcaoSinc"
        };
        self.freight(kind, address, service, &gzip64(document))
            .await
    }

    /// Sends a document to its authority; `cStat` of the return document, and
    /// the document.
    pub async fn send(&self, document: &Freight) -> (String, String) {
        let kind = document.kind;
        let answer = self
            .packed(kind, ordinary(kind), &document.signed(&COMPANY_A1))
            .await;
        let returned = kind.returned(&answer);
        (cstat(&returned, ""), returned)
    }

    /// Authorizes a document and answers its protocol.
    pub async fn protocol_of(&self, document: &Freight) -> String {
        let (code, answer) = self.send(document).await;
        assert_eq!(code, "100", "{answer}");
        tag(&answer, "nProt")
    }

    /// Registers an event at its authority; `cStat` and the return document.
    pub async fn say(&self, event: &Said) -> (String, String) {
        self.say_at(ordinary(event.kind), event).await
    }

    /// Registers events one after the other, each answered with its code.
    pub async fn answers<const N: usize>(&self, events: [(Said, &str); N]) {
        let mut wrong = Vec::new();
        for (place, (event, expected)) in events.iter().enumerate() {
            let (code, answer) = self.say(event).await;
            if code != *expected {
                let reason = tag(&answer, "xMotivo");
                wrong.push(format!("{place}: {code}, not {expected}: {reason}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    pub async fn say_at(&self, address: Address, event: &Said) -> (String, String) {
        let service = if event.kind.model == "57" {
            "CTeRecepcaoEventoV4"
        } else {
            "MDFeRecepcaoEvento"
        };
        let message = event.signed(&COMPANY_A1);
        let answer = self.freight(event.kind, address, service, &message).await;
        let returned = event.kind.returned(&answer);
        (cstat(&returned, ""), returned)
    }

    /// Asks for the situation of a key. The official schema has room for one
    /// part of an event only: its answer is checked without them, and each of
    /// them for itself.
    pub async fn ask(&self, kind: &Kind, address: Address, key: &str) -> (String, String) {
        let Kind { name, version, .. } = kind;
        let service = if kind.model == "57" {
            "CTeConsultaV4"
        } else {
            "MDFeConsulta"
        };
        let message = format!(
            "<consSit{name} xmlns=\"{}\" versao=\"{version}\"><tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><ch{name}>{key}</ch{name}></consSit{name}>",
            kind.space()
        );
        let answer = self.freight(kind, address, service, &message).await;
        let (root, document) = kind.unchecked(&answer);
        let mut plain = document.clone();
        let (open, close) = (format!("<procEvento{name}"), format!("</procEvento{name}>"));
        while let Some(from) = plain.find(&open) {
            let to = plain.find(&close).expect("end") + close.len();
            kind.valid(&open[1..], &plain[from..to]);
            plain.replace_range(from..to, "");
        }
        kind.valid(&root, &plain);
        (cstat(&document, ""), document)
    }
}

/// Where the documents of SP are authorized.
pub fn ordinary(kind: &Kind) -> Address {
    if kind.model == "57" {
        CTE_SP
    } else {
        MDFE_SVRS
    }
}
