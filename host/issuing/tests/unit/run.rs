use issuing::run::rekey::redate;
use markup::ids::chave::Parts;
use time::macros::datetime;

#[test]
fn only_moment_code_and_key_change() {
    let old = Parts {
        uf: 31,
        year: 2026,
        month: 11,
        documento: "11222333000181".parse().expect("a CNPJ"),
        model: 65,
        serie: 1,
        number: 7,
        tp_emis: 1,
        c_nf: 12_345_679,
    };
    let old = old.chave().expect("a key");
    let xml = |id: &str, c_nf: &str, dh_emi: &str, dv: &str| {
        format!(
            "<NFe><infNFe versao=\"4.00\" Id=\"{id}\"><ide><cNF>{c_nf}</cNF><nNF>7</nNF><dhEmi>{dh_emi}</dhEmi><cDV>{dv}</cDV></ide><a>x</a></infNFe></NFe>"
        )
    };
    let before = xml(
        &old.id(),
        "12345679",
        "2026-11-30T23:50:00-03:00",
        &old.dv().to_string(),
    );
    // The month turns while the note waits.
    let now = datetime!(2026-12-01 00:01:00 -3);
    let (chave, after) = redate(&before, old.as_str(), now, [9; 8]).expect("ours");
    assert_eq!((chave.month(), chave.number(), chave.serie()), (12, 7, 1));
    assert_ne!(chave.c_nf(), old.c_nf());
    let c_nf = format!("{:08}", chave.c_nf());
    let expected = xml(
        &chave.id(),
        &c_nf,
        "2026-12-01T00:01:00-03:00",
        &chave.dv().to_string(),
    );
    assert_eq!(after, expected);
    assert!(redate("<NFe/>", old.as_str(), now, [9; 8]).is_none());
    assert!(redate(&before, "1", now, [9; 8]).is_none());
}
