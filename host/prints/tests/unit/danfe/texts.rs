//! What the printouts say.

use super::generator::{Generator, letters, notas, prose, receipts};
use super::text_of;
use prints::danfe::{DanfeError, Layout, Orientation, PrintOptions, cce, danfe, nfce, read};

/// Text of a printout without line breaks.
fn read_text(xml: &str, options: &PrintOptions<'_>) -> String {
    text_of(&danfe(xml, options).expect("a printout"))
}

#[test]
fn the_pages_are_counted_and_every_one_has_the_key() {
    for (name, nota) in notas() {
        let pdf = danfe(&nota.xml(), &PrintOptions::default()).expect(name);
        let pages = read::text(&pdf).expect(name);
        let chave = prints::danfe::values::group(&nota.chave(), 4, " ");
        let total = pages.len();
        for (at, page) in pages.iter().enumerate() {
            let sheet = format!("FOLHA {} de {total}", at + 1);
            assert!(page.contains(&sheet), "{name}: {sheet}");
            assert!(page.contains(&chave), "{name}, page {at}");
        }
        let expected = match name {
            "990-itens" => 14..=22,
            "41-itens" | "duplicatas" | "infcpl-longo" | "reforma" | "apertado" => 2..=2,
            "parcelas-demais" => 2..=2,
            "descricoes-longas" | "tudo-longo" | "reforma-41" | "paisagem-reforma" => 2..=6,
            "paisagem" => 2..=2,
            _ => 1..=1,
        };
        assert!(expected.contains(&total), "{name}: {total} pages");
    }
}

#[test]
fn every_block_shows_its_values() {
    let nota = Generator {
        duplicates: 3,
        places: true,
        volumes: 5,
        ..Generator::default()
    };
    let text = read_text(&nota.xml(), &PrintOptions::default());
    for part in [
        "RECEBEMOS DE Comércio de Alimentos São João Ltda OS PRODUTOS",
        "Nº 000.001.523",
        "SÉRIE 001",
        "135260000000001 - 05/10/2026 10:15:03",
        "Venda de mercadoria adquirida de terceiros",
        "11.222.333/0001-81",
        "111222333444",
        "Mercado Bom Preço e Distribuidora de Alimentos S.A.",
        "Avenida Brigadeiro Central, 123, Bloco B sala 402",
        "20.040-002",
        "05/10/2026",
        "14:30:00",
        "(21) 98765-4321",
        "INFORMAÇÕES DO LOCAL DE RETIRADA",
        "Depósito entrega",
        "F-1523",
        "1.002,50",
        "10/02/2027",
        "CÁLCULO DO IMPOSTO",
        "1.234,56",
        "222,22",
        "4.990,78",
        "12,00",
        "55,55",
        "4.995,89",
        "8,23",
        "37,91",
        "812,44",
        "0 - Remetente (CIF)",
        "ABC1D23",
        "Rodovia BR 101 km 12",
        "13,250",
        "SKU00001",
        "17019900",
        "18,00",
        "Inf. fisco: Regime especial processo 12/2026",
        "Vendedor: Joaquim",
        "Pagamento: Dinheiro R$ 3.000,00 | PIX Dinâmico R$ 1.995,89 | troco R$ 5,11",
        // The boxes show three volumes, the rest is said.
        "Volume: 5 CAIXA SJ V5 Peso bruto: 13,250",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    for part in ["SEM VALOR", "CANCELADA", "IBS", "CONTING", "ISSQN"] {
        assert!(!text.contains(part), "{part}");
    }
}

#[test]
fn the_reform_has_its_blocks_and_columns() {
    let nota = Generator {
        reforma: true,
        ..Generator::default()
    };
    let text = read_text(&nota.xml(), &PrintOptions::default());
    for part in [
        "CÓDIGO DO REGIME TRIBUTÁRIO",
        "3 - Regime Normal",
        "TOTAL DOS PRODUTOS E TOTAL DA NOTA",
        "5.005,34",
        "TOTAL DO ICMS / IPI",
        "TOTAL DO IBS / CBS / IS",
        "2,87",
        "0,41",
        "6,15",
        "[NCM 17019900]",
        "[cClassTrib 200034]",
        "IBS/CBS 8,18",
        // The effective rate of a reduced one.
        "IBS UF 0,04%",
        "CBS 0,90%",
        "IBS MUN 0,00%",
        "IS 1,50%",
        "ICMS 18,00%",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(!text.contains("0,10%"));
    // From December on with or without the groups, and then without zeros.
    let december = Generator {
        issued: "2026-12-01T08:00:00-03:00",
        simples: true,
        ..Generator::default()
    };
    let text = read_text(&december.xml(), &PrintOptions::default());
    assert!(text.contains("TOTAL DO IBS / CBS / IS") && text.contains("1 - Simples Nacional"));
    assert!(text.contains("CSOSN 0102") && !text.contains("IBS/CBS"));
    let before = PrintOptions {
        layout: Layout::Moc7,
        ..PrintOptions::default()
    };
    assert!(read_text(&december.xml(), &before).contains("CÁLCULO DO IMPOSTO"));
}

#[test]
fn long_texts_are_there_to_the_last_word() {
    let nota = Generator {
        items: 3,
        inf_cpl: prose(18_000),
        inf_ad_prod: prose(490),
        description: prose(100),
        name: format!("Companhia {} Final", "Muito Comprida ".repeat(30)),
        ..Generator::default()
    };
    for orientation in [Orientation::Portrait, Orientation::Landscape] {
        let options = PrintOptions {
            orientation: Some(orientation),
            ..PrintOptions::default()
        };
        let text = read_text(&nota.xml(), &options);
        let words: std::collections::HashSet<&str> = text.split(' ').collect();
        for n in 1..=310 {
            let number = format!("{n}:");
            assert!(words.contains(&*number), "{orientation:?}: sentence {n}");
        }
        let text = text.replace(' ', "");
        assert!(
            text.contains("MuitoCompridaFinal,Armazém"),
            "{orientation:?}"
        );
    }
}

#[test]
fn a_number_stands_on_one_line() {
    let nota = Generator {
        items: 2,
        quantity: "99999999999.9999",
        unit: "99999999999.9999999999",
        value: "9999999999999.99",
        ..Generator::default()
    };
    for reforma in [false, true] {
        for orientation in [Orientation::Portrait, Orientation::Landscape] {
            let options = PrintOptions {
                orientation: Some(orientation),
                ..PrintOptions::default()
            };
            let xml = Generator {
                reforma,
                ..nota.clone()
            }
            .xml();
            let xml = xml.replace(
                "<uTrib>UN</uTrib><qTrib>99999999999.9999",
                "<uTrib>CAIXA1</uTrib><qTrib>88888888888.8888",
            );
            let text = read_text(&xml, &options);
            let parts: Vec<&str> = text.split(' ').collect();
            for number in [
                "99.999.999.999,9999",
                "88.888.888.888,8888",
                "99.999.999.999,9999999999",
                "9.999.999.999.999,99",
                "CAIXA1",
            ] {
                let times = parts.iter().filter(|part| **part == number).count();
                assert!(times >= 2, "{reforma} {orientation:?} {number}: {text}");
            }
        }
    }
}

#[test]
fn the_credit_of_the_simples_is_printed_unless_the_issuer_wrote_it() {
    let nota = Generator {
        simples: true,
        items: 2,
        ..Generator::default()
    };
    let xml = nota.xml();
    assert!(!read_text(&xml, &PrintOptions::default()).contains("APROVEITAMENTO"));
    let with = xml.replace(
        "<ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102>",
        "<ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>1.3600</pCredSN><vCredICMSSN>617.02</vCredICMSSN></ICMSSN101>",
    );
    let text = read_text(&with, &PrintOptions::default());
    for part in [
        "CRÉDITO DE ICMS NO VALOR DE R$ 1.234,04",
        "ALÍQUOTA DE 1,36%, NOS TERMOS DO ART. 23 DA LEI COMPLEMENTAR Nº 123, DE 2006",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    let other = with.replacen("<pCredSN>1.3600", "<pCredSN>2.5000", 1);
    let text = read_text(&other, &PrintOptions::default());
    assert!(text.contains("ALÍQUOTA DE 1,36%") && text.contains("ALÍQUOTA DE 2,50%"));
    let written = with.replace(
        "<infCpl>",
        "<infCpl>Permite o aproveitamento do crédito de ICMS de R$ 1.234,04 (1,36%), art. 23 da LC 123. ",
    );
    let text = read_text(&written, &PrintOptions::default());
    assert!(!text.contains("PERMITE O APROVEITAMENTO"), "{text}");
}

#[test]
fn marks_and_warnings_are_printed() {
    let with = |change: fn(&mut Generator)| {
        let mut nota = Generator::default();
        change(&mut nota);
        read_text(&nota.xml(), &PrintOptions::default())
    };
    let text = with(|nota| nota.ambiente = 2);
    assert!(text.contains("SEM VALOR FISCAL") && text.contains("HOMOLOGAÇÃO - SEM VALOR FISCAL"));
    assert!(with(|nota| nota.protocol = false).contains("SEM AUTORIZAÇÃO DE USO"));
    let foreign = Generator::default();
    let xml = foreign.xml().replace("<chNFe>35", "<chNFe>31");
    assert!(read_text(&xml, &PrintOptions::default()).contains("SEM AUTORIZAÇÃO DE USO"));
    let xml = foreign.xml().replace("<cStat>100", "<cStat>302");
    assert!(read_text(&xml, &PrintOptions::default()).contains("PROTOCOLO DE DENEGAÇÃO DE USO"));
    for (tp_emis, part) in [
        (2, "EM DECORRÊNCIA DE PROBLEMAS TÉCNICOS"),
        (4, "EPEC REGULARMENTE RECEBIDO"),
        (6, "CONTINGÊNCIA - SVC-AN"),
        (7, "CONTINGÊNCIA - SVC-RS"),
        (9, "PENDENTE DE AUTORIZAÇÃO"),
    ] {
        let nota = Generator {
            tp_emis,
            protocol: tp_emis == 6 || tp_emis == 7,
            ..Generator::default()
        };
        let text = read_text(&nota.xml(), &PrintOptions::default());
        assert!(text.contains(part), "{part}");
        assert!(!text.contains("SEM AUTORIZAÇÃO"), "{tp_emis}");
    }
    let options = PrintOptions {
        cancelled: true,
        mark: Some("SIMULADA"),
        ..PrintOptions::default()
    };
    let text = read_text(&Generator::default().xml(), &options);
    assert!(text.contains("CANCELADA") && text.contains("NF-e CANCELADA"));
    assert!(text.contains("SIMULADA"));
}

#[test]
fn a_note_whose_document_has_its_cancellation_is_marked() {
    let nota = Generator::default();
    let xml = nota.xml();
    let alone = xml.split_once("?>").expect("a declaration").1;
    let with = |chave: &str, cstat: &str| {
        format!(
            "<pacote>{alone}<procEventoNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><evento><infEvento><chNFe>{chave}</chNFe><tpEvento>110111</tpEvento></infEvento></evento><retEvento><infEvento><cStat>{cstat}</cStat></infEvento></retEvento></procEventoNFe></pacote>"
        )
    };
    let marked = |xml: &str| read_text(xml, &PrintOptions::default()).contains("NF-e CANCELADA");
    assert!(marked(&with(&nota.chave(), "135")));
    assert!(!marked(&with(&nota.chave(), "573")), "refused");
    let other = nota.chave().replace('1', "2");
    assert!(!marked(&with(&other, "135")), "of another note");
    assert!(!marked(&xml));
    let protocol = "<cStat>101</cStat>";
    assert!(marked(&xml.replace("<cStat>100</cStat>", protocol)));
}

#[test]
fn up_to_3_10_each_payment_is_a_group_of_its_own() {
    let old = |xml: String| {
        let (before, rest) = xml.split_once("<pag>").expect("payments");
        let after = rest.split_once("</pag>").expect("payments").1;
        let line =
            |form: &str, value: &str| format!("<pag><tPag>{form}</tPag><vPag>{value}</vPag></pag>");
        let lines = [line("01", "4000.00"), line("03", "995.89")].concat();
        format!("{before}{lines}{after}")
    };
    for (name, nota, options) in receipts() {
        let text = text_of(&nfce(&old(nota.xml()), &options).expect(name));
        assert!(
            text.contains("4.000,00") && text.contains("995,89"),
            "{name}: {text}"
        );
    }
    let text = read_text(&old(Generator::default().xml()), &PrintOptions::default());
    assert!(text.contains("R$ 4.000,00") && text.contains("R$ 995,89"));
}

#[test]
fn details_of_products_stand_with_them() {
    let nota = Generator {
        product_extras: "<rastro><nLote>L-77</nLote><qLote>2.500</qLote><dFab>2026-01-02</dFab><dVal>2027-03-04</dVal></rastro><veicProd><chassi>9BWZZZ377VT004251</chassi><xCor>AZUL</xCor><nMotor>M123</nMotor><anoMod>2027</anoMod><anoFab>2026</anoFab></veicProd><comb><cProdANP>210203001</cProdANP><descANP>GLP</descANP><UFCons>SP</UFCons></comb>",
        ..Generator::default()
    };
    let xml = nota
        .xml()
        .replace(
            "<uTrib>UN</uTrib><qTrib>2.0000",
            "<uTrib>KG</uTrib><qTrib>24.5000",
        )
        .replace(
            "<indTot>1</indTot>",
            "<vDesc>1.23</vDesc><indTot>1</indTot><xPed>P-9</xPed>",
        );
    let text = read_text(&xml, &PrintOptions::default());
    for part in [
        "Lote: L-77",
        "Qtd: 2,5",
        "Val: 04/03/2027",
        "Chassi: 9BWZZZ377VT004251",
        "Ano fab./mod.: 2026/2027",
        "ANP: 210203001 GLP",
        "UF cons.: SP",
        "Desconto: 1,23",
        "Pedido: P-9",
        // Both units of measure.
        "24,50",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn amounts_without_a_column_stand_with_the_product() {
    let xml = Generator::default().xml();
    let with = |group: &str| {
        let (before, rest) = xml.split_once("<ICMS00>").expect("a group");
        let (_, after) = rest.split_once("</ICMS00>").expect("a group");
        read_text(&format!("{before}{group}{after}"), &PrintOptions::default())
    };
    let text = with(
        "<ICMS10><orig>0</orig><CST>10</CST><vBC>9.98</vBC><pICMS>18.00</pICMS><vICMS>1.80</vICMS><pFCP>2.00</pFCP><vFCP>0.20</vFCP><pMVAST>40.00</pMVAST><vBCST>13.97</vBCST><pICMSST>18.00</pICMSST><vICMSST>0.71</vICMSST></ICMS10>",
    );
    assert!(
        text.contains("010") && text.contains("FCP: Alíq.: 2,00%"),
        "{text}"
    );
    assert!(
        text.contains("ICMS ST: BC: 13,97") && text.contains("MVA: 40,00%"),
        "{text}"
    );
    let text = with(
        "<ICMS61><orig>0</orig><CST>61</CST><qBCMonoRet>50.0000</qBCMonoRet><adRemICMSRet>1.4700</adRemICMSRet><vICMSMonoRet>73.50</vICMSMonoRet></ICMS61>",
    );
    assert!(
        text.contains("061") && text.contains("73,50") && text.contains("1,47"),
        "{text}"
    );
}

#[test]
fn strangers_services_and_letters_are_told_apart() {
    let outside = Generator {
        foreign: true,
        ..Generator::default()
    };
    let text = read_text(&outside.xml(), &PrintOptions::default());
    assert!(text.contains("EXTERIOR - REINO UNIDO") && text.contains("P-99AC"));
    let service = Generator {
        issqn: true,
        ..Generator::default()
    };
    let text = read_text(&service.xml(), &PrintOptions::default());
    assert!(text.contains("CÁLCULO DO ISSQN") && text.contains("4455"));

    let nota = Generator::default();
    let xml = letters(&nota, 2);
    let pdf = cce(&xml, Some(&nota.xml()), &PrintOptions::default()).expect("letters");
    let text = text_of(&pdf);
    for part in [
        "CARTA DE CORREÇÃO ELETRÔNICA",
        "CARTA DE CORREÇÃO Nº 2",
        "Condições do evento 1: texto que vem do XML.",
        "135260000000102",
        "135 - Evento registrado e vinculado a NF-e",
        "000.001.523",
        "Mercado Bom Preço",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert_eq!(read(&pdf).expect("a key").chave, nota.chave());
    let alone = text_of(&cce(&xml, None, &PrintOptions::default()).expect("letters"));
    assert!(alone.contains("10/2026") && !alone.contains("Mercado"));
    assert_eq!(
        cce(&nota.xml(), None, &PrintOptions::default()),
        Err(DanfeError::NoLetter)
    );
}

#[test]
fn a_coupon_shows_items_payments_and_consumer() {
    for (name, nota, options) in receipts() {
        let pdf = nfce(&nota.xml(), &options).expect(name);
        let text = text_of(&pdf);
        let mut parts = vec![
            "Qtde. total de itens",
            "4.995,89",
            "PIX Dinâmico",
            "Troco R$ 5,11",
            "www.nfce.fazenda.sp.gov.br/consulta",
            "Regime especial",
        ];
        parts.extend(match name {
            "nfce-homologacao" => vec![
                "EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO",
                "NOTA CANCELADA",
                "CBS R$ 2,87",
            ],
            "nfce-contingencia" => vec!["EMITIDA EM CONTINGÊNCIA", "Pendente de autorização"],
            "simplificado-tipo-2" => vec!["DANFE Simplificado Tipo 2", "IBS R$ 0,43"],
            _ => vec![
                "CONSUMIDOR CPF: 529.982.247-25",
                "Protocolo de autorização: 135260000000001",
            ],
        });
        for part in parts {
            assert!(text.contains(part), "{name}: {part} is not in: {text}");
        }
        assert_eq!(read(&pdf).expect(name).chave, nota.chave(), "{name}");
    }
}
