//! Each rule that the schemas state in words, provoked.

use super::sample::{
    accounts, all, balance, closing, faults, investments, reopening, taxpayer, with, without,
};
use serde_json::{Value, json};

/// The one fault of a changed event.
fn refused(code: &str, data: Value, place: &str, rule: &str) {
    let found = faults(code, &data);
    assert_eq!(
        found,
        [(place.to_owned(), rule.to_owned())],
        "{code} {place} {rule}"
    );
}

#[test]
fn an_operation_says_reason_process_and_receipt() {
    let head = "dados.ideEvento";
    for code in ["D-1101", "D-1106", "D-1121"] {
        let data = all()
            .into_iter()
            .find(|(of, _)| *of == code)
            .expect("an event")
            .1;
        let receipt = format!(
            "{}-202610-0000000000000000001",
            code.trim_start_matches("D-")
        );
        let removed =
            json!({ "tpOper": "3", "motExcl": "1", "nrProc": "123", "nrRecibo": receipt });
        let mut data = with(data, "/ideEvento", removed);
        if code == "D-1121" {
            data = without(data, "/infoDeducoes");
        }
        assert_eq!(faults(code, &data), [], "{code}");
        let other = |name: &str| without(data.clone(), &format!("/ideEvento/{name}"));
        refused(
            code,
            other("nrProc"),
            &format!("{head}.nrProc"),
            "obrigatorio",
        );
        refused(
            code,
            other("nrRecibo"),
            &format!("{head}.nrRecibo"),
            "obrigatorio",
        );
        let silent = without(other("motExcl"), "/ideEvento/nrProc");
        refused(code, silent, &format!("{head}.motExcl"), "obrigatorio");
        let earlier = receipt.replace("202610", "202609");
        let earlier = with(data.clone(), "/ideEvento/nrRecibo", earlier.into());
        refused(code, earlier, &format!("{head}.nrRecibo"), "diverge");
        let changed = with(data, "/ideEvento", json!({ "tpOper": "2" }));
        if code != "D-1121" {
            refused(code, changed, &format!("{head}.nrRecibo"), "obrigatorio");
        }
    }
}

#[test]
fn a_table_ends_after_it_begins() {
    let period = "dados.idePeriodo";
    let early = with(taxpayer(), "/idePeriodo/fimValid", json!("2026-10-14"));
    refused(
        "D-1001",
        early,
        &format!("{period}.fimValid"),
        "periodo_invertido",
    );
    let early = with(
        taxpayer(),
        "/idePeriodo/novaValidade/fimValid",
        json!("2026-10-31"),
    );
    refused(
        "D-1001",
        early,
        &format!("{period}.novaValidade.fimValid"),
        "periodo_invertido",
    );
    let included = with(taxpayer(), "/ideEvento/tpOper", json!("1"));
    refused(
        "D-1001",
        included,
        &format!("{period}.novaValidade"),
        "vedado",
    );
    let account = "/infoPGCC/infoContas/infoConta/0/fimVig";
    let early = with(accounts(), account, json!("2025-12-31"));
    let place = "dados.infoPGCC.infoContas.infoConta[0].fimVig";
    refused("D-1011", early, place, "periodo_invertido");
}

#[test]
fn a_group_of_a_sector_is_for_those_of_its_regime() {
    let health_only = json!({
        "regTribPrinc": "2", "indNatTrib": "0",
        "plAssistSaude": { "tpAtividades": { "tpAtividade": ["02A"] } },
    });
    let data = with(taxpayer(), "/infoContrib", health_only);
    assert_eq!(faults("D-1001", &data), []);
    let bank = with(data.clone(), "/infoContrib/regTribPrinc", json!("1"));
    refused(
        "D-1001",
        bank.clone(),
        "dados.infoContrib.plAssistSaude",
        "vedado",
    );
    let both = with(bank, "/infoContrib/regTribSecund", json!(["2"]));
    assert_eq!(faults("D-1001", &both), []);
}

#[test]
fn codes_of_accounts_hang_together() {
    let place =
        |index: usize, name: &str| format!("dados.infoPGCC.infoContas.infoConta[{index}].{name}");
    let changed = |index: usize, name: &str, value: Value| {
        let pointer = format!("/infoPGCC/infoContas/infoConta/{index}/{name}");
        with(accounts(), &pointer, value)
    };
    refused(
        "D-1011",
        changed(2, "cCta", json!("7101002")),
        &place(2, "cCta"),
        "diverge",
    );
    refused(
        "D-1011",
        changed(1, "indTribISS", json!("0")),
        &place(1, "indTribISS"),
        "vedado",
    );
    refused(
        "D-1011",
        changed(1, "indCta", json!("A")),
        &place(2, "cCta"),
        "diverge",
    );
    refused(
        "D-1011",
        changed(2, "cCtaSup", json!("72000")),
        &place(2, "cCtaSup"),
        "diverge",
    );
    refused(
        "D-1011",
        changed(2, "cCtaRef", json!("7101")),
        &place(2, "cCtaRef"),
        "diverge",
    );
    let synthetic = faults("D-1011", &changed(2, "indCta", json!("S")));
    assert!(
        synthetic.contains(&(place(2, "indCta"), "diverge".to_owned())),
        "{synthetic:?}"
    );
}

#[test]
fn amounts_of_the_balance_bound_one_another() {
    let place = |name: &str| format!("dados.infoBalancete.infoContas.infoConta[0].{name}");
    let changed = |name: &str, value: &str| {
        let pointer = format!("/infoBalancete/infoContas/infoConta/0/{name}");
        with(balance(), &pointer, value.into())
    };
    refused(
        "D-1101",
        changed("vAjusteDebt", "50.01"),
        &place("vAjusteDebt"),
        "acima_do_limite",
    );
    refused(
        "D-1101",
        changed("vAjusteCred", "1150.01"),
        &place("vAjusteCred"),
        "acima_do_limite",
    );
    let silent = without(balance(), "/infoBalancete/infoContas/infoConta/0/natVApur");
    refused("D-1101", silent, &place("natVApur"), "obrigatorio");
}

#[test]
fn amounts_of_an_investment_are_calculated() {
    let place = |name: &str| format!("dados.infoAplicResTec.infoAplic[0].detAtivo[0].{name}");
    let changed = |name: &str, value: &str| {
        let pointer = format!("/infoAplicResTec/infoAplic/0/detAtivo/0/{name}");
        with(investments(), &pointer, value.into())
    };
    refused(
        "D-1106",
        changed("vSaldoFinal", "900.01"),
        &place("vSaldoFinal"),
        "diverge",
    );
    refused(
        "D-1106",
        changed("vVarMensal", "10.00"),
        &place("vSaldoFinal"),
        "diverge",
    );
    refused(
        "D-1106",
        changed("vApur", "7.49"),
        &place("vApur"),
        "diverge",
    );
    let none = with(investments(), "/infoAplicResTec/semAplic", json!("1"));
    refused(
        "D-1106",
        none.clone(),
        "dados.infoAplicResTec.semAplic",
        "vedado",
    );
    let alone = without(none, "/infoAplicResTec/infoAplic");
    assert_eq!(faults("D-1106", &alone), []);
}

#[test]
fn a_month_is_reopened_by_the_receipt_of_its_closing() {
    let receipt = "/infoReabertura/nrReciboReab";
    let place = "dados.infoReabertura.nrReciboReab";
    for other in [
        "1101-202610-0000000000000000001",
        "1199-202609-0000000000000000001",
    ] {
        refused(
            "D-1198",
            with(reopening(), receipt, other.into()),
            place,
            "diverge",
        );
    }
}

#[test]
fn a_negative_base_is_used_by_a_method() {
    let first = "/infoFechamento/gUtilizBCN/infoBCN/0/metodoAproveit";
    let place =
        |index: usize| format!("dados.infoFechamento.gUtilizBCN.infoBCN[{index}].metodoAproveit");
    refused(
        "D-1199",
        without(closing(), first),
        &place(0),
        "obrigatorio",
    );
    let second = "/infoFechamento/gUtilizBCN/infoBCN/1/metodoAproveit";
    refused(
        "D-1199",
        with(closing(), second, json!("0")),
        &place(1),
        "vedado",
    );
}
