//! The hub's builder, writer and signer against the simulated authority: two
//! readings of the same rules, written apart.

use crate::common::sefaz::*;
use crate::common::*;
use compose::assembly::validate;
use compose::emitter::Emitter;
use compose::frame::{Ambiente, Data, Model};
use compose::qrcode;
use fiscal::nfe::order::Pedido;
use markup::xmldsig::Algorithm;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use serde_json::{Value, json};
use time::OffsetDateTime;

fn emitter(regime: &str, defaults: Value) -> Emitter {
    serde_json::from_value(json!({
        "cpf_cnpj": COMPANY, "razao_social": "EMPRESA DE TESTE LTDA", "ie": "110042490114", "im": "123456", "regime": regime,
        "endereco": {"cep": "01001000", "logradouro": "Rua A", "numero": "1", "bairro": "Centro", "cidade": "São Paulo",
            "codigo_ibge": "3550308", "uf": "SP"},
        "padroes": defaults
    }))
    .expect("emitter")
}

fn normal() -> Emitter {
    emitter(
        "normal",
        json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "icms": {"cst": "00", "aliquota": 18},
            "pis": {"cst": "01", "aliquota": 1.65}, "cofins": {"cst": "01", "aliquota": 7.6},
            "ibs_cbs": {"cst": "000", "cclass_trib": "000001"}
        }),
    )
}

fn recipient(uf: &str) -> Value {
    let (ibge, city, cep, ie) = match uf {
        "MG" => ("3106200", "Belo Horizonte", "30110000", "0623079040081"),
        _ => ("3550308", "São Paulo", "01001000", "110042490114"),
    };
    json!({
        "cpf_cnpj": OTHER, "nome": "Cliente & Filhos Ltda", "indicador_ie": "1", "ie": ie,
        "endereco": {"cep": cep, "logradouro": "Rua \"B\"", "numero": "2", "bairro": "Centro", "cidade": city,
            "codigo_ibge": ibge, "uf": uf}
    })
}

fn item(extra: Value) -> Value {
    let mut item = json!({
        "codigo": "A1", "descricao": "Açúcar <refinado> 1kg", "ncm": "17019900", "unidade": "UN", "quantidade": 3, "valor_unitario": 4.99
    });
    if let (Some(into), Value::Object(more)) = (item.as_object_mut(), extra) {
        into.extend(more);
    }
    item
}

/// Builds, writes and signs as the hub does, and sends.
async fn sent(model: Model, emitter: &Emitter, body: Value) -> String {
    let mut incoming: Pedido = serde_json::from_value(body).expect("body");
    let now = OffsetDateTime::from_unix_timestamp(NOW / 1000)
        .expect("now")
        .to_offset(time::UtcOffset::from_hms(-3, 0, 0).expect("offset"));
    let data = Data {
        modelo: model,
        ambiente: Ambiente::Homologacao,
        serie: 1,
        numero: 1,
        c_nf: 48_213_957,
        dh_emi: now,
        tp_emis: 1,
        ver_proc: "teste".to_owned(),
    };
    let nota = validate(&mut incoming, emitter, &data, now).expect("the body is right");
    let supplement = (model == Model::Nfce).then(|| {
        let key = markup::ids::chave::Chave::parse(&nota.chave).expect("key");
        qrcode::online(qrcode::Version::V3, "SP", Ambiente::Homologacao, &key, None)
            .expect("QR code")
    });
    let ready = nota
        .write(&data, supplement.as_ref())
        .expect("written")
        .prepare(Algorithm::RsaSha1)
        .expect("prepared");
    let key = PKey::private_key_from_pkcs8(&COMPANY_A1.key_pkcs8_der).expect("key");
    let value = Signer::new(MessageDigest::sha1(), &key)
        .and_then(|mut s| s.sign_oneshot_to_vec(ready.to_sign()))
        .expect("signature");
    let xml = ready.finish(&value, std::slice::from_ref(&COMPANY_A1.cert_der));
    let (host, path) = match model {
        Model::Nfe => (SP, sp("NFeAutorizacao4")),
        Model::Nfce => (SP_NFCE, "/ws/NFeAutorizacao4.asmx".to_owned()),
    };
    let world = World::new();
    world
        .at(
            host,
            &path,
            "NFeAutorizacao4",
            &batch(true, &[xml]),
            &COMPANY_A1,
        )
        .await
}

#[tokio::test]
async fn notes_of_the_hub_are_authorized() {
    let pay = |v: f64| json!([{"forma": "pix", "valor": v}]);
    let simples = emitter("simples_nacional", json!({"cfop_interno": "5102"}));
    let plain = item(json!({}));
    let priced =
        item(json!({"desconto": 1.5, "frete": 2.25, "seguro": 0.1, "outras_despesas": 0.35}));
    let reduced = item(json!({"impostos": {"ibs_cbs": {"cst": "200", "cclass_trib": "200003"}}}));
    let industry = item(json!({"impostos": {"ipi": {"cst": "50", "aliquota": 5}}}));
    for (name, emitter, body) in [
        (
            "plain",
            &normal(),
            json!({"destinatario": recipient("SP"), "itens": [plain], "pagamentos": pay(14.97)}),
        ),
        (
            "prices",
            &normal(),
            json!({"destinatario": recipient("SP"), "itens": [plain, priced], "pagamentos": pay(100.0)}),
        ),
        (
            "reduced",
            &normal(),
            json!({"destinatario": recipient("SP"), "itens": [reduced, industry], "pagamentos": pay(100.0)}),
        ),
        (
            "interstate",
            &normal(),
            json!({"destinatario": recipient("MG"), "itens": [plain], "pagamentos": pay(14.97)}),
        ),
        (
            "simples",
            &simples,
            json!({"destinatario": recipient("SP"), "itens": [plain], "pagamentos": pay(14.97)}),
        ),
    ] {
        let answer = sent(Model::Nfe, emitter, body).await;
        assert_eq!(cstat(&answer, "infProt"), "100", "{name}: {answer}");
    }
    let body = json!({"itens": [item(json!({})), item(json!({"desconto": 0.99}))], "pagamentos": [{"forma": "dinheiro", "valor": 50}], "troco": 21.05});
    for emitter in [&normal(), &simples] {
        let answer = sent(Model::Nfce, emitter, body.clone()).await;
        assert_eq!(cstat(&answer, "infProt"), "100", "{answer}");
    }
}
