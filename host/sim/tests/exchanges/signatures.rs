//! Signatures between independent implementations: the hub's signer against
//! the simulator's verifier, and the simulator's signer against xmlsec.

use std::process::Command;

use crate::common::*;
use markup::xml::C14n;
use markup::xmldsig::{Algorithm, Placement, SignSpec, prepare, read_signatures};
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use serde_json::json;

const HOST: &str = "sefin.producaorestrita.nfse.gov.br";

/// A DPS with white space, comments and characters that canonical form changes.
fn dps(number: u32) -> (String, String) {
    let id = format!("DPS3550308211222333000181{:0>5}{number:0>15}", 1);
    let xml = format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<DPS versao='1.01' xmlns='http://www.sped.fazenda.gov.br/nfse'>\r\n\
         <infDPS Id='{id}' ><tpAmb>2</tpAmb><dhEmi>2026-11-20T11:59:00-03:00</dhEmi><verAplic>teste</verAplic><serie>1</serie>\
         <nDPS>{number}</nDPS><dCompet>2026-11-20</dCompet><!-- nada --><tpEmit>1</tpEmit><cLocEmi>3550308</cLocEmi>\
         <prest><CNPJ>{COMPANY}</CNPJ><regTrib><opSimpNac>1</opSimpNac><regEspTrib>0</regEspTrib></regTrib></prest>\
         <serv><locPrest><cLocPrestacao>3550308</cLocPrestacao></locPrest><cServ><cTribNac>010101</cTribNac>\
         <xDescServ>Servi&#231;o &quot;A&quot; &gt; B &amp; C</xDescServ><cNBS>115022000</cNBS></cServ></serv>\
         <valores><vServPrest><vServ>1000.00</vServ></vServPrest><trib><tribMun><tribISSQN>1</tribISSQN>\
         <tpRetISSQN>1</tpRetISSQN></tribMun><totTrib><pTotTrib><pTotTribFed>0.00</pTotTribFed>\
         <pTotTribEst>0.00</pTotTribEst><pTotTribMun>0.00</pTotTribMun></pTotTrib></totTrib></trib></valores></infDPS>\n</DPS>\n"
    );
    (id, xml)
}

async fn issue(world: &World, xml: &str) -> sim::SimAnswer {
    let body = json!({"dpsXmlGZipB64": gzip64(xml)})
        .to_string()
        .into_bytes();
    world
        .call(HOST, "POST", "/SefinNacional/nfse", body, Some(&COMPANY_A1))
        .await
}

#[tokio::test]
async fn the_hubs_signatures_are_accepted() {
    let world = World::new();
    let mut number = 0;
    for (algorithm, digest) in [
        (Algorithm::RsaSha1, MessageDigest::sha1()),
        (Algorithm::RsaSha256, MessageDigest::sha256()),
    ] {
        for canonicalization in [C14n::Inclusive, C14n::Exclusive] {
            for placement in [Placement::AfterReference, Placement::LastChildOfRoot] {
                number += 1;
                let (id, xml) = dps(number);
                let spec = SignSpec {
                    algorithm,
                    canonicalization,
                    placement,
                    id_attribute: "Id".to_owned(),
                    empty_uri: false,
                };
                let prepared = prepare(&xml, &id, &spec).expect("prepared");
                let key = PKey::private_key_from_pkcs8(&COMPANY_A1.key_pkcs8_der).expect("key");
                let value = Signer::new(digest, &key)
                    .expect("signer")
                    .sign_oneshot_to_vec(prepared.to_sign())
                    .expect("value");
                let signed = prepared.finish(&value, std::slice::from_ref(&COMPANY_A1.cert_der));
                let answer = issue(&world, &signed).await;
                assert_eq!(status(&answer), 201, "{}\n{signed}", text(&answer));
            }
        }
    }
    assert_eq!(world.sim.notas().len(), 8);
}

#[tokio::test]
async fn the_simulators_signatures_hold_elsewhere() {
    let world = World::new();
    let (id, xml) = dps(1);
    let start = xml.find("<infDPS").expect("start");
    let end = xml.find("</infDPS>").expect("end") + "</infDPS>".len();
    let inside = &xml[start..end];
    let spec = SignSpec {
        algorithm: Algorithm::RsaSha256,
        canonicalization: C14n::Inclusive,
        placement: Placement::LastChildOfRoot,
        id_attribute: "Id".to_owned(),
        empty_uri: false,
    };
    let document = format!(
        "<DPS xmlns=\"http://www.sped.fazenda.gov.br/nfse\" versao=\"1.01\">{inside}</DPS>"
    );
    let prepared = prepare(&document, &id, &spec).expect("prepared");
    let key = PKey::private_key_from_pkcs8(&COMPANY_A1.key_pkcs8_der).expect("key");
    let value = Signer::new(MessageDigest::sha256(), &key)
        .expect("signer")
        .sign_oneshot_to_vec(prepared.to_sign())
        .expect("value");
    let answer = issue(
        &world,
        &prepared.finish(&value, std::slice::from_ref(&COMPANY_A1.cert_der)),
    )
    .await;
    assert_eq!(status(&answer), 201, "{}", text(&answer));
    let note = gunzip64(json_of(&answer)["nfseXmlGZipB64"].as_str().expect("note"));

    let parts = read_signatures(&note).expect("signatures");
    assert_eq!(parts.len(), 2);
    assert!(parts.iter().all(|p| p.digest_ok));

    let dir = tempfile::tempdir().expect("folder");
    let (file, root) = (dir.path().join("nfse.xml"), dir.path().join("ca.pem"));
    std::fs::write(&file, &note).expect("file");
    std::fs::write(&root, PKI.ca_pem()).expect("file");
    let chain = dir.path().join("chain.pem");
    let above = openssl::x509::X509::from_der(&COMPANY_A1.chain_der[0]).expect("intermediate");
    std::fs::write(&chain, above.to_pem().expect("pem")).expect("file");
    let verified = Command::new("xmlsec1")
        .args([
            "--verify",
            "--id-attr:Id",
            "infNFSe",
            "--id-attr:Id",
            "infDPS",
            "--node-xpath",
        ])
        .arg("/*[local-name()='NFSe']/*[local-name()='Signature']")
        .arg("--verification-time")
        .arg("2026-11-20 12:00:00")
        .arg("--trusted-pem")
        .arg(&root)
        .arg("--untrusted-pem")
        .arg(&chain)
        .arg(&file)
        .output();
    match verified {
        Ok(out) => assert!(
            out.status.success(),
            "{}\n{note}",
            String::from_utf8_lossy(&out.stderr)
        ),
        Err(_) => judges::skipped("xmlsec1 is not installed"),
    }
}
