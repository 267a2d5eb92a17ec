//! How many items a body may have.

use base::errors::{Code, Failure, Refusal};

/// Refuses an empty list, and one with more items than fit. `field` is its path.
///
/// # Errors
/// 400 for none, 422 `limite_do_lote` for too many.
pub fn of(count: usize, most: usize, field: &str) -> Result<(), Failure> {
    if count == 0 {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            field,
            "A lista está vazia.",
            "Envie ao menos um item.",
        )
        .into());
    }
    if count > most {
        return Err(Refusal::field(
            Code::LimiteDoLote,
            field,
            &format!("Cabem {most} itens; vieram {count}."),
            "Divida a lista em mais de uma chamada.",
        )
        .into());
    }
    Ok(())
}
