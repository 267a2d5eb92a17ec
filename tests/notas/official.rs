//! `inf_nfe`: official names over, or instead of, the API's.

use crate::bench::{data, item, nfe, normal, paid, problems, sale, simples};
use compose::frame::Model;
use serde_json::json;

#[test]
fn values_replace_groups_merge_and_lists_are_replaced() {
    let mut body = sale(vec![item(), item()]);
    body["inf_nfe"] = json!({
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
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.value("ide/natOp"), "Venda especial");
    assert_eq!(proof.value("ide/nNF"), "1523");
    assert_eq!(proof.value("ide/tpAmb"), "1");
    assert_eq!(proof.value("emit/xNome"), "Comércio Exemplo Ltda");
    assert_eq!(proof.value("dest/enderDest/xCpl"), "Bloco B");
    assert_eq!(
        (proof.value("dest/CPF"), proof.value("dest/CNPJ")),
        ("52998224725", "")
    );
    assert_eq!(proof.no_item(1, "prod/xProd"), "Açúcar refinado 1kg");
    assert_eq!(proof.no_item(2, "prod/xProd"), "Outro nome");
    assert_eq!(proof.no_item(2, "imposto/ICMS/ICMS40/CST"), "41");
    let pag = proof.nota.tree.find("pag").expect("pag");
    assert_eq!(pag.list().iter().filter(|e| e.name == "detPag").count(), 2);
    assert!(
        proof
            .nota
            .notices
            .iter()
            .any(|aviso| aviso.mensagem.contains("ide.nNF"))
    );
}

#[test]
fn a_whole_tree_is_taken_as_it_is() {
    let done = nfe(&simples(), &sale(vec![item()]));
    let layout = markup::layout::Layout::nfe(crate::bench::NOW.date());
    let documento = markup::xml::Document::parse(&done.xml).expect("xml");
    let mut json = layout.to_json(&documento);
    // The members of infNFe, wherever the root puts them.
    let inf_nfe = match json.get_mut("NFe") {
        Some(nfe) => nfe["infNFe"].take(),
        None => json["infNFe"].take(),
    };
    assert!(inf_nfe.is_object());
    let proof = nfe(&simples(), &json!({ "inf_nfe": inf_nfe }));
    assert_eq!(proof.nota.total_value, done.nota.total_value);
    assert_eq!(
        proof.nota.tree.value(&["dest", "xNome"]),
        done.nota.tree.value(&["dest", "xNome"])
    );
}

#[test]
fn totals_the_caller_does_not_bring_along_are_told() {
    let mut body = sale(vec![item(), item()]);
    body["inf_nfe"] = json!({ "det": [{ "@nItem": "2",
        "prod": { "vFrete": "3.00", "vSeg": "1.00", "vDesc": "0.01", "vOutro": "0.02", "indTot": "0" },
        "imposto": { "ICMS": { "ICMS40": { "orig": "0", "CST": "41", "vICMSDeson": "1.00", "motDesICMS": "9" } },
            "PIS": { "PISNT": { "CST": "07" } }, "COFINS": { "COFINSNT": { "CST": "07" } } } }] });
    let all_expected: Vec<String> = [
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
    .map(|field| format!("inf_nfe.total.ICMSTot.{field} total_divergente"))
    .to_vec();
    assert_eq!(problems(&normal(), &data(Model::Nfe), &body), all_expected);
}

#[test]
fn what_the_layout_does_not_know_is_told() {
    let mut body = sale(vec![item()]);
    body["inf_nfe"] = json!({ "ide": { "naoExiste": "1" } });
    let list = problems(&normal(), &data(Model::Nfe), &body);
    assert!(list[0].starts_with("inf_nfe.ide.naoExiste"), "{list:?}");
}

/// Rules the request's own fields are held against hold for official names,
/// too.
#[test]
fn what_contradicts_the_operation_is_told() {
    let item = item();
    for (model, inf_nfe, expected) in [
        (
            Model::Nfce,
            json!({ "ide": { "tpImp": "1" } }),
            "inf_nfe.ide.tpImp rejeicao_709",
        ),
        (
            Model::Nfce,
            json!({ "pag": { "detPag": [{ "tPag": "90", "vPag": "0.00" }] } }),
            "inf_nfe.pag.detPag[0].tPag rejeicao_899",
        ),
        (
            Model::Nfe,
            json!({ "pag": { "detPag": [{ "tPag": "99", "vPag": "9.98" }] } }),
            "inf_nfe.pag.detPag[0].xPag rejeicao_441",
        ),
        (
            Model::Nfe,
            json!({ "cobr": { "dup": [{ "nDup": "001", "dVenc": "2026-12-20", "vDup": "9.98" }] } }),
            "inf_nfe.cobr.fat.nFat rejeicao_905",
        ),
        (
            Model::Nfe,
            json!({ "det": [{ "@nItem": "1", "imposto": { "ICMS": { "ICMS00": {
                "orig": "0", "CST": "00", "modBC": "3", "vBC": "9.98", "pICMS": "18.0000", "vICMS": "1.50" } } } }],
                "total": { "ICMSTot": { "vICMS": "1.50" } } }),
            "inf_nfe.det[0].imposto.ICMS.ICMS00.vICMS rejeicao_528",
        ),
    ] {
        let mut body = sale(vec![item.clone()]);
        if model == Model::Nfce {
            body = json!({ "itens": [item.clone()], "pagamentos": paid() });
        }
        body["inf_nfe"] = inf_nfe;
        let list = problems(&normal(), &data(model), &body);
        assert!(
            list.iter().any(|said| said == expected),
            "{expected}: {list:?}"
        );
    }
}
