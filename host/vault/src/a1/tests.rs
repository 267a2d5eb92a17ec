//! Import of PFX files: those it takes, and each way to be refused.

use openssl::nid::Nid;
use openssl::pkcs12::{Pkcs12, Pkcs12Builder};
use openssl::rsa::Rsa;
use openssl::stack::Stack;

use super::*;
use crate::testkit::{self, Holder, Leaf, NOW_MS, TempDir, VALID_FROM_MS, VALID_UNTIL_MS, tlv};

const PASSWORD: &str = "segredo 123";

/// A PFX with little key derivation, so that tests are quick.
fn builder(leaf: &Leaf) -> Pkcs12Builder {
    let mut builder = Pkcs12::builder();
    builder
        .name("teste")
        .pkey(&leaf.key)
        .cert(&leaf.certificate)
        .key_iter(1)
        .mac_iter(1);
    builder
}

fn pack(builder: &Pkcs12Builder, password: &str) -> Vec<u8> {
    builder.build2(password).unwrap().to_der().unwrap()
}

fn pfx(holder: &Holder<'_>) -> Vec<u8> {
    pack(&builder(&testkit::leaf(holder)), PASSWORD)
}

fn stack(certificates: &[&X509]) -> Stack<X509> {
    let mut stack = Stack::new().unwrap();
    certificates
        .iter()
        .for_each(|c| stack.push((*c).clone()).unwrap());
    stack
}

/// `A1` has no `Debug`, so results are compared by their error.
fn refusal(pfx: &[u8], password: &str) -> Option<A1Error> {
    import(pfx, password, NOW_MS).err()
}

fn reason_of(error: Option<A1Error>) -> String {
    match error {
        Some(A1Error::NotA1(reason)) => format!("nao_e_a1: {reason}"),
        Some(A1Error::Invalid(reason)) => format!("invalido: {reason}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_modern_file_gives_key_facts_and_ordered_chain() {
    let leaf = testkit::leaf(&Holder {
        cnpj: Some("12ABC34501DE35"),
        ..Holder::default()
    });
    let (authority, root) = (
        testkit::authority().certificate,
        testkit::root().certificate,
    );
    let stranger = testkit::leaf(&Holder {
        common_name: "OUTRA",
        key: Some(testkit::root().key),
        ..Holder::default()
    });
    let mut builder = builder(&leaf);
    builder.ca(stack(&[&root, &stranger.certificate, &authority]));
    let a1 = import(&pack(&builder, PASSWORD), PASSWORD, NOW_MS).unwrap();

    let expected: Vec<_> = [&leaf.certificate, &authority, &root]
        .map(|c| c.to_der().unwrap())
        .into();
    assert_eq!(a1.chain_der, expected);
    let key = PKey::private_key_from_pkcs8(&a1.key_pkcs8).unwrap();
    assert!(key.public_eq(&leaf.key));
    assert_eq!(
        (a1.holder.as_str(), a1.issuer.as_str()),
        ("EMPRESA DE TESTE LTDA", "AC DE TESTE")
    );
    assert_eq!(a1.documento.unwrap().as_str(), "12ABC34501DE35");
    assert_eq!(
        (a1.valid_from_ms, a1.valid_until_ms),
        (VALID_FROM_MS, VALID_UNTIL_MS)
    );
    assert!(a1.belongs_to(&Cnpj::parse("12ABC345000269").unwrap()));
    assert!(!a1.belongs_to(&Cnpj::parse("11222333000181").unwrap()));
    let digest = leaf
        .certificate
        .digest(openssl::hash::MessageDigest::sha256())
        .unwrap();
    let hex: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(a1.fingerprint, hex);
}

#[test]
fn legacy_files_open_too() {
    let leaf = testkit::leaf(&Holder::default());
    // Making such a file needs the legacy provider too: importing any file must
    // have loaded it.
    assert!(import(&pfx(&Holder::default()), PASSWORD, NOW_MS).is_ok());
    let triple_des = Nid::PBE_WITHSHA1AND3_KEY_TRIPLEDES_CBC;
    for certificates in [Nid::PBE_WITHSHA1AND40BITRC2_CBC, triple_des] {
        let mut builder = builder(&leaf);
        builder
            .key_algorithm(triple_des)
            .cert_algorithm(certificates);
        builder.mac_md(openssl::hash::MessageDigest::sha1());
        let file = pack(&builder, PASSWORD);
        assert!(import(&file, PASSWORD, NOW_MS).is_ok());
        assert_eq!(refusal(&file, "outra"), Some(A1Error::WrongPassword));
    }
}

#[test]
fn passwords_are_told_right_from_wrong() {
    let leaf = testkit::leaf(&Holder::default());
    for password in [
        "",
        "a",
        "coração €",
        "𝄞 longa demais para caber num bloco só, e mais um pouco",
    ] {
        let file = pack(&builder(&leaf), password);
        assert!(import(&file, password, NOW_MS).is_ok(), "{password}");
        for wrong in [
            "b",
            "coracao",
            &format!("{password} "),
            "nul\0",
            &"x".repeat(600),
        ] {
            assert_eq!(
                refusal(&file, wrong),
                Some(A1Error::WrongPassword),
                "{password}/{wrong}"
            );
        }
    }
    assert_eq!(
        refusal(&pfx(&Holder::default()), ""),
        Some(A1Error::WrongPassword)
    );
}

#[test]
fn a_password_that_an_old_exporter_took_byte_by_byte_still_opens() {
    let bytewise: String = "coração".bytes().map(char::from).collect();
    let file = pack(&builder(&testkit::leaf(&Holder::default())), &bytewise);
    assert!(import(&file, "coração", NOW_MS).is_ok());
    assert_eq!(refusal(&file, "coracão"), Some(A1Error::WrongPassword));
}

#[test]
fn validity_is_checked_to_the_second() {
    let file = pfx(&Holder::default());
    assert!(import(&file, PASSWORD, VALID_FROM_MS).is_ok());
    assert!(import(&file, PASSWORD, VALID_UNTIL_MS).is_ok());
    let early = import(&file, PASSWORD, VALID_FROM_MS - 1).err();
    assert_eq!(
        early,
        Some(A1Error::NotYetValid {
            from_ms: VALID_FROM_MS
        })
    );
    let late = import(&file, PASSWORD, VALID_UNTIL_MS + 1).err();
    assert_eq!(
        late,
        Some(A1Error::Expired {
            at_ms: VALID_UNTIL_MS
        })
    );
}

#[test]
fn a_renewal_with_the_same_key_wins() {
    let old = Holder {
        valid_ms: (VALID_FROM_MS - 90_000_000_000, NOW_MS - 1_000),
        ..Holder::default()
    };
    let old = testkit::leaf(&old);
    let new = testkit::leaf(&Holder::default());
    let mut builder = builder(&old);
    builder.ca(stack(&[
        &new.certificate,
        &testkit::authority().certificate,
    ]));
    let a1 = import(&pack(&builder, PASSWORD), PASSWORD, NOW_MS).unwrap();
    assert_eq!(a1.valid_until_ms, VALID_UNTIL_MS);
    assert_eq!(a1.chain_der.len(), 2);
}

#[test]
fn authorities_that_sign_each_other_end_the_chain() {
    let ca = |common_name| Holder {
        common_name,
        ca: true,
        ..Holder::default()
    };
    let (key_a, key_b) = (testkit::root().key, testkit::authority().key);
    let self_signed = testkit::issue(&ca("AC A"), &key_a, None);
    let b = testkit::issue(&ca("AC B"), &key_b, Some(&self_signed));
    let a = testkit::issue(&ca("AC A"), &key_a, Some(&b));
    let own = testkit::leaf(&Holder::default());
    let leaf = testkit::issue(&Holder::default(), &own.key, Some(&b));

    let mut builder = builder(&leaf);
    builder.ca(stack(&[&a.certificate, &b.certificate]));
    let a1 = import(&pack(&builder, PASSWORD), PASSWORD, NOW_MS).unwrap();
    let expected: Vec<_> = [&leaf, &b, &a]
        .map(|l| l.certificate.to_der().unwrap())
        .into();
    assert_eq!(a1.chain_der, expected);
}

#[test]
fn what_is_not_an_a1_is_named() {
    let mut only_certificates = Pkcs12::builder();
    only_certificates.cert(&testkit::leaf(&Holder::default()).certificate);
    let file = pack(&only_certificates, PASSWORD);
    assert_eq!(
        reason_of(refusal(&file, PASSWORD)),
        "nao_e_a1: não contém a chave privada"
    );

    let mut only_key = Pkcs12::builder();
    only_key.pkey(&testkit::root().key);
    let file = pack(&only_key, PASSWORD);
    assert_eq!(
        reason_of(refusal(&file, PASSWORD)),
        "nao_e_a1: não contém certificado"
    );

    let ec = pfx(&Holder {
        key: Some(testkit::ec_key()),
        ..Holder::default()
    });
    assert_eq!(
        reason_of(refusal(&ec, PASSWORD)),
        "nao_e_a1: a chave não é RSA"
    );

    let weak = pfx(&Holder {
        key: Some(testkit::rsa(1024)),
        ..Holder::default()
    });
    let expected = "nao_e_a1: a chave RSA tem 1024 bits, fora de 2048 a 4096";
    assert_eq!(reason_of(refusal(&weak, PASSWORD)), expected);

    let authority = pfx(&Holder {
        ca: true,
        ..Holder::default()
    });
    let expected = "nao_e_a1: é o certificado de uma autoridade certificadora";
    assert_eq!(reason_of(refusal(&authority, PASSWORD)), expected);
}

#[test]
fn a_key_of_another_certificate_is_noticed() {
    let leaf = testkit::leaf(&Holder::default());
    let mut foreign = Pkcs12::builder();
    foreign
        .pkey(&testkit::root().key)
        .ca(stack(&[&leaf.certificate]));
    assert_eq!(
        refusal(&pack(&foreign, PASSWORD), PASSWORD),
        Some(A1Error::KeyMismatch)
    );

    // The certificate's modulus with the private numbers of another key.
    let (own, other) = (leaf.key.rsa().unwrap(), testkit::root().key.rsa().unwrap());
    let copy = |n: Option<&openssl::bn::BigNumRef>| n.unwrap().to_owned().unwrap();
    let forged = Rsa::from_private_components(
        copy(Some(own.n())),
        copy(Some(own.e())),
        copy(Some(other.d())),
        copy(other.p()),
        copy(other.q()),
        copy(other.dmp1()),
        copy(other.dmq1()),
        copy(other.iqmp()),
    );
    let forged = Leaf {
        key: PKey::from_rsa(forged.unwrap()).unwrap(),
        ..leaf
    };
    assert_eq!(
        refusal(&pack(&builder(&forged), PASSWORD), PASSWORD),
        Some(A1Error::KeyMismatch)
    );
}

#[test]
fn absurd_key_numbers_are_refused_before_they_cost_time() {
    let leaf = testkit::leaf(&Holder::default());
    let own = leaf.key.rsa().unwrap();
    let copy = |n: Option<&openssl::bn::BigNumRef>| n.unwrap().to_owned().unwrap();
    let huge = openssl::bn::BigNum::from_slice(&[0xff; 20_000]).unwrap();
    let absurd = Rsa::from_private_components(
        copy(Some(own.n())),
        copy(Some(own.e())),
        copy(Some(own.d())),
        huge,
        copy(own.q()),
        copy(own.dmp1()),
        copy(own.dmq1()),
        copy(own.iqmp()),
    );
    let absurd = Leaf {
        key: PKey::from_rsa(absurd.unwrap()).unwrap(),
        ..leaf
    };
    let answer = refusal(&pack(&builder(&absurd), PASSWORD), PASSWORD);
    assert_eq!(
        reason_of(answer),
        "invalido: a chave privada está danificada"
    );
}

#[test]
fn garbage_cuts_and_oversize_are_invalid() {
    let file = pfx(&Holder::default());
    for length in 0..file.len() {
        let answer = refusal(&file[..length], PASSWORD);
        assert!(
            matches!(answer, Some(A1Error::Invalid(_))),
            "{length}: {answer:?}"
        );
    }
    let pem = testkit::root().certificate.to_pem().unwrap();
    for garbage in [
        &b"isto nao e um certificado"[..],
        &[0x30, 0x80],
        &[0xff; 300],
        &pem,
    ] {
        assert!(matches!(
            refusal(garbage, PASSWORD),
            Some(A1Error::Invalid(_))
        ));
    }
    let oversized = [&file[..], &vec![0; MAX_PFX_BYTES]].concat();
    assert_eq!(
        reason_of(refusal(&oversized, PASSWORD)),
        "invalido: o arquivo é maior que 128 KiB"
    );
}

#[test]
fn no_changed_byte_yields_another_certificate() {
    let file = pfx(&Holder::default());
    let original = import(&file, PASSWORD, NOW_MS).unwrap();
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 0x04;
        // Some bytes carry nothing (a NULL parameter); then it is the same.
        if let Ok(a1) = import(&changed, PASSWORD, NOW_MS) {
            assert!(a1.fingerprint == original.fingerprint, "byte {at}");
            assert!(a1.key_pkcs8 == original.key_pkcs8, "byte {at}");
        }
    }
}

/// The whole encodings of the elements of `content`.
fn encodings(mut content: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let Some((_, rest)) = crate::der::read(content) {
        found.push(&content[..content.len() - rest.len()]);
        content = rest;
    }
    found
}

fn content(element: &[u8]) -> &[u8] {
    crate::der::read(element).unwrap().0.content
}

#[test]
fn ber_with_indefinite_lengths_and_cut_strings_opens() {
    let file = pfx(&Holder::default());
    let parts = encodings(content(&file));
    let auth_safe = encodings(content(parts[1]));
    let safes = content(content(auth_safe[1]));
    let open = |tag: u8, content: &[u8]| [&[tag, 0x80], content, &[0, 0]].concat();

    let pieces: Vec<u8> = safes
        .chunks(1000)
        .flat_map(|piece| tlv(0x04, piece))
        .collect();
    let content_info = open(
        0x30,
        &[auth_safe[0], &open(0xa0, &open(0x24, &pieces))].concat(),
    );
    let ber = open(0x30, &[parts[0], &content_info, parts[2]].concat());
    assert_ne!(ber, file);
    assert!(import(&ber, PASSWORD, NOW_MS).is_ok());
    assert_eq!(refusal(&ber, "outra"), Some(A1Error::WrongPassword));
}

#[test]
fn excessive_iterations_are_refused_unopened() {
    let mut slow = builder(&testkit::leaf(&Holder::default()));
    slow.mac_iter(2048);
    let file = pack(&slow, PASSWORD);
    let parts = encodings(content(&file));
    let mac = encodings(content(parts[2]));
    let mac = tlv(
        0x30,
        &[mac[0], mac[1], &tlv(0x02, &[0x7f, 0xff, 0xff, 0xff])].concat(),
    );
    let hostile = tlv(0x30, &[parts[0], parts[1], &mac].concat());
    let answer = reason_of(refusal(&hostile, PASSWORD));
    assert_eq!(
        answer,
        "invalido: os parâmetros de proteção da senha são excessivos"
    );
}

#[test]
fn errors_speak_to_the_customer_and_tell_no_secrets() {
    let text = A1Error::WrongPassword.to_string();
    assert_eq!(text, "A senha não abre este certificado.");
    let shown = refusal(&pfx(&Holder::default()), "minha senha")
        .unwrap()
        .to_string();
    assert!(!shown.contains("minha senha"));
}

/// Files of the `openssl` program, made from scratch with the extensions of an
/// e-CNPJ.
mod command_line {
    use std::path::Path;
    use std::process::Command;

    use super::*;

    const CONFIG: &str = "\
[req]
distinguished_name = subject
prompt = no
[subject]
C = BR
O = ICP-Teste
CN = COMERCIO DE TESTE LTDA
[holder]
basicConstraints = critical, CA:FALSE
subjectAltName = @names
[names]
email = fiscal@empresa.test
otherName.1 = 2.16.76.1.3.4;FORMAT:ASCII,OCT:0101198011144477735000000000000001234567SSPSP
otherName.2 = 2.16.76.1.3.2;UTF8:RESPONSAVEL DE TESTE
otherName.3 = 2.16.76.1.3.3;PRINTABLESTRING:11222333000181
";

    /// `None` where the program is not installed.
    fn openssl(folder: &Path, arguments: &str) -> Option<bool> {
        let run = Command::new("openssl")
            .current_dir(folder)
            .args(arguments.split(' '))
            .output();
        match run {
            Ok(output) => Some(output.status.success()),
            Err(error) => {
                println!("skipped: the openssl program does not run here ({error})");
                None
            }
        }
    }

    #[test]
    fn its_files_open_in_every_flavour() {
        let folder = TempDir::new();
        std::fs::write(folder.path().join("c.cnf"), CONFIG).unwrap();
        let request = "req -x509 -newkey rsa:2048 -nodes -days 30 -config c.cnf -extensions holder \
                       -keyout key.pem -out cert.pem";
        let Some(made) = openssl(folder.path(), request) else {
            return;
        };
        assert!(made);
        let certificate = std::fs::read(folder.path().join("cert.pem")).unwrap();
        let facts = Certificate::from_x509(&X509::from_pem(&certificate).unwrap()).unwrap();

        let modern = "-keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256";
        let triple_des = "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1";
        for flavour in [
            modern,
            "-legacy",
            triple_des,
            "-nomac",
            "-nomaciter -noiter",
        ] {
            let export = format!(
                "pkcs12 -export -inkey key.pem -in cert.pem -out a.pfx -passout pass:x1 {flavour}"
            );
            if openssl(folder.path(), &export) != Some(true) {
                println!("skipped: this openssl program has no {flavour}");
                continue;
            }
            let file = std::fs::read(folder.path().join("a.pfx")).unwrap();
            let a1 = import(&file, "x1", facts.valid_from_ms).ok();
            let a1 = a1.unwrap_or_else(|| panic!("{flavour} did not open"));
            assert_eq!(a1.holder, "COMERCIO DE TESTE LTDA");
            assert_eq!(a1.documento.unwrap().as_str(), "11222333000181");
            assert_eq!(a1.fingerprint, facts.fingerprint);
            for wrong in ["", "x2"] {
                let answer = import(&file, wrong, facts.valid_from_ms).err();
                assert_eq!(answer, Some(A1Error::WrongPassword), "{flavour} {wrong:?}");
            }
        }
    }
}
