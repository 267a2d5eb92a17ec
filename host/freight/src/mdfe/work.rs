//! What is true of the whole MDF-e while it is put together.

use crate::mdfe::frame::Frame;
use crate::mdfe::order::{Modal, Pedido, TipoEmitente};
use compose::context::Aviso;
use compose::emitter::Emitter;
use data::ufs::{UFS, Uf};
use fiscal::body::Number;
use markup::field::{Field, Fields};
use rust_decimal::Decimal;

/// The request as it is completed, and what is wrong with it.
pub struct Work<'a> {
    pub order: Pedido,
    pub emitter: &'a Emitter,
    pub frame: &'a Frame,
    pub fields: Fields,
    pub notices: Vec<Aviso>,
    /// State of the emitter.
    pub uf: &'static Uf,
}

impl<'a> Work<'a> {
    /// Begins with what came.
    ///
    /// # Errors
    /// The emitter's profile names no state.
    pub fn new(
        order: Pedido,
        emitter: &'a Emitter,
        frame: &'a Frame,
    ) -> Result<Work<'a>, Vec<Field>> {
        let mut fields = Fields::default();
        let own = emitter.endereco.uf.as_deref().unwrap_or_default().trim();
        let Some(uf) = UFS
            .iter()
            .find(|uf| uf.abbreviation.eq_ignore_ascii_case(own))
        else {
            fields.add(
                "perfil_fiscal.endereco.uf",
                "perfil_fiscal_incompleto",
                "O emitente não tem UF no perfil fiscal.",
                "Informe o endereço em PUT /api/v1/emitters/{id}/fiscal-profile.",
            );
            return Err(fields.0);
        };
        Ok(Work {
            order,
            emitter,
            frame,
            fields,
            notices: Vec::new(),
            uf,
        })
    }

    /// `modal`.
    pub fn modal(&self) -> Modal {
        self.order.modal.unwrap_or(Modal::Rodoviario)
    }

    pub fn by_road(&self) -> bool {
        self.modal() == Modal::Rodoviario
    }

    /// Does the emitter carry for others? With or without a CT-e of its own
    /// (`tpEmit` 1 and 3).
    pub fn for_others(&self) -> bool {
        matches!(
            self.order.tipo_emitente,
            Some(TipoEmitente::Prestador | TipoEmitente::Globalizado)
        )
    }

    /// Is all of the cargo of one document ("carga lotação", Resolução ANTT
    /// 5.867/2020)?
    pub fn full_load(&self) -> bool {
        let (ctes, nfes, mdfes) = self.order.counts();
        ctes.saturating_add(nfes).saturating_add(mdfes) == 1
    }

    /// `vCarga`, reais.
    pub fn value(&self) -> Decimal {
        number(self.order.carga.as_ref().and_then(|cargo| cargo.valor))
    }

    pub fn missing(&mut self, field: &str, correction: &str) {
        let name = field.rsplit('.').next().unwrap_or(field);
        self.fields.add(
            field,
            "obrigatorio",
            format!("Falta o campo {name}."),
            correction,
        );
    }

    pub fn notice(&mut self, field: &str, message: impl Into<String>) {
        self.notices.push(Aviso {
            campo: field.to_owned(),
            mensagem: message.into(),
        });
    }
}

/// A number that may be absent; zero then.
pub fn number(number: Option<Number>) -> Decimal {
    number.map(|number| *number).unwrap_or_default()
}

/// Is there a text with more than blanks in it?
pub fn is_given(text: &Option<String>) -> bool {
    text.as_deref().is_some_and(|text| !text.trim().is_empty())
}
