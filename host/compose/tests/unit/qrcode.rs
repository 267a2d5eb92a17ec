//! The address of the QR code by its versions.

use compose::frame::Ambiente;
use compose::qrcode::{Csc, Version, online};
use markup::ids::chave::Chave;
use sha1::{Digest, Sha1};

const CHAVE: &str = "35261111222333000181650010000015231817263540";

fn chave() -> Chave {
    let base = CHAVE.get(..43).expect("43 positions");
    let dv = markup::ids::chave::digit(base.as_bytes());
    Chave::parse(&format!("{base}{dv}")).expect("key")
}

#[test]
fn version_3_is_key_version_and_environment() {
    let group = online(Version::V3, "SP", Ambiente::Producao, &chave(), None).expect("SP");
    let end = format!("?p={}|3|1", chave());
    assert!(group.qr_code.ends_with(&end), "{}", group.qr_code);
    assert!(
        group
            .element()
            .value(&["qrCode"])
            .is_some_and(|text| text.starts_with("http"))
    );
}

#[test]
fn version_2_hashes_with_the_code_and_drops_zeros_of_its_number() {
    let csc = Csc {
        id: "000001",
        codigo: "SEGREDO",
    };
    let group = online(
        Version::V2,
        "SP",
        Ambiente::Homologacao,
        &chave(),
        Some(csc),
    )
    .expect("SP");
    let start = format!("{}|2|2|1", chave());
    let digest = Sha1::digest(format!("{start}SEGREDO").as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    let end = format!("?p={start}|{digest}");
    assert!(group.qr_code.ends_with(&end), "{}", group.qr_code);
    let without = online(Version::V2, "SP", Ambiente::Producao, &chave(), None);
    assert_eq!(
        without.map_err(|field| field.codigo),
        Err("csc_ausente".to_owned())
    );
    assert!(!format!("{csc:?}").contains("SEGREDO"));
}
