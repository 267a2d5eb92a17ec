//! The group IBSCBS of LC 214/2025 in the cities' extensions of the model: what
//! the contract's table leaves to code.

use super::tags::Tags;
use crate::message::plain;
use crate::options::{IbsCbsPlace, Options};
use rps::Fields;
use sdk::nfse::{Dps, IbsCbs, Pessoa};

/// What `TCRTCInfoIBSCBS` of Giss has no place for.
pub fn refuse(dps: &Dps, fields: &mut Fields) {
    let Some(given) = &dps.ibs_cbs else { return };
    for (field, there) in [
        ("ibs_cbs.destinatario", given.destinatario.is_some()),
        (
            "ibs_cbs.credito_presumido",
            given.credito_presumido.is_some(),
        ),
        (
            "ibs_cbs.tributacao_regular",
            given.tributacao_regular.is_some(),
        ),
        ("ibs_cbs.diferimento", given.diferimento.is_some()),
    ] {
        if there {
            fields.error(
                field,
                "sem_equivalente",
                "O leiaute da prefeitura não tem este campo.",
            );
        }
    }
}

/// Writes one element of the group.
pub fn code(t: &mut Tags, name: &str, options: &Options, dps: &Dps, fields: &mut Fields) {
    let Some(given) = &dps.ibs_cbs else {
        return plain::unknown(name);
    };
    // Giss has no recipient.
    let person = given
        .destinatario
        .as_ref()
        .filter(|_| options.ibs_cbs == IbsCbsPlace::Declaration);
    match name {
        // It has one value so far: a regular note.
        "finNFSe" => t.leaf(name, "0"),
        "gRefNFSe" => references(t, given, fields),
        "indDest" => t.leaf(name, if person.is_some() { "1" } else { "0" }),
        "dest" => {
            if let Some(person) = person {
                recipient(t, person, fields);
            }
        }
        "cLocalidadeIncid" => {
            let service = &dps.servico;
            let incidence = service.codigo_municipio_incidencia.as_ref();
            let incidence = incidence.or(service.codigo_municipio_prestacao.as_ref());
            t.leaf(name, incidence.unwrap_or(&dps.codigo_municipio_emissor));
        }
        "pRedutor" => t.leaf(name, "0.00"),
        _ => plain::unknown(name),
    }
}

fn references(t: &mut Tags, given: &IbsCbs, fields: &mut Fields) {
    if given.notas_referenciadas.is_empty() {
        return;
    }
    // At most 99 in both schemas.
    if given.notas_referenciadas.len() > 99 {
        fields.error(
            "ibs_cbs.notas_referenciadas",
            "tamanho",
            "Informe até 99 notas.",
        );
    }
    t.group("gRefNFSe", &[], |t| {
        for chave in given.notas_referenciadas.iter().take(99) {
            let chave = fields.digits("ibs_cbs.notas_referenciadas", chave, 50);
            t.leaf("refNFSe", &chave);
        }
    });
}

fn recipient(t: &mut Tags, person: &Pessoa, fields: &mut Fields) {
    let name = fields.text("ibs_cbs.destinatario.nome", person.nome.as_deref(), 150);
    let documento = person.cpf_cnpj.as_deref().unwrap_or_default().trim();
    let nif = fields.optional("ibs_cbs.destinatario.nif", person.nif.as_deref(), 40);
    t.group("dest", &[], |t| {
        match (documento.len(), &nif) {
            (11, _) => t.leaf("CPF", documento),
            (14, _) => t.leaf("CNPJ", documento),
            (_, Some(nif)) => t.leaf("NIF", nif),
            // 0: not informed in the original document.
            (_, None) => t.leaf("cNaoNIF", "0"),
        }
        t.leaf("xNome", &name);
    });
}
