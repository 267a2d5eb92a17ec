//! An item (`det`).

use super::{
    Arma, Combustivel, Importacao, Impostos, ItemExportacao, Medicamento, Number, Observacao,
    Rastreio, VeiculoNovo,
};
use crate::body::group;

group! {
    #[schemars(rename = "NfeItem")]
    Item {
        /// A posição, se informada, deve ser a do próprio item: 1, 2, …
        numero: Option<Number>,
        /// `cProd`; ausente: `CFOP` seguido do CFOP do item, como o MOC diz para
        /// itens sem código.
        codigo: Option<String>,
        /// `cEAN`; ausente: "SEM GTIN".
        gtin: Option<String>,
        /// `cBarra`: código de barras que não é GTIN.
        codigo_barras: Option<String>,
        descricao: Option<String>,
        ncm: Option<String>,
        /// `NVE`, até 8.
        nve: Vec<String>,
        cest: Option<String>,
        /// `indEscala`.
        escala_relevante: Option<bool>,
        /// `CNPJFab`, com `escala_relevante` false.
        cnpj_fabricante: Option<String>,
        cbenef: Option<String>,
        /// Créditos presumidos de ICMS (`gCred`), até 4.
        creditos_presumidos: Vec<CreditoPresumidoIcms>,
        /// `tpCredPresIBSZFM`.
        credito_presumido_zfm: Option<String>,
        /// `EXTIPI`.
        ex_tipi: Option<String>,
        cfop: Option<String>,
        unidade: Option<String>,
        quantidade: Option<Number>,
        valor_unitario: Option<Number>,
        /// `vProd`; ausente: quantidade vezes valor unitário.
        valor_bruto: Option<Number>,
        /// `cEANTrib`; ausente: o mesmo que `gtin`.
        gtin_tributavel: Option<String>,
        codigo_barras_tributavel: Option<String>,
        unidade_tributavel: Option<String>,
        quantidade_tributavel: Option<Number>,
        valor_unitario_tributavel: Option<Number>,
        frete: Option<Number>,
        seguro: Option<Number>,
        desconto: Option<Number>,
        outras_despesas: Option<Number>,
        /// `indTot`; ausente: true.
        compoe_total: Option<bool>,
        /// `indBemMovelUsado`.
        bem_movel_usado: Option<bool>,
        /// Origem da mercadoria, 0 a 8.
        origem: Option<String>,
        /// Número da FCI.
        fci: Option<String>,
        pedido: Option<PedidoCompra>,
        /// `infAdProd`.
        informacoes: Option<String>,
        /// `obsItem/obsCont`.
        observacao_contribuinte: Option<Observacao>,
        /// `obsItem/obsFisco`.
        observacao_fisco: Option<Observacao>,
        impostos: Option<Impostos>,
        devolucao: Option<Devolucao>,
        documento_referenciado: Option<DocumentoReferenciado>,
        rastreios: Vec<Rastreio>,
        embalagem: Option<Embalagem>,
        combustivel: Option<Combustivel>,
        medicamento: Option<Medicamento>,
        veiculo_novo: Option<VeiculoNovo>,
        armas: Vec<Arma>,
        /// Número do RECOPI do papel imune, 20 dígitos.
        recopi: Option<String>,
        importacoes: Vec<Importacao>,
        exportacoes: Vec<ItemExportacao>,
    }
}

group! {
    /// Pedido do comprador (`xPed`, `nItemPed`).
    #[schemars(rename = "NfePedidoCompra")]
    PedidoCompra { numero: Option<String>, item: Option<String> }
}

group! {
    /// `gCred`.
    #[schemars(rename = "NfeCreditoPresumidoIcms")]
    CreditoPresumidoIcms {
        codigo: Option<String>,
        aliquota: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    /// `impostoDevol`.
    #[schemars(rename = "NfeDevolucao")]
    Devolucao {
        /// Percentual da mercadoria devolvida (`pDevol`).
        percentual: Option<Number>,
        /// `vIPIDevol`.
        valor_ipi: Option<Number>,
    }
}

group! {
    /// `DFeReferenciado`, NT 2025.002.
    #[schemars(rename = "NfeDocumentoReferenciado")]
    DocumentoReferenciado { chave: Option<String>, item: Option<Number> }
}

group! {
    /// `infProdEmb`.
    #[schemars(rename = "NfeEmbalagem")]
    Embalagem {
        descricao: Option<String>,
        volume: Option<Number>,
        unidade: Option<String>,
    }
}
