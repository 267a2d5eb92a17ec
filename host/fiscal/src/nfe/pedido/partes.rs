//! People, places, payment and references of a note.

use super::base::grupo;
use super::{Forma, IndicadorIe, IndicadorPagamento, Numero, OrigemProcesso};

grupo! {
    /// Who receives (`dest`).
    #[schemars(rename = "NfePessoa")]
    Pessoa {
        cpf_cnpj: Option<String>,
        /// Passport or other document of who is from abroad (`idEstrangeiro`).
        documento_estrangeiro: Option<String>,
        nome: Option<String>,
        /// Absent: by `ie` (a number: 1; "ISENTO": 2; none: 9).
        indicador_ie: Option<IndicadorIe>,
        ie: Option<String>,
        /// Inscrição municipal.
        im: Option<String>,
        /// `ISUF`.
        suframa: Option<String>,
        email: Option<String>,
        telefone: Option<String>,
        endereco: Option<Endereco>,
    }
}

grupo! {
    /// An address (`enderDest`, `enderEmit`).
    #[schemars(rename = "NfeEndereco")]
    Endereco {
        cep: Option<String>,
        logradouro: Option<String>,
        /// Absent: "S/N".
        numero: Option<String>,
        complemento: Option<String>,
        bairro: Option<String>,
        /// Absent: the name of the municipality of `codigo_ibge`.
        cidade: Option<String>,
        codigo_ibge: Option<String>,
        uf: Option<String>,
        /// BACEN code or ISO 3166-1 alpha-2; absent: Brazil.
        codigo_pais: Option<String>,
        /// `xPais`; absent: by the code.
        pais: Option<String>,
    }
}

grupo! {
    /// Where goods are collected or delivered, if not at the parties' own
    /// address (`retirada`, `entrega`).
    #[schemars(rename = "NfeLocal")]
    Local {
        cpf_cnpj: Option<String>,
        nome: Option<String>,
        ie: Option<String>,
        email: Option<String>,
        telefone: Option<String>,
        endereco: Option<Endereco>,
    }
}

grupo! {
    /// Marketplace (`infIntermed`).
    #[schemars(rename = "NfeIntermediador")]
    Intermediador {
        cnpj: Option<String>,
        /// Of the seller there (`idCadIntTran`).
        identificador: Option<String>,
    }
}

grupo! {
    /// `gCompraGov`, NT 2025.002.
    #[schemars(rename = "NfeCompraGovernamental")]
    CompraGovernamental {
        /// Official digit: 1 União, 2 Estado, 3 Distrito Federal, 4 Município.
        tipo_ente: Option<String>,
        /// Percent (`pRedutor`).
        redutor: Option<Numero>,
        /// Official digit: 1 supply, 2 receipt of payment (`tpOperGov`).
        tipo_operacao: Option<String>,
        /// Keys of earlier documents (`refDFeAnt`).
        referencias: Vec<String>,
    }
}

grupo! {
    /// A document this note is about (`NFref`): one of the forms.
    #[schemars(rename = "NfeReferencia")]
    Referencia {
        /// NF-e, NFC-e (`refNFe`), or CT-e by the model in the key (`refCTe`).
        chave: Option<String>,
        /// NF-e whose key is hidden (`refNFeSig`).
        chave_sigilosa: Option<String>,
        nota_papel: Option<NotaPapel>,
        /// Note of a rural producer (`refNFP`).
        nota_produtor: Option<NotaProdutor>,
        cupom: Option<Cupom>,
    }
}

grupo! {
    /// Note of model 1/1A or 2 (`refNF`).
    #[schemars(rename = "NfeNotaPapel")]
    NotaPapel {
        uf: Option<String>,
        /// `AAAA-MM`.
        mes: Option<String>,
        cnpj: Option<String>,
        /// 01 or 02.
        modelo: Option<String>,
        serie: Option<String>,
        numero: Option<String>,
    }
}

grupo! {
    /// `refNFP`.
    #[schemars(rename = "NfeNotaProdutor")]
    NotaProdutor {
        uf: Option<String>,
        /// `AAAA-MM`.
        mes: Option<String>,
        cpf_cnpj: Option<String>,
        /// Number or "ISENTO".
        ie: Option<String>,
        /// 01 or 04.
        modelo: Option<String>,
        serie: Option<String>,
        numero: Option<String>,
    }
}

grupo! {
    /// `refECF`.
    #[schemars(rename = "NfeCupom")]
    Cupom {
        /// 2B, 2C or 2D.
        modelo: Option<String>,
        numero_ecf: Option<String>,
        coo: Option<String>,
    }
}

grupo! {
    /// `cobr`.
    #[schemars(rename = "NfeCobranca")]
    Cobranca {
        /// What is left out follows from the instalments or from the note.
        fatura: Option<Fatura>,
        /// Up to 120.
        duplicatas: Vec<Duplicata>,
    }
}

grupo! {
    #[schemars(rename = "NfeFatura")]
    Fatura {
        numero: Option<String>,
        valor_original: Option<Numero>,
        desconto: Option<Numero>,
        valor_liquido: Option<Numero>,
    }
}

grupo! {
    #[schemars(rename = "NfeDuplicata")]
    Duplicata {
        /// The company's own number. The document numbers the instalments 001,
        /// 002, …, as the authority wants; other numbers go to its text.
        numero: Option<String>,
        /// From the day of emission on, in order.
        vencimento: Option<String>,
        valor: Option<Numero>,
    }
}

grupo! {
    /// `detPag`.
    #[schemars(rename = "NfePagamento")]
    Pagamento {
        forma: Option<Forma>,
        /// `xPag`: what "outros" is.
        descricao: Option<String>,
        valor: Option<Numero>,
        indicador: Option<IndicadorPagamento>,
        /// `dPag`.
        data: Option<String>,
        /// `CNPJPag`: where the payment was made, if elsewhere.
        cnpj_pagador: Option<String>,
        /// `UFPag`.
        uf_pagador: Option<String>,
        cartao: Option<Cartao>,
    }
}

grupo! {
    /// `card`: cards and instant payments.
    #[schemars(rename = "NfeCartao")]
    Cartao {
        /// Absent: false.
        integrado: Option<bool>,
        cnpj_credenciadora: Option<String>,
        /// Two digits of `tBand`: 01 Visa, 02 Mastercard, … 99 others.
        bandeira: Option<String>,
        autorizacao: Option<String>,
        /// `CNPJReceb`.
        cnpj_recebedor: Option<String>,
        /// `idTermPag`.
        terminal: Option<String>,
    }
}

grupo! {
    /// `obsCont`, `obsFisco`.
    #[schemars(rename = "NfeObservacao")]
    Observacao { campo: Option<String>, texto: Option<String> }
}

grupo! {
    /// `procRef`.
    #[schemars(rename = "NfeProcesso")]
    Processo {
        numero: Option<String>,
        origem: Option<OrigemProcesso>,
        /// `tpAto`: 08, 10, 12, 14 or 15.
        tipo_ato: Option<String>,
    }
}

grupo! {
    /// `exporta`.
    #[schemars(rename = "NfeExportacao")]
    Exportacao {
        uf_embarque: Option<String>,
        local_embarque: Option<String>,
        local_despacho: Option<String>,
    }
}

grupo! {
    /// `compra`.
    #[schemars(rename = "NfeCompra")]
    Compra { empenho: Option<String>, pedido: Option<String>, contrato: Option<String> }
}

grupo! {
    /// `infRespTec`.
    #[schemars(rename = "NfeResponsavelTecnico")]
    ResponsavelTecnico {
        cnpj: Option<String>,
        contato: Option<String>,
        email: Option<String>,
        telefone: Option<String>,
        /// Two digits (`idCSRT`), with `csrt`.
        id_csrt: Option<String>,
        /// Security code given by the state; only its hash is written
        /// (`hashCSRT`: SHA-1 of code and key, NT 2018.005).
        csrt: Option<String>,
    }
}

grupo! {
    /// Federal withholding of the note (`retTrib`).
    #[schemars(rename = "NfeRetencoes")]
    Retencoes {
        pis: Option<Numero>,
        cofins: Option<Numero>,
        csll: Option<Numero>,
        base_irrf: Option<Numero>,
        irrf: Option<Numero>,
        base_previdencia: Option<Numero>,
        previdencia: Option<Numero>,
    }
}

grupo! {
    /// What `ISSQNtot` needs besides the sums.
    #[schemars(rename = "NfeTotalServicos")]
    TotalServicos {
        /// `dCompet`; absent: the day of emission.
        data_competencia: Option<String>,
        /// `cRegTrib`, 1 to 6.
        regime_especial: Option<String>,
    }
}
