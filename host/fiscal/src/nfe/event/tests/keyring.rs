//! A throw-away key, `openssl` to sign with it, `xmlsec1` and `xmllint` to judge.

use std::path::Path;

use judges::tool;
use markup::xmldsig::{Algorithm, Placement, SignSpec, prepare};

pub(crate) struct Chaveiro {
    pasta: tempfile::TempDir,
    certificado: Vec<u8>,
}

impl Chaveiro {
    /// None, after saying so, where `openssl` is not installed.
    pub fn novo() -> Option<Chaveiro> {
        let pasta = tempfile::tempdir().unwrap();
        let em = |nome: &str| pasta.path().join(nome).to_str().unwrap().to_owned();
        let pedido = tool(
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
                &em("chave.pem"),
                "-out",
                &em("certificado.pem"),
            ],
        )?;
        assert!(
            pedido.status.success(),
            "{}",
            String::from_utf8_lossy(&pedido.stderr)
        );
        tool(
            "openssl",
            &[
                "x509",
                "-in",
                &em("certificado.pem"),
                "-outform",
                "DER",
                "-out",
                &em("certificado.der"),
            ],
        )?;
        let certificado = std::fs::read(em("certificado.der")).unwrap();
        Some(Chaveiro { pasta, certificado })
    }

    /// Signs the element with this id as the layout of NF-e asks.
    pub fn assina(&self, xml: &str, id: &str) -> String {
        let como = SignSpec {
            algorithm: Algorithm::RsaSha1,
            canonicalization: markup::xml::C14n::Inclusive,
            placement: Placement::AfterReference,
            id_attribute: "Id".to_owned(),
            empty_uri: false,
        };
        let preparado = prepare(xml, id, &como).unwrap();
        let conteudo = self.grava("conteudo", preparado.to_sign());
        let [chave, saida] = ["chave.pem", "assinatura"].map(|nome| self.em(nome));
        let feito = tool(
            "openssl",
            &["dgst", "-sha1", "-sign", &chave, "-out", &saida, &conteudo],
        )
        .unwrap();
        assert!(
            feito.status.success(),
            "{}",
            String::from_utf8_lossy(&feito.stderr)
        );
        let assinatura = std::fs::read(saida).unwrap();
        preparado.finish(&assinatura, std::slice::from_ref(&self.certificado))
    }

    pub fn confere(&self, xml: &str, elemento: &str) {
        let arquivo = self.grava("assinado.xml", xml.as_bytes());
        let certificado = self.em("certificado.pem");
        let argumentos = [
            "--verify",
            "--enabled-key-data",
            "x509",
            "--trusted-pem",
            &certificado,
            "--id-attr:Id",
            elemento,
            &arquivo,
        ];
        if let Some(saida) = tool("xmlsec1", &argumentos) {
            assert!(
                saida.status.success(),
                "{}\n{xml}",
                String::from_utf8_lossy(&saida.stderr)
            );
        }
    }

    fn em(&self, nome: &str) -> String {
        self.pasta.path().join(nome).to_str().unwrap().to_owned()
    }

    pub fn grava(&self, nome: &str, conteudo: &[u8]) -> String {
        let caminho = self.em(nome);
        std::fs::write(&caminho, conteudo).unwrap();
        caminho
    }
}

/// What `xmllint` says against a schema; empty when it accepts every document.
pub(crate) fn xmllint(esquema: &Path, documentos: &[String]) -> String {
    let pasta = tempfile::tempdir().unwrap();
    let mut argumentos = vec![
        "--noout".to_owned(),
        "--nonet".to_owned(),
        "--schema".to_owned(),
        esquema.to_str().unwrap().to_owned(),
    ];
    for (indice, documento) in documentos.iter().enumerate() {
        let arquivo = pasta.path().join(format!("{indice}.xml"));
        std::fs::write(&arquivo, documento).unwrap();
        argumentos.push(arquivo.to_str().unwrap().to_owned());
    }
    let argumentos: Vec<&str> = argumentos.iter().map(String::as_str).collect();
    match tool("xmllint", &argumentos) {
        Some(saida) if !saida.status.success() => {
            String::from_utf8_lossy(&saida.stderr).into_owned()
        }
        _ => String::new(),
    }
}
