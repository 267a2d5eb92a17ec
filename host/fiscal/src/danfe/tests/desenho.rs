//! What the drawn notes show, and that they are fit to be read.

use super::gerador::{Gerador, cartas, cupons, notas, prosa};
use super::{ferramenta, texto_de};
use crate::danfe::nota::Nota;
use crate::danfe::{
    DanfeError, Leiaute, Opcoes, Orientacao, a4, cce, danfe, ler, nfce, nfce as cupom,
};
use crate::pdf::folha::{Folhas, Item};
use crate::pdf::fonte::largura;
use crate::xml::Document;

/// Writes every printout to the folder named by `HUB_TEST_PDF_OUT`, for people
/// to look at.
#[test]
fn printouts_for_people_to_look_at() {
    let Some(pasta) = std::env::var_os("HUB_TEST_PDF_OUT") else {
        eprintln!("skipped: HUB_TEST_PDF_OUT names no folder");
        return;
    };
    let pasta = std::path::PathBuf::from(pasta);
    let escrever = |nome: &str, pdf: Vec<u8>| {
        std::fs::write(pasta.join(format!("{nome}.pdf")), pdf).expect("write");
    };
    for (nome, nota) in notas() {
        let xml = nota.xml();
        escrever(nome, danfe(&xml, &Opcoes::default()).expect(nome));
        std::fs::write(pasta.join(format!("{nome}.xml")), xml).expect("write");
    }
    for (nome, nota, opcoes) in cupons() {
        escrever(nome, nfce(&nota.xml(), &opcoes).expect(nome));
    }
    let nota = Gerador::default();
    let logo = super::logos::png(120, 60, 8, 6);
    let com_logo = Opcoes {
        logo: Some(&logo),
        ..Opcoes::default()
    };
    escrever("logo", danfe(&nota.xml(), &com_logo).expect("a printout"));
    let (_, cupom, _) = cupons().swap_remove(0);
    escrever(
        "logo-nfce",
        nfce(&cupom.xml(), &com_logo).expect("a printout"),
    );
    for quantas in [1, 9] {
        let xml = cartas(&nota, quantas);
        let pdf = cce(&xml, Some(&nota.xml()), &Opcoes::default()).expect("letters");
        escrever(&format!("cce-{quantas}"), pdf);
    }
}

/// Every printout as things to draw, by name.
fn folhas() -> Vec<(String, Folhas)> {
    let mut out = Vec::new();
    for (nome, nota) in notas() {
        let xml = nota.xml();
        let doc = Document::parse(&xml).expect(nome);
        let nota = Nota::ler(&doc).expect(nome);
        for orientacao in [Orientacao::Retrato, Orientacao::Paisagem] {
            for leiaute in [Leiaute::Moc7, Leiaute::Nt2026010] {
                let opcoes = Opcoes {
                    orientacao: Some(orientacao),
                    leiaute,
                    ..Opcoes::default()
                };
                let folhas = a4::montar(&nota, &opcoes, None).expect(nome);
                out.push((format!("{nome} {orientacao:?} {leiaute:?}"), folhas));
            }
        }
    }
    for (nome, nota, opcoes) in cupons() {
        let xml = nota.xml();
        let doc = Document::parse(&xml).expect(nome);
        let nota = Nota::ler(&doc).expect(nome);
        let folhas = crate::danfe::nfce::montar(&nota, &opcoes, None).expect(nome);
        out.push((nome.to_owned(), folhas));
    }
    let nota = Gerador::default();
    let da_nota = nota.xml();
    let da_nota = Document::parse(&da_nota).expect("note");
    let da_nota = Nota::ler(&da_nota).expect("note");
    for quantas in [1, 20] {
        let xml = cartas(&nota, quantas);
        let doc = Document::parse(&xml).expect("letters");
        for quem in [None, Some(&da_nota)] {
            let folhas = crate::danfe::cce::montar(&doc, quem, &Opcoes::default(), None);
            out.push((format!("cce {quantas}"), folhas.expect("letters")));
        }
    }
    out
}

/// Left, top, right and bottom of something printed, and what it is.
type Caixa = ([f32; 4], String);

fn caixas(pagina: &[Item]) -> Vec<Caixa> {
    let dizer = |texto: &[u8]| texto.iter().map(|b| char::from(*b)).collect::<String>();
    pagina
        .iter()
        .filter_map(|item| match item {
            Item::Texto {
                x,
                y,
                tamanho,
                fonte,
                texto,
                ..
            } => {
                // From the top of the capitals to the foot of a comma.
                let direita = x + largura(texto, *fonte, *tamanho);
                Some((
                    [*x, y - tamanho * 0.66, direita, y + tamanho * 0.1],
                    dizer(texto),
                ))
            }
            Item::TextoEmPe {
                x,
                y,
                tamanho,
                fonte,
                texto,
            } => {
                let cima = y - largura(texto, *fonte, *tamanho);
                Some((
                    [x - tamanho * 0.66, cima, x + tamanho * 0.1, *y],
                    dizer(texto),
                ))
            }
            Item::Qr { x, y, lado } => Some(([*x, *y, x + lado, y + lado], "QR".to_owned())),
            Item::Barras {
                x,
                y,
                altura,
                modulo,
                larguras,
            } => {
                let total: f32 = larguras.iter().map(|l| f32::from(*l) * modulo).sum();
                Some(([*x, *y, x + total, y + altura], "bar code".to_owned()))
            }
            _ => None,
        })
        .collect()
}

/// Ends of each line and each side of a box.
fn tracos(pagina: &[Item]) -> Vec<[f32; 4]> {
    pagina
        .iter()
        .flat_map(|item| match item {
            Item::Linha {
                x, y, ate_x, ate_y, ..
            } => vec![[*x, *y, *ate_x, *ate_y]],
            Item::Caixa {
                x,
                y,
                largura,
                altura,
                ..
            } => {
                let (direita, fundo) = (x + largura, y + altura);
                vec![
                    [*x, *y, direita, *y],
                    [*x, fundo, direita, fundo],
                    [*x, *y, *x, fundo],
                    [direita, *y, direita, fundo],
                ]
            }
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn nothing_overlaps_nothing_is_crossed_and_nothing_leaves_the_page() {
    let mut vistos = 0;
    for (nome, folhas) in folhas() {
        let (largura, altura) = folhas.tamanho;
        // Pages after the third look like the third; the last one is its own.
        let ultima = folhas.paginas.len().saturating_sub(1);
        for (numero, pagina) in folhas.paginas.iter().enumerate() {
            if numero > 3 && numero < ultima {
                continue;
            }
            let mut caixas = caixas(pagina);
            let tracos = tracos(pagina);
            caixas.sort_by(|a, b| a.0[1].total_cmp(&b.0[1]));
            for (at, ([x, y, direita, fundo], texto)) in caixas.iter().enumerate() {
                assert!(
                    *x > 4.0 && *y > 4.0 && *direita < largura - 4.0 && *fundo < altura - 4.0,
                    "{nome}, page {numero}: {texto} leaves the page"
                );
                // Sorted by their tops: whatever begins below the foot is apart.
                let perto = caixas.iter().skip(at + 1);
                for ([ox, oy, odireita, _], outro) in perto.take_while(|(b, _)| b[1] < *fundo) {
                    let apart = direita <= ox || odireita <= x || fundo <= oy;
                    assert!(apart, "{nome}, page {numero}: {texto} lies on {outro}");
                }
                for [de_x, de_y, ate_x, ate_y] in &tracos {
                    // A point of the line inside of the text, a hair from its edge.
                    let crossed = *de_x < *direita - 0.2
                        && *ate_x > *x + 0.2
                        && *de_y < *fundo - 0.2
                        && *ate_y > *y + 0.2;
                    assert!(!crossed, "{nome}, page {numero}: a line through {texto}");
                }
                vistos += 1;
            }
        }
    }
    assert!(vistos > 10_000, "{vistos}");
}

#[test]
fn the_pages_are_counted_and_every_one_has_the_key() {
    for (nome, nota) in notas() {
        let pdf = danfe(&nota.xml(), &Opcoes::default()).expect(nome);
        let paginas = ler::texto(&pdf).expect(nome);
        let chave = crate::danfe::valores::agrupar(&nota.chave(), 4, " ");
        let total = paginas.len();
        for (at, pagina) in paginas.iter().enumerate() {
            let folha = format!("FOLHA {} de {total}", at + 1);
            assert!(pagina.contains(&folha), "{nome}: {folha}");
            assert!(pagina.contains(&chave), "{nome}, page {at}");
        }
        let esperadas = match nome {
            "990-itens" => 14..=22,
            "41-itens" | "duplicatas" | "infcpl-longo" | "reforma" => 2..=2,
            "descricoes-longas" | "tudo-longo" | "reforma-41" | "paisagem-reforma" => 2..=6,
            "paisagem" => 2..=2,
            _ => 1..=1,
        };
        assert!(esperadas.contains(&total), "{nome}: {total} pages");
    }
}

/// Text of a printout without line breaks.
fn lido(xml: &str, opcoes: &Opcoes<'_>) -> String {
    texto_de(&danfe(xml, opcoes).expect("a printout"))
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
fn marks_stay_on_their_page() {
    for folha in [
        (595.0, 842.0),
        (842.0, 595.0),
        (164.0, 500.0),
        (227.0, 9_000.0),
    ] {
        for palavras in [
            &["SEM VALOR FISCAL"][..],
            &["SEM VALOR FISCAL", "CANCELADA", "SIMULADA"],
        ] {
            for marca in crate::pdf::escrita::marcas(palavras, folha, 60.0) {
                let ocupa = largura(
                    &marca.texto,
                    crate::pdf::fonte::Fonte::Negrito,
                    marca.tamanho,
                );
                assert!(ocupa * 0.6 < folha.0 && ocupa * 0.8 < folha.1);
                assert!(marca.tamanho > 8.0, "{folha:?} {}", marca.tamanho);
            }
        }
    }
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
    assert_eq!(ler(&pdf).expect("a key").chave, nota.chave());
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
        let pdf = cupom(&nota.xml(), &opcoes).expect(nome);
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
        assert_eq!(ler(&pdf).expect(nome).chave, nota.chave(), "{nome}");
    }
}

#[test]
fn bar_codes_and_qr_codes_are_read_from_the_printed_page() {
    let numerica = Gerador::default();
    let alfa = Gerador {
        cnpj: "12ABC34501DE35",
        ..Gerador::default()
    };
    let paisagem = |nota: &Gerador| Gerador {
        tp_imp: 2,
        ..nota.clone()
    };
    for nota in [
        numerica.clone(),
        paisagem(&numerica),
        alfa.clone(),
        paisagem(&alfa),
    ] {
        let pdf = danfe(&nota.xml(), &Opcoes::default()).expect("a printout");
        let Some(lidos) = zbar(&pdf) else { return };
        assert_eq!(lidos, [nota.chave()]);
    }
    for (nome, nota, opcoes) in cupons() {
        if nome == "nfce-990" {
            continue;
        }
        let Some(lidos) = zbar(&nfce(&nota.xml(), &opcoes).expect(nome)) else {
            return;
        };
        assert_eq!(lidos, [&*nota.qr], "{nome}");
    }
    let carta = cce(&cartas(&alfa, 1), None, &Opcoes::default()).expect("a letter");
    assert_eq!(zbar(&carta), Some(vec![alfa.chave()]));
}

/// What a reader of bar codes sees on the first page.
fn zbar(pdf: &[u8]) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("nota.pdf");
    std::fs::write(&file, pdf).expect("write");
    let picture = folder.path().join("nota");
    let [file, picture] = [&file, &picture].map(|path| path.to_str().expect("path"));
    ferramenta(
        "pdftoppm",
        &["-r", "200", "-png", "-singlefile", file, picture],
    )?;
    let lido = ferramenta("zbarimg", &["--quiet", "--raw", &format!("{picture}.png")])?;
    Some(lido.lines().map(str::to_owned).collect())
}

#[test]
fn bar_codes_have_the_measures_of_the_technical_note() {
    // NT 2025.001 conjunta: 11.5 cm wide where there are letters, 0.8 cm high,
    // no bar finer than 0.02 cm.
    const CM: f32 = 72.0 / 2.54;
    let mut vistos = 0;
    for (nome, folhas) in folhas() {
        for item in folhas.paginas.iter().flatten() {
            if let Item::Barras {
                altura,
                modulo,
                larguras,
                ..
            } = item
            {
                let total: f32 = larguras.iter().map(|l| f32::from(*l) * modulo).sum();
                let menor = if nome.contains("alfanumerico") {
                    11.5
                } else {
                    6.0
                };
                assert!(total >= menor * CM, "{nome}: {}", total / CM);
                assert!(*altura >= 0.8 * CM && *modulo >= 0.02 * CM, "{nome}");
                vistos += 1;
            }
        }
    }
    assert!(vistos > 50);
}

#[test]
fn the_same_note_gives_the_same_bytes() {
    for (nome, nota) in notas() {
        let xml = nota.xml();
        let pdf = danfe(&xml, &Opcoes::default()).expect(nome);
        assert_eq!(pdf, danfe(&xml, &Opcoes::default()).expect(nome), "{nome}");
        assert!(!pdf.windows(13).any(|w| w == b"/CreationDate"), "{nome}");
    }
}

#[test]
fn what_cannot_be_printed_is_refused() {
    let padrao = Opcoes::default();
    let nota = Gerador::default().xml();
    assert!(matches!(danfe("<a", &padrao), Err(DanfeError::Xml(_))));
    assert_eq!(danfe("<a/>", &padrao), Err(DanfeError::SemNota));
    assert_eq!(
        nfce(&nota, &padrao),
        Err(DanfeError::Modelo("55".to_owned()))
    );
    let (_, cupom, _) = cupons().swap_remove(0);
    assert_eq!(
        danfe(&cupom.xml(), &padrao),
        Err(DanfeError::Modelo("65".to_owned()))
    );
    let sem_declaracao = nota.split_once("?>").map_or("", |(_, corpo)| corpo);
    let duas = format!("<l>{sem_declaracao}{sem_declaracao}</l>");
    assert_eq!(danfe(&duas, &padrao), Err(DanfeError::VariasNotas(2)));
    let demais = Gerador {
        inf_cpl: "x".repeat(30_000),
        ..Gerador::default()
    };
    assert_eq!(danfe(&demais.xml(), &padrao), Err(DanfeError::Extensa));
    // Many small things: observations, instalments, payments, items.
    for (antes, peca, vezes) in [
        (
            "<obsCont",
            r#"<obsCont xCampo="a"><xTexto>b</xTexto></obsCont>"#,
            100_000,
        ),
        ("<infAdic>", "<cobr></cobr>", 1),
        (
            "<vTroco",
            "<detPag><tPag>01</tPag><vPag>1.00</vPag></detPag>",
            2_000,
        ),
        ("<det ", r#"<det nItem="1"><prod/></det>"#, 2_500),
    ] {
        let cheia = nota.replacen(antes, &format!("{}{antes}", peca.repeat(vezes)), 1);
        let esperado = vezes == 1;
        assert_eq!(danfe(&cheia, &padrao).is_ok(), esperado, "{peca}");
    }
    let logo = Opcoes {
        logo: Some(b"GIF89a"),
        ..Opcoes::default()
    };
    assert_eq!(danfe(&nota, &logo), Err(DanfeError::Logo));
}

/// Notes that are not complete: every element in turn is taken away.
#[test]
fn notes_with_holes_are_printed_all_the_same() {
    let xml = Gerador {
        reforma: true,
        duplicatas: 2,
        ..Gerador::default()
    }
    .xml();
    let doc = Document::parse(&xml).expect("a note");
    let spans: Vec<_> = doc
        .root()
        .descendants_or_self()
        .filter(|element| !matches!(element.name(), "nfeProc" | "NFe" | "infNFe" | "ide" | "mod"))
        .map(|element| element.span())
        .collect();
    assert!(spans.len() > 150);
    for span in spans {
        let mut furada = xml.clone();
        furada.replace_range(span.clone(), "");
        let feita = danfe(&furada, &Opcoes::default());
        assert!(feita.is_ok(), "{}", &xml[span]);
    }
}
