//! Units, CEST, products of the ANP, benefits, banks.

use super::{World, columns, refused, texts, told};
use crate::workbook::{Cell, workbook};
use datasets::formats::{Options, official};
use datasets::import::Ended;
use store::tables::editions::DatasetKind;

#[tokio::test]
async fn units_cest_and_products_of_the_anp() {
    let world = World::new().await;
    let units = workbook(&[(
        "NCM x uTrib",
        vec![
            texts(&[
                "NCM",
                "Início de vigência da NCM  no Siscomex",
                "Fim de vigência da NCM no Siscomex",
                "uTrib para uso em operações de Exportação (Abreviatura)",
                "Descrição da uTrib utilizada em operações de Exportação",
            ]),
            vec![
                Cell::Number("1012100"),
                Cell::Number("44652"),
                Cell::None,
                Cell::Text("un"),
                Cell::Text("Unidade"),
            ],
            vec![
                Cell::Text("1701.99.00"),
                Cell::Number("44652"),
                Cell::Number("46000"),
                Cell::Text("KG"),
                Cell::None,
            ],
            vec![
                Cell::Text("1701.99.00"),
                Cell::Number("46001"),
                Cell::None,
                Cell::Text("TON"),
                Cell::None,
            ],
        ],
    )]);
    let outcome = world
        .import(DatasetKind::Ncm, "utrib.xlsx", units)
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.report.skipped),
        (Ended::Imported, 1)
    );
    let rows = world.rows(DatasetKind::Ncm, official::UNITS).await;
    assert_eq!(columns(&rows, "utrib/01012100"), ["01012100", "UN"]);
    assert_eq!(columns(&rows, "utrib/17019900"), ["17019900", "TON"]);

    let cest = "CEST;NCM/SH;DESCRIÇÃO;Segmento\n01.001.00;3815.12.10 3815.12.90;Catalisadores;01\n0100200;3917;Tubos;1\n0100200;3918.1;Tubos;1\n";
    let outcome = world
        .import(DatasetKind::Cest, "cest.csv", cest.as_bytes().to_vec())
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.editions[0].rows),
        (Ended::Imported, 2)
    );
    let rows = world.rows(DatasetKind::Cest, "").await;
    assert_eq!(
        columns(&rows, "cest/0100100"),
        ["0100100", "38151210 38151290", "Catalisadores"]
    );
    assert_eq!(
        columns(&rows, "cest/0100200"),
        ["0100200", "3917 39181", "Tubos"]
    );
    let wrong = format!(
        "{cest}0100200;3917;Tubos;1\n0100200;40;Canos;1\n0200200;40;Canos;1\n0100300;4;Canos;1\nx;40;Canos;1\n99;22011000;Canos;y\n"
    );
    let outcome = world
        .import(DatasetKind::Cest, "cest.csv", wrong.into_bytes())
        .await
        .expect("read");
    assert_eq!(
        told(&outcome),
        [
            (5, "CEST 0100200 is there already with this NCM"),
            (6, "CEST 0100200 is there already with another text"),
            (7, "segmento is not that of the CEST"),
            (8, "NCM has not 2 to 8 digits"),
            (9, "CEST has not 7 digits"),
            (10, "CEST has not 7 digits"),
        ]
    );

    let anp = workbook(&[(
        "Produtos",
        vec![
            texts(&["Código do Produto", "Descrição do Produto"]),
            vec![Cell::Number("320101001"), Cell::Text("GASOLINA\nA COMUM")],
        ],
    )]);
    world
        .import(DatasetKind::Anp, "simp.xlsx", anp)
        .await
        .expect("imported");
    let rows = world.rows(DatasetKind::Anp, "").await;
    assert_eq!(
        columns(&rows, "anp/320101001"),
        ["320101001", "GASOLINA A COMUM"]
    );
}

#[tokio::test]
async fn benefits_of_several_states() {
    let world = World::new().await;
    let rio = "codigo;descricao;cst;legislacao;observacao\nRJ801001;Isenção;30|40;RICMS;\nsem cbenef;Nenhum;;;\n";
    let other = "uf;cBenef;Descrição;CST\nPR;PR800001;Isenção;40\n";
    let files = [
        ("cbenef_RJ.csv", rio.as_bytes().to_vec()),
        ("tabela pr.csv", other.as_bytes().to_vec()),
    ];
    let outcome = world
        .import_as(DatasetKind::Cbenef, &files, Options::default(), false)
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.editions.len()),
        (Ended::Imported, 2)
    );
    let rows = world.rows(DatasetKind::Cbenef, "RJ").await;
    assert_eq!(
        columns(&rows, "cbenef/RJ/RJ801001"),
        ["RJ", "RJ801001", "30 40", "Isenção", "RICMS", ""]
    );
    assert_eq!(columns(&rows, "cbenef/RJ/SEM CBENEF")[1], "SEM CBENEF");
    assert_eq!(world.rows(DatasetKind::Cbenef, "PR").await.len(), 1);

    refused(
        world
            .import(DatasetKind::Cbenef, "tabela.csv", rio.as_bytes().to_vec())
            .await,
        "add --uf RJ",
    );
    let wrong = "uf;codigo;descricao;cst\nPR;PR800001;a;\n;PR80000;a;\nRJ;RJ80000;a;\n;RJ801002;a;040\n;RJ801003;;40\n";
    let rj = Options {
        uf: Some("rj".to_owned()),
        fewer: true,
        ..Options::default()
    };
    let outcome = world
        .import_as(
            DatasetKind::Cbenef,
            &[("t.csv", wrong.as_bytes().to_vec())],
            rj,
            false,
        )
        .await
        .expect("read");
    assert_eq!(
        told(&outcome),
        [
            (2, "uf is not RJ"),
            (3, "código is neither RJ and 6 or 8 signs nor SEM CBENEF"),
            (4, "código is neither RJ and 6 or 8 signs nor SEM CBENEF"),
            (5, "CST has not two digits"),
            (6, "descrição is empty"),
        ]
    );
    // The built-in table of São Paulo is the floor of an imported one.
    let short = "codigo;descricao\nSP010010;x\n".as_bytes().to_vec();
    let outcome = world
        .import_as(
            DatasetKind::Cbenef,
            &[("cbenef_SP.csv", short)],
            Options::default(),
            false,
        )
        .await;
    refused(outcome, "the active edition has 310");
}

#[tokio::test]
async fn banks_and_participants_of_pix() {
    let world = World::new().await;
    let str_list = "\u{feff}ISPB,Nome_Reduzido,Número_Código,Participa_da_Compe,Acesso_Principal,Nome_Extenso,Início_da_Operação\n\
        00000000,BCO DO BRASIL S.A.,001,Sim,RSFN,Banco do Brasil S.A.      ,22/4/2002\n\
        00038121,Selic    ,n/a,Não,RSFN,Banco Central do Brasil - Selic ,22/4/2002\n\
        99999999,NOVO,998,Não,RSFN,\"NOVO S.A. - CREDITO, FINANCIAMENTO\",22/4/2026\n";
    let pix: Vec<u8> = "Lista de participantes ativos do Pix\r\n\
        Nº;Nome Reduzido;ISPB;CNPJ;Tipo de Instituição;Autorizada pelo BCB;Tipo de Participação no SPI;Tipo de Participação no Pix;Modalidade de Participação no Pix\r\n\
        1;BCO DO BRASIL S.A.;0;191;Banco;Sim;Direta;Obrigatório;Provedor\r\n\
        2;COOPERATIVA;68987;68987000100;Cooperativa;Sim;Indireta;Facultativo;Provedor\r\n\
        3;COOPERATIVA;68987;68987000100;Cooperativa;Sim;Indireta;Facultativo;Iniciador\r\n\
        Instituições em processo de adesão;;;;;;;;\r\n\
        Nº;Nome Reduzido;ISPB\r\n1;X;1\r\n"
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"))
        .collect();
    let files = [
        ("ParticipantesSTR.csv", str_list.as_bytes().to_vec()),
        ("pix.csv", pix),
    ];
    let fewer = Options {
        fewer: true,
        ..Options::default()
    };
    let outcome = world
        .import_as(DatasetKind::Banks, &files, fewer, false)
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.report.wrong, outcome.report.skipped),
        (Ended::Imported, 0, 2),
        "{:?}",
        outcome.report
    );
    let rows = world.rows(DatasetKind::Banks, official::STR).await;
    assert_eq!(
        columns(&rows, "bancos/001"),
        ["001", "00000000", "Banco do Brasil S.A."]
    );
    assert_eq!(
        columns(&rows, "bancos/998")[2],
        "NOVO S.A. - CREDITO, FINANCIAMENTO"
    );
    assert_eq!(rows.len(), 2);
    let rows = world.rows(DatasetKind::Banks, official::SPI).await;
    assert_eq!(
        columns(&rows, "pix_participantes/00000000"),
        ["00000000", "1", "BCO DO BRASIL S.A."]
    );
    assert_eq!(
        columns(&rows, "pix_participantes/00068987"),
        ["00068987", "0", "COOPERATIVA"]
    );
    refused(
        world
            .import(DatasetKind::Banks, "a.csv", b"a;b\n1;2\n".to_vec())
            .await,
        "no column",
    );
}
