//! The group IBSCBS of LC 214/2025 in the cities' extensions of the model: what
//! the contract's table leaves to code.

use super::tags::Tags;
use crate::message::fields::Campos;
use crate::message::plain;
use crate::options::{LugarIbsCbs, Opcoes};
use sdk::nfse::{Dps, IbsCbs, Pessoa};

/// What `TCRTCInfoIBSCBS` of Giss has no place for.
pub fn refuse(dps: &Dps, campos: &mut Campos) {
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
            campos.erro(
                field,
                "sem_equivalente",
                "O leiaute da prefeitura não tem este campo.",
            );
        }
    }
}

/// Writes one element of the group.
pub fn code(t: &mut Tags, name: &str, opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) {
    let Some(given) = &dps.ibs_cbs else {
        return plain::unknown(name);
    };
    // Giss has no recipient.
    let recipient = given
        .destinatario
        .as_ref()
        .filter(|_| opcoes.ibs_cbs == LugarIbsCbs::Declaracao);
    match name {
        // It has one value so far: a regular note.
        "finNFSe" => t.folha(name, "0"),
        "gRefNFSe" => references(t, given, campos),
        "indDest" => t.folha(name, if recipient.is_some() { "1" } else { "0" }),
        "dest" => {
            if let Some(person) = recipient {
                destinatario(t, person, campos);
            }
        }
        "cLocalidadeIncid" => {
            let servico = &dps.servico;
            let incidence = servico.codigo_municipio_incidencia.as_ref();
            let incidence = incidence.or(servico.codigo_municipio_prestacao.as_ref());
            t.folha(name, incidence.unwrap_or(&dps.codigo_municipio_emissor));
        }
        "pRedutor" => t.folha(name, "0.00"),
        _ => plain::unknown(name),
    }
}

fn references(t: &mut Tags, given: &IbsCbs, campos: &mut Campos) {
    if given.notas_referenciadas.is_empty() {
        return;
    }
    // At most 99 in both schemas.
    if given.notas_referenciadas.len() > 99 {
        campos.erro(
            "ibs_cbs.notas_referenciadas",
            "tamanho",
            "Informe até 99 notas.",
        );
    }
    t.grupo("gRefNFSe", &[], |t| {
        for chave in given.notas_referenciadas.iter().take(99) {
            let chave = campos.digitos("ibs_cbs.notas_referenciadas", chave, 50);
            t.folha("refNFSe", &chave);
        }
    });
}

fn destinatario(t: &mut Tags, pessoa: &Pessoa, campos: &mut Campos) {
    let nome = campos.texto("ibs_cbs.destinatario.nome", pessoa.nome.as_deref(), 150);
    let documento = pessoa.cpf_cnpj.as_deref().unwrap_or_default().trim();
    let nif = campos.opcional("ibs_cbs.destinatario.nif", pessoa.nif.as_deref(), 40);
    t.grupo("dest", &[], |t| {
        match (documento.len(), &nif) {
            (11, _) => t.folha("CPF", documento),
            (14, _) => t.folha("CNPJ", documento),
            (_, Some(nif)) => t.folha("NIF", nif),
            // 0: not informed in the original document.
            (_, None) => t.folha("cNaoNIF", "0"),
        }
        t.folha("xNome", &nome);
    });
}
