//! The other official tables, as operations show them.

use crate::{import, refresh, turn};
use serde_json::json;
use store::tables::editions::DatasetKind;
use tests::both;
use tests::imports::workbook;

both! {
    async fn the_rate_of_ipi_is_that_of_the_tipi(app: TestApp) {
        let _turn = turn().await;
        let sale = |ex: Option<&str>, rate: Option<&str>| json!({
            "uf_origem": "SP", "uf_destino": "SP", "regime": "normal", "contribuinte": true, "data": "2026-11-20",
            "itens": [{ "ncm": "22030000", "valor": 100, "ex_tipi": ex, "aliquota_ipi": rate.map(|rate| rate.parse::<u32>().expect("a number")) }]
        });
        let ipi = async |ex, rate| {
            let answer = app.post("/api/v1/fiscal/calcular-impostos", &sale(ex, rate)).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            (answer.body["itens"][0]["ipi"].clone(), answer.body["itens"][0]["avisos"].to_string())
        };
        let (before, _) = ipi(None, None).await;
        assert_eq!(before["situacao"], "sem_tabela");
        assert!(before["motivo"].to_string().contains("A TIPI não está carregada"), "{before}");
        let code = app.get("/api/v1/fiscal/ncm/22030000").await;
        assert_eq!((code.text_at("/ipi/situacao"), &code.body["ipi"]["versao"]), ("sem_tabela", &json!(null)), "{}", code.text);

        let rows = vec![
            vec!["TIPI"],
            vec!["NCM", "EX", "DESCRIÇÃO", "ALÍQUOTA (%)"],
            vec!["22.03", "", "Cervejas de malte", ""],
            vec!["2203.00.00", "", "Cervejas de malte", "3,9"],
            vec!["2203.00.00", "01", "Chope", "NT"],
        ];
        import(&app, DatasetKind::Tipi, "tipi.xlsx", &workbook(&[("TIPI", rows)])).await;
        refresh(&app).await;
        let (by_table, notices) = ipi(None, None).await;
        assert_eq!((&by_table["situacao"], by_table["valor"].to_string(), by_table["aliquota"].to_string()), (&json!("calculado"), "3.90".to_owned(), "3.9000".to_owned()), "{by_table}");
        assert!(by_table["trilha"][0]["fundamento"].to_string().contains("tabela tipi, 2026-11-20"), "{by_table}");
        assert!(notices.contains("exceções (Ex 01)"), "{notices}");
        let (exception, notices) = ipi(Some("1"), None).await;
        assert_eq!((&exception["situacao"], notices.contains("TIPI: informe")), (&json!("nao_se_aplica"), false), "{exception}");
        assert!(exception["motivo"].to_string().contains("(Ex 01) como não tributado"), "{exception}");
        let (missing, _) = ipi(Some("02"), None).await;
        assert!(missing["motivo"].to_string().contains("A TIPI carregada, de 2026-11-20, não tem o NCM 22030000 (Ex 02)"), "{missing}");
        let (given, _) = ipi(None, Some("0")).await;
        assert_eq!(given["valor"].to_string(), "0.00", "{given}");
        let wrong = app.post("/api/v1/fiscal/calcular-impostos", &sale(Some("x1"), None)).await;
        assert_eq!(wrong.text_at("/campos/0/campo"), "itens[0].ex_tipi", "{}", wrong.text);
        let code = app.get("/api/v1/fiscal/ncm/22030000").await;
        assert_eq!((code.text_at("/ipi/situacao"), code.body["ipi"]["aliquota"].to_string()), ("tributado", "3.9".to_owned()), "{}", code.text);
        assert_eq!((code.text_at("/ipi/versao"), code.text_at("/ipi/excecoes/0/ex"), code.text_at("/ipi/excecoes/0/situacao")), ("2026-11-20", "01", "nao_tributado"));
        let other = app.get("/api/v1/fiscal/ncm/1701").await;
        assert_eq!(other.text_at("/ipi/situacao"), "fora_da_tabela", "{}", other.text);
    }
}

both! {
    async fn benefits_of_other_states(app: TestApp) {
        let _turn = turn().await;
        assert_eq!(app.get("/api/v1/fiscal/cbenef/RJ/RJ801001").await.status, 404);
        let table = "codigo;descricao;cst;legislacao;observacao\nRJ801001;Isenção de exemplo;30|40;RICMS-RJ;\n";
        import(&app, DatasetKind::Cbenef, "cbenef_RJ.csv", table.as_bytes()).await;
        refresh(&app).await;
        let rio = app.get("/api/v1/fiscal/cbenef/rj/RJ801001").await;
        assert_eq!((rio.text_at("/uf"), rio.text_at("/versao"), rio.text_at("/fonte")), ("RJ", "2026-11-20", "SEFAZ-RJ (importada)"), "{}", rio.text);
        let paulo = app.get("/api/v1/fiscal/cbenef/SP/SP010010").await;
        assert_eq!((paulo.text_at("/uf"), paulo.text_at("/versao"), paulo.text_at("/fonte")), ("SP", "2026-03", "SEFAZ-SP, Portaria SRE 70/2025"), "{}", paulo.text);
        assert_eq!(app.get("/api/v1/fiscal/cbenef/SP/RJ801001").await.status, 404);
        let of_rio = app.get("/api/v1/fiscal/cbenef?q=isencao&uf=RJ").await;
        assert_eq!((&of_rio.body["total"], of_rio.text_at("/itens/0/codigo")), (&json!(1), "RJ801001"), "{}", of_rio.text);
        let of_all = app.get("/api/v1/fiscal/cbenef?q=isencao%20exemplo").await;
        assert_eq!(of_all.text_at("/fonte"), "SEFAZ-RJ (importada); SEFAZ-SP, Portaria SRE 70/2025", "{}", of_all.text);
        assert_eq!(app.get("/api/v1/fiscal/cbenef/PR/PR800001").await.status, 404);
    }
}

both! {
    async fn cest_anp_and_units(app: TestApp) {
        let _turn = turn().await;
        let cest = "cest;ncm;descricao;segmento\n0300100;22030000;Cerveja de exemplo;03\n";
        import(&app, DatasetKind::Cest, "cest.csv", cest.as_bytes()).await;
        let anp = workbook(&[("Produtos", vec![vec!["Código", "Descrição"], vec!["999999999", "COMBUSTÍVEL DE EXEMPLO"]])]);
        import(&app, DatasetKind::Anp, "simp.xlsx", &anp).await;
        let units = workbook(&[("NCM", vec![vec!["NCM", "uTrib"], vec!["1701.99.00", "SC"]])]);
        let options = datasets::formats::Options { date: Some("2026-11-20".to_owned()), ..Default::default() };
        tests::imports::import_with(&app, DatasetKind::Ncm, "utrib.xlsx", &units, options, false).await.expect("imported");
        refresh(&app).await;
        let found = app.get("/api/v1/fiscal/cest/03.001.00").await;
        assert_eq!((found.text_at("/descricao"), found.text_at("/versao")), ("Cerveja de exemplo", "2026-11-20"), "{}", found.text);
        assert_eq!(found.text_at("/fonte"), "Convênio ICMS 142/2018 e alterações (importada)");
        assert_eq!(app.get("/api/v1/fiscal/cest/0100100").await.status, 404, "the edition is the whole table");
        let found = app.get("/api/v1/fiscal/anp/999999999").await;
        assert_eq!((found.text_at("/descricao"), found.text_at("/versao")), ("COMBUSTÍVEL DE EXEMPLO", "2026-11-20"), "{}", found.text);
        let found = app.get("/api/v1/fiscal/ncm/17019900").await;
        assert_eq!((found.text_at("/unidade_tributavel"), found.text_at("/versao")), ("SC", "2026-08-13"), "{}", found.text);
        assert!(found.text_at("/fonte").ends_with("; Portal da NF-e, tabela NCM e uTrib (importada), 2026-11-20"), "{}", found.text);
    }
}

both! {
    async fn classifications_and_banks(app: TestApp) {
        let _turn = turn().await;
        let cst = ["CST-IBS/CBS", "Descrição CST-IBS/CBS", "ind_gIBSCBS", "ind_gIBSCBSMono", "ind_gRed", "ind_gDif", "ind_gTransfCred", "ind_ gCredPresIBSZFM", "ind_gAjusteCompet", "ind_RedutorBC"];
        let class = [
            "cClassTrib", "Nome cClassTrib", "LC 214/25", "Tipo de Alíquota", "pRedIBS", "pRedCBS", "ind_gTribRegular", "ind_gCredPresOper", "ind_gMonoPadrao",
            "ind_gMonoReten", "ind_gMonoRet", "ind_gEstornoCred", "tpRBSN", "dIniVig", "dFimVig", "indNFe", "indNFCe", "indCTe", "indNFSe",
        ];
        let row = ["000999", "Classificação de exemplo", "Art. 1º", "Padrão", "0", "0", "0", "0", "0", "0", "0", "0", "1", "01/01/2026", "", "1", "0", "0", "0"];
        let book = workbook(&[
            ("CST", vec![cst.to_vec(), vec!["000", "Tributação integral", "1", "0", "0", "0", "0", "0", "0", "0"]]),
            ("cClassTrib", vec![class.to_vec(), row.to_vec()]),
        ]);
        assert_eq!(app.get("/api/v1/fiscal/ibs-cbs/000999").await.status, 404);
        import(&app, DatasetKind::ClassTrib, "cClassTrib.xlsx", &book).await;
        let banks = "ISPB,Nome_Reduzido,Número_Código,Participa_da_Compe,Acesso_Principal,Nome_Extenso,Início_da_Operação\n99999999,NOVO,998,Sim,RSFN,Banco de Exemplo,1/1/2026\n";
        import(&app, DatasetKind::Banks, "ParticipantesSTR.csv", banks.as_bytes()).await;
        let pix = "Lista\nNº;Nome Reduzido;ISPB;Tipo de Participação no SPI\n1;NOVO;99999999;Direta\n";
        import(&app, DatasetKind::Banks, "pix.csv", pix.as_bytes()).await;
        refresh(&app).await;
        let found = app.get("/api/v1/fiscal/ibs-cbs/000999").await;
        assert_eq!((found.text_at("/descricao"), found.text_at("/versao"), found.text_at("/documentos/0")), ("Classificação de exemplo", "2026-11-20", "nfe"), "{}", found.text);
        let bank = data::banks::get("998").expect("the bank");
        assert_eq!((bank.name, bank.pix().map(|pix| pix.direct)), ("Banco de Exemplo", Some(true)));
        assert_eq!(data::versions::get("bancos").map(|version| version.date), Some("2026-11-20"));
        assert_eq!(data::versions::embedded("bancos").map(|version| version.rows), Some(511));
    }
}
