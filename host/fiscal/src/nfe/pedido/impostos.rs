//! Taxes of an item (`imposto`). Rates are percent.

use super::base::grupo;
use super::{
    ExigibilidadeIss, GrupoIcms, IbsCbs, ImpostoSeletivo, ModalidadeBc, ModalidadeBcSt, Numero,
};

grupo! {
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
        /// Approximate burden, Lei 12.741/2012 (`vTotTrib`).
        valor_aproximado: Option<Numero>,
    }
}

grupo! {
    /// `ICMS`: what the CST or CSOSN asks for.
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
        /// `pDif` and what follows, for CST 51 and 90.
        diferimento: Option<Diferimento>,
        fcp: Option<Fcp>,
        st: Option<IcmsSt>,
        fcp_st: Option<Fcp>,
        desonerado: Option<Desonerado>,
        difal: Option<Difal>,
        credito_sn: Option<CreditoSn>,
        mono: Option<Mono>,
        /// ST charged before (CST 60, CSOSN 500, `ICMSST`).
        retido: Option<IcmsRetido>,
        /// What would be due without ST (CST 60, CSOSN 500, `ICMSST`).
        efetivo: Option<IcmsEfetivo>,
        /// `vBCSTDest`, `vICMSSTDest`, for `grupo` st_repasse.
        st_destino: Option<StDestino>,
        /// `pBCOp`, for `grupo` partilha.
        percentual_base_operacao: Option<Numero>,
        /// `UFST`, for `grupo` partilha.
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
    /// Fund against poverty.
    #[schemars(rename = "NfeFcp")]
    Fcp { base: Option<Numero>, aliquota: Option<Numero>, valor: Option<Numero> }
}

grupo! {
    #[schemars(rename = "NfeIcmsSt")]
    IcmsSt {
        /// Absent: mva with `mva`, else valor_operacao.
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
        /// Official number of the reason.
        motivo: Option<String>,
        /// `indDeduzDeson`: the amount comes off the total of the note.
        deduz: Option<bool>,
    }
}

grupo! {
    /// Share of the consumer's state (`ICMSUFDest`, EC 87/2015). Absent:
    /// calculated when due; `dispensado` keeps it out.
    #[schemars(rename = "NfeDifal")]
    Difal {
        /// No DIFAL on this item although it looks due (convênio, decision).
        dispensado: Option<bool>,
        base: Option<Numero>,
        base_fcp: Option<Numero>,
        /// Internal rate of the destination.
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
    /// Fuels taxed once, by unit (CST 02, 15, 53, 61).
    #[schemars(rename = "NfeMono")]
    Mono {
        quantidade: Option<Numero>,
        /// Reais by unit (`adRem`).
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
        /// `pST`: rate borne by the final consumer, FCP included.
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
        /// `cEnq`; absent: 999.
        enquadramento: Option<String>,
        cnpj_produtor: Option<String>,
        selo: Option<String>,
        quantidade_selo: Option<Numero>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        /// By unit, instead of base and rate (`qUnid`, `vUnid`).
        quantidade: Option<Numero>,
        valor_unidade: Option<Numero>,
        valor: Option<Numero>,
    }
}

grupo! {
    /// Tax on import.
    #[schemars(rename = "NfeIi")]
    Ii {
        base: Option<Numero>,
        despesas_aduaneiras: Option<Numero>,
        valor: Option<Numero>,
        iof: Option<Numero>,
    }
}

grupo! {
    /// PIS or COFINS.
    #[schemars(rename = "NfeContribuicao")]
    Contribuicao {
        cst: Option<String>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        /// By unit, instead of base and rate (`qBCProd`, `vAliqProd`).
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
        /// `indSomaPISST`, `indSomaCOFINSST`: part of the total of the note.
        compoe_total: Option<bool>,
    }
}

grupo! {
    /// Service on a product note (conjugada).
    #[schemars(rename = "NfeIssqn")]
    Issqn {
        base: Option<Numero>,
        aliquota: Option<Numero>,
        valor: Option<Numero>,
        /// `cMunFG`; absent: the emitter's.
        municipio: Option<String>,
        /// LC 116/2003, `14.01`.
        item_lista_servico: Option<String>,
        deducao: Option<Numero>,
        outras_retencoes: Option<Numero>,
        desconto_incondicionado: Option<Numero>,
        desconto_condicionado: Option<Numero>,
        iss_retido: Option<Numero>,
        /// Absent: exigivel.
        exigibilidade: Option<ExigibilidadeIss>,
        codigo_servico: Option<String>,
        municipio_incidencia: Option<String>,
        codigo_pais: Option<String>,
        numero_processo: Option<String>,
        incentivo: Option<bool>,
    }
}
