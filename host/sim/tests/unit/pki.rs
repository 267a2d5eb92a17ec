//! Certificates of companies: holder, validity, files.

use sim::clock::DAY_MS;
use sim::pki::{A1Files, A1Request, CertificateProblem, PfxFormat, Pki, holder};

const NOW: i64 = 1_763_600_000_000;

fn company(pki: &Pki, document: &str) -> A1Files {
    pki.issue_a1(A1Request {
        document: document.to_owned(),
        name: "EMPRESA DE TESTE LTDA".to_owned(),
        valid_from_ms: NOW,
        valid_until_ms: NOW + 365 * DAY_MS,
    })
    .expect("issued")
}

#[test]
fn certificates_name_their_holder() {
    let pki = Pki::generate(NOW).expect("keys");
    for document in ["11222333000181", "12ABC34501DE35", "11144477735"] {
        let files = company(&pki, document);
        let found = holder(&files.cert_der).expect("holder");
        assert_eq!(found.document, document);
        assert_eq!(found.name, "EMPRESA DE TESTE LTDA");
    }
}

#[test]
fn expired_and_foreign_certificates_are_told_apart() {
    let (pki, other) = (
        Pki::generate(NOW).expect("keys"),
        Pki::generate(NOW).expect("keys"),
    );
    let files = company(&pki, "11222333000181");
    assert_eq!(pki.check(&files.cert_der, NOW + DAY_MS), Ok(()));
    assert_eq!(
        pki.check(&files.cert_der, NOW + 366 * DAY_MS),
        Err(CertificateProblem::Expired)
    );
    assert_eq!(
        other.check(&files.cert_der, NOW),
        Err(CertificateProblem::Chain)
    );
    assert_eq!(pki.check(b"x", NOW), Err(CertificateProblem::Unreadable));
}

#[test]
fn both_pfx_formats_open() {
    let pki = Pki::generate(NOW).expect("keys");
    let files = company(&pki, "11222333000181");
    for format in [PfxFormat::Modern, PfxFormat::Legacy] {
        let der = files.pfx("segredo", format).expect("pfx");
        let rc2 = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, 0x06];
        assert_eq!(
            der.windows(10).any(|w| w == rc2),
            format == PfxFormat::Legacy
        );
        let _provider =
            openssl::provider::Provider::try_load(None, "legacy", true).expect("provider");
        let open = |password: &str| {
            openssl::pkcs12::Pkcs12::from_der(&der)
                .expect("pkcs12")
                .parse2(password)
        };
        let parsed = open("segredo").expect("opened");
        assert_eq!(
            parsed.cert.expect("cert").to_der().expect("der"),
            files.cert_der
        );
        assert!(open("errado").is_err());
    }
}

#[test]
fn keys_survive_on_disk() {
    let dir = tempfile::tempdir().expect("folder");
    let first = Pki::load_or_create(dir.path(), NOW).expect("made");
    let again = Pki::load_or_create(dir.path(), NOW + DAY_MS).expect("read");
    assert_eq!(first.ca_pem(), again.ca_pem());
    assert_eq!(
        again.check(&company(&first, "11222333000181").cert_der, NOW),
        Ok(())
    );
}
