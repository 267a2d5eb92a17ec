//! What each modal adds (`infModal`).

use super::{
    ClasseDuto, ClasseTarifa, ContratacaoDuto, Direcao, Ferrovia, Navegacao, Trafego,
    UnidadePerigoso,
};
use fiscal::body::{Number, group};
use fiscal::nfe::order::Endereco;

group! {
    /// `rodo`.
    #[schemars(rename = "CteRodoviario")]
    Rodoviario {
        /// Registro na ANTT, oito dígitos, ou "ISENTO".
        rntrc: Option<String>,
        /// Até 10.
        ordens_coleta: Vec<OrdemColeta>,
    }
}

group! {
    /// `occ`.
    #[schemars(rename = "CteOrdemColeta")]
    OrdemColeta {
        serie: Option<String>,
        numero: Option<String>,
        /// `AAAA-MM-DD`.
        data_emissao: Option<String>,
        cnpj: Option<String>,
        codigo_interno: Option<String>,
        ie: Option<String>,
        uf: Option<String>,
        telefone: Option<String>,
    }
}

group! {
    /// `aereo`.
    #[schemars(rename = "CteAereo")]
    Aereo {
        /// Nove dígitos (`nMinu`).
        minuta: Option<String>,
        /// Número operacional, onze dígitos (`nOCA`).
        numero_operacional: Option<String>,
        /// `AAAA-MM-DD` (`dPrevAereo`).
        data_previsao: Option<String>,
        /// Altura, largura e comprimento em centímetros: 1234X1234X1234 (`xDime`).
        dimensoes: Option<String>,
        /// Códigos de manuseio, 01 a 15 ou 99 (`cInfManu`).
        manuseio: Vec<String>,
        tarifa: Option<Tarifa>,
        /// Artigos perigosos (`peri`).
        perigosos: Vec<Perigoso>,
    }
}

group! {
    /// `tarifa`.
    #[schemars(rename = "CteTarifa")]
    Tarifa {
        /// `CL`.
        classe: Option<ClasseTarifa>,
        codigo: Option<String>,
        valor: Option<Number>,
    }
}

group! {
    /// `peri`.
    #[schemars(rename = "CtePerigoso")]
    Perigoso {
        /// Número ONU, quatro dígitos, ou "ND".
        numero_onu: Option<String>,
        /// `qTotEmb`.
        embalagens: Option<String>,
        quantidade: Option<Number>,
        unidade: Option<UnidadePerigoso>,
    }
}

group! {
    /// `aquav`.
    #[schemars(rename = "CteAquaviario")]
    Aquaviario {
        /// Base do AFRMM (`vPrest`).
        base_afrmm: Option<Number>,
        /// `vAFRMM`.
        valor_afrmm: Option<Number>,
        navio: Option<String>,
        /// Até 3.
        balsas: Vec<String>,
        /// `nViag`.
        viagem: Option<String>,
        direcao: Option<Direcao>,
        irin: Option<String>,
        /// Só em redespacho intermediário e serviço vinculado a multimodal.
        containers: Vec<Container>,
        navegacao: Option<Navegacao>,
    }
}

group! {
    /// `detCont`.
    #[schemars(rename = "CteContainer")]
    Container {
        numero: Option<String>,
        /// Até 3.
        lacres: Vec<String>,
        nf: Vec<NotaContainer>,
        nfe: Vec<NfeContainer>,
    }
}

group! {
    #[schemars(rename = "CteNotaContainer")]
    NotaContainer {
        serie: Option<String>,
        numero: Option<String>,
        /// `unidRat`.
        quantidade_rateada: Option<Number>,
    }
}

group! {
    #[schemars(rename = "CteNfeContainer")]
    NfeContainer {
        chave: Option<String>,
        /// `unidRat`.
        quantidade_rateada: Option<Number>,
    }
}

group! {
    /// `ferrov`.
    #[schemars(rename = "CteFerroviario")]
    Ferroviario {
        trafego: Option<Trafego>,
        /// `trafMut`.
        trafego_mutuo: Option<TrafegoMutuo>,
        /// Fluxo ferroviário.
        fluxo: Option<String>,
    }
}

group! {
    /// `trafMut`.
    #[schemars(rename = "CteTrafegoMutuo")]
    TrafegoMutuo {
        /// `respFat`.
        responsavel_faturamento: Option<Ferrovia>,
        /// `ferrEmi`.
        emitente: Option<Ferrovia>,
        valor_frete: Option<Number>,
        /// Chave de acesso do CT-e da ferrovia de origem.
        chave_origem: Option<String>,
        ferrovias: Vec<FerroviaEnvolvida>,
    }
}

group! {
    /// `ferroEnv`.
    #[schemars(rename = "CteFerroviaEnvolvida")]
    FerroviaEnvolvida {
        cnpj: Option<String>,
        codigo_interno: Option<String>,
        ie: Option<String>,
        nome: Option<String>,
        endereco: Option<Endereco>,
    }
}

group! {
    /// `duto`.
    #[schemars(rename = "CteDutoviario")]
    Dutoviario {
        /// Até seis casas decimais.
        tarifa: Option<Number>,
        /// `AAAA-MM-DD`.
        data_inicio: Option<String>,
        /// `AAAA-MM-DD`.
        data_fim: Option<String>,
        classe: Option<ClasseDuto>,
        /// Só de gasoduto (`tpContratacao`).
        contratacao: Option<ContratacaoDuto>,
        ponto_entrada: Option<String>,
        ponto_saida: Option<String>,
        contrato: Option<String>,
    }
}

group! {
    /// `multimodal`.
    #[schemars(rename = "CteMultimodal")]
    Multimodal {
        /// Certificado do operador de transporte multimodal (`COTM`).
        cotm: Option<String>,
        /// `indNegociavel`; ausente: false.
        negociavel: Option<bool>,
        seguro: Option<SeguroMultimodal>,
    }
}

group! {
    /// `seg`.
    #[schemars(rename = "CteSeguroMultimodal")]
    SeguroMultimodal {
        seguradora: Option<String>,
        cnpj: Option<String>,
        apolice: Option<String>,
        averbacao: Option<String>,
    }
}
