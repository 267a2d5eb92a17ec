use markup::format::{
    cep, date, day, decimal, document, ibge_uf, join, money, nbs, percentage, service_code,
    telephone,
};
use rust_decimal::Decimal;

#[test]
fn amounts_have_points_and_a_comma() {
    for (given, shown) in [
        ("0", "0,00"),
        ("1.5", "1,50"),
        ("999.99", "999,99"),
        ("1000", "1.000,00"),
        ("1234567.891", "1.234.567,891"),
        ("-1234.5", "-1.234,50"),
        ("-0.00", "0,00"),
        ("0.00005", "0,0001"),
        (
            "79228162514264337593543950335",
            "79.228.162.514.264.337.593.543.950.335,00",
        ),
    ] {
        let value: Decimal = given.parse().expect("decimal");
        assert_eq!(decimal(value), shown);
    }
    assert_eq!(money(None), "-");
    assert_eq!(money(Some(Decimal::new(123_456, 2))), "R$ 1.234,56");
    assert_eq!(percentage(Some(Decimal::new(5, 0))), "5,00%");
}

#[test]
fn documents_get_their_mask() {
    for (given, shown) in [
        ("12ABC34501DE35", "12.ABC.345/01DE-35"),
        ("12abc34501de35", "12.ABC.345/01DE-35"),
        ("11222333000181", "11.222.333/0001-81"),
        ("11.222.333/0001-81", "11.222.333/0001-81"),
        ("52998224725", "529.982.247-25"),
        ("X-99 ACME", "X-99 ACME"),
        ("ção", "ção"),
    ] {
        assert_eq!(document(given), shown);
    }
    assert_eq!(cep("01310100"), "01.310-100");
    assert_eq!(cep("SW1A 1AA"), "SW1A 1AA");
    assert_eq!(telephone("11987654321"), "(11) 98765-4321");
    assert_eq!(telephone("1132654321"), "(11) 3265-4321");
    assert_eq!(telephone("+1 555"), "+1 555");
    assert_eq!(service_code("010101"), "01.01.01");
    assert_eq!(service_code("0107"), "01.07");
    assert_eq!(service_code("1.07"), "1.07");
    assert_eq!(nbs("115021000"), "1.1502.10.00");
}

#[test]
fn dates_are_turned_round_and_junk_stays() {
    for (given, shown) in [
        ("2026-01-31", "31/01/2026"),
        ("2026-01-31-03:00", "31/01/2026"),
        ("2026-01-31T10:20:30-03:00", "31/01/2026 10:20:30"),
        ("2013-12-17T21:39:57.630-02:00", "17/12/2013 21:39:57"),
        ("2026-01-31 10:20:30", "31/01/2026 10:20:30"),
        ("2026-03", "03/2026"),
        ("1", "1"),
        ("", ""),
        ("31 de março", "31 de março"),
        ("2026-1-é", "2026-1-é"),
        ("2026-01-31T10é20:30", "31/01/2026"),
    ] {
        assert_eq!(date(given), shown);
    }
    assert_eq!(day("2013-12-01T00:00:00-02:00"), "01/12/2013");
    assert_eq!(day("amanhã cedo"), "amanhã cedo");
}

#[test]
fn states_come_from_the_code() {
    assert_eq!(ibge_uf("3304557"), "RJ");
    assert_eq!(ibge_uf("330455"), "");
    assert_eq!(ibge_uf("9999999"), "");
    assert_eq!(ibge_uf("é304557"), "");
}

#[test]
fn empty_parts_become_dashes() {
    assert_eq!(join(&["Niterói", "", " "]), "Niterói / - / -");
}
