//! What is carried, the documents it goes with, and its insurance.

use super::{ResponsavelSeguro, TipoCarga, UnidadePeso};
use crate::cte::order::UnidadeTransporte;
use fiscal::body::{Number, group};

group! {
    /// Município de carregamento (`infMunCarrega`).
    #[schemars(rename = "MdfeCarregamento")]
    Carregamento {
        codigo_ibge: Option<String>,
        /// Ausente: conforme o código.
        cidade: Option<String>,
    }
}

group! {
    /// Município de descarregamento e o que se entrega nele
    /// (`infMunDescarga`).
    #[schemars(rename = "MdfeDescarga")]
    Descarga {
        codigo_ibge_descarga: Option<String>,
        /// Ausente: conforme o código.
        cidade_descarga: Option<String>,
        /// Chaves de acesso de CT-e, NF-e ou MDF-e; o modelo diz a espécie.
        chaves: Vec<String>,
        /// CT-e com outros dados além da chave (`infCTe`).
        ctes: Vec<CteManifestado>,
        /// NF-e com outros dados além da chave (`infNFe`).
        nfes: Vec<NfeManifestada>,
        /// MDF-e com outros dados além da chave (`infMDFeTransp`), só no modal
        /// aquaviário.
        mdfes: Vec<MdfeManifestado>,
    }
}

group! {
    /// `infCTe`.
    #[schemars(rename = "MdfeCte")]
    CteManifestado {
        chave: Option<String>,
        /// `SegCodBarra`.
        segundo_codigo_barras: Option<String>,
        /// `indReentrega`.
        reentrega: Option<bool>,
        unidades_transporte: Vec<UnidadeTransporte>,
        perigosos: Vec<ProdutoPerigoso>,
        /// Volumes do CT-e (`infEntregaParcial/qtdTotal`), no corte de voo.
        volumes_total: Option<Number>,
        /// Volumes deste MDF-e (`infEntregaParcial/qtdParcial`).
        volumes_parcial: Option<Number>,
        /// `indPrestacaoParcial`; vai junto com `nfes_entregues`.
        prestacao_parcial: Option<bool>,
        /// Chaves de acesso das NF-e entregues do CT-e
        /// (`infNFePrestParcial`).
        nfes_entregues: Vec<String>,
    }
}

group! {
    /// `infNFe`.
    #[schemars(rename = "MdfeNfe")]
    NfeManifestada {
        chave: Option<String>,
        /// `SegCodBarra`.
        segundo_codigo_barras: Option<String>,
        /// `indReentrega`.
        reentrega: Option<bool>,
        unidades_transporte: Vec<UnidadeTransporte>,
        perigosos: Vec<ProdutoPerigoso>,
    }
}

group! {
    /// `infMDFeTransp`.
    #[schemars(rename = "MdfeMdfe")]
    MdfeManifestado {
        chave: Option<String>,
        /// `indReentrega`.
        reentrega: Option<bool>,
        unidades_transporte: Vec<UnidadeTransporte>,
        perigosos: Vec<ProdutoPerigoso>,
    }
}

group! {
    /// `peri`.
    #[schemars(rename = "MdfeProdutoPerigoso")]
    ProdutoPerigoso {
        /// Quatro dígitos, ou "ND" (`nONU`).
        numero_onu: Option<String>,
        /// Nome apropriado para embarque (`xNomeAE`).
        nome: Option<String>,
        /// Classe ou subclasse e risco subsidiário (`xClaRisco`).
        classe_risco: Option<String>,
        /// `grEmb`.
        grupo_embalagem: Option<String>,
        /// `qTotProd`.
        quantidade: Option<String>,
        /// Quantidade e tipo de volumes (`qVolTipo`).
        volumes: Option<String>,
    }
}

group! {
    /// Seguro da carga (`seg`).
    #[schemars(rename = "MdfeSeguro")]
    Seguro {
        /// `respSeg`; ausente: emitente.
        responsavel: Option<ResponsavelSeguro>,
        /// Do contratante, quando ele é o responsável.
        cpf_cnpj: Option<String>,
        /// Nome da seguradora, até 30 caracteres (`xSeg`).
        seguradora: Option<String>,
        cnpj_seguradora: Option<String>,
        /// `nApol`.
        apolice: Option<String>,
        /// `nAver`.
        averbacoes: Vec<String>,
    }
}

group! {
    /// Produto de maior valor (`prodPred`).
    #[schemars(rename = "MdfeProduto")]
    Produto {
        tipo_carga: Option<TipoCarga>,
        descricao: Option<String>,
        /// `cEAN`.
        gtin: Option<String>,
        ncm: Option<String>,
        /// Só da carga lotação: a de um único documento (`infLotacao`).
        lotacao: Option<Lotacao>,
    }
}

group! {
    /// Onde a carga lotação começa e termina (`infLotacao`).
    #[schemars(rename = "MdfeLotacao")]
    Lotacao {
        carregamento: Option<Local>,
        descarregamento: Option<Local>,
    }
}

group! {
    /// CEP, ou latitude e longitude.
    #[schemars(rename = "MdfeLocal")]
    Local {
        cep: Option<String>,
        /// Graus, até seis casas decimais.
        latitude: Option<String>,
        /// Graus, até seis casas decimais.
        longitude: Option<String>,
    }
}

group! {
    /// Totais da carga (`tot`).
    #[schemars(rename = "MdfeCarga")]
    Carga {
        /// Valor das mercadorias (`vCarga`).
        valor: Option<Number>,
        /// Peso bruto em quilos; dispensa `peso` e `unidade`.
        peso_kg: Option<Number>,
        /// `cUnid`; ausente: quilos.
        unidade: Option<UnidadePeso>,
        /// Peso bruto na unidade informada (`qCarga`).
        peso: Option<Number>,
    }
}
