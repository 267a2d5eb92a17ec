//! What the other modals add (`infModal`).

use super::{Navegacao, TransporteVazio};
use crate::cte::order::TipoUnidadeCarga;
use fiscal::body::{Number, group};

group! {
    /// `aereo`.
    #[schemars(rename = "MdfeAereo")]
    Aereo {
        /// Marca da nacionalidade da aeronave (`nac`).
        nacionalidade: Option<String>,
        /// Marca de matrícula (`matr`).
        matricula: Option<String>,
        /// `nVoo`: designação da empresa e número, como AB1234.
        voo: Option<String>,
        /// Sigla IATA, ou da OACI (`cAerEmb`).
        aerodromo_embarque: Option<String>,
        /// Sigla IATA, ou da OACI (`cAerDes`).
        aerodromo_destino: Option<String>,
        /// `AAAA-MM-DD` (`dVoo`).
        data_voo: Option<String>,
    }
}

group! {
    /// `aquav`.
    #[schemars(rename = "MdfeAquaviario")]
    Aquaviario {
        irin: Option<String>,
        /// Código do tipo de embarcação, dois dígitos (`tpEmb`).
        tipo_embarcacao: Option<String>,
        /// `cEmbar`.
        codigo_embarcacao: Option<String>,
        /// Nome da embarcação (`xEmbar`).
        embarcacao: Option<String>,
        /// `nViag`.
        viagem: Option<String>,
        /// Código do porto de embarque (`cPrtEmb`).
        porto_embarque: Option<String>,
        /// Código do porto de destino (`cPrtDest`).
        porto_destino: Option<String>,
        /// `prtTrans`.
        porto_transbordo: Option<String>,
        navegacao: Option<Navegacao>,
        /// `infTermCarreg`, até 5.
        terminais_carregamento: Vec<Terminal>,
        /// `infTermDescarreg`, até 5.
        terminais_descarregamento: Vec<Terminal>,
        /// `infEmbComb`, até 30.
        comboio: Vec<EmbarcacaoComboio>,
        /// `infUnidCargaVazia`.
        unidades_carga_vazias: Vec<CargaVazia>,
        /// `infUnidTranspVazia`.
        unidades_transporte_vazias: Vec<UnidadeVazia>,
        /// Nove dígitos.
        mmsi: Option<String>,
    }
}

group! {
    #[schemars(rename = "MdfeTerminal")]
    Terminal {
        codigo: Option<String>,
        nome: Option<String>,
    }
}

group! {
    /// `infEmbComb`.
    #[schemars(rename = "MdfeEmbarcacaoComboio")]
    EmbarcacaoComboio {
        codigo: Option<String>,
        balsa: Option<String>,
    }
}

group! {
    /// `infUnidCargaVazia`.
    #[schemars(rename = "MdfeCargaVazia")]
    CargaVazia {
        identificacao: Option<String>,
        tipo: Option<TipoUnidadeCarga>,
    }
}

group! {
    /// `infUnidTranspVazia`.
    #[schemars(rename = "MdfeUnidadeVazia")]
    UnidadeVazia {
        identificacao: Option<String>,
        tipo: Option<TransporteVazio>,
    }
}

group! {
    /// `ferrov`.
    #[schemars(rename = "MdfeFerroviario")]
    Ferroviario {
        /// `xPref`.
        prefixo: Option<String>,
        /// Data e hora de liberação do trem, `AAAA-MM-DDTHH:MM:SS-03:00`
        /// (`dhTrem`).
        liberacao: Option<String>,
        /// Sigla da estação de origem (`xOri`).
        origem: Option<String>,
        /// Sigla da estação de destino (`xDest`).
        destino: Option<String>,
        /// Vagões carregados (`qVag`); ausente: quantos `vagoes` há.
        quantidade_vagoes: Option<String>,
        vagoes: Vec<Vagao>,
    }
}

group! {
    /// `vag`.
    #[schemars(rename = "MdfeVagao")]
    Vagao {
        /// Peso para o cálculo do frete, toneladas (`pesoBC`).
        peso_calculo: Option<Number>,
        /// Peso real, toneladas (`pesoR`).
        peso: Option<Number>,
        /// Três letras (`tpVag`).
        tipo: Option<String>,
        /// Três letras.
        serie: Option<String>,
        /// `nVag`.
        numero: Option<String>,
        /// Posição na composição (`nSeq`).
        sequencia: Option<String>,
        /// Carga útil, toneladas (`TU`).
        tonelada_util: Option<Number>,
    }
}
