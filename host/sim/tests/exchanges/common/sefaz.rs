//! An independent writer of notes and events for the tests: plain text in
//! canonical form, a key and a signature of its own.

use rust_decimal::Decimal;
use sim::SimAnswer;
use sim::pki::A1Files;

use super::*;

pub const NFE: &str = "http://www.portalfiscal.inf.br/nfe";
pub const SP: &str = "homologacao.nfe.fazenda.sp.gov.br";
pub const SP_NFCE: &str = "homologacao.nfce.fazenda.sp.gov.br";
pub const AN_EVENT: (&str, &str) = (
    "hom1.nfe.fazenda.gov.br",
    "/NFeRecepcaoEvento4/NFeRecepcaoEvento4.asmx",
);
pub const AN_DISTRIBUTION: (&str, &str) = (
    "hom1.nfe.fazenda.gov.br",
    "/NFeDistribuicaoDFe/NFeDistribuicaoDFe.asmx",
);
/// Address of the QR code of SP in homologation.
pub const QR: &str = "https://www.homologacao.nfce.fazenda.sp.gov.br/qrcode";
pub const HOMOLOGACAO: &str = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";

/// Check digit of a key: weights 2 to 9 from the right, letters less 48.
pub fn dv(body: &str) -> u32 {
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| (u32::from(b) - 48) * (u32::try_from(i % 8).expect("small") + 2))
        .sum();
    let rest = sum % 11;
    if rest < 2 { 0 } else { 11 - rest }
}

/// What a test changes in a note.
#[derive(Clone)]
pub struct Nota {
    pub model: &'static str,
    pub cuf: &'static str,
    pub uf: &'static str,
    pub cmun: &'static str,
    pub ie: &'static str,
    pub emitter: &'static str,
    pub serie: u32,
    pub number: u32,
    pub cnf: &'static str,
    pub tp_emis: &'static str,
    pub tp_amb: &'static str,
    /// Epoch milliseconds.
    pub issued_ms: i64,
    /// Texts replaced in the note before it is signed.
    pub swaps: Vec<(String, String)>,
    pub qr: Option<String>,
}

impl Nota {
    pub fn nfe(number: u32) -> Self {
        Self {
            model: "55",
            cuf: "35",
            uf: "SP",
            cmun: "3550308",
            ie: "110042490114",
            emitter: COMPANY,
            serie: 1,
            number,
            cnf: "48213957",
            tp_emis: "1",
            tp_amb: "2",
            issued_ms: NOW - 60_000,
            swaps: Vec::new(),
            qr: None,
        }
    }

    pub fn nfce(number: u32) -> Self {
        Self {
            model: "65",
            ..Self::nfe(number)
        }
    }

    pub fn swap(mut self, from: &str, to: &str) -> Self {
        self.swaps.push((from.to_owned(), to.to_owned()));
        self
    }

    pub fn chave(&self) -> String {
        let date = date(self.issued_ms);
        let body = format!(
            "{}{}{}{:0>14}{}{:03}{:09}{}{}",
            self.cuf,
            &date[2..4],
            &date[5..7],
            self.emitter,
            self.model,
            self.serie,
            self.number,
            self.tp_emis,
            self.cnf
        );
        let digit = dv(&body);
        format!("{body}{digit}")
    }

    /// Inside of `infNFe`, with two items.
    fn inside(&self) -> String {
        let nfce = self.model == "65";
        let key = self.chave();
        let contingency = if self.tp_emis == "1" {
            String::new()
        } else {
            format!(
                "<dhCont>{}</dhCont><xJust>Falha de comunicacao com a internet</xJust>",
                date(self.issued_ms)
            )
        };
        let ide = format!(
            "<ide><cUF>{}</cUF><cNF>{}</cNF><natOp>VENDA</natOp><mod>{}</mod><serie>{}</serie><nNF>{}</nNF><dhEmi>{}</dhEmi>\
             <tpNF>1</tpNF><idDest>1</idDest><cMunFG>{}</cMunFG><tpImp>{}</tpImp><tpEmis>{}</tpEmis><cDV>{}</cDV><tpAmb>{}</tpAmb>\
             <finNFe>1</finNFe><indFinal>{}</indFinal><indPres>1</indPres><procEmi>0</procEmi><verProc>teste</verProc>{contingency}</ide>",
            self.cuf,
            self.cnf,
            self.model,
            self.serie,
            self.number,
            date(self.issued_ms),
            self.cmun,
            if nfce { "4" } else { "1" },
            self.tp_emis,
            &key[43..],
            self.tp_amb,
            u8::from(nfce),
        );
        let emit = format!(
            "<emit><CNPJ>{}</CNPJ><xNome>EMPRESA DE TESTE LTDA</xNome><enderEmit><xLgr>RUA A</xLgr><nro>1</nro><xBairro>CENTRO</xBairro>\
             <cMun>{}</cMun><xMun>CIDADE</xMun><UF>{}</UF><CEP>01001000</CEP></enderEmit><IE>{}</IE><CRT>3</CRT></emit>",
            self.emitter, self.cmun, self.uf, self.ie
        );
        let name = if self.tp_amb == "2" {
            HOMOLOGACAO
        } else {
            "CLIENTE DE TESTE LTDA"
        };
        let dest = if nfce {
            String::new()
        } else {
            format!(
                "<dest><CNPJ>{OTHER}</CNPJ><xNome>{name}</xNome><enderDest><xLgr>RUA B</xLgr><nro>2</nro><xBairro>CENTRO</xBairro>\
                 <cMun>{}</cMun><xMun>CIDADE</xMun><UF>{}</UF></enderDest><indIEDest>1</indIEDest><IE>{}</IE></dest>",
                self.cmun, self.uf, self.ie
            )
        };
        let first = if nfce && self.tp_amb == "2" {
            "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
        } else {
            "PRODUTO A"
        };
        let items = format!(
            "{}{}",
            item(1, first, "2.0000", "50.00"),
            item(2, "PRODUTO B", "1.0000", "25.50")
        );
        let vnf = Decimal::new(12550, 2);
        let total = format!(
            "<total><ICMSTot><vBC>{vnf}</vBC><vICMS>22.59</vICMS><vICMSDeson>0.00</vICMSDeson><vFCP>0.00</vFCP><vBCST>0.00</vBCST>\
             <vST>0.00</vST><vFCPST>0.00</vFCPST><vFCPSTRet>0.00</vFCPSTRet><vProd>{vnf}</vProd><vFrete>0.00</vFrete><vSeg>0.00</vSeg>\
             <vDesc>0.00</vDesc><vII>0.00</vII><vIPI>0.00</vIPI><vIPIDevol>0.00</vIPIDevol><vPIS>2.07</vPIS><vCOFINS>9.54</vCOFINS>\
             <vOutro>0.00</vOutro><vNF>{vnf}</vNF></ICMSTot><IBSCBSTot><vBCIBSCBS>{vnf}</vBCIBSCBS><gIBS><gIBSUF><vDif>0.00</vDif>\
             <vDevTrib>0.00</vDevTrib><vIBSUF>0.13</vIBSUF></gIBSUF><gIBSMun><vDif>0.00</vDif><vDevTrib>0.00</vDevTrib><vIBSMun>0.00</vIBSMun>\
             </gIBSMun><vIBS>0.13</vIBS><vCredPres>0.00</vCredPres><vCredPresCondSus>0.00</vCredPresCondSus></gIBS><gCBS><vDif>0.00</vDif>\
             <vDevTrib>0.00</vDevTrib><vCBS>1.13</vCBS><vCredPres>0.00</vCredPres><vCredPresCondSus>0.00</vCredPresCondSus></gCBS></IBSCBSTot></total>"
        );
        let mut text = format!(
            "{ide}{emit}{dest}{items}{total}<transp><modFrete>9</modFrete></transp><pag><detPag><tPag>01</tPag><vPag>{vnf}</vPag></detPag></pag>"
        );
        for (from, to) in &self.swaps {
            assert!(text.contains(from.as_str()), "{from} is not in the note");
            text = text.replace(from.as_str(), to);
        }
        text
    }

    /// The signed `NFe`.
    pub fn signed(&self, a1: &A1Files) -> String {
        let inside = self.inside();
        let id = format!("NFe{}", self.chave());
        let canonical =
            format!("<infNFe xmlns=\"{NFE}\" Id=\"{id}\" versao=\"4.00\">{inside}</infNFe>");
        let signature = signature(&canonical, &id, a1, Algorithms::Sha1);
        let supplement = if self.model == "65" {
            let qr = self
                .qr
                .clone()
                .unwrap_or_else(|| format!("{QR}?p={}|3|{}", self.chave(), self.tp_amb));
            format!(
                "<infNFeSupl><qrCode>{qr}</qrCode><urlChave>https://www.homologacao.nfce.fazenda.sp.gov.br/NFCeConsultaPublica</urlChave></infNFeSupl>"
            )
        } else {
            String::new()
        };
        format!(
            "<NFe xmlns=\"{NFE}\"><infNFe Id=\"{id}\" versao=\"4.00\">{inside}</infNFe>{supplement}{signature}</NFe>"
        )
    }
}

fn item(n: u32, name: &str, quantity: &str, unit: &str) -> String {
    let quantity_n: Decimal = quantity.parse().expect("number");
    let unit_n: Decimal = unit.parse().expect("number");
    let cents = |d: Decimal| {
        let mut d =
            d.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
        d.rescale(2);
        d
    };
    let of = |base: Decimal, rate: &str| {
        cents(base * rate.parse::<Decimal>().expect("rate") / Decimal::ONE_HUNDRED)
    };
    let value = cents(quantity_n * unit_n);
    format!(
        "<det nItem=\"{n}\"><prod><cProd>{n}</cProd><cEAN>SEM GTIN</cEAN><xProd>{name}</xProd><NCM>84713012</NCM><CFOP>5102</CFOP><uCom>UN</uCom>\
         <qCom>{quantity}</qCom><vUnCom>{unit}</vUnCom><vProd>{value}</vProd><cEANTrib>SEM GTIN</cEANTrib><uTrib>UN</uTrib><qTrib>{quantity}</qTrib>\
         <vUnTrib>{unit}</vUnTrib><indTot>1</indTot></prod><imposto><ICMS><ICMS00><orig>0</orig><CST>00</CST><modBC>3</modBC><vBC>{value}</vBC>\
         <pICMS>18.00</pICMS><vICMS>{}</vICMS></ICMS00></ICMS><PIS><PISAliq><CST>01</CST><vBC>{value}</vBC><pPIS>1.65</pPIS><vPIS>{}</vPIS></PISAliq></PIS>\
         <COFINS><COFINSAliq><CST>01</CST><vBC>{value}</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>{}</vCOFINS></COFINSAliq></COFINS><IBSCBS><CST>000</CST>\
         <cClassTrib>000001</cClassTrib><gIBSCBS><vBC>{value}</vBC><gIBSUF><pIBSUF>0.1000</pIBSUF><vIBSUF>{}</vIBSUF></gIBSUF><gIBSMun>\
         <pIBSMun>0.0000</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>{}</vIBS><gCBS><pCBS>0.9000</pCBS><vCBS>{}</vCBS></gCBS></gIBSCBS></IBSCBS></imposto></det>",
        of(value, "18"),
        of(value, "1.65"),
        of(value, "7.60"),
        of(value, "0.1"),
        of(value, "0.1"),
        of(value, "0.9"),
    )
}

/// `2026-11-20T12:00:00-03:00`.
pub fn date(ms: i64) -> String {
    let at = time::OffsetDateTime::from_unix_timestamp(ms / 1000)
        .expect("date")
        .to_offset(time::UtcOffset::from_hms(-3, 0, 0).expect("offset"));
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}-03:00",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// A batch with notes.
pub fn batch(sync: bool, notas: &[String]) -> String {
    format!(
        "<enviNFe xmlns=\"{NFE}\" versao=\"4.00\"><idLote>1</idLote><indSinc>{}</indSinc>{}</enviNFe>",
        u8::from(sync),
        notas.concat()
    )
}

/// A signed event.
pub struct Event<'a> {
    pub organ: &'a str,
    pub tp_amb: &'a str,
    pub author: &'a str,
    pub chave: &'a str,
    pub ms: i64,
    pub kind: &'a str,
    pub sequence: u32,
    pub detail: String,
}

impl Event<'_> {
    pub fn signed(&self, a1: &A1Files) -> String {
        let id = format!("ID{}{}{:02}", self.kind, self.chave, self.sequence);
        let who = if self.author.len() == 14 {
            "CNPJ"
        } else {
            "CPF"
        };
        let inside = format!(
            "<cOrgao>{}</cOrgao><tpAmb>{}</tpAmb><{who}>{}</{who}><chNFe>{}</chNFe><dhEvento>{}</dhEvento><tpEvento>{}</tpEvento>\
             <nSeqEvento>{}</nSeqEvento><verEvento>1.00</verEvento><detEvento versao=\"1.00\">{}</detEvento>",
            self.organ,
            self.tp_amb,
            self.author,
            self.chave,
            date(self.ms),
            self.kind,
            self.sequence,
            self.detail
        );
        let canonical = format!("<infEvento xmlns=\"{NFE}\" Id=\"{id}\">{inside}</infEvento>");
        let signature = signature(&canonical, &id, a1, Algorithms::Sha1);
        format!(
            "<evento xmlns=\"{NFE}\" versao=\"1.00\"><infEvento Id=\"{id}\">{inside}</infEvento>{signature}</evento>"
        )
    }
}

pub fn cancellation<'a>(chave: &'a str, protocol: &str, ms: i64) -> Event<'a> {
    Event {
        organ: "35",
        tp_amb: "2",
        author: COMPANY,
        chave,
        ms,
        kind: "110111",
        sequence: 1,
        detail: format!(
            "<descEvento>Cancelamento</descEvento><nProt>{protocol}</nProt><xJust>Erro na emissao da nota fiscal</xJust>"
        ),
    }
}

pub fn sending(events: &[String]) -> String {
    format!(
        "<envEvento xmlns=\"{NFE}\" versao=\"1.00\"><idLote>7</idLote>{}</envEvento>",
        events.concat()
    )
}

/// Services of SP: name of the namespace and path.
pub fn sp(service: &str) -> String {
    format!("/ws/{}.asmx", service.to_ascii_lowercase())
}

impl World {
    /// One SOAP 1.2 call; the answer as it came.
    pub async fn soap(
        &self,
        host: &str,
        path: &str,
        service: &str,
        document: &str,
        a1: Option<&A1Files>,
    ) -> SimAnswer {
        let space = format!("http://www.portalfiscal.inf.br/nfe/wsdl/{service}");
        let message = format!("<nfeDadosMsg xmlns=\"{space}\">{document}</nfeDadosMsg>");
        let message = match service {
            "NFeDistribuicaoDFe" => format!(
                "<nfeDistDFeInteresse xmlns=\"{space}\"><nfeDadosMsg>{document}</nfeDadosMsg></nfeDistDFeInteresse>"
            ),
            _ => message,
        };
        let envelope = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap12:Envelope xmlns:soap12=\"http://www.w3.org/2003/05/soap-envelope\">\
             <soap12:Body>{message}</soap12:Body></soap12:Envelope>"
        );
        let headers = vec![(
            "content-type".to_owned(),
            format!("application/soap+xml; charset=utf-8; action=\"{space}/metodo\""),
        )];
        self.request(host, "POST", path, headers, envelope.into_bytes(), a1)
            .await
    }

    /// The same at SP, with the company's certificate; the return document,
    /// valid by the official schema.
    pub async fn sefaz(&self, service: &str, document: &str) -> String {
        self.at(SP, &sp(service), service, document, &COMPANY_A1)
            .await
    }

    pub async fn at(
        &self,
        host: &str,
        path: &str,
        service: &str,
        document: &str,
        a1: &A1Files,
    ) -> String {
        let answer = self.soap(host, path, service, document, Some(a1)).await;
        returned(&answer)
    }

    /// Sends one note at SP and answers its `protNFe`.
    pub async fn authorize(&self, nota: &Nota) -> String {
        let host = if nota.model == "65" { SP_NFCE } else { SP };
        let path = if nota.model == "65" {
            "/ws/NFeAutorizacao4.asmx".to_owned()
        } else {
            sp("NFeAutorizacao4")
        };
        let document = batch(true, &[nota.signed(&COMPANY_A1)]);
        self.at(host, &path, "NFeAutorizacao4", &document, &COMPANY_A1)
            .await
    }

    /// Authorizes a note and answers its protocol.
    pub async fn authorized(&self, nota: &Nota) -> String {
        let answer = self.authorize(nota).await;
        assert_eq!(cstat(&answer, "infProt"), "100", "{answer}");
        tag(&answer, "nProt")
    }
}

/// The return document of an answer, checked against its schema.
pub fn returned(answer: &SimAnswer) -> String {
    assert_eq!(status(answer), 200, "{}", text(answer));
    let whole = text(answer);
    let roots = [
        (
            "retEnviNFe",
            "schemas/nfe/nfelib-3.2.0/retEnviNFe_v4.00.xsd",
        ),
        (
            "retConsReciNFe",
            "schemas/nfe/nfelib-3.2.0/retConsReciNFe_v4.00.xsd",
        ),
        (
            "retConsSitNFe",
            "schemas/nfe/eventos-sped-nfe-PL_010_V1.30/retConsSitNFe_v4.00.xsd",
        ),
        (
            "retConsStatServ",
            "schemas/nfe/nfelib-3.2.0/retConsStatServ_v4.00.xsd",
        ),
        (
            "retEnvEvento",
            "schemas/nfe/eventos-sped-nfe-PL_010_V1.30/retEnvEvento_v1.00.xsd",
        ),
        (
            "retInutNFe",
            "schemas/nfe/eventos-sped-nfe-PL_010_V1.30/retInutNFe_v4.00.xsd",
        ),
        (
            "retConsCad",
            "schemas/nfe/eventos-sped-nfe-PL_010_V1.30/retConsCad_v2.00.xsd",
        ),
        (
            "retDistDFeInt",
            "schemas/nfe/nfelib-3.2.0-nfe_dist_dfe/retDistDFeInt_v1.01.xsd",
        ),
    ];
    for (root, schema) in roots {
        let Some(from) = whole.find(&format!("<{root} ")) else {
            continue;
        };
        let end = format!("</{root}>");
        let to = whole.find(&end).expect("end") + end.len();
        let document = whole[from..to].to_owned();
        xmllint(schema, &document);
        return document;
    }
    panic!("no return document: {whole}");
}

/// Text of the first element with this name.
pub fn tag(xml: &str, name: &str) -> String {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    xml.split_once(&open)
        .and_then(|(_, rest)| rest.split_once(&close))
        .map(|(value, _)| value.to_owned())
        .unwrap_or_default()
}

/// `cStat` inside of the first element with this name; of the document when empty.
pub fn cstat(xml: &str, inside: &str) -> String {
    let from = if inside.is_empty() {
        0
    } else {
        xml.find(&format!("<{inside}")).unwrap_or(xml.len())
    };
    tag(&xml[from..], "cStat")
}

pub fn query(key: &str) -> String {
    format!(
        "<consSitNFe xmlns=\"{NFE}\" versao=\"4.00\"><tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><chNFe>{key}</chNFe></consSitNFe>"
    )
}

pub fn service_status(cuf: &str) -> String {
    format!(
        "<consStatServ xmlns=\"{NFE}\" versao=\"4.00\"><tpAmb>2</tpAmb><cUF>{cuf}</cUF><xServ>STATUS</xServ></consStatServ>"
    )
}

pub fn receipt(number: &str) -> String {
    format!(
        "<consReciNFe xmlns=\"{NFE}\" versao=\"4.00\"><tpAmb>2</tpAmb><nRec>{number}</nRec></consReciNFe>"
    )
}

/// A signed voiding request of the company at SP.
pub fn voiding(model: &str, serie: u32, first: u32, last: u32) -> String {
    let id = format!("ID3526{COMPANY}{model}{serie:03}{first:09}{last:09}");
    let inside = format!(
        "<tpAmb>2</tpAmb><xServ>INUTILIZAR</xServ><cUF>35</cUF><ano>26</ano><CNPJ>{COMPANY}</CNPJ><mod>{model}</mod><serie>{serie}</serie>\
         <nNFIni>{first}</nNFIni><nNFFin>{last}</nNFFin><xJust>Falha na sequencia do sistema</xJust>"
    );
    let canonical = format!("<infInut xmlns=\"{NFE}\" Id=\"{id}\">{inside}</infInut>");
    let signature = signature(&canonical, &id, &COMPANY_A1, Algorithms::Sha1);
    format!(
        "<inutNFe xmlns=\"{NFE}\" versao=\"4.00\"><infInut Id=\"{id}\">{inside}</infInut>{signature}</inutNFe>"
    )
}

/// A question to the distribution.
pub fn distribution(cnpj: &str, question: &str) -> String {
    format!(
        "<distDFeInt xmlns=\"{NFE}\" versao=\"1.01\"><tpAmb>2</tpAmb><cUFAutor>35</cUFAutor><CNPJ>{cnpj}</CNPJ>{question}</distDFeInt>"
    )
}

pub fn since(nsu: u64) -> String {
    format!("<distNSU><ultNSU>{nsu:015}</ultNSU></distNSU>")
}

/// NSU, schema and text of the documents of an answer, each checked against
/// its schema.
pub fn documents(answer: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for part in answer.split("<docZip ").skip(1) {
        let attribute = |name: &str| {
            let (_, rest) = part.split_once(&format!("{name}=\"")).expect("attribute");
            rest.split_once('"').expect("end").0.to_owned()
        };
        let (_, body) = part.split_once('>').expect("body");
        let (zipped, _) = body.split_once('<').expect("end");
        let xml = gunzip64(zipped);
        let schema = attribute("schema");
        let path = match schema.as_str() {
            "procNFe_v4.00.xsd" => "schemas/nfe/nfelib-3.2.0/procNFe_v4.00.xsd".to_owned(),
            "procEventoNFe_v1.00.xsd" => {
                "schemas/nfe/eventos-sped-nfe-PL_010_V1.30/procEventoNFe_v1.00.xsd".to_owned()
            }
            other => format!("schemas/nfe/nfelib-3.2.0-nfe_dist_dfe/{other}"),
        };
        xmllint(&path, &xml);
        found.push((attribute("NSU"), schema, xml));
    }
    found
}

pub fn manifestation<'a>(chave: &'a str, kind: &'a str, sequence: u32, ms: i64) -> Event<'a> {
    let name = match kind {
        "210200" => "Confirmacao da Operacao",
        "210210" => "Ciencia da Operacao",
        "210220" => "Desconhecimento da Operacao",
        _ => "Operacao nao Realizada",
    };
    let reason = if kind == "210240" {
        "<xJust>Mercadoria recusada na entrega</xJust>"
    } else {
        ""
    };
    Event {
        organ: "91",
        tp_amb: "2",
        author: OTHER,
        chave,
        ms,
        kind,
        sequence,
        detail: format!("<descEvento>{name}</descEvento>{reason}"),
    }
}

impl World {
    /// Registers an event at SP; its `retEvento` code.
    pub async fn event(&self, event: &Event<'_>) -> String {
        let document = sending(&[event.signed(&COMPANY_A1)]);
        let answer = self.sefaz("NFeRecepcaoEvento4", &document).await;
        cstat(&answer, "retEvento")
    }

    /// Registers an event at the national environment with the recipient's
    /// certificate; its `retEvento` code.
    pub async fn manifest(&self, event: &Event<'_>) -> String {
        let document = sending(&[event.signed(&OTHER_A1)]);
        let (host, path) = AN_EVENT;
        let answer = self
            .at(host, path, "NFeRecepcaoEvento4", &document, &OTHER_A1)
            .await;
        cstat(&answer, "retEvento")
    }

    /// Asks the distribution as the recipient.
    pub async fn distribute(&self, question: &str) -> String {
        let (host, path) = AN_DISTRIBUTION;
        let document = distribution(OTHER, question);
        self.at(host, path, "NFeDistribuicaoDFe", &document, &OTHER_A1)
            .await
    }

    pub async fn control(&self, method: &str, path: &str, body: Value) -> SimAnswer {
        let body = body.to_string().into_bytes();
        self.call("qualquer", method, &format!("/__sim/{path}"), body, None)
            .await
    }
}
