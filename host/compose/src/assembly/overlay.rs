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

use super::Totais;
use crate::context::{Contexto, Onde};
use crate::frame::layout_de;
use markup::tree::{Conteudo, Elemento};
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Members of `ide` that are the hub's.
const DO_HUB: [&str; 11] = [
    "cUF", "cNF", "mod", "serie", "nNF", "dhEmi", "tpEmis", "cDV", "tpAmb", "procEmi", "verProc",
];
/// Of each of these only one may be there.
const EXCLUDENTES: [&[&str]; 3] = [
    &["CNPJ", "CPF", "idEstrangeiro"],
    &["IPITrib", "IPINT"],
    &["ICMS", "ISSQN"],
];
/// Groups with one child, whose name changes with the CST.
const DE_UM_FILHO: [&str; 3] = ["ICMS", "PIS", "COFINS"];

/// Lays `inf_nfe` over the tree.
pub(super) fn aplica(ctx: &mut Contexto<'_>, raiz: &mut Elemento) {
    let Some(dado) = ctx.pedido.inf_nfe.as_ref().filter(|dado| !dado.is_empty()) else {
        return;
    };
    let dado = permitido(ctx, dado);
    let layout = layout_de(ctx.dados);
    let novo = match layout.de_json("infNFe", &Value::Object(dado)) {
        Ok(novo) => novo,
        Err(erros) => {
            for erro in erros {
                let caminho = erro
                    .caminho
                    .strip_prefix("infNFe/")
                    .unwrap_or(&erro.caminho);
                ctx.campos.add(
                    format!("inf_nfe.{}", caminho.replace('/', ".")),
                    &format!("layout_{}", erro.regra),
                    erro.mensagem,
                    erro.correcao,
                );
            }
            return;
        }
    };
    let itens = !ctx.pedido.itens.is_empty();
    if itens && novo.busca("det").is_some() && novo.busca("total").is_none() {
        ctx.aviso(
            Onde::raiz("inf_nfe"),
            "Os totais são os calculados sem inf_nfe: informe total se mudou valores dos itens.",
        );
    }
    junta(raiz, novo);
}

/// Without what the hub sets.
fn permitido(ctx: &mut Contexto<'_>, dado: &Map<String, Value>) -> Map<String, Value> {
    let mut dado = dado.clone();
    let mut fora = Vec::new();
    dado.retain(|nome, _| {
        let fica = !matches!(nome.as_str(), "emit" | "Id" | "@Id" | "versao" | "@versao");
        if !fica {
            fora.push(nome.clone());
        }
        fica
    });
    if let Some(ide) = dado.get_mut("ide").and_then(Value::as_object_mut) {
        ide.retain(|nome, _| {
            let fica = !DO_HUB.contains(&nome.as_str());
            if !fica {
                fora.push(format!("ide.{nome}"));
            }
            fica
        });
    }
    if !fora.is_empty() {
        let lista = fora.join(", ");
        ctx.aviso(
            Onde::raiz("inf_nfe"),
            format!("Estes membros são definidos pelo hub e foram ignorados: {lista}."),
        );
    }
    dado
}

fn junta(base: &mut Elemento, novo: Elemento) {
    let Elemento {
        atributos,
        conteudo,
        ..
    } = novo;
    let Conteudo::Filhos(novos) = conteudo else {
        base.conteudo = conteudo;
        return;
    };
    for (nome, valor) in atributos {
        if !base.atributos.iter().any(|(tem, _)| *tem == nome) {
            base.atributos.push((nome, valor));
        }
    }
    let Conteudo::Filhos(filhos) = &mut base.conteudo else {
        base.conteudo = Conteudo::Filhos(novos);
        return;
    };
    let um_so = DE_UM_FILHO.contains(&base.nome.as_ref());
    exclui(filhos, &novos, um_so);
    let mut contagem: HashMap<String, usize> = HashMap::new();
    for filho in filhos.iter().chain(&novos) {
        *contagem.entry(filho.nome.to_string()).or_default() += 1;
    }
    let mut trocados: HashSet<String> = HashSet::new();
    let mut itens: Option<HashMap<String, usize>> = None;
    for novo in novos {
        if novo.nome == "det" {
            let itens = itens.get_or_insert_with(|| por_numero(filhos));
            match numero(&novo).and_then(|numero| itens.get(&numero)) {
                Some(lugar) => {
                    if let Some(det) = filhos.get_mut(*lugar) {
                        junta(det, novo);
                    }
                }
                None => filhos.push(novo),
            }
            continue;
        }
        let nome = novo.nome.to_string();
        let lugar = filhos.iter().position(|filho| filho.nome == novo.nome);
        match lugar {
            // One here and one there: the same thing twice.
            Some(lugar) if contagem.get(&nome) == Some(&2) && !trocados.contains(&nome) => {
                if let Some(filho) = filhos.get_mut(lugar) {
                    junta(filho, novo);
                }
            }
            Some(_) if trocados.insert(nome) => {
                filhos.retain(|filho| filho.nome != novo.nome);
                filhos.push(novo);
                itens = None;
            }
            _ => filhos.push(novo),
        }
    }
}

/// Takes out what the new children exclude.
fn exclui(filhos: &mut Vec<Elemento>, novos: &[Elemento], um_so: bool) {
    if novos.is_empty() {
        return;
    }
    let vem = |nome: &str| novos.iter().any(|novo| novo.nome == nome);
    if um_so {
        filhos.retain(|filho| vem(&filho.nome));
    }
    for grupo in EXCLUDENTES {
        if grupo.iter().any(|nome| vem(nome)) {
            filhos.retain(|filho| !grupo.contains(&filho.nome.as_ref()) || vem(&filho.nome));
        }
    }
}

fn numero(det: &Elemento) -> Option<String> {
    let (_, numero) = det.atributos.iter().find(|(nome, _)| nome == "nItem")?;
    Some(numero.clone())
}

fn por_numero(filhos: &[Elemento]) -> HashMap<String, usize> {
    filhos
        .iter()
        .enumerate()
        .filter(|(_, filho)| filho.nome == "det")
        .filter_map(|(lugar, det)| Some((numero(det)?, lugar)))
        .collect()
}

/// Totals as the tree says them, for documents whose items are the caller's.
pub(super) fn totais(raiz: &Elemento) -> (Decimal, Totais) {
    let icms = |campo: &str| valor(raiz, &["total", "ICMSTot", campo]);
    let reforma = |caminho: &[&str]| {
        let inteiro: Vec<&str> = ["total", "IBSCBSTot"]
            .into_iter()
            .chain(caminho.iter().copied())
            .collect();
        valor(raiz, &inteiro)
    };
    let totais = Totais {
        produtos: icms("vProd"),
        servicos: valor(raiz, &["total", "ISSQNtot", "vServ"]),
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
        iss: valor(raiz, &["total", "ISSQNtot", "vISS"]),
        ibs: reforma(&["gIBS", "vIBS"]),
        cbs: reforma(&["gCBS", "vCBS"]),
        tributos_aproximados: icms("vTotTrib"),
        troco: valor(raiz, &["pag", "vTroco"]),
    };
    (icms("vNF"), totais)
}

fn valor(raiz: &Elemento, caminho: &[&str]) -> Decimal {
    let texto = raiz.valor(caminho).unwrap_or_default();
    texto.parse().unwrap_or_default()
}
