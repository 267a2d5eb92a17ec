//! `inf_nfe`: official names laid over what the hub builds.
//!
//! - A value replaces the value of the same name; a group is merged, member by
//!   member.
//! - What the layout lets repeat replaces the whole list of that name, except
//!   items: `det` is merged into the item of the same `nItem`, and appended
//!   where there is none.
//! - Where names exclude each other (the groups of `ICMS`, `IPI`, `PIS` and
//!   `COFINS`, `CNPJ` or `CPF`) the given one takes the other's place.
//! - The identification of the document stays the hub's: attributes of
//!   `infNFe`, `emit`, and in `ide` model, series, number, `cNF`, `cDV`, date,
//!   environment, form of emission and process.
//! - Without `itens` the rest of the document is what `inf_nfe` says: nothing
//!   is calculated, and totals and payment are the caller's.

use super::Totals;
use crate::context::{Context, Place};
use crate::frame::layout_of;
use markup::field::of_layout;
use markup::tree::{ElementContent, Node};
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Members of `ide` that are the hub's.
const DO_HUB: [&str; 11] = [
    "cUF", "cNF", "mod", "serie", "nNF", "dhEmi", "tpEmis", "cDV", "tpAmb", "procEmi", "verProc",
];
/// Of each of these only one may be there.
const EXCLUSIVE: [&[&str]; 3] = [
    &["CNPJ", "CPF", "idEstrangeiro"],
    &["IPITrib", "IPINT"],
    &["ICMS", "ISSQN"],
];
/// Groups with one child, whose name changes with the CST.
const OF_ONE_CHILD: [&str; 3] = ["ICMS", "PIS", "COFINS"];

/// Lays `inf_nfe` over the tree.
pub(super) fn apply(ctx: &mut Context<'_>, root: &mut Node) {
    let Some(stated) = ctx
        .request
        .inf_nfe
        .as_ref()
        .filter(|stated| !stated.is_empty())
    else {
        return;
    };
    let stated = permitted(ctx, stated);
    let layout = layout_of(ctx.given);
    let new = match layout.from_json("infNFe", &Value::Object(stated)) {
        Ok(new) => new,
        Err(erros) => {
            for error in erros {
                let caminho = error
                    .caminho
                    .strip_prefix("infNFe/")
                    .unwrap_or(&error.caminho);
                ctx.fields.add(
                    format!("inf_nfe.{}", of_layout(caminho)),
                    &format!("layout_{}", error.regra),
                    error.mensagem,
                    error.correcao,
                );
            }
            return;
        }
    };
    let items = !ctx.request.itens.is_empty();
    if items && new.find("det").is_some() && new.find("total").is_none() {
        ctx.aviso(
            Place::root("inf_nfe"),
            "Os totais são os calculados sem inf_nfe: informe total se mudou valores dos itens.",
        );
    }
    merge(root, new);
}

/// Without what the hub sets.
fn permitted(ctx: &mut Context<'_>, stated: &Map<String, Value>) -> Map<String, Value> {
    let mut stated = stated.clone();
    let mut outside = Vec::new();
    stated.retain(|name, _| {
        let stays = !matches!(name.as_str(), "emit" | "Id" | "@Id" | "versao" | "@versao");
        if !stays {
            outside.push(name.clone());
        }
        stays
    });
    if let Some(ide) = stated.get_mut("ide").and_then(Value::as_object_mut) {
        ide.retain(|name, _| {
            let stays = !DO_HUB.contains(&name.as_str());
            if !stays {
                outside.push(format!("ide.{name}"));
            }
            stays
        });
    }
    if !outside.is_empty() {
        let list = outside.join(", ");
        ctx.aviso(
            Place::root("inf_nfe"),
            format!("Estes membros são definidos pelo hub e foram ignorados: {list}."),
        );
    }
    stated
}

fn merge(base: &mut Node, new: Node) {
    let Node {
        attributes,
        content,
        ..
    } = new;
    let ElementContent::Children(added) = content else {
        base.content = content;
        return;
    };
    for (name, value) in attributes {
        if !base.attributes.iter().any(|(has, _)| *has == name) {
            base.attributes.push((name, value));
        }
    }
    let ElementContent::Children(children) = &mut base.content else {
        base.content = ElementContent::Children(added);
        return;
    };
    let only_one = OF_ONE_CHILD.contains(&base.name.as_ref());
    exclude(children, &added, only_one);
    let mut counts: HashMap<String, usize> = HashMap::new();
    for child in children.iter().chain(&added) {
        *counts.entry(child.name.to_string()).or_default() += 1;
    }
    let mut swapped: HashSet<String> = HashSet::new();
    let mut items: Option<HashMap<String, usize>> = None;
    for new in added {
        if new.name == "det" {
            let items = items.get_or_insert_with(|| by_number(children));
            match number(&new).and_then(|number| items.get(&number)) {
                Some(location) => {
                    if let Some(det) = children.get_mut(*location) {
                        merge(det, new);
                    }
                }
                None => children.push(new),
            }
            continue;
        }
        let name = new.name.to_string();
        let location = children.iter().position(|child| child.name == new.name);
        match location {
            // One here and one there: the same thing twice.
            Some(location) if counts.get(&name) == Some(&2) && !swapped.contains(&name) => {
                if let Some(child) = children.get_mut(location) {
                    merge(child, new);
                }
            }
            Some(_) if swapped.insert(name) => {
                children.retain(|child| child.name != new.name);
                children.push(new);
                items = None;
            }
            _ => children.push(new),
        }
    }
}

/// Takes out what the new children exclude.
fn exclude(children: &mut Vec<Node>, added: &[Node], only_one: bool) {
    if added.is_empty() {
        return;
    }
    let comes = |name: &str| added.iter().any(|new| new.name == name);
    if only_one {
        children.retain(|child| comes(&child.name));
    }
    for group in EXCLUSIVE {
        if group.iter().any(|name| comes(name)) {
            children.retain(|child| !group.contains(&child.name.as_ref()) || comes(&child.name));
        }
    }
}

fn number(det: &Node) -> Option<String> {
    let (_, number) = det.attributes.iter().find(|(name, _)| name == "nItem")?;
    Some(number.clone())
}

fn by_number(children: &[Node]) -> HashMap<String, usize> {
    children
        .iter()
        .enumerate()
        .filter(|(_, child)| child.name == "det")
        .filter_map(|(location, det)| Some((number(det)?, location)))
        .collect()
}

/// Totals as the tree says them, for documents whose items are the caller's.
pub(super) fn totals(root: &Node) -> (Decimal, Totals) {
    let icms = |field: &str| value(root, &["total", "ICMSTot", field]);
    let reforma = |caminho: &[&str]| {
        let whole: Vec<&str> = ["total", "IBSCBSTot"]
            .into_iter()
            .chain(caminho.iter().copied())
            .collect();
        value(root, &whole)
    };
    let totals = Totals {
        produtos: icms("vProd"),
        servicos: value(root, &["total", "ISSQNtot", "vServ"]),
        desconto: icms("vDesc"),
        frete: icms("vFrete"),
        seguro: icms("vSeg"),
        outras_despesas: icms("vOutro"),
        icms: icms("vICMS"),
        icms_st: icms("vST"),
        fcp: icms("vFCP"),
        difal: icms("vICMSUFDest"),
        ipi: icms("vIPI"),
        ii: icms("vII"),
        pis: icms("vPIS"),
        cofins: icms("vCOFINS"),
        iss: value(root, &["total", "ISSQNtot", "vISS"]),
        ibs: reforma(&["gIBS", "vIBS"]),
        cbs: reforma(&["gCBS", "vCBS"]),
        tributos_aproximados: icms("vTotTrib"),
        troco: value(root, &["pag", "vTroco"]),
    };
    (icms("vNF"), totals)
}

fn value(root: &Node, caminho: &[&str]) -> Decimal {
    let text = root.value(caminho).unwrap_or_default();
    text.parse().unwrap_or_default()
}
