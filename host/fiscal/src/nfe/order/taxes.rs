//! Taxes of an item (`imposto`). Rates are percent.

use super::{
    ExigibilidadeIss, GrupoIcms, IbsCbs, ImpostoSeletivo, ModalidadeBc, ModalidadeBcSt, Number,
};
use crate::body::group;

group! {
    /// Nota de débito ou de crédito, e recebimento de compra governamental, só
    /// levam `ibs_cbs` (rejeição 1001). Exceções: créditos 03, 04 e 06, débito 07;
    /// no débito 06, PIS e COFINS em 2026.
    #[schemars(rename = "NfeImpostos")]
    Impostos {
        icms: Option<Icms>,
        ipi: Option<Ipi>,
        ii: Option<Ii>,
        pis: Option<Contribuicao>,
        pis_st: Option<ContribuicaoSt>,
        cofins: Option<Contribuicao>,
        cofins_st: Option<ContribuicaoSt>,
        issqn: Option<Issqn>,
        ibs_cbs: Option<IbsCbs>,
        is: Option<ImpostoSeletivo>,
        /// Carga tributária aproximada, Lei 12.741/2012 (`vTotTrib`).
        valor_aproximado: Option<Number>,
    }
}

group! {
    /// `ICMS`: o que o CST ou o CSOSN pede; um campo que ele não leva é recusado,
    /// a menos que seja zero.
    #[schemars(rename = "NfeIcms")]
    Icms {
        cst: Option<String>,
        csosn: Option<String>,
        grupo: Option<GrupoIcms>,
        modalidade_bc: Option<ModalidadeBc>,
        /// `pRedBC`.
        reducao: Option<Number>,
        /// `cBenefRBC`.
        cbenef_reducao: Option<String>,
        base: Option<Number>,
        aliquota: Option<Number>,
        valor: Option<Number>,
        /// `pDif` e o que vem depois dele, para os CST 51 e 90.
        diferimento: Option<Diferimento>,
        fcp: Option<Fcp>,
        st: Option<IcmsSt>,
        fcp_st: Option<Fcp>,
        desonerado: Option<Desonerado>,
        difal: Option<Difal>,
        credito_sn: Option<CreditoSn>,
        mono: Option<Mono>,
        /// ST cobrada anteriormente (CST 60, CSOSN 500, `ICMSST`).
        retido: Option<IcmsRetido>,
        /// O que seria devido sem a ST (CST 60, CSOSN 500, `ICMSST`).
        efetivo: Option<IcmsEfetivo>,
        /// `vBCSTDest`, `vICMSSTDest`, para `grupo` st_repasse.
        st_destino: Option<StDestino>,
        /// `pBCOp`, para `grupo` partilha.
        percentual_base_operacao: Option<Number>,
        /// `UFST`, para `grupo` partilha.
        uf_st: Option<String>,
    }
}

group! {
    #[schemars(rename = "NfeDiferimento")]
    Diferimento {
        /// `pDif`.
        percentual: Option<Number>,
        /// `vICMSOp`.
        valor_operacao: Option<Number>,
        /// `vICMSDif`.
        valor: Option<Number>,
        /// `pFCPDif`.
        percentual_fcp: Option<Number>,
    }
}

group! {
    /// Fundo de combate à pobreza.
    #[schemars(rename = "NfeFcp")]
    Fcp { base: Option<Number>, aliquota: Option<Number>, valor: Option<Number> }
}

group! {
    #[schemars(rename = "NfeIcmsSt")]
    IcmsSt {
        /// Ausente: mva, se houver `mva`; senão, valor_operacao.
        modalidade_bc: Option<ModalidadeBcSt>,
        mva: Option<Number>,
        reducao: Option<Number>,
        base: Option<Number>,
        aliquota: Option<Number>,
        valor: Option<Number>,
        /// `vICMSSTDeson`, `motDesICMSST`.
        desonerado: Option<Desonerado>,
    }
}

group! {
    #[schemars(rename = "NfeDesonerado")]
    Desonerado {
        valor: Option<Number>,
        /// Número oficial do motivo.
        motivo: Option<String>,
        /// `indDeduzDeson`: o valor é deduzido do total da nota.
        deduz: Option<bool>,
    }
}

group! {
    /// Parte da UF do consumidor (`ICMSUFDest`, EC 87/2015). Ausente: calculada
    /// quando devida; `dispensado` a deixa de fora.
    #[schemars(rename = "NfeDifal")]
    Difal {
        /// Sem DIFAL neste item, embora pareça devido (convênio, decisão).
        dispensado: Option<bool>,
        base: Option<Number>,
        base_fcp: Option<Number>,
        /// Alíquota interna do destino.
        aliquota_interna: Option<Number>,
        aliquota_interestadual: Option<Number>,
        aliquota_fcp: Option<Number>,
        valor_fcp: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeCreditoSn")]
    CreditoSn { aliquota: Option<Number>, valor: Option<Number> }
}

group! {
    /// Combustíveis com tributação monofásica, por unidade (CST 02, 15, 53,
    /// 61).
    #[schemars(rename = "NfeMono")]
    Mono {
        quantidade: Option<Number>,
        /// Reais por unidade (`adRem`).
        aliquota: Option<Number>,
        valor: Option<Number>,
        quantidade_retencao: Option<Number>,
        aliquota_retencao: Option<Number>,
        valor_retencao: Option<Number>,
        /// `pRedAdRem`, `motRedAdRem`.
        reducao: Option<Number>,
        motivo_reducao: Option<String>,
        /// `pDif`.
        diferimento: Option<Number>,
        valor_operacao: Option<Number>,
        valor_diferido: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeIcmsRetido")]
    IcmsRetido {
        base: Option<Number>,
        /// `pST`: alíquota suportada pelo consumidor final, FCP incluído; opcional
        /// com `grupo` st_repasse.
        aliquota: Option<Number>,
        /// `vICMSSubstituto`.
        valor_substituto: Option<Number>,
        valor: Option<Number>,
        fcp: Option<Fcp>,
    }
}

group! {
    #[schemars(rename = "NfeIcmsEfetivo")]
    IcmsEfetivo {
        reducao: Option<Number>,
        base: Option<Number>,
        aliquota: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeStDestino")]
    StDestino { base: Option<Number>, valor: Option<Number> }
}

group! {
    #[schemars(rename = "NfeIpi")]
    Ipi {
        cst: Option<String>,
        /// `cEnq`; ausente: 999.
        enquadramento: Option<String>,
        cnpj_produtor: Option<String>,
        selo: Option<String>,
        quantidade_selo: Option<Number>,
        base: Option<Number>,
        aliquota: Option<Number>,
        /// Por unidade, em vez de base e alíquota (`qUnid`, `vUnid`).
        quantidade: Option<Number>,
        valor_unidade: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    /// Imposto de importação.
    #[schemars(rename = "NfeIi")]
    Ii {
        base: Option<Number>,
        despesas_aduaneiras: Option<Number>,
        valor: Option<Number>,
        iof: Option<Number>,
    }
}

group! {
    /// PIS ou COFINS: o que o CST pede; um campo que ele não leva é recusado, a
    /// menos que seja zero.
    #[schemars(rename = "NfeContribuicao")]
    Contribuicao {
        cst: Option<String>,
        base: Option<Number>,
        aliquota: Option<Number>,
        /// Por unidade, em vez de base e alíquota (`qBCProd`, `vAliqProd`).
        quantidade: Option<Number>,
        aliquota_unidade: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeContribuicaoSt")]
    ContribuicaoSt {
        base: Option<Number>,
        aliquota: Option<Number>,
        quantidade: Option<Number>,
        aliquota_unidade: Option<Number>,
        valor: Option<Number>,
        /// `indSomaPISST`, `indSomaCOFINSST`: compõe o total da nota.
        compoe_total: Option<bool>,
    }
}

group! {
    /// Serviço em uma nota de produto (conjugada).
    #[schemars(rename = "NfeIssqn")]
    Issqn {
        base: Option<Number>,
        aliquota: Option<Number>,
        valor: Option<Number>,
        /// `cMunFG`; ausente: o do emitente.
        municipio: Option<String>,
        /// LC 116/2003, `14.01`.
        item_lista_servico: Option<String>,
        deducao: Option<Number>,
        outras_retencoes: Option<Number>,
        desconto_incondicionado: Option<Number>,
        desconto_condicionado: Option<Number>,
        iss_retido: Option<Number>,
        /// Ausente: exigivel.
        exigibilidade: Option<ExigibilidadeIss>,
        codigo_servico: Option<String>,
        municipio_incidencia: Option<String>,
        codigo_pais: Option<String>,
        numero_processo: Option<String>,
        incentivo: Option<bool>,
    }
}
