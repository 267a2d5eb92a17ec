//! Events of a CT-e beside the correction letter.

use super::kinds::search;
use super::{Described, described};
use crate::cte::assembly::Cte;
use fiscal::nfe::event::Family;
use markup::field::{Field, Fields};
use markup::tree::Node;
use serde_json::{Map, Value, json};

/// Kind and fields of a cancellation (110111). `protocol` is that of the
/// authorization.
///
/// # Errors
/// The justification has not 15 to 255 characters.
pub fn cancel_cte(protocol: &str, justification: &str) -> Result<Described, Vec<Field>> {
    let kind = search(Family::Cte, "110111").ok_or_else(Vec::new)?;
    let data = json!({ "protocolo": protocol, "justificativa": justification });
    described(kind, data, Fields::default(), str::to_owned)
}

/// Kind and fields of the emission in advance (EPEC, 110113) of a CT-e that was
/// built with form of emission 4.
///
/// # Errors
/// It is no CT-e of kind "normal"; the justification has not 15 to 255
/// characters.
pub fn epec(cte: &Cte, justification: &str) -> Result<Described, Vec<Field>> {
    let mut wrong = Fields::default();
    let kind = search(Family::Cte, "110113").ok_or_else(Vec::new)?;
    let tree = &cte.tree;
    if tree.value(&["ide", "tpCTe"]) != Some("0") {
        wrong.add(
            "tipo",
            "tipo_nao_aceito",
            "Só o CT-e normal tem emissão prévia em contingência.",
            "Informe tipo normal, ou espere a SEFAZ voltar.",
        );
    }
    let text = |path: &[&str]| tree.value(path).map(str::to_owned);
    let (group, st) = icms(tree);
    let data = json!({
        "justificativa": justification,
        "valor_icms": group.unwrap_or_else(|| "0".to_owned()),
        "valor_icms_st": st,
        "valor_prestacao": text(&["vPrest", "vTPrest"]),
        "valor_carga": text(&["infCTeNorm", "infCarga", "vCarga"]).unwrap_or_else(|| "0".to_owned()),
        "tomador": payer(tree),
        "modal": text(&["ide", "modal"]),
        "uf_inicio": text(&["ide", "UFIni"]),
        "uf_fim": text(&["ide", "UFFim"]),
        "tipo": "0",
        "data_emissao": text(&["ide", "dhEmi"]),
    });
    described(kind, data, wrong, |inside| match inside {
        "valor_prestacao" => "valores.prestacao".to_owned(),
        "valor_carga" => "carga.valor".to_owned(),
        "uf_inicio" => "municipio_inicio".to_owned(),
        "uf_fim" => "municipio_fim".to_owned(),
        "valor_icms" | "valor_icms_st" => "icms.valor".to_owned(),
        inside if inside.starts_with("tomador.") => "tomador".to_owned(),
        inside => inside.to_owned(),
    })
}

/// ICMS of the service, and what was retained by substitution.
fn icms(tree: &Node) -> (Option<String>, Option<String>) {
    let groups = tree.caminho(&["imp", "ICMS"]).map(Node::list);
    let group = groups.and_then(|groups| groups.first());
    let value = |tag| {
        group
            .and_then(|group| group.value(&[tag]))
            .map(str::to_owned)
    };
    let own = value("vICMS").or_else(|| value("vICMSOutraUF"));
    (own, value("vICMSSTRet"))
}

/// The person who pays, wherever the document has it.
fn payer(tree: &Node) -> Value {
    let ide = tree.find("ide");
    let role = |group| ide.and_then(|ide| ide.value(&[group, "toma"]));
    let role = role("toma3").or_else(|| role("toma4")).unwrap_or("4");
    let (person, address) = match role {
        "0" => (tree.find("rem"), "enderReme"),
        "1" => (tree.find("exped"), "enderExped"),
        "2" => (tree.find("receb"), "enderReceb"),
        "3" => (tree.find("dest"), "enderDest"),
        _ => (ide.and_then(|ide| ide.find("toma4")), "enderToma"),
    };
    let mut payer = Map::new();
    payer.insert("papel".to_owned(), json!(role));
    let paths: [(&str, &[&str]); 4] = [
        ("uf", &[address, "UF"]),
        ("cnpj", &["CNPJ"]),
        ("cpf", &["CPF"]),
        ("ie", &["IE"]),
    ];
    for (name, path) in paths {
        if let Some(text) = person.and_then(|person| person.value(path)) {
            payer.insert(name.to_owned(), json!(text));
        }
    }
    Value::Object(payer)
}
