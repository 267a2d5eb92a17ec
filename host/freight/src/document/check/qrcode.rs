//! The QR code against the document. Its signature in contingency is not
//! verified here.

use super::Judged;
use compose::frame::Ambiente;
use fiscal::nfe::reading::judging::Findings;
use fiscal::nfe::reading::judging::nota::text;
use fiscal::nfe::reading::judging::qrcode::same;

/// How the QR code of a family is read, and what is answered to a wrong one.
pub(crate) struct QrForm {
    /// `infCTeSupl`, and the field in it.
    pub path: [&'static str; 2],
    /// Parameter of the key.
    pub key: &'static str,
    /// What the `Id` begins with.
    pub prefix: &'static str,
    /// Forms of emission that sign the key in it.
    pub signed: &'static [&'static str],
    pub codes: QrCodes,
}

/// The answers to a QR code that is not right.
pub(crate) struct QrCodes {
    pub absent: &'static str,
    pub address: &'static str,
    pub key: &'static str,
    pub unsigned: &'static str,
    pub needless: &'static str,
}

/// `site` is the known address of the state, without parameters.
pub(crate) fn check(
    judged: &Judged<'_>,
    form: &QrForm,
    site: Option<&str>,
    findings: &mut Findings,
) {
    let place = form.path.join("/");
    let Some(code) = text(judged.document, &form.path) else {
        findings.error(
            place,
            form.codes.absent,
            "O documento não tem QR code.",
            format!("Inclua {} com o QR code.", form.path[0]),
        );
        return;
    };
    // Some programs set it apart on a line of its own.
    let code = code.trim();
    let (address, parameters) = code.split_once('?').unwrap_or((code, ""));
    let value = |name: &str| {
        let mut pairs = parameters
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value)
    };
    let id = judged.inf.attribute("Id").unwrap_or("");
    let chave = id.strip_prefix(form.prefix).unwrap_or(id);
    if value(form.key) != Some(chave) {
        findings
            .error(
                place.clone(),
                form.codes.key,
                "A chave do QR code não é a do documento.",
                "Gere o QR code com a chave do documento.",
            )
            .value(value(form.key).unwrap_or_default());
    }
    if value("tpAmb") != Some(&*judged.ide("tpAmb")) {
        findings
            .error(
                place.clone(),
                "qrcode_ambiente",
                "O ambiente do QR code não é o do documento.",
                "Gere o QR code com o tpAmb do documento.",
            )
            .value(value("tpAmb").unwrap_or_default());
    }
    signature(judged, form, value("sign").is_some(), findings);
    if let Some(site) = site
        && !same(address, site)
    {
        findings
            .aviso(
                place,
                form.codes.address,
                "O endereço do QR code não é o que conhecemos da UF.",
                format!("O endereço conhecido é {site}."),
            )
            .value(address);
    }
}

/// The key is signed in contingency, and only there.
fn signature(judged: &Judged<'_>, form: &QrForm, signed: bool, findings: &mut Findings) {
    let place = form.path.join("/");
    let wanted = form.signed.contains(&&*judged.ide("tpEmis"));
    match (wanted, signed) {
        (true, false) => {
            findings.error(
                place,
                form.codes.unsigned,
                "O QR code da contingência não tem a assinatura da chave (sign).",
                "Gere o QR code com a assinatura.",
            );
        }
        (false, true) if judged.ide("tpEmis") == "1" => {
            findings.error(
                place,
                form.codes.needless,
                "O QR code da emissão normal não leva assinatura (sign).",
                "Gere o QR code sem a assinatura.",
            );
        }
        _ => {}
    }
}

/// The environment of a document.
pub(crate) fn environment(judged: &Judged<'_>) -> Ambiente {
    match &*judged.ide("tpAmb") {
        "2" => Ambiente::Homologacao,
        _ => Ambiente::Producao,
    }
}
