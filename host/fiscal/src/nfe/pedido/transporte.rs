//! Transport (`transp`).

use super::base::grupo;
use super::{ModalidadeFrete, Numero};

grupo! {
    #[schemars(rename = "NfeTransporte")]
    Transporte {
        /// Absent: sem_frete.
        modalidade_frete: Option<ModalidadeFrete>,
        transportador: Option<Transportador>,
        /// ICMS on the transport, retained (`retTransp`).
        retencao_icms: Option<RetencaoTransporte>,
        veiculo: Option<Veiculo>,
        /// Up to 5.
        reboques: Vec<Veiculo>,
        vagao: Option<String>,
        balsa: Option<String>,
        /// Up to 5000.
        volumes: Vec<Volume>,
    }
}

grupo! {
    /// `transporta`.
    #[schemars(rename = "NfeTransportador")]
    Transportador {
        cpf_cnpj: Option<String>,
        nome: Option<String>,
        /// Number or "ISENTO".
        ie: Option<String>,
        endereco: Option<String>,
        cidade: Option<String>,
        uf: Option<String>,
    }
}

grupo! {
    #[schemars(rename = "NfeRetencaoTransporte")]
    RetencaoTransporte {
        valor_servico: Option<Numero>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        valor: Option<Numero>,
        cfop: Option<String>,
        municipio: Option<String>,
    }
}

grupo! {
    #[schemars(rename = "NfeVeiculo")]
    Veiculo {
        placa: Option<String>,
        uf: Option<String>,
        /// ANTT registration (`RNTC`).
        rntc: Option<String>,
    }
}

grupo! {
    /// `vol`.
    #[schemars(rename = "NfeVolume")]
    Volume {
        quantidade: Option<Numero>,
        especie: Option<String>,
        marca: Option<String>,
        numeracao: Option<String>,
        peso_liquido: Option<Numero>,
        peso_bruto: Option<Numero>,
        lacres: Vec<String>,
    }
}
