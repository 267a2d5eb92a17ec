//! The bench: emitters, bodies, and the way to the judges.

use crate::authority;
use compose::assembly::{Nota, validate};
use compose::emitter::{Emitter, Regime};
use compose::frame::{Ambiente, Data, Model, layout_of};
use compose::qrcode::{self, Version};
use fiscal::nfe::order::Pedido;
use markup::ids::chave::Chave;
use markup::layout::Written;
use markup::xmldsig::Algorithm;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use serde_json::{Value, json};
use std::process::Command;
use time::OffsetDateTime;
use time::macros::datetime;

/// The package in force in production since 2026-11-03.
const SCHEMA: &str = "schemas/nfe/nfelib-3.2.0/nfe_v4.00.xsd";
pub const NOW: OffsetDateTime = datetime!(2026-11-20 10:15:00 -3);

/// A company in São Paulo whose profile names no taxes.
pub fn emitter(regime: Regime) -> Emitter {
    let data = json!({
        "cpf_cnpj": cnpj("112223330001"),
        "razao_social": "Comércio Exemplo Ltda",
        "ie": "110042490114",
        "telefone": "1133334444",
        "endereco": {
            "cep": "01001000", "logradouro": "Praça da Sé", "numero": "1", "bairro": "Sé",
            "cidade": "São Paulo", "codigo_ibge": "3550308", "uf": "SP"
        },
        "padroes": { "cfop_interno": "5102", "cfop_interestadual": "6102", "cfop_exportacao": "7102" }
    });
    let mut emitter: Emitter = serde_json::from_value(data).expect("emitter");
    emitter.regime = regime;
    emitter
}

/// A company that pays ICMS, PIS and COFINS in full.
pub fn normal() -> Emitter {
    let mut emitter = emitter(Regime::Normal);
    emitter.padroes = serde_json::from_value(json!({
        "cfop_interno": "5102", "cfop_interestadual": "6102", "cfop_exportacao": "7102",
        "icms": { "cst": "00", "aliquota": 18 },
        "pis": { "cst": "01", "aliquota": 1.65 },
        "cofins": { "cst": "01", "aliquota": 7.6 },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" }
    }))
    .expect("defaults");
    emitter
}

pub fn simples() -> Emitter {
    emitter(Regime::SimplesNacional)
}

pub fn data(model: Model) -> Data {
    Data {
        modelo: model,
        ambiente: Ambiente::Producao,
        serie: 1,
        numero: 1523,
        c_nf: 81_726_354,
        dh_emi: NOW,
        tp_emis: 1,
        ver_proc: "hub 0.1".to_owned(),
    }
}

pub fn item() -> Value {
    json!({
        "codigo": "SKU1", "descricao": "Açúcar refinado 1kg", "ncm": "17019900", "cest": "1710100",
        "unidade": "UN", "quantidade": 2, "valor_unitario": 4.99
    })
}

/// An item with these taxes besides ICMS' own.
pub fn item_with(impostos: Value) -> Value {
    let mut item = item();
    item["impostos"] = impostos;
    item
}

pub fn taxpayer(uf: &str) -> Value {
    let (ibge, city, cep, ie) = match uf {
        "RJ" => ("3304557", "Rio de Janeiro", "20010000", "99999993"),
        "MG" => ("3106200", "Belo Horizonte", "30110000", "0623079040081"),
        _ => ("3550308", "São Paulo", "01001000", "110042490114"),
    };
    json!({
        "cpf_cnpj": cnpj("998877660001"), "nome": "Cliente Ltda", "indicador_ie": "1", "ie": ie,
        "email": "compras@example.com", "telefone": "(11) 3333-4444",
        "endereco": { "cep": cep, "logradouro": "Rua A", "numero": "10", "bairro": "Centro",
            "cidade": city, "codigo_ibge": ibge, "uf": uf, "codigo_pais": "1058" }
    })
}

pub fn consumer(uf: &str) -> Value {
    let mut person = taxpayer(uf);
    person["cpf_cnpj"] = json!("52998224725");
    person["nome"] = json!("Pessoa Exemplo");
    person["indicador_ie"] = json!(9);
    person.as_object_mut().map(|members| members.remove("ie"));
    person
}

pub fn paid() -> Value {
    json!([{ "forma": "pix", "valor": 1_000_000 }])
}

/// A sale to a taxpayer of the same state; more was paid than it costs, so
/// tests may change prices.
pub fn sale(items: Vec<Value>) -> Value {
    json!({ "destinatario": taxpayer("SP"), "itens": items, "pagamentos": paid() })
}

/// What must come out of a body that is right.
pub struct Proof {
    pub nota: Nota,
    /// Signed document.
    pub xml: String,
}

impl Proof {
    /// Value at a path below `infNFe`.
    pub fn value(&self, caminho: &str) -> &str {
        let names: Vec<&str> = caminho.split('/').collect();
        self.nota.tree.value(&names).unwrap_or_default()
    }

    /// Value at a path below an item, from 1.
    pub fn no_item(&self, item: usize, caminho: &str) -> &str {
        let names: Vec<&str> = caminho.split('/').collect();
        let mut items = self.nota.tree.list().iter().filter(|e| e.name == "det");
        items
            .nth(item - 1)
            .and_then(|det| det.value(&names))
            .unwrap_or_default()
    }
}

pub fn read(body: &Value) -> Pedido {
    serde_json::from_value(body.clone()).expect("the body is of the right types")
}

/// Builds, signs and has the document judged by all three: the official
/// schema, xmlsec1 and the simulated authority.
pub fn proof(emitter: &Emitter, data: &Data, body: &Value) -> Proof {
    let mut request = read(body);
    let nota = match validate(&mut request, emitter, data, data.dh_emi) {
        Ok(nota) => nota,
        Err(fields) => panic!("{fields:#?}"),
    };
    let xml = sign(emitter, &nota, data);
    judge(&xml);
    assert_eq!(layout_of(data).validate(&xml), [], "{xml}");
    authority::authorize(emitter, data, &xml);
    Proof { nota, xml }
}

pub fn nfe(emitter: &Emitter, body: &Value) -> Proof {
    proof(emitter, &data(Model::Nfe), body)
}

pub fn nfce(emitter: &Emitter, body: &Value) -> Proof {
    proof(emitter, &data(Model::Nfce), body)
}

/// Problems of a body, as `campo codigo`.
pub fn problems(emitter: &Emitter, data: &Data, body: &Value) -> Vec<String> {
    let mut request = read(body);
    match validate(&mut request, emitter, data, data.dh_emi) {
        Ok(_) => Vec::new(),
        Err(fields) => fields
            .into_iter()
            .map(|field| format!("{} {}", field.campo, field.codigo))
            .collect(),
    }
}

/// Signs with the emitter's certificate.
pub fn sign(emitter: &Emitter, nota: &Nota, data: &Data) -> String {
    let chave = Chave::parse(&nota.chave).expect("key");
    let supplement = (data.modelo == Model::Nfce)
        .then(|| qrcode::online(Version::V3, "SP", data.ambiente, &chave, None).expect("QR code"));
    let written = nota
        .clone()
        .write(data, supplement.as_ref())
        .expect("written");
    signed(written, &emitter.cpf_cnpj)
}

/// What was written, with the signature of a certificate.
pub fn signed(written: Written, holder: &str) -> String {
    let prepared = written.prepare(Algorithm::RsaSha1).expect("prepared");
    let certificado = authority::certificado(holder);
    let chave = PKey::private_key_from_pkcs8(&certificado.key_pkcs8_der).expect("key");
    let mut signer = Signer::new(MessageDigest::sha1(), &chave).expect("signer");
    let signature = signer
        .sign_oneshot_to_vec(prepared.to_sign())
        .expect("signature");
    prepared.finish(&signature, std::slice::from_ref(&certificado.cert_der))
}

/// `xmllint --schema` and `xmlsec1 --verify`.
pub fn judge(xml: &str) {
    let folder = tempfile::tempdir().expect("folder");
    let arquivo = folder.path().join("nota.xml");
    std::fs::write(&arquivo, xml).expect("write");
    if let Some(schema) = judges::shared(SCHEMA)
        && judges::has("xmllint")
    {
        let output = Command::new("xmllint")
            .args(["--noout", "--nonet", "--schema"])
            .args([&schema, &arquivo])
            .output()
            .expect("xmllint");
        assert!(
            output.status.success(),
            "{}\n{xml}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    if judges::has("xmlsec1") {
        let output = Command::new("xmlsec1")
            .args([
                "--verify",
                "--insecure",
                "--enabled-key-data",
                "x509,rsa,key-value",
            ])
            .args(["--id-attr:Id", "infNFe"])
            .arg(&arquivo)
            .output()
            .expect("xmlsec1");
        assert!(
            output.status.success(),
            "{}\n{xml}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A generated CNPJ with the given first twelve positions: nobody's.
pub fn cnpj(base: &str) -> String {
    (0..100)
        .map(|dv| format!("{base}{dv:02}"))
        .find(|number| markup::ids::Cnpj::parse(number).is_ok())
        .expect("two check digits")
}
