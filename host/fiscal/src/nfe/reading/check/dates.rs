//! Dates that cannot be.

use time::{Date, Duration};

use super::{Findings, Nota};

pub(super) fn check(nota: &Nota<'_>, today: Date, findings: &mut Findings) {
    let issue = nota.moment(&["ide", "dhEmi"]);
    if let Some(issue) = issue
        && issue.date() > today.saturating_add(Duration::days(1))
    {
        findings
            .error(
                "infNFe/ide/dhEmi",
                "703",
                "A nota foi emitida no futuro.",
                "Acerte o relógio e a data de emissão.",
            )
            .value(&issue.date().to_string());
    }
    if let (Some(issue), Some(output)) = (issue, nota.moment(&["ide", "dhSaiEnt"])) {
        if output < issue && nota.text(&["ide", "tpNF"]).as_deref() == Some("1") {
            findings
                .error(
                    "infNFe/ide/dhSaiEnt",
                    "506",
                    "A saída é anterior à emissão.",
                    "Informe a saída a partir da emissão, ou deixe em branco.",
                )
                .value(&output.date().to_string());
        }
        if output - issue > Duration::days(30) {
            findings
                .error(
                    "infNFe/ide/dhSaiEnt",
                    "504",
                    "A saída é mais de 30 dias depois da emissão.",
                    "Confira a data de saída.",
                )
                .value(&output.date().to_string());
        }
    }
    for (position, addend) in nota.inf.find_all(&["cobr", "dup"]).into_iter().enumerate() {
        let Some(due) = addend.text_at(&["dVenc"]) else {
            continue;
        };
        // Both as AAAA-MM-DD, which sort as they are.
        if issue.is_some_and(|issue| *due < *issue.date().to_string()) {
            findings
                .error(
                    format!("infNFe/cobr/dup[{}]/dVenc", position + 1),
                    "900",
                    "A parcela vence antes da emissão.",
                    "Confira o vencimento.",
                )
                .value(&due);
        }
    }
    for item in &nota.items {
        let Some(prod) = item.prod else { continue };
        for (position, batch) in prod.find_all(&["rastro"]).into_iter().enumerate() {
            let (made, expiry) = (batch.text_at(&["dFab"]), batch.text_at(&["dVal"]));
            if let (Some(made), Some(expiry)) = (made, expiry)
                && expiry < made
            {
                findings
                    .error(
                        format!("{}/prod/rastro[{}]/dVal", item.caminho, position + 1),
                        "870",
                        "O lote vence antes de ser fabricado.",
                        "Confira as datas do lote.",
                    )
                    .value(&expiry);
            }
        }
    }
}
