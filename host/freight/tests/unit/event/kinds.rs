//! One event of each kind.

use crate::cte::orders::{CTE, NFE, emitter, frame, order, read};
use fiscal::nfe::event::Evento;
use freight::cte::assembly::{Cte, build};
use freight::event::{
    Closing, Correction, Described, Inclusion, add_documents, add_driver, cancel_cte, cancel_mdfe,
    close, correction_letter, epec,
};
use markup::field::Field;
use markup::ids::CpfCnpj;
use markup::ids::chave::Chave;
use serde_json::json;
use time::macros::{date, datetime};

/// A key with right check digits, of nobody's document.
pub const MDFE: &str = "31261111222333000181580010000000091271828183";
pub const PROTOCOL: &str = "131260000000001";
pub const REASON: &str = "Serviço contratado por engano";

pub fn correction(group: &str, field: &str, value: &str, item: Option<u32>) -> Correction {
    Correction {
        grupo: Some(group.to_owned()),
        campo: Some(field.to_owned()),
        valor: Some(value.to_owned()),
        item,
    }
}

/// A CT-e in contingency by EPEC, for another who pays.
pub fn in_contingency() -> Cte {
    let mut order = order();
    order["tomador"] = json!({ "papel": "destinatario" });
    let mut frame = frame();
    frame.tp_emis = 4;
    build(&read(order), &emitter(), &frame).unwrap_or_else(|e| panic!("{e:#?}"))
}

pub fn all() -> Vec<(&'static str, Result<Described, Vec<Field>>)> {
    let closing = Closing {
        uf: "SP",
        codigo_ibge: "3550308",
        data: Some("2026-11-20"),
    };
    let keys = [NFE.to_owned()];
    let inclusion = Inclusion {
        loading: "3106200",
        unloading: "3106705",
        chaves: &keys,
    };
    let corrections = [
        correction("infCarga", "proPred", "Café torrado e moído", None),
        correction("infNFe", "dPrev", "2026-12-02", Some(1)),
    ];
    vec![
        ("eventoCTe-110110", correction_letter(&corrections)),
        ("eventoCTe-110111", cancel_cte(PROTOCOL, REASON)),
        ("eventoCTe-110113", epec(&in_contingency(), REASON)),
        ("eventoMDFe-110111", cancel_mdfe(PROTOCOL, REASON)),
        (
            "eventoMDFe-110112",
            close(PROTOCOL, &closing, date!(2026 - 11 - 20)),
        ),
        (
            "eventoMDFe-110114",
            add_driver("Motorista Exemplo", "529.982.247-25"),
        ),
        ("eventoMDFe-110115", add_documents(PROTOCOL, &inclusion)),
    ]
}

/// The event of a kind about its document.
pub fn evento((kind, data): Described) -> Evento {
    let key = if kind.modelos == ["57"] { CTE } else { MDFE };
    Evento {
        kind,
        chave: Chave::parse(key).expect("a key"),
        sequence: 1,
        author: CpfCnpj::parse("11222333000181").expect("a CNPJ"),
        role: None,
        agency: None,
        author_agency: None,
        production: false,
        at: datetime!(2026-11-20 10:15:00 -3),
        ver_aplic: "hub".to_owned(),
        data,
    }
}
