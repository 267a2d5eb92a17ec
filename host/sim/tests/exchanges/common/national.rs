//! A client of the national NFS-e: its documents, written by hand.

use serde_json::json;
use sim::SimAnswer;
use sim::pki::A1Files;

use super::*;

pub const HOST: &str = "sefin.producaorestrita.nfse.gov.br";
pub const BASE: &str = "/SefinNacional";
pub const NS: &str = "http://www.sped.fazenda.gov.br/nfse";
pub const NFSE_XSD: &str = "schemas/nfse-nacional/v1.01-20260727/NFSe_v1.01.xsd";
pub const EVENT_XSD: &str = "schemas/nfse-nacional/v1.01-20260727/evento_v1.01.xsd";

/// Inside of infDPS, already in canonical form.
pub fn dps(number: u32) -> String {
    format!(
        "<tpAmb>2</tpAmb><dhEmi>2026-11-20T11:59:00-03:00</dhEmi><verAplic>teste</verAplic><serie>1</serie>\
         <nDPS>{number}</nDPS><dCompet>2026-11-20</dCompet><tpEmit>1</tpEmit><cLocEmi>3550308</cLocEmi>\
         <prest><CNPJ>{COMPANY}</CNPJ><regTrib><opSimpNac>1</opSimpNac><regEspTrib>0</regEspTrib></regTrib></prest>\
         <toma><CNPJ>{OTHER}</CNPJ><xNome>TOMADOR DE TESTE &amp; CIA</xNome><end><endNac><cMun>3550308</cMun>\
         <CEP>01001000</CEP></endNac><xLgr>RUA A</xLgr><nro>1</nro><xBairro>CENTRO</xBairro></end></toma>\
         <serv><locPrest><cLocPrestacao>3550308</cLocPrestacao></locPrest><cServ><cTribNac>010101</cTribNac>\
         <xDescServ>Desenvolvimento de programa</xDescServ><cNBS>115022000</cNBS></cServ></serv>\
         <valores><vServPrest><vServ>1000.00</vServ></vServPrest><trib><tribMun><tribISSQN>1</tribISSQN>\
         <tpRetISSQN>1</tpRetISSQN></tribMun><totTrib><vTotTrib><vTotTribFed>0.00</vTotTribFed>\
         <vTotTribEst>0.00</vTotTribEst><vTotTribMun>0.00</vTotTribMun></vTotTrib></totTrib></trib></valores>"
    )
}

pub fn simples(number: u32) -> String {
    dps(number)
        .replace("<opSimpNac>1</opSimpNac>", "<opSimpNac>3</opSimpNac><regApTribSN>1</regApTribSN>")
        .replace(
            "<vTotTrib><vTotTribFed>0.00</vTotTribFed><vTotTribEst>0.00</vTotTribEst><vTotTribMun>0.00</vTotTribMun></vTotTrib>",
            "<pTotTribSN>6.00</pTotTribSN>",
        )
}

pub fn dps_id(document: &str, number: u32) -> String {
    let kind = if document.len() == 14 { 2 } else { 1 };
    format!("DPS3550308{kind}{document:0>14}{:0>5}{number:0>15}", 1)
}

pub fn signed_dps(inside: &str, id: &str, a1: &A1Files, algorithms: Algorithms) -> String {
    let canonical = format!("<infDPS xmlns=\"{NS}\" Id=\"{id}\">{inside}</infDPS>");
    let signature = signature(&canonical, id, a1, algorithms);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><DPS xmlns=\"{NS}\" versao=\"1.01\">\
         <infDPS Id=\"{id}\">{inside}</infDPS>{signature}</DPS>"
    )
}

pub async fn post_xml(world: &World, xml: &str, a1: &A1Files) -> SimAnswer {
    let body = json!({"dpsXmlGZipB64": gzip64(xml)})
        .to_string()
        .into_bytes();
    world
        .call(HOST, "POST", &format!("{BASE}/nfse"), body, Some(a1))
        .await
}

pub async fn post(world: &World, inside: &str, number: u32) -> SimAnswer {
    let id = dps_id(COMPANY, number);
    post_xml(
        world,
        &signed_dps(inside, &id, &COMPANY_A1, Algorithms::Sha256Exclusive),
        &COMPANY_A1,
    )
    .await
}

pub fn note_xml(answer: &SimAnswer) -> String {
    assert_eq!(status(answer), 201, "{}", text(answer));
    gunzip64(json_of(answer)["nfseXmlGZipB64"].as_str().expect("note"))
}

pub fn key(answer: &SimAnswer) -> String {
    json_of(answer)["chaveAcesso"]
        .as_str()
        .expect("key")
        .to_owned()
}

pub async fn event(
    world: &World,
    chave: &str,
    kind: &str,
    inside: &str,
    a1: &A1Files,
    author: &str,
) -> SimAnswer {
    let id = format!("PRE{chave}{kind}");
    let content = format!(
        "<tpAmb>2</tpAmb><verAplic>teste</verAplic><dhEvento>2026-11-20T12:00:00-03:00</dhEvento>\
         <CNPJAutor>{author}</CNPJAutor><chNFSe>{chave}</chNFSe><e{kind}>{inside}</e{kind}>"
    );
    let canonical = format!("<infPedReg xmlns=\"{NS}\" Id=\"{id}\">{content}</infPedReg>");
    let signature = signature(&canonical, &id, a1, Algorithms::Sha1);
    let xml = format!(
        "<pedRegEvento xmlns=\"{NS}\" versao=\"1.01\"><infPedReg Id=\"{id}\">{content}</infPedReg>{signature}</pedRegEvento>"
    );
    let body = json!({"pedidoRegistroEventoXmlGZipB64": gzip64(&xml)})
        .to_string()
        .into_bytes();
    world
        .call(
            HOST,
            "POST",
            &format!("{BASE}/nfse/{chave}/eventos"),
            body,
            Some(a1),
        )
        .await
}

pub async fn cancel(world: &World, chave: &str) -> SimAnswer {
    let inside = "<xDesc>Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo><xMotivo>Valor informado com erro</xMotivo>";
    event(world, chave, "101101", inside, &COMPANY_A1, COMPANY).await
}

pub async fn get(world: &World, method: &str, path: &str, a1: &A1Files) -> SimAnswer {
    world
        .call(HOST, method, &format!("{BASE}{path}"), Vec::new(), Some(a1))
        .await
}
