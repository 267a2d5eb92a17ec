//! The data as it is, and the rules of the import. Dates are given.

use super::import::{Outcome, import};
use super::*;
use crate::testkit::{self, Holder, NOW_MS, TempDir, VALID_UNTIL_MS};
use openssl::x509::X509VerifyResult;
use std::collections::BTreeSet;

fn write(folder: &Path, name: &str, certificates: &[&X509]) -> PathBuf {
    let mut text = Vec::new();
    for certificate in certificates {
        text.extend(certificate.to_pem().unwrap());
    }
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn chain(certificates: &[&X509]) -> Vec<Vec<u8>> {
    certificates
        .iter()
        .map(|certificate| certificate.to_der().unwrap())
        .collect()
}

#[test]
fn bundles_and_index_name_the_same_certificates() {
    let lines = embedded::lines(embedded::INDEX).unwrap();
    let known = embedded::read(&embedded::BUNDLES, embedded::INDEX).unwrap();
    let listed: BTreeSet<&str> = lines.iter().map(|line| line.sha256.as_str()).collect();
    let held: BTreeSet<&str> = known
        .iter()
        .map(|known| known.facts.fingerprint.as_str())
        .collect();
    assert_eq!(listed, held);
    assert_eq!(lines.len(), known.len(), "no certificate twice");
    for (line, known) in lines.iter().zip(&known) {
        let day = base::when::rfc3339(known.facts.valid_until_ms);
        assert_eq!(line.valido_ate, day[..10], "{}", line.titular);
        assert!(known.facts.of_ca, "{}", line.titular);
        assert_eq!(known.root, signs_itself(&known.x509), "{}", line.titular);
        assert_eq!(line.tipo == "raiz", known.root);
        assert_eq!(import::never(known), None, "{}", line.titular);
        assert!(!line.fonte.is_empty() && line.lido_em.len() == 10);
    }
}

#[test]
fn a_changed_byte_is_not_in_the_index() {
    let (name, pem) = embedded::BUNDLES[0];
    let mut der = X509::stack_from_pem(pem.as_bytes()).unwrap()[0]
        .to_der()
        .unwrap();
    let last = der.len() - 1;
    der[last] ^= 1;
    let changed = X509::from_der(&der).unwrap().to_pem().unwrap();
    let changed = String::from_utf8(changed).unwrap();
    let read = |bundle: (&str, &str)| embedded::read(&[bundle], embedded::INDEX);
    assert!(read((name, pem)).is_ok());
    let refused = read((name, &changed)).err().unwrap();
    assert!(refused.contains("is not in the index"), "{refused}");
    // Nor is a certificate of one bundle taken in another.
    let refused = read((embedded::BUNDLES[1].0, pem)).err().unwrap();
    assert!(refused.contains("is not in the index"), "{refused}");
}

#[test]
fn the_purposes_are_those_of_icp_brasil() {
    let of = |purpose| -> Vec<String> {
        embedded::all()
            .iter()
            .filter(|known| known.root && known.purpose == purpose)
            .filter_map(|known| {
                let name = known
                    .facts
                    .holder
                    .strip_prefix("Autoridade Certificadora Raiz Brasileira ");
                name.map(str::to_owned)
            })
            .collect()
    };
    assert_eq!(of(Purpose::Signature), ["v4", "v5", "v6", "v12", "v13"]);
    assert_eq!(of(Purpose::Server), ["v10"]);
    let foreign = |known: &&Known| known.root && !known.facts.holder.contains("Raiz Brasileira");
    assert!(
        embedded::all()
            .iter()
            .filter(foreign)
            .all(|known| known.purpose == Purpose::Server)
    );
}

#[test]
fn every_intermediate_leads_to_a_root_of_its_own_purpose_only() {
    let folder = TempDir::new();
    let roots = Roots::open(folder.path());
    let none = openssl::stack::Stack::new().unwrap();
    for purpose in [Purpose::Server, Purpose::Signature] {
        let store = roots.store(purpose).unwrap();
        for known in embedded::all().iter().filter(|known| !known.root) {
            let leads = super::chain::verified(&store, &known.x509, &none).unwrap();
            assert_eq!(leads, known.purpose == purpose, "{}", known.facts.holder);
        }
    }
}

#[test]
fn a_chain_is_of_icp_brasil_or_unknown() {
    let folder = TempDir::new();
    let roots = Roots::open(folder.path());
    // An authority of ICP-Brasil stands for a customer's certificate: its
    // chain is made of data alone.
    let below = embedded::all()
        .iter()
        .find(|known| !known.root && known.purpose == Purpose::Signature);
    let below = below.unwrap();
    let answer = roots.chain("a", &chain(&[&below.x509]));
    assert_eq!(answer, Chain::IcpBrasil);

    let leaf = testkit::leaf(&Holder::default());
    let whole = chain(&[
        &leaf.certificate,
        &testkit::authority().certificate,
        &testkit::root().certificate,
    ]);
    assert_eq!(roots.chain("b", &whole), Chain::Unknown);
    assert_eq!(roots.chain("c", &[]), Chain::Unknown);
    assert_eq!(roots.chain("d", &[b"junk".to_vec()]), Chain::Unknown);
    // v10 is no root for signatures.
    let server = embedded::all()
        .iter()
        .find(|known| !known.root && known.purpose == Purpose::Server);
    let answer = roots.chain("e", &chain(&[&server.unwrap().x509]));
    assert_eq!(answer, Chain::Unknown);
}

#[test]
fn a_chain_is_completed_without_the_root() {
    let folder = TempDir::new();
    let roots = Roots::open(folder.path());
    let deepest = embedded::all().iter().find(|known| {
        known.purpose == Purpose::Signature
            && !known.root
            && embedded::all()
                .iter()
                .all(|one| one.facts.holder != known.facts.issuer || !one.root)
    });
    let deepest = deepest.expect("an authority below another").x509.clone();
    let completed = roots.completed(vec![deepest]);
    assert!(completed.len() >= 2);
    for pair in completed.windows(2) {
        assert_eq!(pair[1].issued(&pair[0]), X509VerifyResult::OK);
    }
    assert!(!signs_itself(completed.last().unwrap()));

    let foreign = testkit::leaf(&Holder::default()).certificate;
    assert_eq!(roots.completed(vec![foreign]).len(), 1);
    assert_eq!(roots.completed(Vec::new()).len(), 0);
}

#[test]
fn an_imported_root_counts_at_the_next_start() {
    let (data, given) = (TempDir::new(), TempDir::new());
    let leaf = testkit::leaf(&Holder::default());
    let own = chain(&[&leaf.certificate, &testkit::authority().certificate]);
    let answer = |roots: &Roots| roots.chain("leaf", &own);
    assert_eq!(answer(&Roots::open(data.path())), Chain::Unknown);

    // Below first: the order in a folder is nobody's choice.
    write(given.path(), "a.pem", &[&testkit::authority().certificate]);
    write(given.path(), "b.crt", &[&testkit::root().certificate]);
    let report = import(data.path(), given.path(), Purpose::Signature, NOW_MS).unwrap();
    assert!(
        report
            .iter()
            .all(|one| matches!(one.outcome, Outcome::Imported(_))),
        "{report:?}"
    );
    assert_eq!(answer(&Roots::open(data.path())), Chain::IcpBrasil);

    let again = import(data.path(), given.path(), Purpose::Signature, NOW_MS).unwrap();
    assert!(
        again.iter().all(|one| one.outcome == Outcome::AlreadyThere),
        "{again:?}"
    );
    // The other store does not know it, and does not take it.
    let other = import(data.path(), given.path(), Purpose::Server, NOW_MS).unwrap();
    assert!(
        other
            .iter()
            .all(|one| matches!(&one.outcome, Outcome::Refused(why) if why.contains("assinatura"))),
        "{other:?}"
    );
}

#[test]
fn bad_files_are_refused_with_a_reason() {
    let (data, given) = (TempDir::new(), TempDir::new());
    let root = testkit::root().certificate;
    let leaf = testkit::leaf(&Holder::default()).certificate;
    let small = testkit::issue(
        &Holder {
            ca: true,
            ..Holder::default()
        },
        &testkit::rsa(1024),
        None,
    );
    let ask = |certificates: &[&X509], now_ms| {
        let path = write(given.path(), "one.pem", certificates);
        let report = import(data.path(), &path, Purpose::Server, now_ms).unwrap();
        match report.into_iter().next().unwrap().outcome {
            Outcome::Refused(reason) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert!(ask(&[&leaf], NOW_MS).contains("authority"));
    assert!(ask(&[&root], VALID_UNTIL_MS + 1).contains("ended 2027"));
    assert!(ask(&[&root], testkit::VALID_FROM_MS - 1).contains("begins 2026"));
    assert!(ask(&[&testkit::authority().certificate], NOW_MS).contains("no root"));
    assert!(ask(&[&small.certificate], NOW_MS).contains("small"));
    assert!(ask(&[], NOW_MS).contains("PEM"));
    // v5 is for signatures.
    let v5 = embedded::all()
        .iter()
        .find(|known| known.facts.holder.ends_with("Brasileira v5"));
    assert!(ask(&[&v5.unwrap().x509], NOW_MS).contains("purpose"));
    assert_eq!(Roots::open(data.path()).imported.len(), 0);

    assert!(
        import(
            data.path(),
            &given.path().join("absent"),
            Purpose::Server,
            NOW_MS
        )
        .is_err()
    );
    std::fs::write(given.path().join("big.pem"), vec![b'-'; (1 << 20) + 1]).unwrap();
    assert!(
        import(
            data.path(),
            &given.path().join("big.pem"),
            Purpose::Server,
            NOW_MS
        )
        .is_err()
    );
}

#[test]
fn what_lies_in_the_folder_is_checked_too() {
    let data = TempDir::new();
    let folder = folder(data.path(), Purpose::Server);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("junk.pem"), "junk").unwrap();
    let v5 = embedded::all()
        .iter()
        .find(|known| known.facts.holder.ends_with("Brasileira v5"));
    write(&folder, "v5.pem", &[&v5.unwrap().x509]);
    write(
        &folder,
        "leaf.pem",
        &[&testkit::leaf(&Holder::default()).certificate],
    );
    write(&folder, "good.pem", &[&testkit::root().certificate]);
    let roots = Roots::open(data.path());
    let names: Vec<&str> = roots
        .imported
        .iter()
        .map(|known| known.facts.holder.as_str())
        .collect();
    assert_eq!(names, ["AC RAIZ DE TESTE"]);
}
