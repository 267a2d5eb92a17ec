//! The group IBSCBS of LC 214/2025 in the cities' extensions of the model.

use super::tags::Tags;
use crate::message::fields::Campos;
use sdk::nfse::{Dps, IbsCbs, Pessoa};

/// `TCRTCInfoIBSCBS` of WebISS: the group of the DPS 1.01.
pub fn em_declaracao(t: &mut Tags, dps: &Dps, campos: &mut Campos) {
    let Some(grupo) = &dps.ibs_cbs else { return };
    t.grupo("IBSCBS", &[], |t| {
        cabeca(t, grupo, campos);
        t.folha(
            "indDest",
            if grupo.destinatario.is_some() {
                "1"
            } else {
                "0"
            },
        );
        if let Some(pessoa) = &grupo.destinatario {
            destinatario(t, pessoa, campos);
        }
        t.grupo("valores", &[], |t| {
            t.grupo("trib", &[], |t| {
                t.grupo("gIBSCBS", &[], |t| {
                    classificacao(t, grupo, campos);
                    t.opcional("cCredPres", grupo.credito_presumido.as_deref());
                    if let Some(regular) = &grupo.tributacao_regular {
                        t.grupo("gTribRegular", &[], |t| {
                            t.folha("CSTReg", &regular.cst);
                            t.folha("cClassTribReg", &regular.cclass_trib);
                        });
                    }
                    if let Some(diferimento) = &grupo.diferimento {
                        t.grupo("gDif", &[], |t| {
                            let de = "ibs_cbs.diferimento";
                            t.folha("pDifUF", &campos.valor(de, diferimento.uf));
                            t.folha("pDifMun", &campos.valor(de, diferimento.municipio));
                            t.folha("pDifCBS", &campos.valor(de, diferimento.cbs));
                        });
                    }
                });
            });
        });
    });
}

/// `TCRTCInfoIBSCBS` of Giss, which has no recipient, but the municipality of
/// incidence.
pub fn em_valores(t: &mut Tags, dps: &Dps, campos: &mut Campos) {
    let Some(grupo) = &dps.ibs_cbs else { return };
    for (campo, existe) in [
        ("ibs_cbs.destinatario", grupo.destinatario.is_some()),
        (
            "ibs_cbs.credito_presumido",
            grupo.credito_presumido.is_some(),
        ),
        (
            "ibs_cbs.tributacao_regular",
            grupo.tributacao_regular.is_some(),
        ),
        ("ibs_cbs.diferimento", grupo.diferimento.is_some()),
    ] {
        if existe {
            campos.erro(
                campo,
                "sem_equivalente",
                "O leiaute da prefeitura não tem este campo.",
            );
        }
    }
    let servico = &dps.servico;
    let incidencia = servico
        .codigo_municipio_incidencia
        .as_ref()
        .or(servico.codigo_municipio_prestacao.as_ref())
        .unwrap_or(&dps.codigo_municipio_emissor);
    t.grupo("IBSCBS", &[], |t| {
        cabeca(t, grupo, campos);
        t.folha("indDest", "0");
        t.grupo("valores", &[], |t| {
            t.grupo("trib", &[], |t| {
                t.grupo("gIBSCBS", &[], |t| classificacao(t, grupo, campos));
            });
            t.folha("cLocalidadeIncid", incidencia);
            t.folha("pRedutor", "0.00");
        });
    });
}

fn cabeca(t: &mut Tags, grupo: &IbsCbs, campos: &mut Campos) {
    // finNFSe has one value so far: a regular note.
    t.folha("finNFSe", "0");
    t.folha("indFinal", if grupo.consumo_pessoal { "1" } else { "0" });
    let indicador = &grupo.codigo_indicador_operacao;
    let indicador = campos.digitos("ibs_cbs.codigo_indicador_operacao", indicador, 6);
    t.folha("cIndOp", &indicador);
    t.opcional("tpOper", grupo.tipo_operacao.as_deref());
    if !grupo.notas_referenciadas.is_empty() {
        // At most 99 in both schemas.
        if grupo.notas_referenciadas.len() > 99 {
            campos.erro(
                "ibs_cbs.notas_referenciadas",
                "tamanho",
                "Informe até 99 notas.",
            );
        }
        t.grupo("gRefNFSe", &[], |t| {
            for chave in grupo.notas_referenciadas.iter().take(99) {
                t.folha(
                    "refNFSe",
                    &campos.digitos("ibs_cbs.notas_referenciadas", chave, 50),
                );
            }
        });
    }
    t.opcional("tpEnteGov", grupo.ente_governamental.as_deref());
}

fn classificacao(t: &mut Tags, grupo: &IbsCbs, campos: &mut Campos) {
    t.folha("CST", &campos.digitos("ibs_cbs.cst", &grupo.cst, 3));
    t.folha(
        "cClassTrib",
        &campos.digitos("ibs_cbs.cclass_trib", &grupo.cclass_trib, 6),
    );
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
