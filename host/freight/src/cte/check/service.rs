//! The service of a CT-e: who must be there, which groups, CFOP.

use crate::document::check::Judged;
use fiscal::nfe::reading::judging::Findings;

pub(super) fn check(cte: &Judged<'_>, findings: &mut Findings) {
    // A complement only has amounts.
    if matches!(&*cte.ide("tpCTe"), "0" | "3") {
        roles(cte, findings);
        cargo(cte, findings);
    }
    cfop(cte, findings);
    railway(cte, findings);
}

/// Services between carriers: redespacho intermediário, vinculado a multimodal.
fn between(cte: &Judged<'_>) -> bool {
    matches!(&*cte.ide("tpServ"), "3" | "4")
}

/// Who must be named for the kind of service.
fn roles(cte: &Judged<'_>, findings: &mut Findings) {
    let wanted = if between(cte) {
        [("exped", "expedidor", "474"), ("receb", "recebedor", "475")]
    } else {
        [("rem", "remetente", "469"), ("dest", "destinatário", "470")]
    };
    for (party, word, code) in wanted {
        if !cte.has(&[party]) {
            findings
                .error(
                    cte.at(party),
                    code,
                    format!("Este tipo de serviço precisa de {word} ({party})."),
                    "Inclua o participante, ou corrija tpServ.",
                )
                .value(&cte.ide("tpServ"));
        }
    }
}

/// Documents of the cargo and of the transport before, and the cargo's value.
fn cargo(cte: &Judged<'_>, findings: &mut Findings) {
    let service = cte.ide("tpServ");
    let documents = cte.has(&["infCTeNorm", "infDoc"]);
    let earlier = cte.has(&["infCTeNorm", "docAnt"]);
    let goes_on = matches!(&*service, "1" | "2" | "3");
    let cases = [
        (
            between(cte) && documents,
            "694",
            "infDoc",
            "Este tipo de serviço não leva documentos da carga.",
        ),
        (
            !between(cte) && !documents,
            "693",
            "infDoc",
            "Faltam os documentos da carga.",
        ),
        (
            goes_on && !earlier,
            "521",
            "docAnt",
            "Faltam os documentos do transporte anterior.",
        ),
        (
            service == "0" && earlier,
            "747",
            "docAnt",
            "O serviço normal não leva documentos de transporte anterior.",
        ),
    ];
    for (wrong, code, group, message) in cases {
        if wrong {
            findings
                .error(
                    cte.at(&format!("infCTeNorm/{group}")),
                    code,
                    message,
                    "Corrija o grupo, ou tpServ.",
                )
                .value(&service);
        }
    }
    // Only in a pipeline has the cargo no value that is known.
    let in_pipeline = cte.ide("modal") == "05";
    if !in_pipeline && !cte.has(&["infCTeNorm", "infCarga", "vCarga"]) {
        findings
            .error(
                cte.at("infCTeNorm/infCarga/vCarga"),
                "581",
                "O modal precisa do valor da carga.",
                "Informe vCarga.",
            )
            .value(&cte.ide("modal"));
    }
}

/// The first digit says where the service ends: 5 in the state it begins in, 6
/// in another (Convênio S/N 1970, CFOP); a service to or from abroad may have the
/// CFOP of its part in Brazil.
fn cfop(cte: &Judged<'_>, findings: &mut Findings) {
    let code = cte.ide("CFOP");
    if code.is_empty() {
        return;
    }
    let place = cte.at("ide/CFOP");
    if data::cfop::by_text(&code).is_none() {
        findings
            .error(
                place,
                "cfop_inexistente",
                "O CFOP não existe na tabela.",
                "Procure o CFOP da prestação na tabela.",
            )
            .value(&code);
        return;
    }
    let (from, to) = (cte.ide("UFIni"), cte.ide("UFFim"));
    if from.is_empty() || to.is_empty() || from == "EX" || to == "EX" {
        return;
    }
    let expected = if from == to { '5' } else { '6' };
    if !code.starts_with(expected) {
        findings
            .error(
                place.clone(),
                "519",
                format!("De {from} para {to}, o CFOP começa com {expected}."),
                "Corrija o CFOP, ou as UFs de início e término.",
            )
            .value(&code);
    }
    let own = cte.said(&["emit", "enderEmit", "UF"]);
    let elsewhere = matches!(&*code, "5932" | "6932");
    let (rejection, message) = match (from == own, elsewhere) {
        (true, true) => (
            "908",
            format!("O CFOP é de prestação iniciada fora de {own}, e ela inicia ali."),
        ),
        (false, false) => (
            "524",
            format!("A prestação inicia em {from}, e o emitente é de {own}."),
        ),
        _ => return,
    };
    findings
        .error(
            place,
            rejection,
            message,
            "Use 5932 ou 6932 só na prestação iniciada em outra UF que a do emitente.",
        )
        .value(&code);
}

/// Railways that carry one after another.
fn railway(cte: &Judged<'_>, findings: &mut Findings) {
    let path = ["infCTeNorm", "infModal", "ferrov"];
    let Some(rail) = cte.inf.find(&path) else {
        return;
    };
    let text = |names: &[&str]| rail.text_at(names).unwrap_or_default();
    let at = |place: &str| cte.at(&format!("{}/{place}", path.join("/")));
    if text(&["tpTraf"]) == "1" && rail.child("trafMut").is_none() {
        findings.error(
            at("trafMut"),
            "582",
            "O tráfego mútuo precisa do grupo trafMut.",
            "Inclua o grupo, ou corrija tpTraf.",
        );
    }
    // Of these two only the text of the rejection is known.
    let (bills, issues) = (text(&["trafMut", "respFat"]), text(&["trafMut", "ferrEmi"]));
    if bills == "1" && issues == "2" {
        findings
            .aviso(
                at("trafMut/ferrEmi"),
                "583",
                "Quem fatura é a ferrovia de origem, e quem emite é a de destino.",
                "Confira respFat e ferrEmi.",
            )
            .value(&issues);
    }
    let origin = ["trafMut", "chCTeFerroOrigem"];
    if issues == "2" && rail.find(&origin).is_none() {
        findings.aviso(
            at("trafMut/chCTeFerroOrigem"),
            "584",
            "Falta a chave do CT-e que a ferrovia de origem emitiu.",
            "Informe chCTeFerroOrigem.",
        );
    }
}
