//! Files of bases that operators import, generated in the layouts of the official
//! ones. The companies are nobody's.

use crate::TestApp;
use crate::imports::{latin1, zipped};
use datasets::ImportError;
use datasets::formats::Options;
use datasets::import::{self, Order, Outcome};
use datasets::progress::Progress;
use std::sync::Arc;
use store::tables::editions::DatasetKind;

/// Files by name.
pub type Named = Vec<(&'static str, Vec<u8>)>;

/// The other six positions of a CNPJ: order and check digits.
pub fn branch(base: &str, order: &str) -> String {
    let mut text = format!("{base}{order}");
    for _ in 0..2 {
        let weights = (2..=9).cycle();
        let sum: u32 = text
            .bytes()
            .rev()
            .zip(weights)
            .map(|(byte, weight)| u32::from(byte - 48) * weight)
            .sum();
        let digit = match 11 - sum % 11 {
            10 | 11 => 0,
            digit => digit,
        };
        text.push_str(&digit.to_string());
    }
    text.split_off(8)
}

/// A company with one establishment.
#[derive(Clone, Copy, Debug)]
pub struct Firm<'a> {
    pub base: &'a str,
    pub name: &'a str,
    pub uf: &'a str,
    /// Code of the Receita Federal.
    pub city: &'a str,
    pub status: &'a str,
}

impl Firm<'_> {
    /// Its CNPJ.
    pub fn cnpj(&self) -> String {
        format!("{}{}", self.base, branch(self.base, "0001"))
    }

    /// Its line of the establishments.
    pub fn establishment(&self) -> String {
        let branch = branch(self.base, "0001");
        let digits = branch.split_at(4).1;
        format!(
            "\"{}\";\"0001\";\"{digits}\";\"1\";\"LOJA DO JOÃO\";\"{}\";\"20200105\";\"00\";\"\";\"\";\"20191231\";\"4711302\";\"4712100,4721102\";\"RUA\";\"DAS FLORES\";\"100\";\"SALA 1\";\"CENTRO\";\"80010000\";\"{}\";\"{}\";\"41\";\"30000000\";\"\";\"\";\"\";\"\";\"LOJA@EXEMPLO.TEST\";\"\";\"\"\r\n",
            self.base, self.status, self.uf, self.city
        )
    }
}

/// The folder of a month: the texts are called as the Receita Federal calls them,
/// of 14 November 2025.
pub fn month(firms: &[Firm<'_>]) -> Named {
    let lines = |line: &dyn Fn(&Firm<'_>) -> String| -> Vec<u8> {
        latin1(&firms.iter().map(line).collect::<String>())
    };
    let establishments = lines(&|firm| firm.establishment());
    let companies = lines(&|firm| {
        let (base, name) = (firm.base, firm.name);
        format!("\"{base}\";\"{name}\";\"2062\";\"49\";\"1000,50\";\"01\";\"\"\r\n")
    });
    let partners = lines(&|firm| {
        let base = firm.base;
        format!(
            "\"{base}\";\"2\";\"MARIA DO EXEMPLO\";\"***000000**\";\"49\";\"20200102\";\"\";\"***000000**\";\"\";\"00\";\"4\"\r\n\
             \"{base}\";\"2\";\"ANA DO EXEMPLO\";\"***111111**\";\"22\";\"20191231\";\"\";\"***000000**\";\"\";\"00\";\"5\"\r\n"
        )
    });
    let simples = lines(&|firm| {
        let base = firm.base;
        format!("\"{base}\";\"S\";\"20200101\";\"00000000\";\"N\";\"00000000\";\"00000000\"\r\n")
    });
    let codes = |text: &str| latin1(text);
    [
        (
            "Cnaes.zip",
            "F.K03200$Z.D51114.CNAECSV",
            codes("\"4711302\";\"Comércio varejista\"\n"),
        ),
        (
            "Motivos.zip",
            "F.K03200$Z.D51114.MOTICSV",
            codes("\"00\";\"SEM MOTIVO\"\n\"01\";\"EXTINÇÃO POR ENCERRAMENTO\"\n"),
        ),
        (
            "Municipios.zip",
            "F.K03200$Z.D51114.MUNICCSV",
            codes("\"7535\";\"CURITIBA\"\n\"7107\";\"SAO PAULO\"\n"),
        ),
        (
            "Naturezas.zip",
            "F.K03200$Z.D51114.NATJUCSV",
            codes("\"2062\";\"Sociedade Empresária Limitada\"\n"),
        ),
        (
            "Paises.zip",
            "F.K03200$Z.D51114.PAISCSV",
            codes("\"105\";\"BRASIL\"\n"),
        ),
        (
            "Qualificacoes.zip",
            "F.K03200$Z.D51114.QUALSCSV",
            codes("\"49\";\"Sócio-Administrador\"\n\"22\";\"Sócio\"\n"),
        ),
        ("Empresas0.zip", "K3241.K03200Y0.D51114.EMPRECSV", companies),
        (
            "Estabelecimentos0.zip",
            "K3241.K03200Y0.D51114.ESTABELE",
            establishments,
        ),
        ("Socios0.zip", "K3241.K03200Y0.D51114.SOCIOCSV", partners),
        ("Simples.zip", "F.K03200$W.SIMPLES.CSV.D51114", simples),
    ]
    .into_iter()
    .map(|(zip, inside, bytes)| (zip, zipped(&[(inside, bytes)])))
    .collect()
}

/// Columns of the CNEFE of 2022.
pub const CNEFE_HEADER: &str = "COD_UNICO_ENDERECO;COD_UF;COD_MUNICIPIO;COD_DISTRITO;COD_SUBDISTRITO;COD_SETOR;NUM_QUADRA;NUM_FACE;CEP;DSC_LOCALIDADE;NOM_TIPO_SEGLOGR;NOM_TITULO_SEGLOGR;NOM_SEGLOGR;NUM_ENDERECO;DSC_MODIFICADOR;NOM_COMP_ELEM1;VAL_COMP_ELEM1;NOM_COMP_ELEM2;VAL_COMP_ELEM2;NOM_COMP_ELEM3;VAL_COMP_ELEM3;NOM_COMP_ELEM4;VAL_COMP_ELEM4;NOM_COMP_ELEM5;VAL_COMP_ELEM5;LATITUDE;LONGITUDE;NV_GEO_COORD;COD_ESPECIE;DSC_ESTABELECIMENTO;COD_INDICADOR_ESTAB_ENDERECO;COD_INDICADOR_CONST_ENDERECO;COD_INDICADOR_FINALIDADE_CONST;COD_TIPO_ESPECI";

/// An address of the census: municipality, CEP, locality, kind, title and name of
/// the street, latitude, longitude, level of the coordinates.
pub type Address<'a> = [&'a str; 9];

/// The file of a state: a zip with one csv.
pub fn cnefe(name: &str, addresses: &[Address<'_>]) -> Vec<u8> {
    let mut text = format!("{CNEFE_HEADER}\n");
    for (address, number) in addresses.iter().zip(1..) {
        let [
            city,
            cep,
            locality,
            kind,
            title,
            street,
            latitude,
            longitude,
            level,
        ] = address;
        let uf = city.split_at(2).0;
        text.push_str(&format!(
            "{number};{uf};{city};{city}05;{city}0500;{city}0500001P;1;1;{cep};{locality};{kind};{title};{street};{number};;;;;;;;;;;;{latitude};{longitude};{level};1;;1;1;;1\n"
        ));
    }
    zipped(&[(name, text.into_bytes())])
}

/// A small e-DNE: Curitiba with streets, a town with one CEP and its village.
pub fn edne() -> Named {
    vec![
        (
            "LOG_LOCALIDADE.TXT",
            latin1(
                "1@PR@Curitiba@@1@M@@Curitiba@4106902\r\n2@PR@Adrianópolis@83490000@0@M@@Adrianópolis@4100202\r\n3@PR@Porto Novo@83495000@0@D@2@Pto Novo@\r\n",
            ),
        ),
        (
            "LOG_BAIRRO.TXT",
            latin1("10@PR@1@Centro@Centro\r\n11@PR@1@Água Verde@Água Verde\r\n"),
        ),
        (
            "LOG_LOGRADOURO_PR.TXT",
            latin1(
                "100@PR@1@10@@XV de Novembro@- até 999/1000@80020310@Rua@S@R XV de Novembro\r\n\
                 101@PR@1@11@@República Argentina@- de 1001/1002 ao fim@80240210@Avenida@S@Av Rep Argentina\r\n\
                 102@PR@1@10@@Praça Tiradentes@@80020100@Praça@N@Pç Tiradentes\r\n",
            ),
        ),
        (
            "LOG_GRANDE_USUARIO.TXT",
            latin1(
                "500@PR@1@10@100@Empresa de Exemplo@Rua XV de Novembro, 50@80020900@Emp Exemplo\r\n",
            ),
        ),
        (
            "LOG_UNID_OPER.TXT",
            latin1("700@PR@1@10@100@AC Exemplo@Rua XV de Novembro, 700@80020970@S@AC Exemplo\r\n"),
        ),
        (
            "LOG_CPC.TXT",
            latin1("900@PR@2@Colônia@Estrada da Colônia, s/n@83490990\r\n"),
        ),
    ]
}

/// Imports a folder with these files as `hub data import` does.
///
/// # Errors
/// As the import.
pub async fn import_folder(
    app: &TestApp,
    kind: DatasetKind,
    files: &[(&str, Vec<u8>)],
) -> Result<Outcome, ImportError> {
    import_folder_with(app, kind, files, Options::default(), false).await
}

/// As [`import_folder`], with options.
///
/// # Errors
/// As the import.
///
/// # Panics
/// The files cannot be written.
pub async fn import_folder_with(
    app: &TestApp,
    kind: DatasetKind,
    files: &[(&str, Vec<u8>)],
    options: Options,
    dry_run: bool,
) -> Result<Outcome, ImportError> {
    let folder = tempfile::tempdir().expect("folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    let today = base::when::today(app.app.now_ms(), "DF").to_string();
    let order = Order {
        kind,
        paths: vec![folder.path().to_owned()],
        options: Options { today, ..options },
        dry_run,
    };
    let progress = Arc::new(Progress::default());
    import::run(&app.app.db, &app.app.clock, &order, &progress).await
}
