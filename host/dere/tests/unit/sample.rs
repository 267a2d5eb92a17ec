//! Events that the layout accepts, with nearly every element it has.

use dere::catalogue::{Kind, Named, named};
use dere::event::{Draft, Order, draft};
use dere::id;
use dere::period::Period;
use markup::xml::C14n;
use markup::xmldsig::{Algorithm, Placement, SignSpec, prepare};
use serde_json::{Map, Value, json};
use time::macros::datetime;

/// Root of a company's CNPJ.
pub const BASE: &str = "11222333";
pub const PERIOD: &str = "2026-10";

pub fn kind(code: &str) -> &'static Kind {
    match named(code) {
        Named::Known(kind) => kind,
        other => panic!("{code}: {other:?}"),
    }
}

/// An id of the event, as of one second.
pub fn id_of(kind: &Kind) -> String {
    let prefix = id::prefix(kind, BASE, datetime!(2026-11-03 14:05:09 -3));
    id::with_counter(&prefix, 1)
}

pub fn drafted(code: &str, data: &Value) -> Draft {
    let kind = kind(code);
    let (id, period) = (id_of(kind), Period::parse(PERIOD).expect("a period"));
    let data: &Map<String, Value> = data.as_object().expect("an object");
    draft(&Order {
        kind,
        id: &id,
        base: BASE,
        production: false,
        period: &period,
        program: "hub 0.1.0",
        data,
    })
}

/// Places and rules of what is wrong.
pub fn faults(code: &str, data: &Value) -> Vec<(String, String)> {
    let draft = drafted(code, data);
    let faults = draft.faults.into_iter();
    faults.map(|fault| (fault.campo, fault.codigo)).collect()
}

/// The same with another value at a place.
pub fn with(mut data: Value, place: &str, value: Value) -> Value {
    let (parent, name) = place.rsplit_once('/').expect("a pointer");
    let parent = data.pointer_mut(parent).expect("a group");
    match parent {
        Value::Array(items) => items[name.parse::<usize>().expect("an index")] = value,
        group => group[name] = value,
    }
    data
}

/// The same without a member.
pub fn without(mut data: Value, place: &str) -> Value {
    let (parent, name) = place.rsplit_once('/').expect("a pointer");
    let group = data.pointer_mut(parent).and_then(Value::as_object_mut);
    assert!(group.expect("a group").remove(name).is_some(), "{place}");
    data
}

/// The document with a signature of the right form; nobody made it.
pub fn signed(xml: &str, id: &str) -> String {
    let spec = SignSpec {
        algorithm: Algorithm::RsaSha256,
        canonicalization: C14n::Inclusive,
        placement: Placement::LastChildOfRoot,
        id_attribute: "id".to_owned(),
        empty_uri: false,
    };
    let prepared = prepare(xml, id, &spec).expect("an event");
    prepared.finish(&[7; 256], &[vec![1, 2, 3]])
}

/// Each event, with what may be said of it.
pub fn all() -> [(&'static str, Value); 7] {
    [
        ("D-1001", taxpayer()),
        ("D-1011", accounts()),
        ("D-1101", balance()),
        ("D-1106", investments()),
        ("D-1121", deductions()),
        ("D-1198", reopening()),
        ("D-1199", closing()),
    ]
}

pub fn taxpayer() -> Value {
    json!({
        "ideEvento": { "tpOper": "2" },
        "idePeriodo": {
            "iniValid": "2026-10-15", "fimValid": "2026-12-31",
            "novaValidade": { "iniValid": "2026-11-01", "fimValid": "2027-01-31" },
        },
        "infoContrib": {
            "regTribPrinc": 1,
            "regTribSecund": ["2", "3"],
            "indNatTrib": "0",
            "servFinanc": { "tpAtividades": { "tpAtividade": ["01A", "02B"] } },
            "plAssistSaude": { "tpAtividades": { "tpAtividade": "02A" } },
            "prognosticos": {
                "tpAtividades": { "tpAtividade": ["03C"] },
                "UFsCredenc": { "UFCredenc": ["31", "35"] },
            },
        },
    })
}

pub fn account(code: &str, part: &str, kind: &str) -> Value {
    json!({
        "cCta": format!("{code}{part}"), "cCtaInterna": code, "cDbrMista": part, "nomeCta": "Receitas de tarifas",
        "indCta": kind, "cCtaSup": "71000", "cCtaRef": "7100", "nivelCta": 2, "natCta": "C", "codNat": "4",
        "iniVig": "2026-01-01",
    })
}

pub fn accounts() -> Value {
    let mut above = account("71", "000", "S");
    above["cCtaSup"] = Value::Null;
    above["fimVig"] = "2030-12-31".into();
    let mut part = account("7101", "001", "A");
    part["descCta"] = "Tarifas de contas".into();
    part["codTrib"] = 101_001.into();
    part["indTribISS"] = "1".into();
    part["idLeiDisp"] = "01-02".into();
    json!({
        "infoPGCC": {
            "planoCtaRef": "1", "freqEncerr": "S",
            "infoContas": { "infoConta": [above, account("7101", "000", "S"), part] },
        },
    })
}

pub fn balance() -> Value {
    json!({
        "infoBalancete": { "infoContas": { "infoConta": [
            {
                "cCta": "7101001", "natSaldoInic": "D", "vSaldoInic": "0.00", "vMovDebt": "50.00", "vAjusteDebt": "50.00",
                "vMovCred": "1150.00", "vAjusteCred": 150, "natSaldoFinal": "C", "vSaldoFinal": "1100.00",
                "natVApur": "C", "vApur": 1000.5,
            },
            {
                "cCta": "13281", "natSaldoInic": "D", "vSaldoInic": "10.00", "vMovDebt": "0.00", "vMovCred": "0.00",
                "natSaldoFinal": "D", "vSaldoFinal": "10.00", "vApur": "0.00",
            },
        ] } },
    })
}

pub fn investments() -> Value {
    json!({
        "ideEvento": { "tpOper": "3", "motExcl": "1", "nrProc": "00012345620268130024", "nrRecibo": "1106-202610-000000000000000000A" },
        "infoAplicResTec": { "infoAplic": [{
            "cCta": "13281",
            "detAtivo": [{
                "@idAtivo": "LFT2029", "descAtivo": "Letra do Tesouro", "vSaldoInic": "1000.00", "vRendPerReceb": "5.00",
                "vVarMensal": "-10.00", "vPrincLiqResg": "90.00", "vRendLiqResg": "2.50", "vSaldoFinal": "900.00", "vApur": "7.50",
            }],
        }] },
    })
}

pub const KEY: &str = "31261011222333000181550010000000011481516235";

pub fn deductions() -> Value {
    json!({
        "infoDeducoes": { "infoDeducao": [
            {
                "infoDFe": { "tpDFe": "03", "chDFe": KEY, "dtEmi": "2026-10-07", "tpAtiv": "06" },
                "detDeducao": { "vOper": "1000.00", "vDedTotal": "800.00", "vDed": "300.00" },
                "itemDFe": [
                    { "nItem": "1", "vItem": "600.00", "vItemDedTotal": "500.00", "vItemDed": "300.00" },
                    { "nItem": 2, "vItem": "400.00", "vItemDedTotal": "300.00", "vItemDed": "0.00" },
                ],
            },
            {
                "infoImovel": { "CPFAlien": "52998224725" },
                "detDeducao": { "vOper": "250000.00", "vDed": "1500.00" },
            },
        ] },
    })
}

pub fn reopening() -> Value {
    json!({ "infoReabertura": { "nrReciboReab": "1199-202610-0000000000000000001" } })
}

pub fn closing() -> Value {
    json!({
        "infoFechamento": {
            "infoParamFech": { "indInexistDedu": "1" },
            "gUtilizBCN": {
                "infoBCN": [
                    { "codBCNRaiz": "1001I", "usarBCNAcum": "1", "metodoAproveit": "1" },
                    { "codBCNRaiz": "1001C", "usarBCNAcum": "0" },
                ],
                "detBCNeg": [{ "codBCN": "1001I20260901", "vUsarBCN": "10.00" }],
            },
        },
    })
}
