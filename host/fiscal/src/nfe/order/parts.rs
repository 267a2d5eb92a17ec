//! People, places, payment and references of a note.

use super::{Forma, IndicadorIe, IndicadorPagamento, Number, OrigemProcesso};
use crate::body::group;

group! {
    /// Quem recebe (`dest`).
    #[schemars(rename = "NfePessoa")]
    Pessoa {
        cpf_cnpj: Option<String>,
        /// Passaporte ou outro documento de quem é do exterior
        /// (`idEstrangeiro`).
        documento_estrangeiro: Option<String>,
        nome: Option<String>,
        /// Ausente: conforme `ie` (um número: 1; "ISENTO": 2; nenhuma: 9).
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

group! {
    /// Endereço (`enderDest`, `enderEmit`).
    #[schemars(rename = "NfeEndereco")]
    Endereco {
        cep: Option<String>,
        logradouro: Option<String>,
        /// Ausente: "S/N".
        numero: Option<String>,
        complemento: Option<String>,
        bairro: Option<String>,
        /// Ausente: o nome do município de `codigo_ibge`.
        cidade: Option<String>,
        codigo_ibge: Option<String>,
        uf: Option<String>,
        /// Código do BACEN ou ISO 3166-1 alpha-2; ausente: Brasil.
        codigo_pais: Option<String>,
        /// `xPais`; ausente: conforme o código.
        pais: Option<String>,
    }
}

group! {
    /// Onde a mercadoria é retirada ou entregue, se não for no endereço das
    /// próprias partes (`retirada`, `entrega`).
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

group! {
    /// Marketplace (`infIntermed`).
    #[schemars(rename = "NfeIntermediador")]
    Intermediador {
        cnpj: Option<String>,
        /// O do vendedor no marketplace (`idCadIntTran`).
        identificador: Option<String>,
    }
}

group! {
    /// `gCompraGov`, NT 2025.002.
    #[schemars(rename = "NfeCompraGovernamental")]
    CompraGovernamental {
        /// Dígito oficial: 1 União, 2 Estado, 3 Distrito Federal, 4 Município.
        tipo_ente: Option<String>,
        /// Percentual (`pRedutor`).
        redutor: Option<Number>,
        /// Dígito oficial: 1 fornecimento, 2 recebimento do pagamento
        /// (`tpOperGov`).
        tipo_operacao: Option<String>,
        /// Chaves de acesso dos documentos anteriores (`refDFeAnt`).
        referencias: Vec<String>,
    }
}

group! {
    /// Documento a que esta nota se refere (`NFref`): uma das formas.
    #[schemars(rename = "NfeReferencia")]
    Referencia {
        /// NF-e, NFC-e (`refNFe`) ou, pelo modelo que está na chave de acesso,
        /// CT-e (`refCTe`).
        chave: Option<String>,
        /// NF-e de chave de acesso sigilosa (`refNFeSig`).
        chave_sigilosa: Option<String>,
        nota_papel: Option<NotaPapel>,
        /// Nota de produtor rural (`refNFP`).
        nota_produtor: Option<NotaProdutor>,
        cupom: Option<Cupom>,
    }
}

group! {
    /// Nota modelo 1/1A ou 2 (`refNF`).
    #[schemars(rename = "NfeNotaPapel")]
    NotaPapel {
        uf: Option<String>,
        /// `AAAA-MM`.
        mes: Option<String>,
        cnpj: Option<String>,
        /// 01 ou 02.
        modelo: Option<String>,
        serie: Option<String>,
        numero: Option<String>,
    }
}

group! {
    /// `refNFP`.
    #[schemars(rename = "NfeNotaProdutor")]
    NotaProdutor {
        uf: Option<String>,
        /// `AAAA-MM`.
        mes: Option<String>,
        cpf_cnpj: Option<String>,
        /// Número ou "ISENTO".
        ie: Option<String>,
        /// 01 ou 04.
        modelo: Option<String>,
        serie: Option<String>,
        numero: Option<String>,
    }
}

group! {
    /// `refECF`.
    #[schemars(rename = "NfeCupom")]
    Cupom {
        /// 2B, 2C ou 2D.
        modelo: Option<String>,
        numero_ecf: Option<String>,
        coo: Option<String>,
    }
}

group! {
    /// `cobr`.
    #[schemars(rename = "NfeCobranca")]
    Cobranca {
        /// O que ficar de fora resulta das parcelas ou da nota.
        fatura: Option<Fatura>,
        /// Até 120.
        duplicatas: Vec<Duplicata>,
    }
}

group! {
    #[schemars(rename = "NfeFatura")]
    Fatura {
        numero: Option<String>,
        valor_original: Option<Number>,
        desconto: Option<Number>,
        valor_liquido: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeDuplicata")]
    Duplicata {
        /// O número da própria empresa. O documento numera as parcelas 001,
        /// 002, …, como a autoridade quer; outros números vão para o texto
        /// dele.
        numero: Option<String>,
        /// Do dia da emissão em diante, em ordem.
        vencimento: Option<String>,
        valor: Option<Number>,
    }
}

group! {
    /// `detPag`.
    #[schemars(rename = "NfePagamento")]
    Pagamento {
        forma: Option<Forma>,
        /// `xPag`: o que é "outros".
        descricao: Option<String>,
        valor: Option<Number>,
        indicador: Option<IndicadorPagamento>,
        /// `dPag`.
        data: Option<String>,
        /// `CNPJPag`: onde o pagamento foi feito, se em outro estabelecimento.
        cnpj_pagador: Option<String>,
        /// `UFPag`.
        uf_pagador: Option<String>,
        cartao: Option<Cartao>,
    }
}

group! {
    /// `card`: cartões e pagamentos instantâneos.
    #[schemars(rename = "NfeCartao")]
    Cartao {
        /// Ausente: false.
        integrado: Option<bool>,
        cnpj_credenciadora: Option<String>,
        /// Dois dígitos de `tBand`: 01 Visa, 02 Mastercard, … 99 outros.
        bandeira: Option<String>,
        autorizacao: Option<String>,
        /// `CNPJReceb`.
        cnpj_recebedor: Option<String>,
        /// `idTermPag`.
        terminal: Option<String>,
    }
}

group! {
    /// `obsCont`, `obsFisco`.
    #[schemars(rename = "NfeObservacao")]
    Observacao { campo: Option<String>, texto: Option<String> }
}

group! {
    /// `procRef`.
    #[schemars(rename = "NfeProcesso")]
    Processo {
        numero: Option<String>,
        origem: Option<OrigemProcesso>,
        /// `tpAto`: 08, 10, 12, 14 ou 15.
        tipo_ato: Option<String>,
    }
}

group! {
    /// `exporta`.
    #[schemars(rename = "NfeExportacao")]
    Exportacao {
        uf_embarque: Option<String>,
        local_embarque: Option<String>,
        local_despacho: Option<String>,
    }
}

group! {
    /// `compra`.
    #[schemars(rename = "NfeCompra")]
    Compra { empenho: Option<String>, pedido: Option<String>, contrato: Option<String> }
}

group! {
    /// `infRespTec`.
    #[schemars(rename = "NfeResponsavelTecnico")]
    ResponsavelTecnico {
        cnpj: Option<String>,
        contato: Option<String>,
        email: Option<String>,
        telefone: Option<String>,
        /// Dois dígitos (`idCSRT`), com `csrt`.
        id_csrt: Option<String>,
        /// Código de segurança fornecido pela UF; só o hash dele vai para a
        /// nota (`hashCSRT`: SHA-1 do código e da chave de acesso, NT
        /// 2018.005).
        csrt: Option<String>,
    }
}

group! {
    /// Retenções federais da nota (`retTrib`).
    #[schemars(rename = "NfeRetencoes")]
    Retencoes {
        pis: Option<Number>,
        cofins: Option<Number>,
        csll: Option<Number>,
        base_irrf: Option<Number>,
        irrf: Option<Number>,
        base_previdencia: Option<Number>,
        previdencia: Option<Number>,
    }
}

group! {
    /// O que `ISSQNtot` pede além das somas.
    #[schemars(rename = "NfeTotalServicos")]
    TotalServicos {
        /// `dCompet`; ausente: o dia da emissão.
        data_competencia: Option<String>,
        /// `cRegTrib`, 1 a 6.
        regime_especial: Option<String>,
    }
}
