//! A client of the ABRASF systems: their messages, written by hand.

use sim::SimAnswer;
use sim::pki::A1Files;

use super::*;

pub const ABRASF: &str = "http://www.abrasf.org.br/nfse.xsd";
pub const WEBISS: &str = "palmasto.webiss.com.br";
pub const FIORILLI: &str = "iss.cidade.example";
pub const GISS: &str = "ws-paulista.giss.com.br";
pub const TYPES: &str = "http://www.giss.com.br/tipos-v2_04.xsd";

pub fn xml_escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

pub fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

pub fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text
        .find(from)
        .unwrap_or_else(|| panic!("{from} not in {text}"))
        + from.len();
    let end = text[start..]
        .find(to)
        .unwrap_or_else(|| panic!("{to} not in {text}"));
    &text[start..start + end]
}

/// Message inside `outputXML`, without its declaration.
pub fn output(answer: &SimAnswer) -> String {
    assert_eq!(status(answer), 200, "{}", text(answer));
    let whole = text(answer);
    let xml = unescape(between(&whole, "<outputXML xmlns=\"\">", "</outputXML>"));
    xml.split_once("?>")
        .map_or(xml.clone(), |(_, x)| x.to_owned())
}

/// 2.00 and 2.02: the inside of InfDeclaracaoPrestacaoServico.
pub fn declaration(number: u32, customer_tag: &str) -> String {
    format!(
        "<Rps><IdentificacaoRps><Numero>{number}</Numero><Serie>A</Serie><Tipo>1</Tipo></IdentificacaoRps>\
         <DataEmissao>2026-11-20</DataEmissao><Status>1</Status></Rps><Competencia>2026-11-20</Competencia>\
         <Servico><Valores><ValorServicos>100.00</ValorServicos><Aliquota>2.00</Aliquota></Valores>\
         <IssRetido>2</IssRetido><ItemListaServico>01.01</ItemListaServico><Discriminacao>Teste &amp; ensaio</Discriminacao>\
         <CodigoMunicipio>1721000</CodigoMunicipio><ExigibilidadeISS>1</ExigibilidadeISS></Servico>\
         <Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj><InscricaoMunicipal>123</InscricaoMunicipal></Prestador>\
         <{customer_tag}><IdentificacaoTomador><CpfCnpj><Cnpj>{OTHER}</Cnpj></CpfCnpj></IdentificacaoTomador>\
         <RazaoSocial>TOMADOR</RazaoSocial></{customer_tag}><OptanteSimplesNacional>2</OptanteSimplesNacional>\
         <IncentivoFiscal>2</IncentivoFiscal>"
    )
}

/// `<name attributes>inside</name>` with a signature after it, over its canonical form.
pub fn signed(
    scope: &str,
    open: &str,
    id: &str,
    inside: &str,
    close: &str,
    a1: &A1Files,
) -> String {
    let canonical = format!("<{open}{scope} Id=\"{id}\">{inside}</{close}>");
    let prefixes: String = scope.split_inclusive('"').collect::<String>();
    // The default namespace is not repeated on SignedInfo, prefixes are.
    let extra = if prefixes.contains("xmlns:") {
        prefixes
    } else {
        String::new()
    };
    let signature = signature_in(&extra, &canonical, id, a1, Algorithms::Sha1);
    format!("<{open} Id=\"{id}\">{inside}</{close}>{signature}")
}

pub fn rps(number: u32) -> String {
    let scope = format!(" xmlns=\"{ABRASF}\"");
    let name = "InfDeclaracaoPrestacaoServico";
    format!(
        "<Rps>{}</Rps>",
        signed(
            &scope,
            name,
            &format!("rps{number}"),
            &declaration(number, "Tomador"),
            name,
            &COMPANY_A1
        )
    )
}

pub fn generate(number: u32) -> String {
    format!(
        "<GerarNfseEnvio xmlns=\"{ABRASF}\">{}</GerarNfseEnvio>",
        rps(number)
    )
}

/// Batch of ABRASF 2.00 and 2.02. `LoteRps` has two attributes: canonical order is Id, versao.
pub fn batch(root: &str, numbers: &[u32], version: &str) -> String {
    let list: String = numbers.iter().map(|n| rps(*n)).collect();
    let inside = format!(
        "<NumeroLote>9</NumeroLote><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj><InscricaoMunicipal>123</InscricaoMunicipal>\
         <QuantidadeRps>{}</QuantidadeRps><ListaRps>{list}</ListaRps>",
        numbers.len()
    );
    let canonical =
        format!("<LoteRps xmlns=\"{ABRASF}\" Id=\"lote\" versao=\"{version}\">{inside}</LoteRps>");
    let signature = signature(&canonical, "lote", &COMPANY_A1, Algorithms::Sha1);
    format!(
        "<{root} xmlns=\"{ABRASF}\"><LoteRps Id=\"lote\" versao=\"{version}\">{inside}</LoteRps>{signature}</{root}>"
    )
}

pub fn cancel(number: u64) -> String {
    let name = "InfPedidoCancelamento";
    let inside = format!(
        "<IdentificacaoNfse><Numero>{number}</Numero><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj>\
         <CodigoMunicipio>1721000</CodigoMunicipio></IdentificacaoNfse><CodigoCancelamento>1</CodigoCancelamento>"
    );
    let scope = format!(" xmlns=\"{ABRASF}\"");
    format!(
        "<Pedido>{}</Pedido>",
        signed(&scope, name, "canc", &inside, name, &COMPANY_A1)
    )
}

pub fn by_rps(number: u32) -> String {
    format!(
        "<ConsultarNfseRpsEnvio xmlns=\"{ABRASF}\"><IdentificacaoRps><Numero>{number}</Numero><Serie>A</Serie><Tipo>1</Tipo></IdentificacaoRps>\
         <Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj></Prestador></ConsultarNfseRpsEnvio>"
    )
}

pub async fn soap(
    world: &World,
    host: &str,
    path: &str,
    action: &str,
    inside: &str,
    a1: Option<&A1Files>,
) -> SimAnswer {
    let body = format!(
        "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\"><soapenv:Body>{inside}</soapenv:Body></soapenv:Envelope>"
    );
    let headers = vec![
        (
            "Content-Type".to_owned(),
            "text/xml; charset=utf-8".to_owned(),
        ),
        ("SOAPAction".to_owned(), format!("\"{action}\"")),
    ];
    world
        .request(host, "POST", path, headers, body.into_bytes(), a1)
        .await
}

pub async fn webiss(world: &World, op: &str, message: &str) -> SimAnswer {
    let head = format!(
        "<cabecalho xmlns=\"{ABRASF}\" versao=\"2.02\"><versaoDados>2.02</versaoDados></cabecalho>"
    );
    let inside = format!(
        "<n:{op}Request xmlns:n=\"http://nfse.abrasf.org.br\"><nfseCabecMsg><![CDATA[{head}]]></nfseCabecMsg>\
         <nfseDadosMsg><![CDATA[{message}]]></nfseDadosMsg></n:{op}Request>"
    );
    soap(
        world,
        WEBISS,
        "/ws/nfse.asmx",
        &format!("http://nfse.abrasf.org.br/{op}"),
        &inside,
        Some(&COMPANY_A1),
    )
    .await
}

pub fn valid(schema: &str, xml: &str) {
    xmllint(&format!("schemas/nfse-municipal/{schema}"), xml);
}

pub fn code(xml: &str) -> String {
    let at = xml
        .find("Codigo>")
        .unwrap_or_else(|| panic!("no message in {xml}"));
    xml[at + 7..]
        .split('<')
        .next()
        .unwrap_or_default()
        .to_owned()
}
