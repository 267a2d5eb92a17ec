//! Taxes of an item (`imposto`). Rates are percent.

use super::base::grupo;
use super::{
    ExigibilidadeIss, GrupoIcms, IbsCbs, ImpostoSeletivo, ModalidadeBc, ModalidadeBcSt, Numero,
};

grupo! {
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
        valor_aproximado: Option<Numero>,
    }
}

grupo! {
    /// `ICMS`: o que o CST ou o CSOSN pede; um campo que ele não leva é recusado,
    /// a menos que seja zero.
    #[schemars(rename = "NfeIcms")]
    Icms {
        cst: Option<String>,
        csosn: Option<String>,
        grupo: Option<GrupoIcms>,
        modalidade_bc: Option<ModalidadeBc>,
        /// `pRedBC`.
        reducao: Option<Numero>,
        /// `cBenefRBC`.
        cbenef_reducao: Option<String>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        valor: Option<Numero>,
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
        percentual_base_operacao: Option<Numero>,
        /// `UFST`, para `grupo` partilha.
        uf_st: Option<String>,
    }
}

grupo! {
    #[schemars(rename = "NfeDiferimento")]
    Diferimento {
        /// `pDif`.
        percentual: Option<Numero>,
        /// `vICMSOp`.
        valor_operacao: Option<Numero>,
        /// `vICMSDif`.
        valor: Option<Numero>,
        /// `pFCPDif`.
        percentual_fcp: Option<Numero>,
    }
}

grupo! {
    /// Fundo de combate à pobreza.
    #[schemars(rename = "NfeFcp")]
    Fcp { base: Option<Numero>, aliquota: Option<Numero>, valor: Option<Numero> }
}

grupo! {
    #[schemars(rename = "NfeIcmsSt")]
    IcmsSt {
        /// Ausente: mva, se houver `mva`; senão, valor_operacao.
        modalidade_bc: Option<ModalidadeBcSt>,
        mva: Option<Numero>,
        reducao: Option<Numero>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        valor: Option<Numero>,
        /// `vICMSSTDeson`, `motDesICMSST`.
        desonerado: Option<Desonerado>,
    }
}

grupo! {
    #[schemars(rename = "NfeDesonerado")]
    Desonerado {
        valor: Option<Numero>,
        /// Número oficial do motivo.
        motivo: Option<String>,
        /// `indDeduzDeson`: o valor é deduzido do total da nota.
        deduz: Option<bool>,
    }
}

grupo! {
    /// Parte da UF do consumidor (`ICMSUFDest`, EC 87/2015). Ausente: calculada
    /// quando devida; `dispensado` a deixa de fora.
    #[schemars(rename = "NfeDifal")]
    Difal {
        /// Sem DIFAL neste item, embora pareça devido (convênio, decisão).
        dispensado: Option<bool>,
        base: Option<Numero>,
        base_fcp: Option<Numero>,
        /// Alíquota interna do destino.
        aliquota_interna: Option<Numero>,
        aliquota_interestadual: Option<Numero>,
        aliquota_fcp: Option<Numero>,
        valor_fcp: Option<Numero>,
        valor: Option<Numero>,
    }
}

grupo! {
    #[schemars(rename = "NfeCreditoSn")]
    CreditoSn { aliquota: Option<Numero>, valor: Option<Numero> }
}

grupo! {
    /// Combustíveis com tributação monofásica, por unidade (CST 02, 15, 53,
    /// 61).
    #[schemars(rename = "NfeMono")]
    Mono {
        quantidade: Option<Numero>,
        /// Reais por unidade (`adRem`).
        aliquota: Option<Numero>,
        valor: Option<Numero>,
        quantidade_retencao: Option<Numero>,
        aliquota_retencao: Option<Numero>,
        valor_retencao: Option<Numero>,
        /// `pRedAdRem`, `motRedAdRem`.
        reducao: Option<Numero>,
        motivo_reducao: Option<String>,
        /// `pDif`.
        diferimento: Option<Numero>,
        valor_operacao: Option<Numero>,
        valor_diferido: Option<Numero>,
    }
}

grupo! {
    #[schemars(rename = "NfeIcmsRetido")]
    IcmsRetido {
        base: Option<Numero>,
        /// `pST`: alíquota suportada pelo consumidor final, FCP incluído; opcional
        /// com `grupo` st_repasse.
        aliquota: Option<Numero>,
        /// `vICMSSubstituto`.
        valor_substituto: Option<Numero>,
        valor: Option<Numero>,
        fcp: Option<Fcp>,
    }
}

grupo! {
    #[schemars(rename = "NfeIcmsEfetivo")]
    IcmsEfetivo {
        reducao: Option<Numero>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        valor: Option<Numero>,
    }
}

grupo! {
    #[schemars(rename = "NfeStDestino")]
    StDestino { base: Option<Numero>, valor: Option<Numero> }
}

grupo! {
    #[schemars(rename = "NfeIpi")]
    Ipi {
        cst: Option<String>,
        /// `cEnq`; ausente: 999.
        enquadramento: Option<String>,
        cnpj_produtor: Option<String>,
        selo: Option<String>,
        quantidade_selo: Option<Numero>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        /// Por unidade, em vez de base e alíquota (`qUnid`, `vUnid`).
        quantidade: Option<Numero>,
        valor_unidade: Option<Numero>,
        valor: Option<Numero>,
    }
}

grupo! {
    /// Imposto de importação.
    #[schemars(rename = "NfeIi")]
    Ii {
        base: Option<Numero>,
        despesas_aduaneiras: Option<Numero>,
        valor: Option<Numero>,
        iof: Option<Numero>,
    }
}

grupo! {
    /// PIS ou COFINS: o que o CST pede; um campo que ele não leva é recusado, a
    /// menos que seja zero.
    #[schemars(rename = "NfeContribuicao")]
    Contribuicao {
        cst: Option<String>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        /// Por unidade, em vez de base e alíquota (`qBCProd`, `vAliqProd`).
        quantidade: Option<Numero>,
        aliquota_unidade: Option<Numero>,
        valor: Option<Numero>,
    }
}

grupo! {
    #[schemars(rename = "NfeContribuicaoSt")]
    ContribuicaoSt {
        base: Option<Numero>,
        aliquota: Option<Numero>,
        quantidade: Option<Numero>,
        aliquota_unidade: Option<Numero>,
        valor: Option<Numero>,
        /// `indSomaPISST`, `indSomaCOFINSST`: compõe o total da nota.
        compoe_total: Option<bool>,
    }
}

grupo! {
    /// Serviço em uma nota de produto (conjugada).
    #[schemars(rename = "NfeIssqn")]
    Issqn {
        base: Option<Numero>,
        aliquota: Option<Numero>,
        valor: Option<Numero>,
        /// `cMunFG`; ausente: o do emitente.
        municipio: Option<String>,
        /// LC 116/2003, `14.01`.
        item_lista_servico: Option<String>,
        deducao: Option<Numero>,
        outras_retencoes: Option<Numero>,
        desconto_incondicionado: Option<Numero>,
        desconto_condicionado: Option<Numero>,
        iss_retido: Option<Numero>,
        /// Ausente: exigivel.
        exigibilidade: Option<ExigibilidadeIss>,
        codigo_servico: Option<String>,
        municipio_incidencia: Option<String>,
        codigo_pais: Option<String>,
        numero_processo: Option<String>,
        incentivo: Option<bool>,
    }
}
