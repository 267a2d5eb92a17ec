//! Body of `POST /api/v1/nfe` and `/api/v1/nfce`, without the control fields
//! (`referencia`, `emitente_id`, `serie`, `data_emissao`) that the hub keeps.
//!
//! One vocabulary for both models. Comments name the element of the layout
//! 4.00 a field becomes. What is absent is completed by the emitter's defaults
//! and by calculation (see [`compose::assembly`]); what is given is kept
//! and checked.

mod codes;
mod ibs_cbs;
mod item;
mod particular;
mod parts;
mod taxes;
mod transport;

pub use crate::body::Number;
pub use crate::body::{List, Member, Members};
pub use codes::*;
pub use ibs_cbs::*;
pub use item::*;
pub use particular::*;
pub use parts::*;
pub use taxes::*;
pub use transport::*;

use crate::body::group;
use serde_json::{Map, Value};

group! {
    /// One note as the customer describes it.
    #[schemars(rename = "NfePedido")]
    Pedido {
        /// `natOp`; ausente: conforme a operação.
        natureza_operacao: Option<String>,
        /// Ausente: saida.
        tipo_operacao: Option<TipoOperacao>,
        /// Ausente: normal.
        finalidade: Option<Finalidade>,
        tipo_nota_debito: Option<TipoNotaDebito>,
        tipo_nota_credito: Option<TipoNotaCredito>,
        /// RFC 3339 (`dhSaiEnt`).
        data_saida: Option<String>,
        /// `AAAA-MM-DD` (`dPrevEntrega`).
        data_previsao_entrega: Option<String>,
        /// Ausente: presencial na NFC-e, nao_se_aplica nas complementares e nos
        /// ajustes; senão, outros.
        presenca: Option<Presenca>,
        /// `indFinal`; na NFC-e, sempre true; ausente: true para quem, no Brasil,
        /// não é contribuinte.
        consumidor_final: Option<bool>,
        /// `idDest`; na NFC-e, sempre interna; ausente: conforme o primeiro CFOP;
        /// senão, conforme as UFs (presencial a consumidor final: interna).
        destino_operacao: Option<Destino>,
        /// `cMunFG`; ausente: o do emitente.
        municipio_fato_gerador: Option<String>,
        /// `cMunFGIBS`.
        municipio_fato_gerador_ibs: Option<String>,
        /// `cIndOp`, seis dígitos (NT 2025.002 v1.40).
        indicador_operacao: Option<String>,
        /// Compra governamental (`gCompraGov`).
        compra_governamental: Option<CompraGovernamental>,
        /// Chaves de acesso das notas de pagamento antecipado
        /// (`gPagAntecipado`).
        pagamentos_antecipados: Vec<String>,
        intermediador: Option<Intermediador>,
        destinatario: Option<Pessoa>,
        /// O mesmo que `destinatario`, com o nome que a NFC-e lhe dá.
        consumidor: Option<Pessoa>,
        /// Nome do vendedor; vai para as informações complementares.
        vendedor: Option<String>,
        retirada: Option<Local>,
        entrega: Option<Local>,
        /// CPF ou CNPJ de quem pode baixar o XML (`autXML`), até 10.
        autorizados_xml: Vec<String>,
        itens: Vec<Item>,
        /// Desconto da nota inteira, rateado entre os itens.
        desconto: Option<Number>,
        /// Frete da nota inteira, rateado entre os itens.
        frete: Option<Number>,
        /// Seguro da nota inteira, rateado entre os itens.
        seguro: Option<Number>,
        /// Outras despesas da nota inteira, rateadas entre os itens.
        outras_despesas: Option<Number>,
        retencoes: Option<Retencoes>,
        /// Dos serviços (`ISSQNtot`).
        servicos: Option<TotalServicos>,
        transporte: Option<Transporte>,
        cobranca: Option<Cobranca>,
        pagamentos: Vec<Pagamento>,
        /// Troco (`vTroco`); ausente: o que foi pago a mais.
        troco: Option<Number>,
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
        /// Completar o que estiver ausente; ausente: true.
        calcular_impostos: Option<bool>,
        /// Nomes oficiais dos elementos de `infNFe`, sobrepostos ao que o hub
        /// monta.
        // How they are laid over it: see `compose::assembly`.
        inf_nfe: Option<Map<String, Value>>,
    }
}

impl Pedido {
    /// Who receives, by either name, and the name used.
    pub fn receiver(&self) -> (&'static str, Option<&Pessoa>) {
        match (&self.destinatario, &self.consumidor) {
            (None, Some(consumer)) => ("consumidor", Some(consumer)),
            (recipient, _) => ("destinatario", recipient.as_ref()),
        }
    }
}
