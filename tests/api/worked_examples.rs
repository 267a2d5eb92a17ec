//! The worked examples of the official material, asked over HTTP.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use store::tables::editions::DatasetKind;
use tests::imports::{ibpt, import, products, zipped};
use tests::{TestApp, on_sqlite};

/// What the operation answers a test key, which pays nothing.
async fn asked(app: &TestApp, path: &str, body: &Value) -> Value {
    let answer = app.post_as(&app.test_key, path, body, None).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

/// A number or the text of one.
fn decimal(value: &Value) -> Decimal {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    text.parse()
        .unwrap_or_else(|_| panic!("{value} is no number"))
}

/// Members of the answer that must have the numbers of the example.
fn numbers(case: &[Value; 2], answer: &Value, members: &[(&str, &str)]) {
    for (expected, member) in members {
        let found = answer
            .pointer(member)
            .unwrap_or_else(|| panic!("{member} is not in {answer}"));
        assert_eq!(
            decimal(found),
            decimal(&case[1][*expected]),
            "{member} of {case:?}: {answer}"
        );
    }
}

on_sqlite! {
    async fn rates_of_the_simples(app: TestApp) {
        for case in judges::examples("simples_aliquota").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/fiscal/simples/aliquota", &case[0]).await;
            assert_eq!(answer["rbt12_proporcionalizado"], false);
            numbers(&case, &answer, &[
                ("faixa", "/faixa"),
                ("aliquota_nominal", "/aliquota_nominal_percentual"),
                ("parcela_deduzir", "/parcela_deduzir"),
                ("aliquota_efetiva_pct", "/aliquota_efetiva_percentual"),
            ]);
        }
        for case in judges::examples("simples_inicio_atividade").unwrap_or_default() {
            let body = json!({
                "anexo": case[0]["anexo"],
                "receitas_mensais": case[0]["receitas_meses_anteriores"],
                "receita_mes": case[0]["receita_mes_apuracao"],
            });
            let answer = asked(&app, "/api/v1/fiscal/simples/aliquota", &body).await;
            assert_eq!(answer["rbt12_proporcionalizado"], true);
            numbers(&case, &answer, &[
                ("rbt12_proporcional", "/rbt12"),
                ("faixa", "/faixa"),
                ("aliquota_efetiva_pct", "/aliquota_efetiva_percentual"),
                ("valor_devido", "/valor_devido"),
            ]);
        }
        for case in judges::examples("fator_r").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/fiscal/simples/fator-r", &case[0]).await;
            let annex = if case[1]["anexo"] == "III" { "anexo_iii" } else { "anexo_v" };
            assert_eq!(answer["veredito"], annex, "{case:?}");
            numbers(&case, &answer, &[
                ("fator_r", "/fator_r"),
                ("aliquota_efetiva_III_pct", "/aliquota_anexo_iii_percentual"),
                ("aliquota_efetiva_V_pct", "/aliquota_anexo_v_percentual"),
                ("diferenca_pp", "/diferenca_pp"),
            ]);
        }
    }
}

on_sqlite! {
    async fn numbers_of_people_and_companies(app: TestApp) {
        for case in judges::examples("cpf_dv").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/validate/cpf", &json!({ "numero": case[1]["cpf"] })).await;
            assert_eq!(answer["valido"], true, "{case:?}");
        }
        for case in judges::examples("cnpj_dv").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/validate/cnpj", &json!({ "numero": case[1]["cnpj"] })).await;
            assert_eq!(answer["valido"], true, "{case:?}");
        }
        for case in judges::examples("cnpj_valido").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/validate/cnpj", &json!({ "numero": case[0]["cnpj"] })).await;
            assert_eq!(answer["valido"], case[1]["valido"], "{case:?}");
        }
        for case in judges::examples("telefone").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/validate/telefone", &json!({ "telefone": case[0]["numero"] })).await;
            for (member, expected) in case[1].as_object().expect("an object") {
                assert_eq!(&answer[member], expected, "{member} of {case:?}: {answer}");
            }
        }
    }
}

on_sqlite! {
    async fn plates_and_labels(app: TestApp) {
        for case in judges::examples("placa").unwrap_or_default() {
            let plate = case[0]["placa"].as_str().expect("a plate");
            let answer = app.get(&format!("/api/v1/veiculo/placa/{plate}/formato")).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!(answer.body["placa_mercosul"], case[1]["mercosul"], "{case:?}");
            assert_eq!(answer.body["formato"], case[1]["formato"], "{case:?}");
            assert_eq!(answer.body["uf_provavel"], case[1]["uf_origem"], "{case:?}");
        }
        for case in judges::examples("placa_confusao").unwrap_or_default() {
            let body = json!({ "placa": case[0]["entrada"] });
            let answer = asked(&app, "/api/v1/veiculo/placa/corrigir", &body).await;
            assert_eq!(answer["corrigida"], case[1]["corrigida"], "{case:?}: {answer}");
        }
        for case in judges::examples("ean_pesavel").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/catalogo/ean/pesavel", &case[0]).await;
            for member in ["codigo_interno", "valor_campo", "interpretacao"] {
                assert_eq!(answer[member], case[1][member], "{member} of {case:?}: {answer}");
            }
            numbers(&case, &answer, &[("peso_kg", "/peso_kg"), ("valor_reais", "/valor_reais")]);
        }
    }
}

on_sqlite! {
    async fn numbers_of_books(app: TestApp) {
        let cases = judges::examples("isbn10_para_13").unwrap_or_default();
        if cases.is_empty() {
            return;
        }
        let code = |value: &Value| value.as_str().expect("a code").to_owned();
        let books: Vec<_> = cases
            .iter()
            .map(|case| (code(&case[1]["isbn13"]), "Livro de exemplo", "Editora", "49019900"))
            .collect();
        import(&app, DatasetKind::Products, "livros.csv", &products(&books)).await.expect("imported");
        for case in &cases {
            let path = format!("/api/v1/catalogo/gtin/{}", code(&case[0]["isbn10"]));
            let answer = app.get(&path).await;
            assert_eq!((answer.status, answer.text_at("/tipo_codigo")), (200, "ISBN-10"), "{}", answer.text);
            assert_eq!(answer.body["produto"]["gtin"], case[1]["isbn13"], "{case:?}: {}", answer.text);
        }
    }
}

on_sqlite! {
    async fn content_of_importation(app: TestApp) {
        for case in judges::examples("fci").unwrap_or_default() {
            let item = json!({
                "origem": case[1]["origem"],
                "valor_importado": case[0]["parcela_importada"],
                "valor_saida": case[0]["valor_saida_interestadual"],
            });
            let answer = asked(&app, "/api/v1/fiscal/fci/validar", &json!({ "itens": [item] })).await;
            assert_eq!(answer["valido"], true, "{case:?}: {answer}");
            assert_eq!(answer["itens"][0]["origem_correta"], case[1]["origem"], "{case:?}");
            assert_eq!(
                answer["itens"][0]["aliquota_interestadual_4"],
                case[1]["aliquota_interestadual_importado_4pct"],
                "{case:?}"
            );
            numbers(&case, &answer, &[("conteudo_importacao_pct", "/itens/0/conteudo_importacao")]);
        }
    }
}

on_sqlite! {
    async fn codes_of_pix(app: TestApp) {
        for case in judges::examples("brcode_gerar").unwrap_or_default() {
            let mut body = case[0].clone();
            let members = body.as_object_mut().expect("an object");
            if members["txid"] == "***" {
                members.remove("txid");
            }
            if members["descricao"] == "" {
                members.remove("descricao");
            }
            // One example has a longer city and another identifier than the manuals
            // admit.
            members.insert("estrito".to_owned(), json!(false));
            let answer = asked(&app, "/api/v1/pix/brcode", &body).await;
            assert_eq!(answer["brcode"], case[1]["brcode"], "{case:?}");
        }
        for case in judges::examples("brcode_crc").unwrap_or_default() {
            let code = format!(
                "{}{}",
                case[0]["payload_sem_crc"].as_str().expect("a code"),
                case[1]["crc16"].as_str().expect("a checksum")
            );
            let answer = asked(&app, "/api/v1/pix/brcode/ler", &json!({ "brcode": code })).await;
            assert_eq!(answer["crc_confere"], true, "{case:?}: {answer}");
        }
    }
}

on_sqlite! {
    async fn addresses_of_mail(app: TestApp) {
        for case in judges::examples("email").unwrap_or_default() {
            let answer = asked(&app, "/api/v1/validate/email", &case[0]).await;
            for (member, expected) in case[1].as_object().expect("an object") {
                assert_eq!(&answer[member], expected, "{member} of {case:?}: {answer}");
            }
        }
    }
}

/// The codes that xml/validar finds in a note with this key and this item.
async fn judged(app: &TestApp, chave: &str, item: &str) -> Vec<Value> {
    let xml = format!(
        r#"<NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe versao="4.00" Id="NFe{chave}"><ide/>{item}</infNFe></NFe>"#
    );
    let body = json!({ "xml_base64": STANDARD.encode(xml) });
    let answer = asked(app, "/api/v1/fiscal/xml/validar", &body).await;
    answer["erros"].as_array().expect("a list").clone()
}

on_sqlite! {
    async fn digits_of_keys_and_bar_codes(app: TestApp) {
        let finds = |errors: &[Value], code: &str| errors.iter().any(|error| error["codigo"] == code);
        for case in judges::examples("chave_dv").unwrap_or_default() {
            let key = case[0]["chave_sem_dv"].as_str().expect("a key");
            let digit = case[1]["dv"].as_str().expect("a digit");
            let right = judged(&app, &format!("{key}{digit}"), "").await;
            assert!(!finds(&right, "236"), "{case:?}: {right:?}");
            let other = if digit == "9" { "0" } else { "9" };
            let wrong = judged(&app, &format!("{key}{other}"), "").await;
            let told = wrong.iter().find(|error| error["codigo"] == "236").expect("the digit is wrong");
            assert!(told["mensagem"].to_string().contains(&format!("é {digit}, não {other}")), "{case:?}: {told}");
        }
        for case in judges::examples("gtin_dv").unwrap_or_default() {
            let bare = case[0]["sem_dv"].as_str().expect("a code");
            let whole = case[1]["completo"].as_str().expect("a code");
            let key = "0".repeat(44);
            let item = |code: &str| format!(r#"<det nItem="1"><prod><cEAN>{code}</cEAN></prod></det>"#);
            assert!(!finds(&judged(&app, &key, &item(whole)).await, "611"), "{case:?}");
            let other = if whole.ends_with('0') { 1 } else { 0 };
            assert!(finds(&judged(&app, &key, &item(&format!("{bare}{other}"))).await, "611"), "{case:?}");
        }
    }
}

/// The taxes of one item: a sale of a chair within São Paulo by a company of the
/// regular regime that is no payer of IPI, with these members.
async fn taxed(app: &TestApp, members: Value) -> Value {
    let mut item = json!({
        "uf_origem": "SP", "uf_destino": "SP", "regime": "normal", "contribuinte": true, "ncm": "94017900",
        "aliquota_ipi": 0, "fcp": 0, "data": "2026-11-20",
    });
    let own = item.as_object_mut().expect("an object");
    own.extend(members.as_object().expect("an object").clone());
    let answer = asked(
        app,
        "/api/v1/fiscal/calcular-impostos",
        &json!({ "itens": [item] }),
    )
    .await;
    answer["itens"][0].clone()
}

/// The same between two states, to a company or to a consumer.
fn between_states(members: Value) -> Value {
    let mut sale = json!({ "uf_destino": "BA" });
    let own = sale.as_object_mut().expect("an object");
    own.extend(members.as_object().expect("an object").clone());
    sale
}

on_sqlite! {
    async fn icms_and_contributions(app: TestApp) {
        for case in judges::examples("icms_proprio").unwrap_or_default() {
            let sale = json!({ "valor": case[0]["valor"], "aliquota_icms": case[0]["aliquota_pct"], "sem_icms": case[0]["modo"] == "por_dentro" });
            let item = taxed(&app, sale).await;
            numbers(&case, &item, &[("base_calculo", "/icms/base"), ("icms", "/icms/valor")]);
        }
        for case in judges::examples("fcp").unwrap_or_default() {
            let item = taxed(&app, json!({ "valor": case[0]["base"], "fcp": case[0]["fcp_pct"] })).await;
            numbers(&case, &item, &[("fcp", "/fcp/valor")]);
        }
        for case in judges::examples("pis_cofins_sem_icms").unwrap_or_default() {
            let sale = json!({ "valor": case[0]["valor"], "aliquota_icms": case[0]["aliq_icms_pct"], "regime_pis_cofins": case[0]["regime"] });
            let item = taxed(&app, sale).await;
            numbers(&case, &item, &[
                ("icms", "/icms/valor"),
                ("base", "/pis/base"),
                ("pis", "/pis/valor"),
                ("base", "/cofins/base"),
                ("cofins", "/cofins/valor"),
            ]);
        }
    }
}

on_sqlite! {
    async fn substitution_and_difference_of_rates(app: TestApp) {
        for case in judges::examples("mva_ajustada").unwrap_or_default() {
            let item = taxed(&app, between_states(json!({
                "valor": 100, "mva_original": case[0]["mva_original_pct"], "aliquota_icms": case[0]["aliq_interna_pct"],
                "aliquota_interestadual": case[0]["aliq_inter_pct"],
            }))).await;
            // Over a hundred reais the base is a hundred and the margin.
            let margin = decimal(&item["icms_st"]["base"]) - Decimal::ONE_HUNDRED;
            assert_eq!(margin, decimal(&case[1]["mva_ajustada_pct"]), "{case:?}: {item}");
        }
        for case in judges::examples("icms_st").unwrap_or_default() {
            let given = &case[0];
            let sale = json!({
                "valor": given["valor_produto"], "frete": given["frete"], "valor_ipi": given["ipi"], "mva_original": given["mva_original_pct"],
                "aliquota_icms": given["aliq_interna_pct"], "fcp": given["fcp_st_pct"],
            });
            let within = given["aliq_inter_pct"] == given["aliq_interna_pct"];
            let sale = if within {
                sale
            } else {
                let mut sale = between_states(sale);
                sale["aliquota_interestadual"] = given["aliq_inter_pct"].clone();
                sale
            };
            let item = taxed(&app, sale).await;
            let own: &[(&str, &str)] = &[("icms_proprio", "/icms/valor"), ("base_st", "/icms_st/base"), ("icms_st", "/icms_st/valor")];
            numbers(&case, &item, own);
            if case[1].get("fcp_st").is_some() {
                numbers(&case, &item, &[("fcp_st", "/fcp_st/valor")]);
            }
        }
        for (topic, taxpayer) in [("difal_base_unica", false), ("difal_base_dupla", true)] {
            for case in judges::examples(topic).unwrap_or_default() {
                let item = taxed(&app, between_states(json!({
                    "valor": case[0]["valor_operacao"], "aliquota_icms": case[0]["aliq_interna_pct"], "aliquota_interestadual": case[0]["aliq_inter_pct"],
                    "fcp": case[0]["fcp_pct"], "contribuinte": taxpayer, "consumidor_final": true,
                }))).await;
                numbers(&case, &item, &[("icms_origem", "/icms/valor"), ("base_destino", "/difal/base"), ("difal", "/difal/valor")]);
                if case[1].get("fcp").is_some() {
                    numbers(&case, &item, &[("fcp", "/fcp_difal/valor")]);
                }
            }
        }
    }
}

on_sqlite! {
    async fn ibs_and_cbs_of_2026(app: TestApp) {
        for case in judges::examples("ibs_cbs_2026").unwrap_or_default() {
            let given = &case[0];
            let item = taxed(&app, json!({
                "valor": given["valor_produto"], "desconto": given["desconto"], "valor_icms": given["v_icms"], "valor_pis": given["v_pis"],
                "valor_cofins": given["v_cofins"], "cclass_trib": given["cclasstrib"],
            })).await;
            numbers(&case, &item, &[
                ("base", "/ibs_uf/base"),
                ("ibs_uf_efetiva_pct", "/ibs_uf/aliquota"),
                ("cbs_efetiva_pct", "/cbs/aliquota"),
                ("v_ibs_uf", "/ibs_uf/valor"),
                ("v_ibs_mun", "/ibs_mun/valor"),
                ("v_cbs", "/cbs/valor"),
            ]);
        }
    }
}

on_sqlite! {
    async fn burden_of_taxes(app: TestApp) {
        // The rates that the examples name as their source.
        let sao_paulo = [
            ("22030000", "", "0", ["14.17", "19.10", "22.00", "0.00"]),
            ("19053100", "", "0", ["13.45", "16.82", "18.00", "0.00"]),
            ("0101", "", "2", ["13.45", "15.45", "0.00", "3.90"]),
        ];
        let rio = [("0107", "", "2", ["13.45", "15.45", "0.00", "2.95"])];
        let zip = zipped(&[
            ("TabelaIBPTaxSP24.2.A.csv", ibpt("24.2.A", "31/12/2099", &sao_paulo)),
            ("TabelaIBPTaxRJ24.2.A.csv", ibpt("24.2.A", "31/12/2099", &rio)),
        ]);
        import(&app, DatasetKind::Ibpt, "ibpt.zip", &zip).await.expect("imported");
        for case in judges::examples("ibpt").unwrap_or_default() {
            let item = json!({ "ncm": case[0]["codigo"], "origem": case[0]["origem"], "valor": case[0]["valor"] });
            let sale = json!({ "uf": case[0]["uf"], "itens": [item] });
            let answer = asked(&app, "/api/v1/fiscal/carga-tributaria", &sale).await;
            numbers(&case, &answer, &[
                ("federal", "/federal"),
                ("estadual", "/estadual"),
                ("municipal", "/municipal"),
                ("total", "/total"),
            ]);
        }
    }
}
