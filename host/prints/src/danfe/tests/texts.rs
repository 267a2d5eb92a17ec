//! What the printouts say.

use super::texto_de;
use crate::danfe::tests::generator::{Gerador, cartas, cupons, notas, prosa};
use crate::danfe::{DanfeError, Leiaute, Opcoes, Orientacao, cce, danfe, nfce, read};

/// Text of a printout without line breaks.
fn lido(xml: &str, opcoes: &Opcoes<'_>) -> String {
    texto_de(&danfe(xml, opcoes).expect("a printout"))
}

#[test]
fn the_pages_are_counted_and_every_one_has_the_key() {
    for (nome, nota) in notas() {
        let pdf = danfe(&nota.xml(), &Opcoes::default()).expect(nome);
        let paginas = read::texto(&pdf).expect(nome);
        let chave = crate::danfe::values::agrupar(&nota.chave(), 4, " ");
        let total = paginas.len();
        for (at, pagina) in paginas.iter().enumerate() {
            let folha = format!("FOLHA {} de {total}", at + 1);
            assert!(pagina.contains(&folha), "{nome}: {folha}");
            assert!(pagina.contains(&chave), "{nome}, page {at}");
        }
        let esperadas = match nome {
            "990-itens" => 14..=22,
            "41-itens" | "duplicatas" | "infcpl-longo" | "reforma" | "apertado" => 2..=2,
            "parcelas-demais" => 2..=2,
            "descricoes-longas" | "tudo-longo" | "reforma-41" | "paisagem-reforma" => 2..=6,
            "paisagem" => 2..=2,
            _ => 1..=1,
        };
        assert!(esperadas.contains(&total), "{nome}: {total} pages");
    }
}

#[test]
fn every_block_shows_its_values() {
    let nota = Gerador {
        duplicatas: 3,
        locais: true,
        volumes: 5,
        ..Gerador::default()
    };
    let texto = lido(&nota.xml(), &Opcoes::default());
    for parte in [
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
        assert!(texto.contains(parte), "{parte} is not in: {texto}");
    }
    for parte in ["SEM VALOR", "CANCELADA", "IBS", "CONTING", "ISSQN"] {
        assert!(!texto.contains(parte), "{parte}");
    }
}

#[test]
fn the_reform_has_its_blocks_and_columns() {
    let nota = Gerador {
        reforma: true,
        ..Gerador::default()
    };
    let texto = lido(&nota.xml(), &Opcoes::default());
    for parte in [
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
        assert!(texto.contains(parte), "{parte} is not in: {texto}");
    }
    assert!(!texto.contains("0,10%"));
    // From December on with or without the groups, and then without zeros.
    let dezembro = Gerador {
        emissao: "2026-12-01T08:00:00-03:00",
        simples: true,
        ..Gerador::default()
    };
    let texto = lido(&dezembro.xml(), &Opcoes::default());
    assert!(texto.contains("TOTAL DO IBS / CBS / IS") && texto.contains("1 - Simples Nacional"));
    assert!(texto.contains("CSOSN 0102") && !texto.contains("IBS/CBS"));
    let antes = Opcoes {
        leiaute: Leiaute::Moc7,
        ..Opcoes::default()
    };
    assert!(lido(&dezembro.xml(), &antes).contains("CÁLCULO DO IMPOSTO"));
}

#[test]
fn long_texts_are_there_to_the_last_word() {
    let nota = Gerador {
        itens: 3,
        inf_cpl: prosa(18_000),
        inf_ad_prod: prosa(490),
        descricao: prosa(100),
        nome: format!("Companhia {} Final", "Muito Comprida ".repeat(30)),
        ..Gerador::default()
    };
    for orientacao in [Orientacao::Retrato, Orientacao::Paisagem] {
        let opcoes = Opcoes {
            orientacao: Some(orientacao),
            ..Opcoes::default()
        };
        let texto = lido(&nota.xml(), &opcoes);
        let palavras: std::collections::HashSet<&str> = texto.split(' ').collect();
        for n in 1..=310 {
            let numero = format!("{n}:");
            assert!(palavras.contains(&*numero), "{orientacao:?}: sentence {n}");
        }
        let texto = texto.replace(' ', "");
        assert!(
            texto.contains("MuitoCompridaFinal,Armazém"),
            "{orientacao:?}"
        );
    }
}

#[test]
fn a_number_stands_on_one_line() {
    let nota = Gerador {
        itens: 2,
        quantidade: "99999999999.9999",
        unitario: "99999999999.9999999999",
        valor: "9999999999999.99",
        ..Gerador::default()
    };
    for reforma in [false, true] {
        for orientacao in [Orientacao::Retrato, Orientacao::Paisagem] {
            let opcoes = Opcoes {
                orientacao: Some(orientacao),
                ..Opcoes::default()
            };
            let xml = Gerador {
                reforma,
                ..nota.clone()
            }
            .xml();
            let xml = xml.replace(
                "<uTrib>UN</uTrib><qTrib>99999999999.9999",
                "<uTrib>CAIXA1</uTrib><qTrib>88888888888.8888",
            );
            let texto = lido(&xml, &opcoes);
            let partes: Vec<&str> = texto.split(' ').collect();
            for numero in [
                "99.999.999.999,9999",
                "88.888.888.888,8888",
                "99.999.999.999,9999999999",
                "9.999.999.999.999,99",
                "CAIXA1",
            ] {
                let vezes = partes.iter().filter(|parte| **parte == numero).count();
                assert!(vezes >= 2, "{reforma} {orientacao:?} {numero}: {texto}");
            }
        }
    }
}

#[test]
fn the_credit_of_the_simples_is_printed_unless_the_issuer_wrote_it() {
    let nota = Gerador {
        simples: true,
        itens: 2,
        ..Gerador::default()
    };
    let xml = nota.xml();
    assert!(!lido(&xml, &Opcoes::default()).contains("APROVEITAMENTO"));
    let com = xml.replace(
        "<ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102>",
        "<ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>1.3600</pCredSN><vCredICMSSN>617.02</vCredICMSSN></ICMSSN101>",
    );
    let texto = lido(&com, &Opcoes::default());
    for parte in [
        "CRÉDITO DE ICMS NO VALOR DE R$ 1.234,04",
        "ALÍQUOTA DE 1,36%, NOS TERMOS DO ART. 23 DA LEI COMPLEMENTAR Nº 123, DE 2006",
    ] {
        assert!(texto.contains(parte), "{parte} is not in: {texto}");
    }
    let outra = com.replacen("<pCredSN>1.3600", "<pCredSN>2.5000", 1);
    let texto = lido(&outra, &Opcoes::default());
    assert!(texto.contains("ALÍQUOTA DE 1,36%") && texto.contains("ALÍQUOTA DE 2,50%"));
    let escrito = com.replace(
        "<infCpl>",
        "<infCpl>Permite o aproveitamento do crédito de ICMS de R$ 1.234,04 (1,36%), art. 23 da LC 123. ",
    );
    let texto = lido(&escrito, &Opcoes::default());
    assert!(!texto.contains("PERMITE O APROVEITAMENTO"), "{texto}");
}

#[test]
fn marks_and_warnings_are_printed() {
    let com = |mudar: fn(&mut Gerador)| {
        let mut nota = Gerador::default();
        mudar(&mut nota);
        lido(&nota.xml(), &Opcoes::default())
    };
    let texto = com(|nota| nota.ambiente = 2);
    assert!(texto.contains("SEM VALOR FISCAL") && texto.contains("HOMOLOGAÇÃO - SEM VALOR FISCAL"));
    assert!(com(|nota| nota.protocolo = false).contains("SEM AUTORIZAÇÃO DE USO"));
    let alheio = Gerador::default();
    let xml = alheio.xml().replace("<chNFe>35", "<chNFe>31");
    assert!(lido(&xml, &Opcoes::default()).contains("SEM AUTORIZAÇÃO DE USO"));
    let xml = alheio.xml().replace("<cStat>100", "<cStat>302");
    assert!(lido(&xml, &Opcoes::default()).contains("PROTOCOLO DE DENEGAÇÃO DE USO"));
    for (tp_emis, parte) in [
        (2, "EM DECORRÊNCIA DE PROBLEMAS TÉCNICOS"),
        (4, "EPEC REGULARMENTE RECEBIDO"),
        (6, "CONTINGÊNCIA - SVC-AN"),
        (7, "CONTINGÊNCIA - SVC-RS"),
        (9, "PENDENTE DE AUTORIZAÇÃO"),
    ] {
        let nota = Gerador {
            tp_emis,
            protocolo: tp_emis == 6 || tp_emis == 7,
            ..Gerador::default()
        };
        let texto = lido(&nota.xml(), &Opcoes::default());
        assert!(texto.contains(parte), "{parte}");
        assert!(!texto.contains("SEM AUTORIZAÇÃO"), "{tp_emis}");
    }
    let opcoes = Opcoes {
        cancelada: true,
        marca: Some("SIMULADA"),
        ..Opcoes::default()
    };
    let texto = lido(&Gerador::default().xml(), &opcoes);
    assert!(texto.contains("CANCELADA") && texto.contains("NF-e CANCELADA"));
    assert!(texto.contains("SIMULADA"));
}

#[test]
fn a_note_whose_document_has_its_cancellation_is_marked() {
    let nota = Gerador::default();
    let xml = nota.xml();
    let sozinha = xml.split_once("?>").expect("a declaration").1;
    let com = |chave: &str, cstat: &str| {
        format!(
            "<pacote>{sozinha}<procEventoNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><evento><infEvento><chNFe>{chave}</chNFe><tpEvento>110111</tpEvento></infEvento></evento><retEvento><infEvento><cStat>{cstat}</cStat></infEvento></retEvento></procEventoNFe></pacote>"
        )
    };
    let marcada = |xml: &str| lido(xml, &Opcoes::default()).contains("NF-e CANCELADA");
    assert!(marcada(&com(&nota.chave(), "135")));
    assert!(!marcada(&com(&nota.chave(), "573")), "refused");
    let outra = nota.chave().replace('1', "2");
    assert!(!marcada(&com(&outra, "135")), "of another note");
    assert!(!marcada(&xml));
    let protocolo = "<cStat>101</cStat>";
    assert!(marcada(&xml.replace("<cStat>100</cStat>", protocolo)));
}

#[test]
fn up_to_3_10_each_payment_is_a_group_of_its_own() {
    let antigo = |xml: String| {
        let (antes, resto) = xml.split_once("<pag>").expect("payments");
        let depois = resto.split_once("</pag>").expect("payments").1;
        let linha = |forma: &str, valor: &str| {
            format!("<pag><tPag>{forma}</tPag><vPag>{valor}</vPag></pag>")
        };
        let linhas = [linha("01", "4000.00"), linha("03", "995.89")].concat();
        format!("{antes}{linhas}{depois}")
    };
    for (nome, nota, opcoes) in cupons() {
        let texto = texto_de(&nfce(&antigo(nota.xml()), &opcoes).expect(nome));
        assert!(
            texto.contains("4.000,00") && texto.contains("995,89"),
            "{nome}: {texto}"
        );
    }
    let texto = lido(&antigo(Gerador::default().xml()), &Opcoes::default());
    assert!(texto.contains("R$ 4.000,00") && texto.contains("R$ 995,89"));
}

#[test]
fn details_of_products_stand_with_them() {
    let nota = Gerador {
        extras_do_produto: "<rastro><nLote>L-77</nLote><qLote>2.500</qLote><dFab>2026-01-02</dFab><dVal>2027-03-04</dVal></rastro><veicProd><chassi>9BWZZZ377VT004251</chassi><xCor>AZUL</xCor><nMotor>M123</nMotor><anoMod>2027</anoMod><anoFab>2026</anoFab></veicProd><comb><cProdANP>210203001</cProdANP><descANP>GLP</descANP><UFCons>SP</UFCons></comb>",
        ..Gerador::default()
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
    let texto = lido(&xml, &Opcoes::default());
    for parte in [
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
        assert!(texto.contains(parte), "{parte} is not in: {texto}");
    }
}

#[test]
fn amounts_without_a_column_stand_with_the_product() {
    let xml = Gerador::default().xml();
    let com = |grupo: &str| {
        let (antes, resto) = xml.split_once("<ICMS00>").expect("a group");
        let (_, depois) = resto.split_once("</ICMS00>").expect("a group");
        lido(&format!("{antes}{grupo}{depois}"), &Opcoes::default())
    };
    let texto = com(
        "<ICMS10><orig>0</orig><CST>10</CST><vBC>9.98</vBC><pICMS>18.00</pICMS><vICMS>1.80</vICMS><pFCP>2.00</pFCP><vFCP>0.20</vFCP><pMVAST>40.00</pMVAST><vBCST>13.97</vBCST><pICMSST>18.00</pICMSST><vICMSST>0.71</vICMSST></ICMS10>",
    );
    assert!(
        texto.contains("010") && texto.contains("FCP: Alíq.: 2,00%"),
        "{texto}"
    );
    assert!(
        texto.contains("ICMS ST: BC: 13,97") && texto.contains("MVA: 40,00%"),
        "{texto}"
    );
    let texto = com(
        "<ICMS61><orig>0</orig><CST>61</CST><qBCMonoRet>50.0000</qBCMonoRet><adRemICMSRet>1.4700</adRemICMSRet><vICMSMonoRet>73.50</vICMSMonoRet></ICMS61>",
    );
    assert!(
        texto.contains("061") && texto.contains("73,50") && texto.contains("1,47"),
        "{texto}"
    );
}

#[test]
fn strangers_services_and_letters_are_told_apart() {
    let fora = Gerador {
        estrangeiro: true,
        ..Gerador::default()
    };
    let texto = lido(&fora.xml(), &Opcoes::default());
    assert!(texto.contains("EXTERIOR - REINO UNIDO") && texto.contains("P-99AC"));
    let servico = Gerador {
        issqn: true,
        ..Gerador::default()
    };
    let texto = lido(&servico.xml(), &Opcoes::default());
    assert!(texto.contains("CÁLCULO DO ISSQN") && texto.contains("4455"));

    let nota = Gerador::default();
    let xml = cartas(&nota, 2);
    let pdf = cce(&xml, Some(&nota.xml()), &Opcoes::default()).expect("letters");
    let texto = texto_de(&pdf);
    for parte in [
        "CARTA DE CORREÇÃO ELETRÔNICA",
        "CARTA DE CORREÇÃO Nº 2",
        "Condições do evento 1: texto que vem do XML.",
        "135260000000102",
        "135 - Evento registrado e vinculado a NF-e",
        "000.001.523",
        "Mercado Bom Preço",
    ] {
        assert!(texto.contains(parte), "{parte} is not in: {texto}");
    }
    assert_eq!(read(&pdf).expect("a key").chave, nota.chave());
    let sozinha = texto_de(&cce(&xml, None, &Opcoes::default()).expect("letters"));
    assert!(sozinha.contains("10/2026") && !sozinha.contains("Mercado"));
    assert_eq!(
        cce(&nota.xml(), None, &Opcoes::default()),
        Err(DanfeError::SemCarta)
    );
}

#[test]
fn a_coupon_shows_items_payments_and_consumer() {
    for (nome, nota, opcoes) in cupons() {
        let pdf = nfce(&nota.xml(), &opcoes).expect(nome);
        let texto = texto_de(&pdf);
        let mut partes = vec![
            "Qtde. total de itens",
            "4.995,89",
            "PIX Dinâmico",
            "Troco R$ 5,11",
            "www.nfce.fazenda.sp.gov.br/consulta",
            "Regime especial",
        ];
        partes.extend(match nome {
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
        for parte in partes {
            assert!(texto.contains(parte), "{nome}: {parte} is not in: {texto}");
        }
        assert_eq!(read(&pdf).expect(nome).chave, nota.chave(), "{nome}");
    }
}
