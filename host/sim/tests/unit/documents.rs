//! Check digits of CNPJ and CPF, and codes of places.

use sim::documents::{cnpj_ok, cpf_ok, municipality_ok, uf};

#[test]
fn check_digits() {
    for ok in ["11222333000181", "12ABC34501DE35"] {
        assert!(cnpj_ok(ok), "{ok}");
    }
    for bad in [
        "11222333000182",
        "12ABC34501DE36",
        "00000000000000",
        "1122233300018",
        "é1222333000181",
    ] {
        assert!(!cnpj_ok(bad), "{bad}");
    }
    assert!(cpf_ok("11144477735"));
    assert!(!cpf_ok("11144477734") && !cpf_ok("11111111111") && !cpf_ok("111.444.777-35"));
    assert_eq!(
        (uf("3550308"), municipality_ok("9999999")),
        (Some("SP"), false)
    );
}
