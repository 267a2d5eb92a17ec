//! An NFS-e as the authority gave it.

use crate::ids::{chave_valida, data_hora};
use sdk::xml::{self, Element};
use sdk::{Context, Documento, Situacao};

/// Names of the amounts and where `infNFSe` has them.
const VALORES: [(&str, &str); 8] = [
    ("base_calculo", "valores/vBC"),
    ("aliquota", "valores/pAliqAplic"),
    ("iss", "valores/vISSQN"),
    ("deducoes", "valores/vCalcDR"),
    ("retencoes", "valores/vTotalRet"),
    ("liquido", "valores/vLiq"),
    ("ibs", "IBSCBS/totCIBS/gIBS/vIBSTot"),
    ("cbs", "IBSCBS/totCIBS/gCBS/vCBS"),
];

/// Leaves of `infDPS` that tell two declarations with the same id apart. What
/// is sent again has the same moment of emission: another one is another
/// declaration, of other software or of a sale just like this one.
const IDENTIDADE: [&str; 9] = [
    EMISSAO,
    "dCompet",
    "serv/cServ/cTribNac",
    "serv/cServ/xDescServ",
    "valores/vServPrest/vServ",
    "toma/CNPJ",
    "toma/CPF",
    "toma/NIF",
    "subst/chSubstda",
];

/// Where `infDPS` has its moment of emission.
const EMISSAO: &str = "dhEmi";

/// A note that was read, with its bytes as they came.
#[derive(Clone, Debug)]
pub struct Nota {
    pub documento: Documento,
    /// The declaration inside it; None when the note repeats none.
    identidade: Option<Vec<Option<String>>>,
    /// When that declaration was made.
    declarada_em: Option<String>,
}

/// Reads an `NFSe`. None when it is not one, or not the one of `chave`.
pub fn ler(bytes: Vec<u8>, chave: &str, ctx: &Context) -> Option<Nota> {
    let document = xml::parse(&bytes).ok()?;
    let inf = document.root().descendant("infNFSe")?;
    let id = inf.attribute("Id").or_else(|| inf.attribute("id"))?;
    if !chave_valida(chave) || id.strip_prefix("NFS") != Some(chave) {
        return None;
    }
    let declaracao = inf.descendant("infDPS");
    let declarada_em = declaracao
        .and_then(|declaracao| declaracao.text_at(EMISSAO))
        .map(str::to_owned);
    let identidade = declaracao.map(identidade);
    let mut documento = Documento::new("nfse", Situacao::Autorizado);
    documento.numero = inf.text_at("nNFSe").map(str::to_owned);
    documento.chave = Some(chave.to_owned());
    documento.emitido_em = inf.text_at("dhProc").map(str::to_owned);
    documento.url_consulta = Some(url_consulta(chave, ctx));
    for (nome, caminho) in VALORES {
        documento.valor(nome, inf.text_at(caminho));
    }
    drop(document);
    documento.xml = Some(bytes);
    Some(Nota {
        documento,
        identidade,
        declarada_em,
    })
}

impl Nota {
    /// Whether the note came from this declaration. True when the note does
    /// not say: then only its id speaks, and that is ours.
    pub fn veio_de(&self, dps: &[u8]) -> bool {
        let Some(nela) = &self.identidade else {
            return true;
        };
        let nossa = xml::parse(dps)
            .ok()
            .and_then(|document| document.root().descendant("infDPS").map(identidade));
        nossa.as_ref() == Some(nela)
    }

    /// Whether the note's declaration was made at this moment (RFC 3339). True
    /// when one of both is not known.
    pub fn declarada_em(&self, emissao: Option<&str>) -> bool {
        match (&self.declarada_em, emissao.and_then(data_hora)) {
            (Some(dela), Some(nossa)) => data_hora(dela).as_ref() == Some(&nossa),
            _ => true,
        }
    }
}

fn identidade(inf: &Element) -> Vec<Option<String>> {
    // White space is what intermediaries change first.
    let compacto = |texto: &str| texto.split_whitespace().collect::<Vec<_>>().join(" ");
    IDENTIDADE
        .iter()
        .map(|caminho| inf.text_at(caminho).map(compacto))
        .collect()
}

/// The public page of a note (the one of its QR code).
fn url_consulta(chave: &str, ctx: &Context) -> String {
    let site = if ctx.em_producao() {
        "www.nfse.gov.br"
    } else {
        "www.producaorestrita.nfse.gov.br"
    };
    format!("https://{site}/ConsultaPublica/?tpc=1&chave={chave}")
}
