//! What is carried, and the documents it goes with.

use super::{TipoDocumento, TipoUnidadeCarga, TipoUnidadeTransporte, Unidade};
use fiscal::body::{Number, group};

group! {
    /// `infCarga`.
    #[schemars(rename = "CteCarga")]
    Carga {
        /// `vCarga`.
        valor: Option<Number>,
        /// Produto predominante (`proPred`).
        produto: Option<String>,
        /// `xOutCat`.
        outras_caracteristicas: Option<String>,
        quantidades: Vec<Quantidade>,
        /// Valor para a averbação do seguro (`vCargaAverb`).
        valor_averbacao: Option<Number>,
    }
}

group! {
    /// `infQ`.
    #[schemars(rename = "CteQuantidade")]
    Quantidade {
        unidade: Option<Unidade>,
        /// O que se mede: "PESO BRUTO", "CAIXA" (`tpMed`).
        tipo: Option<String>,
        quantidade: Option<Number>,
    }
}

group! {
    /// Documentos da carga (`infDoc`): de uma só das espécies.
    #[schemars(rename = "CteDocumentos")]
    Documentos {
        /// Notas em papel, modelos 1, 1A e 4 (`infNF`).
        nf: Vec<NotaTransportada>,
        nfe: Vec<CarriedNfe>,
        outros: Vec<OutroDocumento>,
        /// Chaves de acesso de declarações de conteúdo eletrônicas (`infDCe`).
        dce: Vec<String>,
    }
}

group! {
    /// `infNF`.
    #[schemars(rename = "CteNota")]
    NotaTransportada {
        /// `nRoma`.
        romaneio: Option<String>,
        /// `nPed`.
        pedido: Option<String>,
        /// 01 ou 04.
        modelo: Option<String>,
        serie: Option<String>,
        numero: Option<String>,
        /// `AAAA-MM-DD`.
        data_emissao: Option<String>,
        base_icms: Option<Number>,
        valor_icms: Option<Number>,
        base_st: Option<Number>,
        valor_st: Option<Number>,
        valor_produtos: Option<Number>,
        valor: Option<Number>,
        cfop: Option<String>,
        peso: Option<Number>,
        /// PIN da Suframa.
        pin: Option<String>,
        /// `AAAA-MM-DD`.
        data_previsao_entrega: Option<String>,
        unidades_carga: Vec<UnidadeCarga>,
        unidades_transporte: Vec<UnidadeTransporte>,
    }
}

group! {
    /// `infNFe`.
    #[schemars(rename = "CteNfe")]
    Nfe {
        chave: Option<String>,
        /// PIN da Suframa.
        pin: Option<String>,
        /// `AAAA-MM-DD`.
        data_previsao_entrega: Option<String>,
        unidades_carga: Vec<UnidadeCarga>,
        unidades_transporte: Vec<UnidadeTransporte>,
    }
}

/// Uma NF-e da carga: a chave de acesso, ou um objeto com ela.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(from = "KeyOrGroup")]
pub struct CarriedNfe(pub Nfe);

// The two forms of an NF-e in a request.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
enum KeyOrGroup {
    Key(String),
    Group(Nfe),
}

impl From<KeyOrGroup> for CarriedNfe {
    fn from(given: KeyOrGroup) -> CarriedNfe {
        CarriedNfe(match given {
            KeyOrGroup::Key(chave) => Nfe {
                chave: Some(chave),
                ..Nfe::default()
            },
            KeyOrGroup::Group(group) => group,
        })
    }
}

impl schemars::JsonSchema for CarriedNfe {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CteNfeTransportada".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        KeyOrGroup::json_schema(generator)
    }
}

impl fiscal::body::members::Held for CarriedNfe {
    fn held(&self) -> fiscal::body::Member<'_> {
        fiscal::body::Member::Group(&self.0)
    }
}

group! {
    /// `infOutros`.
    #[schemars(rename = "CteOutroDocumento")]
    OutroDocumento {
        tipo: Option<TipoDocumento>,
        /// Obrigatória com tipo `outros`.
        descricao: Option<String>,
        numero: Option<String>,
        /// `AAAA-MM-DD`.
        data_emissao: Option<String>,
        valor: Option<Number>,
        /// `AAAA-MM-DD`.
        data_previsao_entrega: Option<String>,
        unidades_carga: Vec<UnidadeCarga>,
        unidades_transporte: Vec<UnidadeTransporte>,
    }
}

group! {
    /// Contêiner, palete (`infUnidCarga`).
    #[schemars(rename = "CteUnidadeCarga")]
    UnidadeCarga {
        tipo: Option<TipoUnidadeCarga>,
        identificacao: Option<String>,
        lacres: Vec<String>,
        /// Peso ou volume rateado (`qtdRat`).
        quantidade_rateada: Option<Number>,
    }
}

group! {
    /// Carreta, vagão, balsa (`infUnidTransp`).
    #[schemars(rename = "CteUnidadeTransporte")]
    UnidadeTransporte {
        tipo: Option<TipoUnidadeTransporte>,
        /// Placa, ou o número que identifica a unidade.
        identificacao: Option<String>,
        lacres: Vec<String>,
        unidades_carga: Vec<UnidadeCarga>,
        /// Peso ou volume rateado (`qtdRat`).
        quantidade_rateada: Option<Number>,
    }
}

group! {
    /// Documentos que um transportador anterior emitiu (`emiDocAnt`).
    #[schemars(rename = "CteDocumentoAnterior")]
    DocumentoAnterior {
        cpf_cnpj: Option<String>,
        ie: Option<String>,
        uf: Option<String>,
        nome: Option<String>,
        papel: Vec<DocumentoPapel>,
        /// Chaves de acesso dos CT-e (`idDocAntEle`).
        eletronicos: Vec<String>,
    }
}

group! {
    /// `idDocAntPap`.
    #[schemars(rename = "CteDocumentoPapel")]
    DocumentoPapel {
        /// Código do tipo, 07 a 13.
        tipo: Option<String>,
        serie: Option<String>,
        subserie: Option<String>,
        numero: Option<String>,
        /// `AAAA-MM-DD`.
        data_emissao: Option<String>,
    }
}

group! {
    /// Veículo novo transportado (`veicNovos`).
    #[schemars(rename = "CteVeiculoTransportado")]
    VeiculoTransportado {
        chassi: Option<String>,
        codigo_cor: Option<String>,
        cor: Option<String>,
        codigo_modelo: Option<String>,
        valor: Option<Number>,
        frete: Option<Number>,
    }
}

group! {
    /// CT-e que este substitui (`infCteSub`).
    #[schemars(rename = "CteSubstituicao")]
    Substituicao {
        chave: Option<String>,
        /// A substituição troca o tomador (`indAlteraToma`).
        altera_tomador: Option<bool>,
    }
}
