//! `inf_nfe`: official names over, or instead of, the API's.

use crate::bench::{dados, item, nfe, normal, pago, problemas, simples, venda};
use compose::frame::Modelo;
use serde_json::json;

#[test]
fn values_replace_groups_merge_and_lists_are_replaced() {
    let mut corpo = venda(vec![item(), item()]);
    corpo["inf_nfe"] = json!({
        "ide": { "natOp": "Venda especial", "nNF": "7", "tpAmb": "2" },
        "emit": { "xNome": "Outro" },
        "dest": { "enderDest": { "xCpl": "Bloco B" }, "CPF": "52998224725" },
        "det": [{ "@nItem": "2", "prod": { "xProd": "Outro nome" },
            "imposto": { "ICMS": { "ICMS40": { "orig": "0", "CST": "41" } } } }],
        // The second item is no longer taxed.
        "total": { "ICMSTot": { "vBC": "9.98", "vICMS": "1.80" } },
        "pag": { "detPag": [{ "tPag": "01", "vPag": "10.00" }, { "tPag": "17", "vPag": "9.96", "card": { "tpIntegra": "2" } }], "vTroco": "0.00" },
        "agropecuario": { "guiaTransito": { "tpGuia": "1", "UFGuia": "SP", "nGuia": "5" } }
    });
    let prova = nfe(&normal(), &corpo);
    assert_eq!(prova.valor("ide/natOp"), "Venda especial");
    assert_eq!(prova.valor("ide/nNF"), "1523");
    assert_eq!(prova.valor("ide/tpAmb"), "1");
    assert_eq!(prova.valor("emit/xNome"), "Comércio Exemplo Ltda");
    assert_eq!(prova.valor("dest/enderDest/xCpl"), "Bloco B");
    assert_eq!(
        (prova.valor("dest/CPF"), prova.valor("dest/CNPJ")),
        ("52998224725", "")
    );
    assert_eq!(prova.no_item(1, "prod/xProd"), "Açúcar refinado 1kg");
    assert_eq!(prova.no_item(2, "prod/xProd"), "Outro nome");
    assert_eq!(prova.no_item(2, "imposto/ICMS/ICMS40/CST"), "41");
    let pag = prova.nota.arvore.busca("pag").expect("pag");
    assert_eq!(pag.lista().iter().filter(|e| e.nome == "detPag").count(), 2);
    assert!(
        prova
            .nota
            .avisos
            .iter()
            .any(|aviso| aviso.mensagem.contains("ide.nNF"))
    );
}

#[test]
fn a_whole_tree_is_taken_as_it_is() {
    let feito = nfe(&simples(), &venda(vec![item()]));
    let layout = markup::layout::Layout::nfe(crate::bench::AGORA.date());
    let documento = markup::xml::Document::parse(&feito.xml).expect("xml");
    let mut json = layout.para_json(&documento);
    // The members of infNFe, wherever the root puts them.
    let inf_nfe = match json.get_mut("NFe") {
        Some(nfe) => nfe["infNFe"].take(),
        None => json["infNFe"].take(),
    };
    assert!(inf_nfe.is_object());
    let prova = nfe(&simples(), &json!({ "inf_nfe": inf_nfe }));
    assert_eq!(prova.nota.valor_total, feito.nota.valor_total);
    assert_eq!(
        prova.nota.arvore.valor(&["dest", "xNome"]),
        feito.nota.arvore.valor(&["dest", "xNome"])
    );
}

#[test]
fn totals_the_caller_does_not_bring_along_are_told() {
    let mut corpo = venda(vec![item(), item()]);
    corpo["inf_nfe"] = json!({ "det": [{ "@nItem": "2",
        "prod": { "vFrete": "3.00", "vSeg": "1.00", "vDesc": "0.01", "vOutro": "0.02", "indTot": "0" },
        "imposto": { "ICMS": { "ICMS40": { "orig": "0", "CST": "41", "vICMSDeson": "1.00", "motDesICMS": "9" } },
            "PIS": { "PISNT": { "CST": "07" } }, "COFINS": { "COFINSNT": { "CST": "07" } } } }] });
    let esperados: Vec<String> = [
        "vBC",
        "vICMS",
        "vICMSDeson",
        "vProd",
        "vFrete",
        "vSeg",
        "vDesc",
        "vPIS",
        "vCOFINS",
        "vOutro",
    ]
    .map(|campo| format!("inf_nfe.total.ICMSTot.{campo} total_divergente"))
    .to_vec();
    assert_eq!(problemas(&normal(), &dados(Modelo::Nfe), &corpo), esperados);
}

#[test]
fn what_the_layout_does_not_know_is_told() {
    let mut corpo = venda(vec![item()]);
    corpo["inf_nfe"] = json!({ "ide": { "naoExiste": "1" } });
    let lista = problemas(&normal(), &dados(Modelo::Nfe), &corpo);
    assert!(lista[0].starts_with("inf_nfe.ide.naoExiste"), "{lista:?}");
}

/// Rules the request's own fields are held against hold for official names,
/// too.
#[test]
fn what_contradicts_the_operation_is_told() {
    let item = item();
    for (modelo, inf_nfe, esperado) in [
        (
            Modelo::Nfce,
            json!({ "ide": { "tpImp": "1" } }),
            "inf_nfe.ide.tpImp rejeicao_709",
        ),
        (
            Modelo::Nfce,
            json!({ "pag": { "detPag": [{ "tPag": "90", "vPag": "0.00" }] } }),
            "inf_nfe.pag.detPag[1].tPag rejeicao_899",
        ),
        (
            Modelo::Nfe,
            json!({ "pag": { "detPag": [{ "tPag": "99", "vPag": "9.98" }] } }),
            "inf_nfe.pag.detPag[1].xPag rejeicao_441",
        ),
        (
            Modelo::Nfe,
            json!({ "cobr": { "dup": [{ "nDup": "001", "dVenc": "2026-12-20", "vDup": "9.98" }] } }),
            "inf_nfe.cobr.fat.nFat rejeicao_905",
        ),
        (
            Modelo::Nfe,
            json!({ "det": [{ "@nItem": "1", "imposto": { "ICMS": { "ICMS00": {
                "orig": "0", "CST": "00", "modBC": "3", "vBC": "9.98", "pICMS": "18.0000", "vICMS": "1.50" } } } }],
                "total": { "ICMSTot": { "vICMS": "1.50" } } }),
            "inf_nfe.det[1].imposto.ICMS.ICMS00.vICMS rejeicao_528",
        ),
    ] {
        let mut corpo = venda(vec![item.clone()]);
        if modelo == Modelo::Nfce {
            corpo = json!({ "itens": [item.clone()], "pagamentos": pago() });
        }
        corpo["inf_nfe"] = inf_nfe;
        let lista = problemas(&normal(), &dados(modelo), &corpo);
        assert!(
            lista.iter().any(|dito| dito == esperado),
            "{esperado}: {lista:?}"
        );
    }
}
