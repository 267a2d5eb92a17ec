//! Identifier of a DPS in the national NFS-e standard.

use super::{CpfCnpj, IbgeMunicipality, IdError};

/// Highest series of a DPS sent through an API: the ones above belong to the
/// public emitters (rule E0010).
pub const MAX_SERIE: u32 = 49_999;
/// Highest number of a DPS: fifteen digits.
pub const MAX_NUMBER: u64 = 999_999_999_999_999;

/// The `Id` of `infDPS`, 45 positions: `DPS`, municipality (7), kind of
/// registration (1: 1 CPF, 2 CNPJ), registration (14), series (5), number (15).
///
/// # Errors
/// Series or number 0 or above [`MAX_SERIE`] and [`MAX_NUMBER`]. They are never
/// cut to fit: the result would be the id of another document.
pub fn id_dps(
    ibge: IbgeMunicipality,
    document: &CpfCnpj,
    serie: u32,
    number: u64,
) -> Result<String, IdError> {
    if !(1..=MAX_SERIE).contains(&serie) || !(1..=MAX_NUMBER).contains(&number) {
        return Err(IdError::OutOfRange);
    }
    let kind = match document {
        CpfCnpj::Cpf(_) => 1,
        CpfCnpj::Cnpj(_) => 2,
    };
    Ok(format!(
        "DPS{ibge}{kind}{:0>14}{serie:05}{number:015}",
        document.as_str()
    ))
}
