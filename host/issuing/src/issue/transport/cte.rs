//! What is particular to a CT-e.

use super::{Built, Frame, PROVISIONAL, Transported, VER_PROC};
use crate::document::product::{Details, TransportDetails};
use crate::document::qr::Qr;
use crate::model::Model;
use compose::emitter::Emitter;
use freight::cte::assembly::{Cte, validate};
use freight::cte::frame;
use freight::cte::order::{Papel, Pedido};
use freight::event::epec;
use markup::field::Field;
use markup::ids::chave::c_nf;

impl Transported for Pedido {
    const MODEL: Model = Model::Cte;

    fn built(&self, emitter: &Emitter, frame: &Frame) -> Result<Built, Vec<Field>> {
        let decided = frame::Frame {
            ambiente: frame.ambiente,
            serie: frame.serie,
            number: PROVISIONAL,
            c_ct: c_nf(frame.entropy, PROVISIONAL),
            dh_emi: frame.issued_at,
            tp_emis: frame.tp_emis(),
            ver_proc: VER_PROC.to_owned(),
            contingency: frame.contingency.clone(),
        };
        let cte = validate(self, emitter, &decided)?;
        let declared = frame.contingency.as_ref();
        let announcement = declared.map(|declared| epec(&cte, &declared.reason));
        let announcement = announcement.transpose()?;
        let written = cte.write(&decided).map_err(|errors| {
            let fields = errors.into_iter().map(freight::cte::assembly::placed);
            fields.collect::<Vec<Field>>()
        })?;
        let technician = self.responsavel_tecnico.as_ref();
        let technician = technician.or(emitter.padroes.responsavel_tecnico.as_ref());
        Ok(Built {
            xml: written.xml,
            value: cte.total_value,
            payer: payer(self),
            csrt: technician.and_then(|technician| technician.csrt.clone()),
            qr: Qr::Cte {
                uf: cte.uf().to_owned(),
                ambiente: frame.ambiente,
            },
            details: details(&cte),
            announcement,
        })
    }
}

/// Document and name of who pays for the transport.
fn payer(request: &Pedido) -> (String, String) {
    let documento = request.payer().and_then(|payer| payer.documento);
    let taker = request.tomador.as_ref();
    let name = match taker.and_then(|taker| taker.papel) {
        Some(Papel::Outro) => taker.and_then(|taker| taker.nome.as_deref()),
        Some(role) => request
            .participant(role)
            .and_then(|(_, person)| person.nome.as_deref()),
        None => None,
    };
    let documento = documento.unwrap_or_default().chars();
    (
        documento.filter(char::is_ascii_alphanumeric).collect(),
        name.unwrap_or_default().trim().to_owned(),
    )
}

fn details(cte: &Cte) -> Details {
    let ide = cte.tree.find("ide");
    let text = |name: &str| {
        let value = ide.and_then(|ide| ide.value(&[name]));
        value.unwrap_or_default().to_owned()
    };
    Details {
        natureza_operacao: text("natOp"),
        avisos: Some(cte.notices.clone()),
        transporte: Some(TransportDetails {
            modal: text("modal"),
            tipo: text("tpCTe"),
            cfop: text("CFOP"),
            municipio_inicio: text("cMunIni"),
            municipio_fim: text("cMunFim"),
            receber: format!("{:.2}", cte.receivable),
            icms: format!("{:.2}", cte.icms),
            ..TransportDetails::default()
        }),
        ..Details::default()
    }
}
