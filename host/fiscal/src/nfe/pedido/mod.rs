//! Body of `POST /api/v1/nfe` and `/api/v1/nfce`, without the control fields
//! (`referencia`, `emitente_id`, `serie`, `data_emissao`) that the hub keeps.
//!
//! One vocabulary for both models. Comments name the element of the layout
//! 4.00 a field becomes. What is absent is completed by the emitter's defaults
//! and by calculation (see [`crate::nfe::montagem`]); what is given is kept
//! and checked.

mod base;
mod codigos;
mod especificos;
mod ibs_cbs;
mod impostos;
mod item;
mod partes;
mod transporte;

pub use base::Numero;
pub use codigos::*;
pub use especificos::*;
pub use ibs_cbs::*;
pub use impostos::*;
pub use item::*;
pub use partes::*;
pub use transporte::*;

use base::grupo;
use serde_json::{Map, Value};

grupo! {
    /// One note as the customer describes it.
    #[schemars(rename = "NfePedido")]
    Pedido {
        /// `natOp`; absent: by operation.
        natureza_operacao: Option<String>,
        /// Absent: saida.
        tipo_operacao: Option<TipoOperacao>,
        /// Absent: normal.
        finalidade: Option<Finalidade>,
        tipo_nota_debito: Option<TipoNotaDebito>,
        tipo_nota_credito: Option<TipoNotaCredito>,
        /// RFC 3339 (`dhSaiEnt`).
        data_saida: Option<String>,
        /// `AAAA-MM-DD` (`dPrevEntrega`).
        data_previsao_entrega: Option<String>,
        /// Absent: presencial on NFC-e, nao_se_aplica on adjustments, else outros.
        presenca: Option<Presenca>,
        /// `indFinal`; absent: true on NFC-e or for who is not a taxpayer.
        consumidor_final: Option<bool>,
        /// `idDest`; absent: by the CFOPs, else by the states.
        destino_operacao: Option<Destino>,
        /// `cMunFG`; absent: the emitter's.
        municipio_fato_gerador: Option<String>,
        /// `cMunFGIBS`.
        municipio_fato_gerador_ibs: Option<String>,
        /// `cIndOp`, six digits (NT 2025.002 v1.40).
        indicador_operacao: Option<String>,
        /// Purchase by government (`gCompraGov`).
        compra_governamental: Option<CompraGovernamental>,
        /// Keys of the notes of advance payment (`gPagAntecipado`).
        pagamentos_antecipados: Vec<String>,
        intermediador: Option<Intermediador>,
        destinatario: Option<Pessoa>,
        /// The same as `destinatario`, by the name an NFC-e gives it.
        consumidor: Option<Pessoa>,
        /// Name of the seller; goes to the complementary information.
        vendedor: Option<String>,
        retirada: Option<Local>,
        entrega: Option<Local>,
        /// CPF or CNPJ of who may download the XML (`autXML`), up to 10.
        autorizados_xml: Vec<String>,
        itens: Vec<Item>,
        /// Discount of the whole note, shared out over the items.
        desconto: Option<Numero>,
        /// Freight of the whole note, shared out over the items.
        frete: Option<Numero>,
        /// Insurance of the whole note, shared out over the items.
        seguro: Option<Numero>,
        /// Other charges of the whole note, shared out over the items.
        outras_despesas: Option<Numero>,
        retencoes: Option<Retencoes>,
        /// Of the services (`ISSQNtot`).
        servicos: Option<TotalServicos>,
        transporte: Option<Transporte>,
        cobranca: Option<Cobranca>,
        pagamentos: Vec<Pagamento>,
        /// Change (`vTroco`); absent: what was paid in excess.
        troco: Option<Numero>,
        referencias: Vec<Referencia>,
        informacoes_complementares: Option<String>,
        informacoes_fisco: Option<String>,
        observacoes_contribuinte: Vec<Observacao>,
        observacoes_fisco: Vec<Observacao>,
        processos: Vec<Processo>,
        exportacao: Option<Exportacao>,
        compra: Option<Compra>,
        cana: Option<Cana>,
        agropecuario: Option<Agropecuario>,
        responsavel_tecnico: Option<ResponsavelTecnico>,
        /// Complete what is absent; absent: true.
        calcular_impostos: Option<bool>,
        /// Official element names of `infNFe`, laid over what the hub builds:
        /// see [`crate::nfe::montagem`] for how.
        inf_nfe: Option<Map<String, Value>>,
    }
}

impl Pedido {
    /// Who receives, by either name, and the name used.
    pub fn recebedor(&self) -> (&'static str, Option<&Pessoa>) {
        match (&self.destinatario, &self.consumidor) {
            (None, Some(consumidor)) => ("consumidor", Some(consumidor)),
            (destinatario, _) => ("destinatario", destinatario.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_every_group_once() {
        let schema = schemars::schema_for!(Pedido).to_value();
        let nomes = schema["$defs"].as_object().map_or(0, serde_json::Map::len);
        assert!(nomes > 70, "{nomes}");
        assert!(schema["properties"]["itens"].is_object());
    }

    #[test]
    fn what_is_absent_is_not_written() {
        let vazio = serde_json::to_value(Pedido::default()).expect("json");
        assert_eq!(vazio, serde_json::json!({}));
    }
}
