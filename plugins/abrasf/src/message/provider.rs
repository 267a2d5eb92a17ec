//! Who issues.

use super::tags::Tags;
use crate::message::fields::Campos;
use crate::version::Versao;
use sdk::Emitente;

/// `CpfCnpj` by length: eleven positions are a CPF, the rest a CNPJ.
pub fn cpf_cnpj(t: &mut Tags, documento: &str) {
    let nome = if documento.len() == 11 { "Cpf" } else { "Cnpj" };
    t.grupo("CpfCnpj", &[], |t| t.folha(nome, documento));
}

/// Document and inscription of the emitter, where they stand in this version.
pub fn identificacao(t: &mut Tags, versao: Versao, emitente: &Emitente, campos: &mut Campos) {
    let im = campos.opcional(
        "emitente.inscricao_municipal",
        emitente.inscricao_municipal.as_deref(),
        15,
    );
    if versao.primeira() {
        t.folha("Cnpj", cnpj(emitente, campos));
    } else {
        cpf_cnpj(t, &emitente.documento);
    }
    t.opcional("InscricaoMunicipal", im.as_deref());
}

/// 1.00 has no CPF for the emitter.
pub fn cnpj<'a>(emitente: &'a Emitente, campos: &mut Campos) -> &'a str {
    if emitente.documento.len() != 14 {
        campos.erro(
            "emitente.documento",
            "formato",
            "O leiaute da prefeitura só aceita prestador com CNPJ.",
        );
    }
    &emitente.documento
}
