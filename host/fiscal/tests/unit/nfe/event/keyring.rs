//! A throw-away key, `openssl` to sign with it, `xmlsec1` and `xmllint` to judge.

use std::path::Path;

use judges::tool;
use markup::xmldsig::{Algorithm, Placement, SignSpec, prepare};

pub(crate) struct Keyring {
    folder: tempfile::TempDir,
    certificado: Vec<u8>,
}

impl Keyring {
    /// None, after saying so, where `openssl` is not installed.
    pub fn new() -> Option<Keyring> {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let request = tool(
            "openssl",
            &[
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=EMPRESA DE TESTE:11222333000181",
                "-keyout",
                &at("chave.pem"),
                "-out",
                &at("certificado.pem"),
            ],
        )?;
        assert!(
            request.status.success(),
            "{}",
            String::from_utf8_lossy(&request.stderr)
        );
        tool(
            "openssl",
            &[
                "x509",
                "-in",
                &at("certificado.pem"),
                "-outform",
                "DER",
                "-out",
                &at("certificado.der"),
            ],
        )?;
        let certificado = std::fs::read(at("certificado.der")).unwrap();
        Some(Keyring {
            folder,
            certificado,
        })
    }

    /// Signs the element with this id as the layout of NF-e asks.
    pub fn sign(&self, xml: &str, id: &str) -> String {
        let how = SignSpec {
            algorithm: Algorithm::RsaSha1,
            canonicalization: markup::xml::C14n::Inclusive,
            placement: Placement::AfterReference,
            id_attribute: "Id".to_owned(),
            empty_uri: false,
        };
        let prepared = prepare(xml, id, &how).unwrap();
        let content = self.save("conteudo", prepared.to_sign());
        let [chave, output] = ["chave.pem", "assinatura"].map(|name| self.at(name));
        let done = tool(
            "openssl",
            &["dgst", "-sha1", "-sign", &chave, "-out", &output, &content],
        )
        .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let signature = std::fs::read(output).unwrap();
        prepared.finish(&signature, std::slice::from_ref(&self.certificado))
    }

    pub fn check(&self, xml: &str, element: &str) {
        let arquivo = self.save("assinado.xml", xml.as_bytes());
        let certificado = self.at("certificado.pem");
        let arguments = [
            "--verify",
            "--enabled-key-data",
            "x509",
            "--trusted-pem",
            &certificado,
            "--id-attr:Id",
            element,
            &arquivo,
        ];
        if let Some(output) = tool("xmlsec1", &arguments) {
            assert!(
                output.status.success(),
                "{}\n{xml}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn save(&self, name: &str, content: &[u8]) -> String {
        let caminho = self.at(name);
        std::fs::write(&caminho, content).unwrap();
        caminho
    }
}

/// What `xmllint` says against a schema; empty when it accepts every document.
pub(crate) fn xmllint(schema: &Path, documentos: &[String]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = vec![
        "--noout".to_owned(),
        "--nonet".to_owned(),
        "--schema".to_owned(),
        schema.to_str().unwrap().to_owned(),
    ];
    for (index, documento) in documentos.iter().enumerate() {
        let arquivo = folder.path().join(format!("{index}.xml"));
        std::fs::write(&arquivo, documento).unwrap();
        arguments.push(arquivo.to_str().unwrap().to_owned());
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match tool("xmllint", &arguments) {
        Some(output) if !output.status.success() => {
            String::from_utf8_lossy(&output.stderr).into_owned()
        }
        _ => String::new(),
    }
}
