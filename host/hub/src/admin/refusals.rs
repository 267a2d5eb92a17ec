//! Why nothing was changed, in the operator's language.

use crate::releases::change::Refused;
use base::errors::{Code, Failure, Refusal};
use store::TxError;

/// Hint of a refusal: the request that lists what is installed.
pub(super) const SHOWS: &str =
    "GET /admin/v1/adapters mostra o que está instalado e em que estado.";

/// Why nothing was changed, or shown, for programs.
pub(super) fn not_changed(error: TxError<Refused>) -> Failure {
    let refused = match error {
        TxError::Db(error) => return error.into(),
        TxError::Abort(refused) => refused,
    };
    if matches!(refused, Refused::Unnamed) {
        let (message, correction) = ("está vazio", "Envie o começo do digest, ou não o envie.");
        return Refusal::field(Code::ParametroInvalido, "digest", message, correction).into();
    }
    let hint = match refused {
        Refused::NothingLeft(_) => "Envie ?nada=true para que nada fique em uso.",
        _ => SHOWS,
    };
    let code = match refused {
        Refused::Nothing(_) | Refused::Unknown(..) => Code::NaoEncontrado,
        Refused::Ambiguous(..) => Code::ParametroInvalido,
        _ => Code::EstadoInvalido,
    };
    Refusal::new(code)
        .message(sentence(&refused))
        .hint(hint)
        .into()
}

/// A refusal in one sentence.
pub(super) fn sentence(refused: &Refused) -> String {
    match refused {
        Refused::Nothing(name) => format!("Nenhuma versão de {name} está instalada."),
        Refused::Moved(name) => format!(
            "As versões de {name} mudaram desde que a página foi aberta. Confira a lista e escolha de novo."
        ),
        Refused::Unknown(name, digest) => {
            format!("{name} não tem versão instalada cujo digest comece com {digest:?}.")
        }
        Refused::Ambiguous(name, digest) => {
            format!(
                "{name} tem mais de uma versão cujo digest começa com {digest:?}: envie mais dele."
            )
        }
        Refused::Quarantined(digest, version) => format!(
            "A versão {version} ({digest}) está em quarentena porque falhou: instale outra."
        ),
        Refused::NoCanary(name) => format!("{name} não tem versão em canário."),
        Refused::NothingActive(name) => {
            format!("{name} não tem versão em canário nem em uso para desfazer.")
        }
        Refused::NoOther(digest) => {
            format!("A versão {digest} falha, e nada mais fala com as autoridades dela.")
        }
        Refused::Another(digest, meant) => {
            format!("A mudança seria na versão {digest}, cujo digest não começa com {meant:?}.")
        }
        Refused::Unnamed => "O digest está vazio: envie o começo dele.".to_owned(),
        Refused::NothingLeft(name) => format!(
            "{name} não tem versão anterior nem componente na pasta de adaptadores: nada ficaria em uso."
        ),
        Refused::Active(digest) => format!("A versão {digest} já está em uso."),
        Refused::Previous(digest) => format!(
            "A versão {digest} é a anterior à que está em uso: desfazer a põe em uso de novo."
        ),
        Refused::Undeclared(digest) => format!(
            "A versão {digest} não declara o que pode fazer: compile-a com o SDK desta versão e instale de novo."
        ),
        Refused::More { digest, more } => format!(
            "A versão {digest} pede mais do que a que está em uso: {}. Só muda quem diz que permite.",
            more.join("; ")
        ),
    }
}
