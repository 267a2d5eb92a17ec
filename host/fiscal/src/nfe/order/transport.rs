//! Transport (`transp`).

use super::base::grupo;
use super::{ModalidadeFrete, Number};

grupo! {
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

grupo! {
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

grupo! {
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

grupo! {
    #[schemars(rename = "NfeVeiculo")]
    Veiculo {
        placa: Option<String>,
        uf: Option<String>,
        /// Registro na ANTT (`RNTC`).
        rntc: Option<String>,
    }
}

grupo! {
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
