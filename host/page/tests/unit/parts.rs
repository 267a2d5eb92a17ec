use maud::html;
use page::parts::values::{object, written, written_value};
use page::parts::{
    cnpj, cpf_cnpj, encoded, labelled, money, reais, size, states, table, together, whole,
};
use serde_json::json;

#[test]
fn numbers_are_written_as_in_brazil() {
    assert_eq!(
        [whole(0), whole(999), whole(1_000), whole(-1_234_567)],
        ["0", "999", "1.000", "-1.234.567"]
    );
    assert_eq!(
        [reais(5), reais(123_456), reais(-100)],
        ["R$ 0,05", "R$ 1.234,56", "-R$ 1,00"]
    );
    assert_eq!(
        [
            money(&json!(1_500.5)),
            money(&json!("10")),
            money(&json!(null))
        ],
        ["R$ 1.500,50", "R$ 10,00", "–"]
    );
    assert_eq!(encoded("São Paulo/SP&x"), "S%C3%A3o%20Paulo%2FSP%26x");
}

#[test]
fn words_with_a_hyphen_stay_together() {
    let kept = together("vinculado a NF-e: 12.345.678/0001-95 <b>");
    assert_eq!(
        kept.0,
        "vinculado a <span class=\"junto\">NF-e:</span> <span class=\"junto\">12.345.678/0001-95</span> &lt;b&gt;"
    );
    // One that is wider than a narrow screen may be broken.
    let long = "uma-palavra-muito-mais-longa";
    assert_eq!(together(long).0, long);
    assert_eq!(together("").0, "");
}

#[test]
fn cells_say_their_column_and_numbers_stand_right() {
    let rows = html! {
        tr { td { "<td>" } td class="num" { (1) } td { form {} } }
        tr { td class="curto" { "b" } td class="num" { (2) } td {} }
    };
    let (text, numbers) = labelled(&rows.0, &["Nome", "Valor", ""]);
    assert_eq!(numbers, [false, true, false]);
    assert_eq!(
        text,
        "<tr><td data-rotulo=\"Nome\">&lt;td&gt;</td><td data-rotulo=\"Valor\" class=\"num\">1</td><td><form></form></td></tr>\
         <tr><td data-rotulo=\"Nome\" class=\"curto\">b</td><td data-rotulo=\"Valor\" class=\"num\">2</td><td></td></tr>"
    );
    let whole = table("Nomes", &["Nome", "Valor", ""], rows).0;
    assert!(
        whole.contains("<th scope=\"col\" class=\"num\">Valor</th>"),
        "{whole}"
    );
}

#[test]
fn states_stand_in_the_order_of_the_alphabet() {
    let names: Vec<&str> = states().into_iter().map(|(_, name)| name).collect();
    assert_eq!(names.len(), 27);
    assert_eq!(names[..4], ["Acre", "Alagoas", "Amapá", "Amazonas"]);
    assert_eq!(names[13..16], ["Pará", "Paraíba", "Paraná"]);
}

#[test]
fn identifiers_and_sizes_are_written_for_people() {
    assert_eq!(
        [cnpj("11222333000181"), cnpj("12ABC34501DE35"), cnpj("x")],
        ["11.222.333/0001-81", "12.ABC.345/01DE-35", "x"]
    );
    assert_eq!(
        [
            cpf_cnpj("12345678909"),
            // As many characters as a CNPJ, and others like it.
            cpf_cnpj("123.456.789-09"),
            cpf_cnpj("1234567800019X"),
            cpf_cnpj("12abc34501de35")
        ],
        [
            "123.456.789-09",
            "123.456.789-09",
            "1234567800019X",
            "12abc34501de35"
        ]
    );
    assert_eq!(
        [
            size(52_428_800),
            size(1_024),
            size(28_142),
            size(1_023),
            size(1 << 30)
        ],
        ["50 MB", "1 KB", "27,4 KB", "1.023 bytes", "1 GB"]
    );
}

#[test]
fn values_of_the_api_are_shown_to_people() {
    for (name, value, shown) in [
        ("valor_devido", json!(13860.5), "R$ 13.860,50"),
        ("valor_unitario", json!(0.1234), "0,1234"),
        ("aliquota_efetiva_percentual", json!(6.728), "6,728%"),
        ("faixa", json!(3), "3"),
        ("desde", json!("2019-03-01"), "01/03/2019"),
        ("cnpj", json!("11222333000181"), "11.222.333/0001-81"),
        ("cep", json!("80010000"), "80010-000"),
        ("cep", json!("8001ç"), "8001ç"),
        ("situacao", json!("nao_se_aplica"), "não se aplica"),
        ("sem_tabela", json!(["ipi"]), "IPI"),
        (
            "avisos",
            json!("Informe aliquota_icms, se é outra; a_b@exemplo.com.br não é ipi."),
            "Informe alíquota ICMS, se é outra; a_b@exemplo.com.br não é ipi.",
        ),
    ] {
        let name = name.to_owned();
        let said = object("Resultado", &[(&name, &value)]).0;
        assert!(
            said.ends_with(&format!("<dd>{shown}</dd></div></dl>")),
            "{name}: {said}"
        );
    }
}

#[test]
fn what_a_customer_wrote_in_a_document_stays_as_it_is() {
    for (name, value, shown) in [
        (
            "observacoes",
            json!("Pedido ped_2025_01"),
            "Pedido ped_2025_01",
        ),
        ("observacoes", json!("combustivel"), "combustivel"),
        ("lacres", json!(["ab_12"]), "ab_12"),
        ("modal", json!("rodoviario"), "rodoviário"),
        ("tipo_carga", json!("granel_solido"), "granel sólido"),
    ] {
        assert_eq!(written_value(name, &value).0, shown, "{name}");
        let name = name.to_owned();
        let said = written("Viagem", &[(&name, &value)]).0;
        assert!(
            said.ends_with(&format!("<dd>{shown}</dd></div></dl>")),
            "{name}: {said}"
        );
    }
}

#[test]
fn what_a_member_has_within_stands_below_its_name() {
    let steps = json!([{ "formula": "1 + 1", "valor": 2 }, { "formula": "2 + 2", "valor": null }]);
    let tax = json!({
        "trilha": steps, "aliquota_nominal": 0.095, "aliquota_nominal_percentual": 9.50, "motivo": null,
    });
    let shown = written_value("cbs", &json!({ "cbs": tax, "ibs_uf": tax, "vazio": {} })).0;
    // A fraction beside its percentage, and what is not known, are left out.
    let block = "<dl class=\"dados\"><div><dt>Alíquota nominal</dt><dd>9,5%</dd></div><div class=\"dentro\"><dt>Passos do cálculo</dt>";
    let begin = format!("<dl class=\"dados\"><div class=\"dentro\"><dt>CBS</dt><dd>{block}");
    assert!(shown.starts_with(&begin), "{shown}");
    for name in ["CBS, CBS, Passos", "CBS, IBS do estado, Passos"] {
        let region = format!("role=\"region\" aria-label=\"{name} do cálculo\"");
        assert_eq!(shown.matches(&region).count(), 1, "{name}: {shown}");
    }
    assert!(
        shown.contains("<td data-rotulo=\"Valor\">R$ 2,00</td>"),
        "{shown}"
    );
    // Rows of many members are shown one below the other.
    let row = json!({ "a": 1, "b": 2, "c": 3, "d": 4, "e": 5 });
    let many = written_value("itens", &json!([row, row])).0;
    assert!(
        many.starts_with("<ol class=\"lista\"><li><dl") && !many.contains("<table"),
        "{many}"
    );
}
