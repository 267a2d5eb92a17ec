//! Signatures made with an openssl key and judged by xmlsec1, and the reverse.

use std::path::PathBuf;

use judges::{samples, tool};
use markup::xml::{C14n, Document, Element};
use markup::xmldsig::{
    Algorithm, DSIG_NAMESPACE, Placement, SignSpec, SignXmlError, SignatureParts, prepare,
    read_signatures,
};

/// A key and its certificate, made for one test.
struct Key {
    folder: tempfile::TempDir,
    certificate_der: Vec<u8>,
}

impl Key {
    /// None if openssl or xmlsec1 are not installed: the test says so and ends.
    fn make() -> Option<Key> {
        tool("xmlsec1", &["--version"])?;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let subject = [
            "-subj",
            "/CN=Empresa Teste",
            "-days",
            "2",
            "-nodes",
            "-newkey",
            "rsa:2048",
        ];
        let files = [path("key.pem"), path("cert.pem"), path("cert.der")];
        let [key, pem, der] = [&files[0], &files[1], &files[2]].map(String::as_str);
        let made = tool(
            "openssl",
            &[&["req", "-x509", "-keyout", key, "-out", pem], &subject[..]].concat(),
        )?;
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        tool(
            "openssl",
            &["x509", "-in", pem, "-outform", "DER", "-out", der],
        )?;
        let certificate_der = std::fs::read(der).unwrap();
        Some(Key {
            folder,
            certificate_der,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn sign(&self, bytes: &[u8], algorithm: Algorithm) -> Vec<u8> {
        let [key, out] =
            ["key.pem", "signature"].map(|name| self.path(name).to_str().unwrap().to_owned());
        let content = self.write("content", bytes);
        let output = tool(
            "openssl",
            &[
                "dgst",
                hash(algorithm),
                "-sign",
                &key,
                "-out",
                &out,
                &content,
            ],
        )
        .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        std::fs::read(out).unwrap()
    }

    /// Does openssl accept the RSA signature over `signed_info`?
    fn verifies(&self, parts: &SignatureParts) -> bool {
        let pem = self.path("cert.pem").to_str().unwrap().to_owned();
        let public = tool("openssl", &["x509", "-in", &pem, "-noout", "-pubkey"])
            .unwrap()
            .stdout;
        let files = [
            self.write("public", public),
            self.write("signature", &parts.signature),
            self.write("info", &parts.signed_info),
        ];
        let arguments = [
            "dgst",
            hash(parts.algorithm),
            "-verify",
            &files[0],
            "-signature",
            &files[1],
            &files[2],
        ];
        tool("openssl", &arguments).unwrap().status.success()
    }

    /// Does xmlsec1 accept the (first) signature of a document?
    fn xmlsec_accepts(&self, xml: &str, more: &[&str]) -> Result<(), String> {
        let file = self.write("signed.xml", xml);
        let pem = self.path("cert.pem").to_str().unwrap().to_owned();
        let fixed = [
            "--verify",
            "--enabled-key-data",
            "x509",
            "--trusted-pem",
            &pem,
        ];
        let ids = [
            "--id-attr:Id",
            "infDPS",
            "--id-attr:Id",
            "Inf",
            "--id-attr:id",
            "lote",
        ];
        let output = tool("xmlsec1", &[&fixed[..], &ids, more, &[&file]].concat()).unwrap();
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

fn hash(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::RsaSha1 => "-sha1",
        Algorithm::RsaSha256 => "-sha256",
    }
}

fn spec() -> SignSpec {
    SignSpec {
        algorithm: Algorithm::RsaSha256,
        canonicalization: C14n::Inclusive,
        placement: Placement::AfterReference,
        id_attribute: "Id".to_owned(),
        empty_uri: false,
    }
}

/// Every algorithm, canonicalization and placement.
fn all_specs() -> Vec<SignSpec> {
    let mut specs = Vec::new();
    for algorithm in [Algorithm::RsaSha1, Algorithm::RsaSha256] {
        for canonicalization in [C14n::Inclusive, C14n::Exclusive] {
            for placement in [
                Placement::AfterReference,
                Placement::InsideReference,
                Placement::LastChildOfRoot,
            ] {
                for empty_uri in [false, true] {
                    specs.push(SignSpec {
                        algorithm,
                        canonicalization,
                        placement,
                        empty_uri,
                        ..spec()
                    });
                }
            }
        }
    }
    specs
}

const DPS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<DPS xmlns=\"http://www.sped.fazenda.gov.br/nfse\" versao=\"1.01\">\
    <infDPS Id=\"DPS1\"><serie>1</serie><xDescServ>Consultoria &amp; a\u{e7}\u{e3}o\r\n \"x\"</xDescServ></infDPS></DPS>\r\n";

/// Namespaces and `xml:` attributes in force outside, redeclared inside.
const NESTED: &str = "<e:Envelope xmlns:e=\"http://e/\" xmlns:a=\"http://a/\" xmlns=\"http://fora/\" xml:lang=\"pt-BR\" xml:space='preserve'>\n\
    <!-- c --><e:Body><n xmlns=\"http://n/\" xmlns:b=\"http://b/\" xmlns:a=\"http://a2/\">\n\
    <Inf Id='i.1' b:z=\"1\" a='&lt;&#9;>' xml:lang=\"en\"><b:v xmlns=\"\"><w/></b:v><x><![CDATA[<&>]]></x></Inf>\n</n><n/></e:Body></e:Envelope>";

/// The signed element and the root of a prefix, the element an empty tag.
const EMPTY: &str =
    "<p:Rps xmlns:p=\"http://p/\" xmlns:q=\"http://q/?a=1\"><p:Inf Id=\"r1\" q:k=''/></p:Rps>";

const DOCUMENTS: [(&str, &str); 3] = [(DPS, "DPS1"), (NESTED, "i.1"), (EMPTY, "r1")];

fn signed(key: &Key, xml: &str, reference: &str, spec: &SignSpec) -> String {
    let prepared = prepare(xml, reference, spec).unwrap();
    let signature = key.sign(prepared.to_sign(), spec.algorithm);
    prepared.finish(&signature, std::slice::from_ref(&key.certificate_der))
}

#[test]
fn xmlsec_accepts_every_combination_and_so_do_we() {
    let Some(key) = Key::make() else { return };
    let mut checked = 0;
    for (xml, reference) in DOCUMENTS {
        for spec in all_specs() {
            let signed = signed(&key, xml, reference, &spec);
            assert_eq!(
                key.xmlsec_accepts(&signed, &[]),
                Ok(()),
                "{reference} {spec:?}\n{signed}"
            );
            let [parts] = &read_signatures(&signed).unwrap()[..] else {
                panic!("one signature")
            };
            assert!(parts.digest_ok, "{reference} {spec:?}\n{signed}");
            assert!(key.verifies(parts), "{reference} {spec:?}\n{signed}");
            assert_eq!(
                parts.reference_id,
                if spec.empty_uri { "" } else { reference }
            );
            assert_eq!(parts.algorithm, spec.algorithm);
            assert_eq!(
                parts.certificate_der.as_deref(),
                Some(&key.certificate_der[..])
            );
            checked += 1;
        }
    }
    println!("{checked} signatures accepted by xmlsec1");
}

#[test]
fn xmlsec_accepts_whole_documents() {
    let Some(key) = Key::make() else { return };
    for (xml, _) in DOCUMENTS
        .into_iter()
        .chain([("<a/>", ""), ("<p:a xmlns:p='http://p/' />", "")])
    {
        for spec in all_specs()
            .into_iter()
            .filter(|spec| spec.placement != Placement::AfterReference)
        {
            let signed = signed(&key, xml, "", &spec);
            assert_eq!(
                key.xmlsec_accepts(&signed, &[]),
                Ok(()),
                "{spec:?}\n{signed}"
            );
            let [parts] = &read_signatures(&signed).unwrap()[..] else {
                panic!("one signature")
            };
            assert!(parts.digest_ok && key.verifies(parts), "{spec:?}\n{signed}");
        }
    }
}

#[test]
fn a_batch_signed_inside_and_outside_verifies() {
    let Some(key) = Key::make() else { return };
    let xml = "<envio xmlns=\"http://n/\"><lote id=\"L\"><Rps><Inf Id=\"a\"/></Rps><Rps><Inf Id=\"b\"></Inf></Rps></lote></envio>";
    let once = signed(&key, xml, "a", &spec());
    let twice = signed(&key, &once, "b", &spec());
    let outer = SignSpec {
        id_attribute: "id".to_owned(),
        placement: Placement::LastChildOfRoot,
        ..spec()
    };
    let all = signed(&key, &twice, "L", &outer);
    for number in ["1", "2", "3"] {
        let which = format!("(//*[local-name()='Signature'])[{number}]");
        assert_eq!(
            key.xmlsec_accepts(&all, &["--node-xpath", &which]),
            Ok(()),
            "{all}"
        );
    }
    let parts = read_signatures(&all).unwrap();
    assert!(
        parts
            .iter()
            .all(|parts| parts.digest_ok && key.verifies(parts))
    );
    let ids: Vec<_> = parts
        .iter()
        .map(|p| (p.reference_id.as_str(), p.signed_element.as_str()))
        .collect();
    assert_eq!(ids, [("a", "Inf"), ("b", "Inf"), ("L", "lote")]);

    // A change inside breaks the one and the batch, not the other.
    let changed = all.replacen("<Inf Id=\"b\">", "<Inf Id=\"b\">1", 1);
    let ok: Vec<bool> = read_signatures(&changed)
        .unwrap()
        .iter()
        .map(|parts| parts.digest_ok)
        .collect();
    assert_eq!(ok, [true, false, false]);
}

#[test]
fn what_xmlsec_signs_is_read() {
    let Some(key) = Key::make() else { return };
    let key_file = key.path("key.pem").to_str().unwrap().to_owned()
        + ","
        + key.path("cert.pem").to_str().unwrap();
    for (canonicalization, transform, method, digest, algorithm) in [
        (
            "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
            "http://www.w3.org/2001/10/xml-exc-c14n#",
            "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
            "http://www.w3.org/2001/04/xmlenc#sha256",
            Algorithm::RsaSha1,
        ),
        (
            "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
            "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            "http://www.w3.org/2000/09/xmldsig#sha1",
            Algorithm::RsaSha256,
        ),
    ] {
        for uri in ["", "#x"] {
            // A prefix for the signature, blanks and comments inside it.
            let template = format!(
                "<n xmlns=\"http://n/\" xmlns:u=\"http://u/\"><!-- 1 --><Inf Id=\"x\"><!-- 2 --><u:v/>\n<d:Signature xmlns:d=\"{DSIG_NAMESPACE}\">\n \
                 <d:SignedInfo><!-- 3 --> <d:CanonicalizationMethod Algorithm=\"{canonicalization}\"/>\n<d:SignatureMethod Algorithm=\"{method}\"/>\
                 <d:Reference URI=\"{uri}\"><d:Transforms><d:Transform Algorithm=\"{DSIG_NAMESPACE}enveloped-signature\"/>\
                 <d:Transform Algorithm=\"{transform}\"/></d:Transforms><d:DigestMethod Algorithm=\"{digest}\"/><d:DigestValue/></d:Reference></d:SignedInfo>\
                 <d:SignatureValue/><d:KeyInfo><d:X509Data/></d:KeyInfo></d:Signature></Inf></n>"
            );
            let file = key.write("template.xml", &template);
            let output = tool(
                "xmlsec1",
                &[
                    "--sign",
                    "--privkey-pem",
                    &key_file,
                    "--id-attr:Id",
                    "Inf",
                    &file,
                ],
            )
            .unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            let signed = String::from_utf8(output.stdout).unwrap();
            let [parts] = &read_signatures(&signed).unwrap()[..] else {
                panic!("one signature")
            };
            assert!(parts.digest_ok, "{signed}");
            assert!(key.verifies(parts), "{signed}");
            assert_eq!(parts.algorithm, algorithm);
            assert_eq!(
                parts.certificate_der.as_deref(),
                Some(&key.certificate_der[..])
            );
        }
    }
}

#[test]
fn the_original_text_keeps_every_byte() {
    for (xml, reference) in [DOCUMENTS[0], DOCUMENTS[1]] {
        for spec in all_specs() {
            let signed = prepare(xml, reference, &spec)
                .unwrap()
                .finish(&[1, 2, 3], &[]);
            let start = signed.find("<Signature").unwrap();
            let end = signed.find("</Signature>").unwrap() + "</Signature>".len();
            assert_eq!([&signed[..start], &signed[end..]].concat(), xml);
            assert!(!signed[start..end].contains(['\n', '\r']) && !signed.contains("KeyInfo"));
        }
    }
}

#[test]
fn the_signature_goes_where_the_spec_says() {
    let place = |xml: &str, reference: &str, placement| {
        let signed = prepare(
            xml,
            reference,
            &SignSpec {
                placement,
                ..spec()
            },
        )
        .unwrap()
        .finish(&[1], &[]);
        let start = signed.find("<Signature").unwrap();
        let end = signed.find("</Signature>").unwrap() + "</Signature>".len();
        signed.replace(&signed[start..end], "*")
    };
    let xml = "<a><b Id='1'>x</b><c/></a>";
    assert_eq!(
        place(xml, "1", Placement::AfterReference),
        "<a><b Id='1'>x</b>*<c/></a>"
    );
    assert_eq!(
        place(xml, "1", Placement::InsideReference),
        "<a><b Id='1'>x*</b><c/></a>"
    );
    assert_eq!(
        place(xml, "1", Placement::LastChildOfRoot),
        "<a><b Id='1'>x</b><c/>*</a>"
    );
    assert_eq!(
        place("<p:a xmlns:p='u:' />", "", Placement::InsideReference),
        "<p:a xmlns:p='u:' >*</p:a>"
    );
}

#[test]
fn what_cannot_be_signed() {
    use SignXmlError::{AmbiguousId, Malformed, ReferenceNotFound, Unsupported};
    let xml = "<a Id='r'><b Id='1'/><b Id='1'/><c id='2' Id='3'/><d Id='x y'/></a>";
    let error =
        |xml: &str, reference: &str, spec: &SignSpec| prepare(xml, reference, spec).unwrap_err();
    assert_eq!(error(xml, "9", &spec()), ReferenceNotFound("9".to_owned()));
    assert_eq!(error(xml, "2", &spec()), ReferenceNotFound("2".to_owned()));
    assert!(
        prepare(
            xml,
            "2",
            &SignSpec {
                id_attribute: "id".to_owned(),
                ..spec()
            }
        )
        .is_ok()
    );
    assert_eq!(error(xml, "1", &spec()), AmbiguousId("1".to_owned()));
    assert!(matches!(error("<a", "1", &spec()), Malformed(_)));
    assert!(matches!(error(xml, "x y", &spec()), Unsupported(_)));
    for reference in ["r", ""] {
        assert!(matches!(error(xml, reference, &spec()), Unsupported(_)));
    }
}

/// A signed document and the changes each of which must be refused or noticed.
#[test]
fn only_one_shape_of_signature_is_read() {
    let spec = SignSpec {
        placement: Placement::InsideReference,
        ..spec()
    };
    let good = prepare("<n><Inf Id='x'>1</Inf><o/></n>", "x", &spec)
        .unwrap()
        .finish(&[7; 256], &[vec![1, 2, 3]]);
    assert!(read_signatures(&good).unwrap()[0].digest_ok);

    let start = good.find("<Reference").unwrap();
    let end = good.find("</Reference>").unwrap() + "</Reference>".len();
    let reference = &good[start..end];
    let enveloped =
        "<Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>";
    let c14n = "<Transform Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/>";
    let refused = [
        // Two references: one over what is shown, one over nothing of value.
        good.replace(reference, &format!("{reference}{reference}")),
        good.replace(reference, ""),
        good.replace(
            enveloped,
            "<Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"/>",
        ),
        good.replace(enveloped, &format!("{enveloped}{enveloped}")),
        good.replace(&format!("{enveloped}{c14n}"), &format!("{c14n}{enveloped}")),
        good.replace(c14n, &c14n.replace("/>", "><x/></Transform>")),
        good.replace("rsa-sha256", "rsa-sha512"),
        good.replace("xmlenc#sha256", "xmlenc#sha512"),
        good.replace("<DigestMethod", "<x:DigestMethod xmlns:x='urn:x'"),
        good.replace("URI=\"#x\"", "URI=\"#xpointer(id('x'))\""),
        good.replace("URI=\"#x\"", "URI=\"http://x/\""),
        good.replace("URI=\"#x\"", "URI=\"#\""),
        good.replace(" URI=\"#x\"", ""),
        // The id is not there, or twice: signature wrapping.
        good.replace("Id='x'", "Id='y'"),
        good.replace("<o/>", "<Inf Id='x'>2</Inf>"),
        good.replace("<o/>", "<Inf ID='x'>2</Inf>"),
        good.replace("<o/>", "<Inf u:id='x' xmlns:u='urn:u'>2</Inf>"),
        good.replace("<SignatureValue>", "<SignatureValue>*"),
        good.replace("</Signature>", "<Object/></Signature>"),
        good.replace("<X509Certificate>", "<X509Certificate>é"),
        good.replace("<KeyInfo>", "<KeyInfo xmlns=''>"),
    ];
    for (number, text) in refused.iter().enumerate() {
        assert_ne!(*text, good, "change {number} changes nothing");
        assert!(read_signatures(text).is_err(), "change {number}: {text}");
    }
    let noticed = [
        good.replace(">1<", ">2<"),
        good.replace("Id='x'", "Id='x' a=''"),
        good.replace(enveloped, ""),
        good.replace("<DigestValue>", "<DigestValue>AA"),
    ];
    for (number, text) in noticed.iter().enumerate() {
        assert_ne!(*text, good, "change {number} changes nothing");
        assert!(
            !read_signatures(text).unwrap()[0].digest_ok,
            "change {number}: {text}"
        );
    }
    // Changes that mean nothing.
    let same = [
        good.replace("<o/>", "<o a='1'/>"),
        good.replace("Id='x'", "Id = \"x\" "),
        good.replace("/></Transforms>", "></Transform></Transforms>"),
        good.replace(c14n, ""),
    ];
    for (number, text) in same.iter().enumerate() {
        assert_ne!(*text, good, "change {number} changes nothing");
        assert!(
            read_signatures(text).unwrap()[0].digest_ok,
            "change {number}: {text}"
        );
    }
    assert_eq!(read_signatures("<a/>"), Ok(Vec::new()));
}

#[test]
fn overlapping_signatures_cannot_cost_without_end() {
    // Each of the signatures covers the whole text.
    let one = prepare(
        "<n/>",
        "",
        &SignSpec {
            placement: Placement::InsideReference,
            ..spec()
        },
    )
    .unwrap()
    .finish(&[7], &[]);
    let signature = &one["<n>".len()..one.len() - "</n>".len()];
    let padded = |count: usize, padding: usize| {
        format!("<n>{}{}</n>", "x".repeat(padding), signature.repeat(count))
    };
    assert!(
        read_signatures(&padded(500, 1000)).is_err(),
        "500 times 400 kB"
    );
    assert!(
        read_signatures(&padded(20, 7_000_000)).is_err(),
        "20 times 7 MB"
    );
    assert!(read_signatures(&padded(600, 0)).is_err(), "too many");
    // Each repeats what is in force around it.
    let inherited =
        padded(100, 0).replacen("<n>", &format!("<n xml:a='{}'>", "x".repeat(1_000_000)), 1);
    assert!(read_signatures(&inherited).is_err(), "100 times 1 MB");
    assert_eq!(
        read_signatures(&padded(10, 1000)).map(|parts| parts.len()),
        Ok(10)
    );
}

#[test]
fn digests_of_samples_are_judged_like_xmlsec() {
    let Some(key) = Key::make() else { return };
    let (mut good, mut bad, mut refused) = (0, 0, 0);
    for (path, text) in samples() {
        match read_signatures(&text) {
            Ok(signatures) => {
                for (number, parts) in signatures.iter().enumerate() {
                    let expected = xmlsec_digest_ok(&key, &text, parts, number);
                    assert_eq!(
                        parts.digest_ok,
                        expected,
                        "{} signature {number}",
                        path.display()
                    );
                    if expected { good += 1 } else { bad += 1 }
                }
            }
            Err(_) => refused += 1,
        }
    }
    println!(
        "signed samples: {good} digests fit, {bad} do not (scrubbed), {refused} files refused"
    );
}

/// What xmlsec1 thinks of the digest alone: it gets a key of ours instead of
/// the certificate, which has expired or was made unreadable.
fn xmlsec_digest_ok(key: &Key, text: &str, parts: &SignatureParts, number: usize) -> bool {
    let mut text = text.to_owned();
    let doc = Document::parse(&text).unwrap();
    let signature = doc
        .elements()
        .find(|element| element.span() == parts.signature_span)
        .unwrap();
    if let Some(key_info) = signature.child("KeyInfo").map(Element::span) {
        text.replace_range(key_info, "");
    }
    let which = format!("(//*[local-name()='Signature'])[{}]", number + 1);
    let [pem, file] = [
        key.path("cert.pem").to_str().unwrap().to_owned(),
        key.write("sample.xml", text),
    ];
    let mut arguments = vec![
        "--verify",
        "--pubkey-cert-pem",
        &pem,
        "--node-xpath",
        &which,
    ];
    for name in ["--id-attr:Id", "--id-attr:id", "--id-attr:ID"] {
        arguments.extend([name, parts.signed_element.as_str()]);
    }
    let output = tool("xmlsec1", &[&arguments[..], &[&file]].concat()).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    // The RSA signature is checked only after the digests fit.
    let digest = errors.contains("data and digest do not match");
    let rsa = errors.contains("signature do not match") || errors.contains("SignatureVerify");
    assert!(digest != rsa, "{errors}");
    rsa
}
