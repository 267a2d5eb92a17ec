//! Who issues.

use super::tags::Tags;
use crate::version::LayoutVersion;
use rps::Fields;
use sdk::Emitente;

/// `CpfCnpj` by length: eleven positions are a CPF, the rest a CNPJ.
pub fn cpf_cnpj(t: &mut Tags, documento: &str) {
    let name = if documento.len() == 11 { "Cpf" } else { "Cnpj" };
    t.group("CpfCnpj", &[], |t| t.leaf(name, documento));
}

/// Document and inscription of the emitter, where they stand in this version.
pub fn identification(
    t: &mut Tags,
    version: LayoutVersion,
    emitter: &Emitente,
    fields: &mut Fields,
) {
    let im = fields.optional(
        "emitente.inscricao_municipal",
        emitter.inscricao_municipal.as_deref(),
        15,
    );
    if version.first() {
        t.leaf("Cnpj", cnpj(emitter, fields));
    } else {
        cpf_cnpj(t, &emitter.documento);
    }
    t.optional("InscricaoMunicipal", im.as_deref());
}

/// 1.00 has no CPF for the emitter.
pub fn cnpj<'a>(emitter: &'a Emitente, fields: &mut Fields) -> &'a str {
    if emitter.documento.len() != 14 {
        fields.error(
            "emitente.documento",
            "formato",
            "O leiaute da prefeitura só aceita prestador com CNPJ.",
        );
    }
    &emitter.documento
}
