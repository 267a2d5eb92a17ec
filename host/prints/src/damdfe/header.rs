//! What the head of every page shows.

use super::mdfe::Mdfe;
use super::words;
use crate::danfe::values::{date_and_time, join, nota_number};
use crate::freight::{Face, Numbers};
use crate::pdf::image::Image;

const QUERY: &str = "Consulta em https://dfe-portal.svrs.rs.gov.br/MDFE/Consulta";
/// Ajuste SINIEF 21/2010, clause 12: the document is sent within seven days.
const IN_CONTINGENCY: &str =
    "EMISSÃO EM CONTINGÊNCIA. Obrigatória a autorização em 168 horas após esta emissão.";

pub(super) fn face<'l>(mdfe: &Mdfe<'l>, logo: Option<&'l Image>, with_qr: bool) -> Face<'l> {
    let ide = mdfe.ide;
    let (day, hour) = date_and_time(&ide.t("dhEmi"));
    let emitted = join([&*day, &*hour], " ");
    let instead = match mdfe.in_contingency() {
        true => format!("{IN_CONTINGENCY} ({emitted})"),
        false => String::new(),
    };
    Face {
        title: "DAMDFE",
        full: "Documento Auxiliar do Manifesto Eletrônico de Documentos Fiscais",
        modal: words::modal(&ide.t("modal")),
        query: QUERY,
        emit: mdfe.emit,
        chave: mdfe.chave,
        protocol: mdfe.protocol,
        instead,
        numbers: Numbers {
            model: ide.t("mod").into_owned(),
            serie: ide.t("serie").into_owned(),
            number: nota_number(&ide.t("nMDF")),
            emitted,
            last: (
                "UF CARREG. / DESCARREG.",
                join([&*ide.t("UFIni"), &*ide.t("UFFim")], " / "),
            ),
        },
        logo,
        with_qr,
    }
}
