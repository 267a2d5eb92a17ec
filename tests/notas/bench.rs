//! The bench: emitters, bodies, and the way to the judges.

use crate::authority;
use compose::assembly::{Nota, validar};
use compose::emitter::{Emitente, Regime};
use compose::frame::{Ambiente, Dados, Modelo, layout_de};
use compose::qrcode::{self, Versao};
use fiscal::nfe::order::Pedido;
use markup::ids::chave::Chave;
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
pub const AGORA: OffsetDateTime = datetime!(2026-11-20 10:15:00 -3);

/// A company in São Paulo whose profile names no taxes.
pub fn emitente(regime: Regime) -> Emitente {
    let dados = json!({
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
    let mut emitente: Emitente = serde_json::from_value(dados).expect("emitter");
    emitente.regime = regime;
    emitente
}

/// A company that pays ICMS, PIS and COFINS in full.
pub fn normal() -> Emitente {
    let mut emitente = emitente(Regime::Normal);
    emitente.padroes = serde_json::from_value(json!({
        "cfop_interno": "5102", "cfop_interestadual": "6102", "cfop_exportacao": "7102",
        "icms": { "cst": "00", "aliquota": 18 },
        "pis": { "cst": "01", "aliquota": 1.65 },
        "cofins": { "cst": "01", "aliquota": 7.6 },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" }
    }))
    .expect("defaults");
    emitente
}

pub fn simples() -> Emitente {
    emitente(Regime::SimplesNacional)
}

pub fn dados(modelo: Modelo) -> Dados {
    Dados {
        modelo,
        ambiente: Ambiente::Producao,
        serie: 1,
        numero: 1523,
        c_nf: 81_726_354,
        dh_emi: AGORA,
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
pub fn item_com(impostos: Value) -> Value {
    let mut item = item();
    item["impostos"] = impostos;
    item
}

pub fn contribuinte(uf: &str) -> Value {
    let (ibge, cidade, cep, ie) = match uf {
        "RJ" => ("3304557", "Rio de Janeiro", "20010000", "99999993"),
        "MG" => ("3106200", "Belo Horizonte", "30110000", "0623079040081"),
        _ => ("3550308", "São Paulo", "01001000", "110042490114"),
    };
    json!({
        "cpf_cnpj": cnpj("998877660001"), "nome": "Cliente Ltda", "indicador_ie": "1", "ie": ie,
        "email": "compras@example.com", "telefone": "(11) 3333-4444",
        "endereco": { "cep": cep, "logradouro": "Rua A", "numero": "10", "bairro": "Centro",
            "cidade": cidade, "codigo_ibge": ibge, "uf": uf, "codigo_pais": "1058" }
    })
}

pub fn consumidor(uf: &str) -> Value {
    let mut pessoa = contribuinte(uf);
    pessoa["cpf_cnpj"] = json!("52998224725");
    pessoa["nome"] = json!("Pessoa Exemplo");
    pessoa["indicador_ie"] = json!(9);
    pessoa.as_object_mut().map(|membros| membros.remove("ie"));
    pessoa
}

pub fn pago() -> Value {
    json!([{ "forma": "pix", "valor": 1_000_000 }])
}

/// A sale to a taxpayer of the same state; more was paid than it costs, so
/// tests may change prices.
pub fn venda(itens: Vec<Value>) -> Value {
    json!({ "destinatario": contribuinte("SP"), "itens": itens, "pagamentos": pago() })
}

/// What must come out of a body that is right.
pub struct Prova {
    pub nota: Nota,
    /// Signed document.
    pub xml: String,
}

impl Prova {
    /// Value at a path below `infNFe`.
    pub fn valor(&self, caminho: &str) -> &str {
        let nomes: Vec<&str> = caminho.split('/').collect();
        self.nota.arvore.valor(&nomes).unwrap_or_default()
    }

    /// Value at a path below an item, from 1.
    pub fn no_item(&self, item: usize, caminho: &str) -> &str {
        let nomes: Vec<&str> = caminho.split('/').collect();
        let mut itens = self.nota.arvore.lista().iter().filter(|e| e.nome == "det");
        itens
            .nth(item - 1)
            .and_then(|det| det.valor(&nomes))
            .unwrap_or_default()
    }
}

pub fn ler(corpo: &Value) -> Pedido {
    serde_json::from_value(corpo.clone()).expect("the body is of the right types")
}

/// Builds, signs and has the document judged by all three: the official
/// schema, xmlsec1 and the simulated authority.
pub fn prova(emitente: &Emitente, dados: &Dados, corpo: &Value) -> Prova {
    let mut pedido = ler(corpo);
    let nota = match validar(&mut pedido, emitente, dados, dados.dh_emi) {
        Ok(nota) => nota,
        Err(campos) => panic!("{campos:#?}"),
    };
    let xml = assina(emitente, &nota, dados);
    julga(&xml);
    assert_eq!(layout_de(dados).validar(&xml), [], "{xml}");
    authority::autoriza(emitente, dados, &xml);
    Prova { nota, xml }
}

pub fn nfe(emitente: &Emitente, corpo: &Value) -> Prova {
    prova(emitente, &dados(Modelo::Nfe), corpo)
}

pub fn nfce(emitente: &Emitente, corpo: &Value) -> Prova {
    prova(emitente, &dados(Modelo::Nfce), corpo)
}

/// Problems of a body, as `campo codigo`.
pub fn problemas(emitente: &Emitente, dados: &Dados, corpo: &Value) -> Vec<String> {
    let mut pedido = ler(corpo);
    match validar(&mut pedido, emitente, dados, dados.dh_emi) {
        Ok(_) => Vec::new(),
        Err(campos) => campos
            .into_iter()
            .map(|campo| format!("{} {}", campo.campo, campo.codigo))
            .collect(),
    }
}

/// Signs with the emitter's certificate.
pub fn assina(emitente: &Emitente, nota: &Nota, dados: &Dados) -> String {
    let chave = Chave::parse(&nota.chave).expect("key");
    let suplemento = (dados.modelo == Modelo::Nfce)
        .then(|| qrcode::online(Versao::V3, "SP", dados.ambiente, &chave, None).expect("QR code"));
    let escrito = nota
        .clone()
        .escrever(dados, suplemento.as_ref())
        .expect("written");
    let preparado = escrito.preparar(Algorithm::RsaSha1).expect("prepared");
    let certificado = authority::certificado(&emitente.cpf_cnpj);
    let chave = PKey::private_key_from_pkcs8(&certificado.key_pkcs8_der).expect("key");
    let mut signer = Signer::new(MessageDigest::sha1(), &chave).expect("signer");
    let assinatura = signer
        .sign_oneshot_to_vec(preparado.to_sign())
        .expect("signature");
    preparado.finish(&assinatura, std::slice::from_ref(&certificado.cert_der))
}

/// `xmllint --schema` and `xmlsec1 --verify`.
pub fn julga(xml: &str) {
    let pasta = tempfile::tempdir().expect("folder");
    let arquivo = pasta.path().join("nota.xml");
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
        .find(|numero| markup::ids::Cnpj::parse(numero).is_ok())
        .expect("two check digits")
}
