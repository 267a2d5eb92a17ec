//! An NFS-e as the authority gave it.

use crate::api::Answer;
use crate::ids::{date_time, is_valid_chave};
use sdk::xml::{self, Element};
use sdk::{Context, Documento, Mensagem, Situacao};

/// Names of the amounts and where `infNFSe` has them.
const VALUES: [(&str, &str); 8] = [
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
const IDENTITY: [&str; 9] = [
    ISSUE,
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
const ISSUE: &str = "dhEmi";

/// A note that was read, with its bytes as they came.
#[derive(Clone, Debug)]
pub struct Nota {
    pub documento: Documento,
    /// When that declaration was made.
    declared_at: Option<String>,
    /// Id of that declaration.
    dps: Option<String>,
}

/// The note of this DPS in an answer, with the warnings beside it.
///
/// # Errors
/// There is none, or it is another's: why, for the trace.
pub fn in_answer(
    answer: Answer,
    dps: &str,
    ctx: &Context,
) -> Result<(Nota, Vec<Mensagem>), &'static str> {
    let own = || answer.documento.as_deref().and_then(own_chave);
    let chave = match answer.chave {
        // In these forms the note stands in the answer with nothing around it.
        None if answer.explicit => own(),
        given => given,
    };
    let chave = chave.ok_or("2xx sem chave de acesso")?;
    let nota = answer
        .documento
        .and_then(|bytes| read(bytes, &chave, ctx))
        .ok_or("2xx sem NFS-e legivel")?;
    if nota.is_of_another(dps) {
        return Err("2xx de outra DPS");
    }
    Ok((nota, answer.alerts))
}

/// The key that a note gives itself.
pub fn own_chave(bytes: &[u8]) -> Option<String> {
    let document = xml::parse(bytes).ok()?;
    let inf = document.root().descendant("infNFSe")?;
    let chave = id_of(inf)?.strip_prefix("NFS")?;
    is_valid_chave(chave).then(|| chave.to_owned())
}

fn id_of(element: &Element) -> Option<&str> {
    element.attribute("Id").or_else(|| element.attribute("id"))
}

/// Reads an `NFSe`. None when it is not one, or not the one of `chave`.
pub fn read(bytes: Vec<u8>, chave: &str, ctx: &Context) -> Option<Nota> {
    let document = xml::parse(&bytes).ok()?;
    let inf = document.root().descendant("infNFSe")?;
    let id = id_of(inf)?;
    if !is_valid_chave(chave) || id.strip_prefix("NFS") != Some(chave) {
        return None;
    }
    let declaration = inf.descendant("infDPS");
    let declared_at = declaration
        .and_then(|declaration| declaration.text_at(ISSUE))
        .map(str::to_owned);
    let dps = declaration.and_then(id_of).map(str::to_owned);
    let mut documento = Documento::new("nfse", Situacao::Autorizado);
    documento.numero = inf.text_at("nNFSe").map(str::to_owned);
    documento.chave = Some(chave.to_owned());
    documento.emitido_em = inf.text_at("dhProc").map(str::to_owned);
    documento.url_consulta = Some(query_url(chave, ctx));
    for (name, caminho) in VALUES {
        documento.value(name, inf.text_at(caminho));
    }
    drop(document);
    documento.xml = Some(bytes);
    Some(Nota {
        documento,
        declared_at,
        dps,
    })
}

impl Nota {
    /// Whether the note repeats the declaration of another id than this.
    fn is_of_another(&self, dps: &str) -> bool {
        self.dps
            .as_deref()
            .is_some_and(|id| !id.is_empty() && id != dps)
    }

    /// Whether the note came from this declaration. True when the note does
    /// not say: then only its id speaks, and that is ours.
    pub fn came_from(&self, dps: &[u8]) -> bool {
        let in_nota = self.documento.xml.as_deref().and_then(|bytes| {
            let document = xml::parse(bytes).ok()?;
            let inf = document.root().descendant("infNFSe")?;
            inf.descendant("infDPS").map(identity)
        });
        let Some(in_nota) = in_nota else {
            return true;
        };
        let own = xml::parse(dps)
            .ok()
            .and_then(|document| document.root().descendant("infDPS").map(identity));
        own.as_ref() == Some(&in_nota)
    }

    /// Whether the note's declaration was made at this moment (RFC 3339). True
    /// when one of both is not known.
    pub fn declared_at(&self, issue: Option<&str>) -> bool {
        match (&self.declared_at, issue.and_then(date_time)) {
            (Some(its_own), Some(own)) => date_time(its_own).as_ref() == Some(&own),
            _ => true,
        }
    }
}

fn identity(inf: &Element) -> Vec<Option<String>> {
    // White space is what intermediaries change first.
    let compact = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    IDENTITY
        .iter()
        .map(|caminho| inf.text_at(caminho).map(compact))
        .collect()
}

/// The public page of a note (the one of its QR code).
fn query_url(chave: &str, ctx: &Context) -> String {
    let site = if ctx.in_production() {
        "www.nfse.gov.br"
    } else {
        "www.producaorestrita.nfse.gov.br"
    };
    format!("https://{site}/ConsultaPublica/?tpc=1&chave={chave}")
}
