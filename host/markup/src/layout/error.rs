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

/// Rules, and how early their errors are shown: what causes others first.
pub(super) mod rule {
    pub const XML: &str = "xml";
    pub const LAYOUT: &str = "layout";
    pub const RAIZ: &str = "raiz";
    pub const NAMESPACE: &str = "namespace";
    pub const DESCONHECIDO: &str = "desconhecido";
    pub const FORA_DE_ORDEM: &str = "fora_de_ordem";
    pub const REPETIDO: &str = "repetido";
    pub const ESCOLHA: &str = "escolha";
    pub const OBRIGATORIO: &str = "obrigatorio";
    pub const TEXTO_INDEVIDO: &str = "texto_indevido";
    pub const ESTRUTURA: &str = "estrutura";
    pub const ATRIBUTO_DESCONHECIDO: &str = "atributo_desconhecido";
    pub const ATRIBUTO_OBRIGATORIO: &str = "atributo_obrigatorio";
    pub const XSI: &str = "xsi";
    pub const TIPO: &str = "tipo";
    pub const PADRAO: &str = "padrao";
    pub const TAMANHO: &str = "tamanho";
    pub const ENUMERACAO: &str = "enumeracao";
    pub const FAIXA: &str = "faixa";
    pub const VALOR_FIXO: &str = "valor_fixo";
    pub const UNICO: &str = "unico";
    pub const ID_REPETIDO: &str = "id_repetido";
    pub const LIMITE: &str = "limite";

    pub fn vez(rule: &str) -> u8 {
        match rule {
            XML | LAYOUT | RAIZ => 0,
            NAMESPACE => 1,
            DESCONHECIDO | ATRIBUTO_DESCONHECIDO | ESTRUTURA => 2,
            FORA_DE_ORDEM | REPETIDO | ESCOLHA => 3,
            LIMITE => 9,
            _ => 5,
        }
    }
}

impl Erro {
    pub(super) fn new(
        path: String,
        rule: &'static str,
        message: String,
        correction: String,
    ) -> Erro {
        Erro {
            caminho: path,
            regra: rule,
            mensagem: message,
            correcao: correction,
            valor: None,
            original: None,
        }
    }

    /// Is it about the `Signature` as a whole?
    pub(super) fn of_signature(&self) -> bool {
        let last = self.caminho.rsplit('/').next();
        last == Some("Signature")
    }

    pub(super) fn with_value(mut self, value: Option<&str>) -> Erro {
        self.valor = value.map(|value| value.chars().take(MAX_VALUE).collect());
        self
    }

    pub(super) fn original(mut self, original: String) -> Erro {
        self.original = Some(original);
        self
    }

    pub(super) fn without_table(name: &str) -> Erro {
        Erro::new(
            String::new(),
            rule::LAYOUT,
            format!("O layout {name} não está disponível."),
            "Informe um layout disponível.".to_owned(),
        )
    }
}

/// Characters of a value that are shown.
const MAX_VALUE: usize = 80;
