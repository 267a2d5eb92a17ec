//! Body of `POST /api/v1/cte/criar`, without the control fields (`referencia`,
//! `emitente_id`, `serie`, `data_emissao`) that the hub keeps.
//!
//! Comments name the element of the layout 4.00 a field becomes. What is absent
//! is completed by the emitter's profile and by calculation
//! ([`super::assembly`]); what is given is kept and checked.

mod cargo;
mod codes;
mod modal;
mod parties;
mod taxes;

pub use cargo::*;
pub use codes::*;
pub use modal::*;
pub use parties::*;
pub use taxes::*;

use fiscal::body::{Number, group};
pub use fiscal::nfe::order::IndicadorIe;
use fiscal::nfe::order::{Cobranca, CompraGovernamental, Observacao, ResponsavelTecnico};

group! {
    /// Um CT-e como o cliente o descreve.
    #[schemars(rename = "CtePedido")]
    Pedido {
        /// `tpCTe`; ausente: normal.
        tipo: Option<Tipo>,
        /// `modal`; o grupo de mesmo nome traz os dados do modal.
        modal: Option<Modal>,
        /// `tpServ`; ausente: normal.
        servico: Option<Servico>,
        /// `CFOP`, quatro dígitos.
        cfop: Option<String>,
        /// `natOp`; ausente: a descrição do CFOP.
        natureza_operacao: Option<String>,
        /// Código IBGE de onde o documento é transmitido (`cMunEnv`); ausente: o
        /// do emitente.
        municipio_envio: Option<String>,
        /// Código IBGE do início da prestação (`cMunIni`); 9999999: exterior.
        municipio_inicio: Option<String>,
        /// Código IBGE do término da prestação (`cMunFim`); 9999999: exterior.
        municipio_fim: Option<String>,
        /// `indGlobalizado`.
        globalizado: Option<bool>,
        /// `infGlobalizado`: dados do regime especial; 15 a 256 caracteres.
        observacao_globalizado: Option<String>,
        /// O recebedor retira no terminal (`retira`); ausente: false.
        retira: Option<bool>,
        /// `xDetRetira`.
        detalhes_retira: Option<String>,
        /// `indIEToma`; ausente: conforme a inscrição estadual do tomador.
        indicador_ie_tomador: Option<IndicadorIe>,
        tomador: Option<Tomador>,
        /// Compra governamental (`gCompraGov`).
        compra_governamental: Option<CompraGovernamental>,
        /// `tpPagAnt`.
        tipo_pagamento_antecipado: Option<TipoPagamentoAntecipado>,
        /// Chaves de acesso dos CT-e de pagamento antecipado (`gPagAntecipado`).
        pagamentos_antecipados: Vec<String>,
        /// `xCaracAd`.
        caracteristica_transporte: Option<String>,
        /// `xCaracSer`.
        caracteristica_servico: Option<String>,
        /// Quem emitiu o documento (`xEmi`).
        funcionario: Option<String>,
        fluxo: Option<Fluxo>,
        entrega: Option<Entrega>,
        /// Município de origem para o cálculo do frete (`origCalc`).
        origem_calculo: Option<String>,
        /// Município de destino para o cálculo do frete (`destCalc`).
        destino_calculo: Option<String>,
        /// `xObs`.
        observacoes: Option<String>,
        observacoes_contribuinte: Vec<Observacao>,
        observacoes_fisco: Vec<Observacao>,
        /// Quem entrega a carga ao transporte (`rem`).
        remetente: Option<Parte>,
        /// Quem despacha por conta do remetente (`exped`).
        expedidor: Option<Parte>,
        /// Quem recebe por conta do destinatário (`receb`).
        recebedor: Option<Parte>,
        /// A quem a carga se destina (`dest`).
        destinatario: Option<Parte>,
        valores: Option<Valores>,
        icms: Option<Icms>,
        /// `vTotTrib`.
        tributos_aproximados: Option<Number>,
        /// `infAdFisco`.
        informacoes_fisco: Option<String>,
        icms_uf_fim: Option<IcmsUfFim>,
        ibs_cbs: Option<IbsCbs>,
        /// Vínculo com transações de pagamento (`pgtoVinc`).
        pagamentos: Vec<Pagamento>,
        carga: Option<Carga>,
        documentos: Option<Documentos>,
        /// Documentos do transporte anterior (`docAnt`): redespacho e
        /// subcontratação.
        documentos_anteriores: Vec<DocumentoAnterior>,
        rodoviario: Option<Rodoviario>,
        aereo: Option<Aereo>,
        aquaviario: Option<Aquaviario>,
        ferroviario: Option<Ferroviario>,
        dutoviario: Option<Dutoviario>,
        multimodal: Option<Multimodal>,
        veiculos_novos: Vec<VeiculoTransportado>,
        cobranca: Option<Cobranca>,
        substituicao: Option<Substituicao>,
        /// Chaves de acesso dos CT-e multimodais a que o serviço se vincula
        /// (`infServVinc`).
        ctes_multimodal: Vec<String>,
        /// Chaves de acesso dos CT-e que este complementa (`infCteComp`), até 10.
        complementados: Vec<String>,
        /// CPF ou CNPJ de quem pode baixar o XML (`autXML`), até 10.
        autorizados_xml: Vec<String>,
        responsavel_tecnico: Option<ResponsavelTecnico>,
    }
}

impl Pedido {
    /// The person who pays, wherever the request has it.
    pub fn payer(&self) -> Option<Payer<'_>> {
        let tomador = self.tomador.as_ref()?;
        let (place, documento, ie) = match tomador.papel? {
            Papel::Outro => ("tomador", &tomador.cpf_cnpj, &tomador.ie),
            role => {
                let (name, person) = self.participant(role)?;
                (name, &person.cpf_cnpj, &person.ie)
            }
        };
        Some(Payer {
            place,
            documento: documento.as_deref(),
            ie: ie.as_deref(),
        })
    }

    /// The participant of a role, with its name in the request.
    pub fn participant(&self, role: Papel) -> Option<(&'static str, &Parte)> {
        let (name, person) = match role {
            Papel::Remetente => ("remetente", &self.remetente),
            Papel::Expedidor => ("expedidor", &self.expedidor),
            Papel::Recebedor => ("recebedor", &self.recebedor),
            Papel::Destinatario => ("destinatario", &self.destinatario),
            Papel::Outro => return None,
        };
        person.as_ref().map(|person| (name, person))
    }
}

impl Papel {
    /// The roles that have a group of their own.
    pub const PARTICIPANTS: [Papel; 4] = [
        Papel::Remetente,
        Papel::Expedidor,
        Papel::Recebedor,
        Papel::Destinatario,
    ];
}

/// Who pays for the transport.
#[derive(Clone, Copy, Debug)]
pub struct Payer<'a> {
    /// Member of the request that describes the person.
    pub place: &'static str,
    pub documento: Option<&'a str>,
    pub ie: Option<&'a str>,
}
