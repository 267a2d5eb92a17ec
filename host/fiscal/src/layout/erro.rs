//! One thing a layout does not accept.

use serde::Serialize;

/// An error of a document against its layout, in words for the customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Erro {
    /// `infNFe/det[2]/prod/NCM`, from the first element below the root;
    /// `infNFe/@Id` for an attribute. Items are counted from 1, only where the
    /// layout allows several.
    pub caminho: String,
    /// Stable id: `obrigatorio`, `desconhecido`, `fora_de_ordem`, `repetido`,
    /// `padrao`, `tamanho`, `enumeracao`, `tipo`, `namespace`, …
    pub regra: &'static str,
    /// One plain sentence in pt-BR that names the field and what is expected.
    pub mensagem: String,
    /// What to do, in pt-BR.
    pub correcao: String,
    /// What came, cut to 80 characters; absent for anything personal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valor: Option<String>,
    /// The same as a schema validator would put it, for support: facet and its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
}

impl Erro {
    pub(super) fn sem_tabela(nome: &str) -> Erro {
        Erro {
            caminho: String::new(),
            regra: "layout",
            mensagem: format!("O layout {nome} não está disponível."),
            correcao: "Informe um layout disponível.".to_owned(),
            valor: None,
            original: None,
        }
    }
}
