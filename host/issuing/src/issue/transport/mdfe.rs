//! What is particular to an MDF-e.

use super::{Built, Frame, PROVISIONAL, Transported, VER_PROC};
use crate::document::product::{Details, TransportDetails};
use crate::document::qr::Qr;
use crate::model::Model;
use compose::emitter::Emitter;
use freight::mdfe::assembly::{Mdfe, placed, validate};
use freight::mdfe::frame;
use freight::mdfe::order::Pedido;
use markup::field::Field;
use markup::ids::chave::c_nf;

impl Transported for Pedido {
    const MODEL: Model = Model::Mdfe;

    fn built(&self, emitter: &Emitter, frame: &Frame) -> Result<Built, Vec<Field>> {
        let decided = frame::Frame {
            ambiente: frame.ambiente,
            serie: frame.serie,
            number: PROVISIONAL,
            c_mdf: c_nf(frame.entropy, PROVISIONAL),
            dh_emi: frame.issued_at,
            tp_emis: frame.tp_emis(),
            ver_proc: VER_PROC.to_owned(),
        };
        let mdfe = validate(self, emitter, &decided)?;
        let written = mdfe.write(&decided, None);
        let written =
            written.map_err(|errors| errors.into_iter().map(placed).collect::<Vec<Field>>())?;
        let technician = self.responsavel_tecnico.as_ref();
        let technician = technician.or(emitter.padroes.responsavel_tecnico.as_ref());
        Ok(Built {
            xml: written.xml,
            value: mdfe.total_value,
            // Nobody pays a manifest.
            payer: Default::default(),
            csrt: technician.and_then(|technician| technician.csrt.clone()),
            qr: Qr::Mdfe {
                ambiente: frame.ambiente,
            },
            details: details(&mdfe),
            announcement: None,
        })
    }
}

fn details(mdfe: &Mdfe) -> Details {
    let ide = mdfe.tree.find("ide");
    let text = |name: &str| {
        let value = ide.and_then(|ide| ide.value(&[name]));
        value.unwrap_or_default().to_owned()
    };
    let plate = ["infModal", "rodo", "veicTracao", "placa"];
    let (ctes, nfes, mdfes) = mdfe.documents;
    Details {
        avisos: Some(mdfe.notices.clone()),
        transporte: Some(TransportDetails {
            modal: text("modal"),
            tipo: text("tpEmit"),
            uf_inicio: text("UFIni"),
            uf_fim: text("UFFim"),
            placa: mdfe.tree.value(&plate).unwrap_or_default().to_owned(),
            documentos: u64::try_from(ctes + nfes + mdfes).unwrap_or(u64::MAX),
            ..TransportDetails::default()
        }),
        ..Details::default()
    }
}
