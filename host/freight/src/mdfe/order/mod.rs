//! Body of `POST /api/v1/mdfe/criar`, without the control fields (`referencia`,
//! `emitente_id`, `serie`, `data_emissao`) that the hub keeps.
//!
//! Comments name the element of the layout 3.00 a field becomes. What is absent
//! is completed by the emitter's profile and by the documents
//! ([`super::assembly`]); what is given is kept and checked.

mod cargo;
mod codes;
mod modal;
mod road;

pub use cargo::*;
pub use codes::*;
pub use modal::*;
pub use road::*;

use fiscal::body::group;
use fiscal::nfe::order::ResponsavelTecnico;

group! {
    /// Um MDF-e como o cliente o descreve.
    #[schemars(rename = "MdfePedido")]
    Pedido {
        /// `tpEmit`; ausente: prestador, se houver CT-e, senão carga própria.
        tipo_emitente: Option<TipoEmitente>,
        /// `tpTransp`: quando o veículo não é do emitente.
        tipo_transportador: Option<TipoTransportador>,
        /// `modal`; ausente: rodoviário.
        modal: Option<Modal>,
        /// Sigla da UF de carregamento (`UFIni`); EX no exterior.
        uf_inicio: Option<String>,
        /// Sigla da UF de descarregamento (`UFFim`); EX no exterior.
        uf_fim: Option<String>,
        /// Até 50 municípios.
        carregamento: Vec<Carregamento>,
        /// Siglas das UFs entre a de início e a de fim, na ordem do trajeto
        /// (`infPercurso`).
        percurso: Vec<String>,
        /// Início previsto da viagem, `AAAA-MM-DDTHH:MM:SS-03:00`
        /// (`dhIniViagem`).
        inicio_viagem: Option<String>,
        /// `indCanalVerde`.
        canal_verde: Option<bool>,
        /// As NF-e são incluídas depois da emissão (`indCarregaPosterior`).
        carga_posterior: Option<bool>,
        rodoviario: Option<Rodoviario>,
        veiculo: Option<Veiculo>,
        /// Até 10.
        condutores: Vec<Condutor>,
        /// Até 3.
        reboques: Vec<Reboque>,
        aereo: Option<Aereo>,
        aquaviario: Option<Aquaviario>,
        ferroviario: Option<Ferroviario>,
        documentos: Vec<Descarga>,
        /// Obrigatório do prestador de serviço de transporte no modal
        /// rodoviário.
        seguro: Vec<Seguro>,
        produto_predominante: Option<Produto>,
        carga: Option<Carga>,
        /// Lacres do MDF-e.
        lacres: Vec<String>,
        /// CPF ou CNPJ de quem pode baixar o XML (`autXML`), até 10.
        autorizados_xml: Vec<String>,
        /// `infAdFisco`.
        informacoes_fisco: Option<String>,
        /// `infCpl`.
        observacoes: Option<String>,
        responsavel_tecnico: Option<ResponsavelTecnico>,
    }
}

impl Pedido {
    /// Documents of all cities: CT-e, NF-e, MDF-e.
    pub fn counts(&self) -> (usize, usize, usize) {
        let cities = &self.documentos;
        (
            cities.iter().map(|city| city.ctes.len()).sum(),
            cities.iter().map(|city| city.nfes.len()).sum(),
            cities.iter().map(|city| city.mdfes.len()).sum(),
        )
    }
}
