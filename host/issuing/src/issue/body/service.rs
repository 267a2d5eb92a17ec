//! A service note that waits for its number.

use super::cents;
use crate::answer;
use base::errors::{Code, Refusal};
use fiscal::nfse::amounts;
use fiscal::nfse::dps::Dps;
use flow::registry::Caminho;
use store::tables::eventos;
use store::tables::notas::{self, NotaRow, Via};
use store::{Conn, Present as _, TxError};

/// What a service note has beside what every document has.
pub struct Service {
    pub dps: Dps,
    pub via: Caminho,
    pub system: String,
    pub municipality: String,
    pub replaces: Option<NotaRow>,
}

impl Service {
    /// Fills the note's row but for its number.
    pub fn describe(&self, row: &mut NotaRow) {
        let content = &self.dps.conteudo;
        row.municipio.clone_from(&self.municipality);
        row.via = via(self.via);
        row.sistema.clone_from(&self.system);
        row.competencia.clone_from(&self.dps.data_competencia);
        row.valor = content.valores.servico.to_string();
        row.valor_centavos = cents(*content.valores.servico);
        if let Some(tomador) = &content.tomador {
            row.tomador_documento = tomador.cpf_cnpj.clone().unwrap_or_default();
            row.tomador_nome = tomador.nome.clone().unwrap_or_default();
        }
        if let Some(old) = &self.replaces {
            row.substitui_id = old.id.clone().into();
        }
    }

    /// What the hub expects the authority to say of its values, by the names of an answer.
    pub fn totals(&self) -> String {
        let found = amounts(&self.dps.conteudo);
        let withheld = Some(found.withheld).filter(|withheld| !withheld.is_zero());
        let named = [
            (
                "deducoes",
                Some(found.deductions).filter(|sum| !sum.is_zero()),
            ),
            ("base_calculo", found.base),
            ("aliquota", found.rate),
            ("iss", found.iss),
            ("retencoes", withheld),
            ("liquido", Some(found.net)),
        ];
        let totals: serde_json::Map<_, _> = named
            .into_iter()
            .filter_map(|(name, amount)| {
                Some((name.to_owned(), answer::number(&amount?.to_string())))
            })
            .collect();
        serde_json::Value::Object(totals).to_string()
    }

    /// The content under its number, as the adapter reads it.
    ///
    /// # Errors
    /// None in practice: a number is positive, and the rest plain JSON.
    pub fn numbered(&self, number: i64) -> serde_json::Result<String> {
        let numero = u64::try_from(number).map_err(serde::ser::Error::custom)?;
        self.dps.numbered(numero)
    }
}

/// The registry's way, as the row of a note has it.
fn via(caminho: Caminho) -> Via {
    match caminho {
        Caminho::Nacional => Via::Nacional,
        Caminho::Gateway => Via::Gateway,
        Caminho::Municipal => Via::Municipal,
    }
}

/// The old note as it is now, kept until the commit.
///
/// # Errors
/// Meanwhile it was cancelled or replaced, or is about to be.
pub async fn still_replaceable(conn: &mut Conn, old: &NotaRow) -> Result<(), TxError<Refusal>> {
    let now = notas::lock(conn, &old.id)
        .await?
        .present("note to replace", &old.id)?;
    let cancelling = eventos::open_cancellation(conn, &old.id).await?.is_some();
    if cancelling || !now.is_valid() {
        let what = if cancelling {
            "sendo cancelada".to_owned()
        } else {
            now.status.in_words()
        };
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!("A nota a substituir está {what}."))
                .nota(&old.id),
        ));
    }
    Ok(())
}
