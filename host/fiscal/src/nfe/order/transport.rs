//! Transport (`transp`).

use super::{ModalidadeFrete, Number};
use crate::body::group;

group! {
    #[schemars(rename = "NfeTransporte")]
    Transporte {
        /// Ausente: sem_frete.
        modalidade_frete: Option<ModalidadeFrete>,
        transportador: Option<Transportador>,
        /// ICMS do transporte, retido (`retTransp`).
        retencao_icms: Option<RetencaoTransporte>,
        veiculo: Option<Veiculo>,
        /// Até 5.
        reboques: Vec<Veiculo>,
        vagao: Option<String>,
        balsa: Option<String>,
        /// Até 5000.
        volumes: Vec<Volume>,
    }
}

group! {
    /// `transporta`.
    #[schemars(rename = "NfeTransportador")]
    Transportador {
        cpf_cnpj: Option<String>,
        nome: Option<String>,
        /// Número ou "ISENTO".
        ie: Option<String>,
        endereco: Option<String>,
        cidade: Option<String>,
        uf: Option<String>,
    }
}

group! {
    #[schemars(rename = "NfeRetencaoTransporte")]
    RetencaoTransporte {
        valor_servico: Option<Number>,
        base: Option<Number>,
        aliquota: Option<Number>,
        valor: Option<Number>,
        cfop: Option<String>,
        municipio: Option<String>,
    }
}

group! {
    #[schemars(rename = "NfeVeiculo")]
    Veiculo {
        placa: Option<String>,
        uf: Option<String>,
        /// Registro na ANTT (`RNTC`).
        rntc: Option<String>,
    }
}

group! {
    /// `vol`.
    #[schemars(rename = "NfeVolume")]
    Volume {
        quantidade: Option<Number>,
        especie: Option<String>,
        marca: Option<String>,
        numeracao: Option<String>,
        peso_liquido: Option<Number>,
        peso_bruto: Option<Number>,
        lacres: Vec<String>,
    }
}
