//! Payments linked to a note after it was issued (ECONF, NT 2024.002).

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value};

use markup::field::Campo;

/// One payment of a request (API §6, `/nfe/econf`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pagamento {
    /// Code of `tPag` or the API's word.
    pub forma: String,
    /// In reais.
    pub valor: Decimal,
    /// `AAAA-MM-DD`.
    pub data: String,
    #[serde(default)]
    pub indicador: Option<String>,
    /// What it is, for form 99.
    #[serde(default)]
    pub descricao: Option<String>,
    #[serde(default)]
    pub cnpj_transacional: Option<String>,
    #[serde(default)]
    pub uf_transacional: Option<String>,
    #[serde(default)]
    pub cnpj_beneficiario: Option<String>,
    #[serde(default)]
    pub uf_beneficiario: Option<String>,
    #[serde(default)]
    pub cartao: Option<Cartao>,
}

/// Electronic payment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cartao {
    #[serde(default)]
    pub cnpj_credenciadora: Option<String>,
    #[serde(default)]
    pub bandeira: Option<String>,
    #[serde(default)]
    pub autorizacao: Option<String>,
    /// Of a note's payment; the event has no place for it and it is left out.
    #[serde(default)]
    pub integrado: Option<bool>,
}

impl Pagamento {
    /// As a member of the event's fields.
    pub(super) fn dados(&self) -> Value {
        let cartao = self.cartao.clone().unwrap_or_default();
        let textos = [
            ("indicador", &self.indicador),
            ("forma", &Some(self.forma.clone())),
            ("descricao", &self.descricao),
            ("valor", &Some(self.valor.to_string())),
            ("data", &Some(self.data.clone())),
            ("cnpj_transacional", &self.cnpj_transacional),
            ("uf_transacional", &self.uf_transacional),
            ("cnpj_credenciadora", &cartao.cnpj_credenciadora),
            ("bandeira", &cartao.bandeira),
            ("autorizacao", &cartao.autorizacao),
            ("cnpj_beneficiario", &self.cnpj_beneficiario),
            ("uf_beneficiario", &self.uf_beneficiario),
        ];
        let membros: Map<String, Value> = textos
            .into_iter()
            .filter_map(|(nome, valor)| Some((nome.to_owned(), Value::String(valor.clone()?))))
            .collect();
        Value::Object(membros)
    }
}

/// One registered ECONF of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vinculo {
    pub protocolo: String,
    pub sequencia: u8,
    /// Sum of its payments, in reais.
    pub valor: Decimal,
    /// An event 110751 undid it.
    pub desfeito: bool,
}

/// What is linked of a note, and what is not yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saldo {
    pub vinculado: Decimal,
    /// Never below zero: more than the note's amount may have come in, as
    /// interest for instance.
    pub restante: Decimal,
}

/// Amounts of a note: `total` is `vNF`, `pagos` what the note itself says was
/// paid when it was issued (`vPag` of all forms but 90 and 91, less `vTroco`).
pub fn saldo(total: Decimal, pagos: Decimal, vinculos: &[Vinculo]) -> Saldo {
    let vinculado: Decimal = ativos(vinculos).map(|vinculo| vinculo.valor).sum();
    Saldo {
        vinculado,
        restante: (total - pagos - vinculado).max(Decimal::ZERO),
    }
}

/// Whether the link with this protocol may be undone: only the oldest of those
/// in force (the API's rule, §6).
///
/// # Errors
/// It is not one of the note's, is undone already, or an older one is in force.
pub fn pode_desfazer(vinculos: &[Vinculo], protocolo: &str) -> Result<(), Campo> {
    let erro = |codigo: &str, mensagem: String, correcao: String| {
        Err(Campo {
            campo: "protocolo".to_owned(),
            codigo: codigo.to_owned(),
            mensagem,
            correcao,
            valor: Some(protocolo.chars().take(80).collect()),
        })
    };
    let Some(pedido) = vinculos
        .iter()
        .find(|vinculo| vinculo.protocolo == protocolo)
    else {
        return erro(
            "vinculo_inexistente",
            "Esta nota não tem ECONF com esse protocolo.".to_owned(),
            "Veja os protocolos em GET /api/v1/nfe/{ref}/econf.".to_owned(),
        );
    };
    if pedido.desfeito {
        return erro(
            "vinculo_desfeito",
            "Este ECONF já foi desfeito.".to_owned(),
            "Nada a fazer.".to_owned(),
        );
    }
    match ativos(vinculos).min_by_key(|vinculo| vinculo.sequencia) {
        Some(antigo) if antigo.sequencia < pedido.sequencia => erro(
            "ordem_de_desfazer",
            "Há um ECONF mais antigo em vigor; desfaz-se do mais antigo para o mais novo."
                .to_owned(),
            format!("Desfaça antes o protocolo {}.", antigo.protocolo),
        ),
        _ => Ok(()),
    }
}

fn ativos(vinculos: &[Vinculo]) -> impl Iterator<Item = &Vinculo> {
    vinculos.iter().filter(|vinculo| !vinculo.desfeito)
}
