//! One thing a layout does not accept.

use serde::Serialize;

/// An error of a document against its layout, in words for the customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayoutError {
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
    pub const ROOT: &str = "raiz";
    pub const NAMESPACE: &str = "namespace";
    pub const UNKNOWN: &str = "desconhecido";
    pub const OUT_OF_ORDER: &str = "fora_de_ordem";
    pub const REPEATED: &str = "repetido";
    pub const CHOICE: &str = "escolha";
    pub const MANDATORY: &str = "obrigatorio";
    pub const UNEXPECTED_TEXT: &str = "texto_indevido";
    pub const STRUCTURE: &str = "estrutura";
    pub const UNKNOWN_ATTRIBUTE: &str = "atributo_desconhecido";
    pub const MANDATORY_ATTRIBUTE: &str = "atributo_obrigatorio";
    pub const XSI: &str = "xsi";
    pub const TYPE: &str = "tipo";
    pub const PATTERN: &str = "padrao";
    pub const LENGTH: &str = "tamanho";
    pub const ENUMERATION: &str = "enumeracao";
    pub const RANGE: &str = "faixa";
    pub const FIXED_VALUE: &str = "valor_fixo";
    pub const UNIQUE: &str = "unico";
    pub const REPEATED_ID: &str = "id_repetido";
    pub const LIMIT: &str = "limite";

    pub fn turn(rule: &str) -> u8 {
        match rule {
            XML | LAYOUT | ROOT => 0,
            NAMESPACE => 1,
            UNKNOWN | UNKNOWN_ATTRIBUTE | STRUCTURE => 2,
            OUT_OF_ORDER | REPEATED | CHOICE => 3,
            LIMIT => 9,
            _ => 5,
        }
    }
}

impl LayoutError {
    pub(super) fn new(
        path: String,
        rule: &'static str,
        message: String,
        correction: String,
    ) -> LayoutError {
        LayoutError {
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

    pub(super) fn with_value(mut self, value: Option<&str>) -> LayoutError {
        self.valor = value.map(|value| value.chars().take(MAX_VALUE).collect());
        self
    }

    pub(super) fn original(mut self, original: String) -> LayoutError {
        self.original = Some(original);
        self
    }

    pub(super) fn without_table(name: &str) -> LayoutError {
        LayoutError::new(
            String::new(),
            rule::LAYOUT,
            format!("O layout {name} não está disponível."),
            "Informe um layout disponível.".to_owned(),
        )
    }
}

/// Characters of a value that are shown.
const MAX_VALUE: usize = 80;
