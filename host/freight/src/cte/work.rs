//! What is true of the whole CT-e while it is put together.

use crate::cte::frame::Frame;
use crate::cte::order::{Pedido, Servico, Tipo};
use crate::places::{Place, place};
use compose::context::Aviso;
use compose::emitter::Emitter;
use data::ufs::{UFS, Uf};
use fiscal::body::Number;
use fiscal::nfe::order::IndicadorIe;
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

    /// `tpCTe`.
    pub fn kind(&self) -> Tipo {
        self.order.tipo.unwrap_or(Tipo::Normal)
    }

    /// `tpServ`.
    pub fn service(&self) -> Servico {
        self.order.servico.unwrap_or(Servico::Normal)
    }

    /// `vTPrest`.
    pub fn total(&self) -> Decimal {
        let values = self.order.valores.as_ref();
        number(values.and_then(|values| values.prestacao))
    }

    /// `vRec`.
    pub fn receivable(&self) -> Decimal {
        let values = self.order.valores.as_ref();
        number(values.and_then(|values| values.receber))
    }

    /// ICMS of the service itself.
    pub fn icms(&self) -> Decimal {
        number(self.order.icms.as_ref().and_then(|icms| icms.valor))
    }

    /// `indIEToma`.
    pub fn payer_indicator(&self) -> Option<IndicadorIe> {
        self.order.indicador_ie_tomador
    }

    pub fn start(&self) -> Option<Place> {
        place(self.order.municipio_inicio.as_deref())
    }

    pub fn end(&self) -> Option<Place> {
        place(self.order.municipio_fim.as_deref())
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
