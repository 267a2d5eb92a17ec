//! Notes of debit and credit, and the payment of a government purchase: IBS
//! and CBS alone, but for what the rule lets by (NT 2025.002 v1.52, B25-80).

use crate::authority::Sefaz;
use crate::bench::{
    AGORA, Prova, assina, contribuinte, dados, item_com, ler, nfe, normal, problemas, simples,
};
use crate::operations::chave;
use compose::assembly::validar;
use compose::emitter::{Emitente, Regime};
use compose::frame::Modelo;
use fiscal::nfe::reading::check;
use markup::layout::Layout;
use markup::xml::Document;
use serde_json::{Value, json};

/// A note over 100.00 of one item with these taxes.
fn nota(finalidade: &str, impostos: Value) -> Value {
    let mut item = item_com(impostos);
    item["quantidade"] = json!(1);
    item["valor_unitario"] = json!(100);
    let credito = finalidade == "nota_credito";
    item["cfop"] = json!(if credito { "1949" } else { "5949" });
    item["documento_referenciado"] = json!({ "chave": chave(3), "item": 1 });
    let operacao = if credito { "entrada" } else { "saida" };
    json!({ "finalidade": finalidade, "tipo_operacao": operacao, "destinatario": contribuinte("SP"),
        "itens": [item] })
}

fn debito(tipo: &str, impostos: Value) -> Value {
    let mut corpo = nota("nota_debito", impostos);
    corpo["tipo_nota_debito"] = json!(tipo);
    corpo
}

fn credito(tipo: &str, impostos: Value) -> Value {
    let mut corpo = nota("nota_credito", impostos);
    corpo["tipo_nota_credito"] = json!(tipo);
    corpo["referencias"] = json!([{ "chave": chave(3) }]);
    corpo
}

/// The money of a government purchase comes in: the goods went before.
fn recebimento(impostos: Value) -> Value {
    let mut corpo = nota("normal", impostos);
    corpo["compra_governamental"] = json!({ "tipo_ente": "2", "redutor": 0, "tipo_operacao": "2",
        "referencias": [chave(4)] });
    corpo["pagamentos"] = json!([{ "forma": "transferencia", "valor": 100 }]);
    corpo
}

fn reforma() -> Value {
    json!({ "ibs_cbs": { "cst": "000", "cclass_trib": "000001" } })
}

/// Names of the groups of the item's taxes.
fn tributos(prova: &Prova) -> Vec<String> {
    let det = prova.nota.arvore.busca("det").expect("item");
    let imposto = det.busca("imposto").expect("taxes");
    let nomes = imposto.lista().iter().map(|grupo| grupo.nome.to_string());
    nomes.collect()
}

fn recusas(quem: &Emitente, corpo: &Value) -> Vec<String> {
    problemas(quem, &dados(Modelo::Nfe), corpo)
}

/// A company without defaults for the taxes of today.
fn sem_padroes() -> Emitente {
    crate::bench::emitente(Regime::Normal)
}

#[test]
fn they_carry_ibs_and_cbs_alone() {
    for quem in [normal(), sem_padroes()] {
        for corpo in [
            debito("multa_juros", reforma()),
            debito("pagamento_antecipado", reforma()),
            credito("multa_juros", reforma()),
            recebimento(reforma()),
        ] {
            let prova = nfe(&quem, &corpo);
            assert_eq!(tributos(&prova), ["IBSCBS"], "{corpo}");
            assert_eq!(
                prova.no_item(1, "imposto/IBSCBS/gIBSCBS/vBC"),
                "100.00",
                "{corpo}"
            );
            assert_eq!(prova.valor("total/ICMSTot/vProd"), "100.00");
            assert_eq!(prova.valor("total/ICMSTot/vPIS"), "0.00");
        }
    }
}

#[test]
fn other_taxes_of_an_item_are_refused_by_name() {
    let grupos = json!({ "icms": { "cst": "41" }, "ipi": { "cst": "53" }, "ii": { "valor": 1 },
        "pis": { "cst": "49" }, "pis_st": { "aliquota": 1, "base": 1 },
        "cofins": { "cst": "49" }, "cofins_st": { "aliquota": 1, "base": 1 },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" } });
    let todos: Vec<String> = ["icms", "ii", "ipi", "pis", "pis_st", "cofins", "cofins_st"]
        .map(|membro| format!("itens[0].impostos.{membro} tributo_indevido"))
        .to_vec();
    for corpo in [
        debito("multa_juros", grupos.clone()),
        credito("multa_juros", grupos.clone()),
        recebimento(grupos.clone()),
    ] {
        assert_eq!(recusas(&normal(), &corpo), todos, "{corpo}");
    }
    // PIS and COFINS may be on what is paid in advance; the others not.
    assert_eq!(
        recusas(&normal(), &debito("pagamento_antecipado", grupos)),
        todos[..3]
    );
    let servico = json!({ "issqn": { "aliquota": 5, "item_lista_servico": "14.01" },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" } });
    let mut corpo = debito("multa_juros", servico);
    corpo["itens"][0]["devolucao"] = json!({ "valor_ipi": 1 });
    let lista = recusas(&normal(), &corpo);
    for esperado in [
        "itens[0].impostos.issqn tributo_indevido",
        "itens[0].devolucao tributo_indevido",
    ] {
        assert!(lista.iter().any(|dito| dito == esperado), "{lista:?}");
    }
}

#[test]
fn what_is_paid_in_advance_may_carry_pis_and_cofins() {
    let mut impostos = reforma();
    impostos["pis"] = json!({ "cst": "01", "aliquota": 1.65 });
    impostos["cofins"] = json!({ "cst": "01", "aliquota": 7.6 });
    let prova = nfe(&normal(), &debito("pagamento_antecipado", impostos));
    assert_eq!(tributos(&prova), ["PIS", "COFINS", "IBSCBS"]);
    assert_eq!(prova.valor("total/ICMSTot/vPIS"), "1.65");
    assert_eq!(prova.no_item(1, "imposto/IBSCBS/gIBSCBS/vBC"), "90.75");
}

#[test]
fn returns_and_reductions_carry_what_they_undo() {
    let icms = |prova: &Prova| prova.valor("total/ICMSTot/vICMS").to_owned();
    for tipo in ["retorno_recusa", "reducao_valores", "06"] {
        // The company's defaults, as on any note; nothing is asked for without.
        let prova = nfe(&normal(), &credito(tipo, reforma()));
        assert_eq!(icms(&prova), "18.00", "{tipo}");
        let prova = nfe(&sem_padroes(), &credito(tipo, reforma()));
        assert_eq!(tributos(&prova), ["IBSCBS"], "{tipo}");
    }
    let perda = json!({ "ibs_cbs": { "cst": "410", "cclass_trib": "410030",
        "estorno_credito": { "ibs": 1, "cbs": 9 } } });
    let prova = nfe(&sem_padroes(), &debito("perda_estoque", perda));
    assert_eq!(tributos(&prova), ["IBSCBS"]);
    // A group that came without its situation is still asked for it.
    let mut sem_cst = reforma();
    sem_cst["icms"] = json!({ "aliquota": 18 });
    sem_cst["pis"] = json!({ "aliquota": 1 });
    assert_eq!(
        recusas(&sem_padroes(), &credito("retorno_recusa", sem_cst)),
        [
            "itens[0].impostos.icms.cst obrigatorio",
            "itens[0].impostos.pis.cst obrigatorio"
        ]
    );
}

#[test]
fn a_note_of_no_tax_at_all_is_refused() {
    for regime in [Regime::SimplesNacional, Regime::Mei, Regime::SimplesExcesso] {
        let mut quem = simples();
        quem.regime = regime;
        for impostos in [json!({}), reforma()] {
            assert_eq!(
                recusas(&quem, &debito("multa_juros", impostos.clone())),
                ["finalidade nota_sem_tributo"],
                "{regime:?}"
            );
            assert_eq!(
                recusas(&quem, &recebimento(impostos)),
                ["compra_governamental.tipo_operacao nota_sem_tributo"],
                "{regime:?}"
            );
        }
    }
    // Who may tell IBS and CBS must.
    assert_eq!(
        recusas(&sem_padroes(), &debito("multa_juros", json!({}))),
        ["itens[0].impostos.ibs_cbs obrigatorio"]
    );
    // What the Simples company takes back goes out with its own situation.
    let prova = nfe(&simples(), &credito("retorno_recusa", json!({})));
    assert_eq!(tributos(&prova), ["ICMS", "PIS", "COFINS"]);
}

/// The whole note by official names: taken as it is, and judged.
#[test]
fn official_names_are_held_against_the_same_rule() {
    let feito = nfe(&normal(), &debito("multa_juros", reforma()));
    let documento = Document::parse(&feito.xml).expect("xml");
    let mut json = Layout::nfe(AGORA.date()).para_json(&documento);
    let mut inf_nfe = match json.get_mut("NFe") {
        Some(nfe) => nfe["infNFe"].take(),
        None => json["infNFe"].take(),
    };
    let prova = nfe(&normal(), &json!({ "inf_nfe": inf_nfe }));
    assert_eq!(tributos(&prova), ["IBSCBS"]);
    inf_nfe["det"][0]["imposto"]["PIS"] = json!({ "PISNT": { "CST": "07" } });
    assert_eq!(
        recusas(&normal(), &json!({ "inf_nfe": inf_nfe })),
        ["inf_nfe.det[1].imposto.PIS rejeicao_1001"]
    );
}

/// Another's note that carries them: the reader and the authority say so.
#[test]
fn the_rejection_is_known_to_reader_and_authority() {
    let mut corpo = nota("normal", reforma());
    corpo["pagamentos"] = json!([{ "forma": "pix", "valor": 100 }]);
    let dados = dados(Modelo::Nfe);
    let nota = validar(&mut ler(&corpo), &normal(), &dados, AGORA).expect("right");
    let certa = assina(&normal(), &nota, &dados);
    let codigo = |xml: &str| {
        let doc = Document::parse(xml).expect("xml");
        let achados = check(&doc, AGORA.date(), |_| true).expect("a note");
        let de_1001 = achados
            .achados
            .into_iter()
            .filter(|achado| achado.codigo == "1001");
        de_1001.map(|achado| achado.caminho).collect::<Vec<_>>()
    };
    assert_eq!(codigo(&certa), [""; 0]);
    let debito = certa.replace(
        "<finNFe>1</finNFe>",
        "<finNFe>6</finNFe><tpNFDebito>04</tpNFDebito>",
    );
    assert_eq!(
        codigo(&debito),
        [
            "infNFe/det[1]/imposto/ICMS",
            "infNFe/det[1]/imposto/PIS",
            "infNFe/det[1]/imposto/COFINS"
        ]
    );
    for (tipo, quantos) in [("<tpNFDebito>06", 1), ("<tpNFDebito>07", 0)] {
        assert_eq!(
            codigo(&debito.replace("<tpNFDebito>04", tipo)).len(),
            quantos
        );
    }
    let credito = |tipo: &str| {
        let mut xml = certa.replace("<finNFe>1</finNFe>", "<finNFe>5</finNFe>");
        let fim = xml.find("<finNFe>5</finNFe>").expect("finNFe") + "<finNFe>5</finNFe>".len();
        xml.insert_str(fim, &format!("<tpNFCredito>{tipo}</tpNFCredito>"));
        codigo(&xml)
    };
    assert_eq!((credito("01").len(), credito("03").len()), (3, 0));
    let governo = |tipo: &str| {
        let grupo = format!(
            "<gCompraGov><tpEnteGov>2</tpEnteGov><pRedutor>0.0000</pRedutor><tpOperGov>{tipo}</tpOperGov></gCompraGov></ide>"
        );
        codigo(&certa.replacen("</ide>", &grupo, 1))
    };
    assert_eq!((governo("2").len(), governo("1").len()), (3, 0));
    // The authority's own judgement, of a note signed as it is.
    let mut errada = nota;
    crate::judgement::troca(&mut errada.arvore, &["ide", "finNFe"], "6");
    let ide = errada.arvore.lista().iter().position(|e| e.nome == "ide");
    let markup::tree::Conteudo::Filhos(grupos) = &mut errada.arvore.conteudo else {
        panic!("a group");
    };
    let ide = &mut grupos[ide.expect("ide")];
    let markup::tree::Conteudo::Filhos(campos) = &mut ide.conteudo else {
        panic!("a group");
    };
    let depois = campos.iter().position(|e| e.nome == "finNFe").expect("it") + 1;
    campos.insert(depois, markup::tree::Elemento::campo("tpNFDebito", "04"));
    let xml = assina(&normal(), &errada, &dados);
    let veredito = Sefaz::em(AGORA).julga(&normal(), &dados, &xml);
    assert_eq!(veredito.codigo, "1001", "{}", veredito.resposta);
    assert!(veredito.resposta.contains("somente para IBS/CBS"));
}
