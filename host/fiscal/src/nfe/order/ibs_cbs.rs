//! Taxes of the reform (NT 2025.002): IBS, CBS and IS of an item.

use super::Number;
use crate::body::group;

group! {
    /// `IBSCBS`. Os grupos de cada CST estão na própria tabela de CST; o que
    /// estiver ausente é calculado.
    #[schemars(rename = "NfeIbsCbs")]
    IbsCbs {
        cst: Option<String>,
        cclass_trib: Option<String>,
        /// `indDoacao`.
        doacao: Option<bool>,
        base: Option<Number>,
        ibs_uf: Option<Tributo>,
        ibs_mun: Option<Tributo>,
        /// Soma dos dois.
        valor_ibs: Option<Number>,
        cbs: Option<Tributo>,
        /// `gTribRegular`.
        tributacao_regular: Option<TributacaoRegular>,
        /// `gALCZFMCBS`.
        alc_zfm_cbs: Option<AlcZfmCbs>,
        /// `gIBSCBSMono`.
        mono: Option<MonoIbsCbs>,
        /// `gTransfCred`.
        transferencia_credito: Option<ParIbsCbs>,
        /// `gAjusteCompet`.
        ajuste_competencia: Option<AjusteCompetencia>,
        /// `gEstornoCred`.
        estorno_credito: Option<ParIbsCbs>,
        /// `gCredPresOper`.
        credito_presumido: Option<CreditoPresumido>,
        /// `gCredPresIBSZFM`.
        credito_presumido_zfm: Option<CreditoPresumidoZfm>,
    }
}

group! {
    /// IBS da UF, IBS do município ou CBS.
    #[schemars(rename = "NfeTributoRtc")]
    Tributo {
        aliquota: Option<Number>,
        /// `pRedAliq`; ausente: a da classificação tributária.
        reducao: Option<Number>,
        /// `pAliqEfet`.
        aliquota_efetiva: Option<Number>,
        /// `pDif`.
        diferimento: Option<Number>,
        /// `vDif`.
        valor_diferido: Option<Number>,
        /// `pDevTrib`.
        percentual_devolvido: Option<Number>,
        /// `vDevTrib`.
        valor_devolvido: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    /// O que seria devido sem a suspensão.
    #[schemars(rename = "NfeTributacaoRegular")]
    TributacaoRegular {
        cst: Option<String>,
        cclass_trib: Option<String>,
        aliquota_ibs_uf: Option<Number>,
        valor_ibs_uf: Option<Number>,
        aliquota_ibs_mun: Option<Number>,
        valor_ibs_mun: Option<Number>,
        aliquota_cbs: Option<Number>,
        valor_cbs: Option<Number>,
    }
}

group! {
    /// `gALCZFMCBS`: áreas de livre comércio e Zona Franca de Manaus.
    #[schemars(rename = "NfeAlcZfmCbs")]
    AlcZfmCbs {
        tipo: Option<String>,
        processo_suframa: Option<String>,
        aliquota: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    /// Combustíveis com tributação monofásica. Uma forma para o IBS, uma para a
    /// CBS.
    #[schemars(rename = "NfeMonoIbsCbs")]
    MonoIbsCbs {
        ibs: Option<MonoTributo>,
        cbs: Option<MonoTributo>,
        /// `vTotIBSMonoItem`.
        total_ibs: Option<Number>,
        /// `vTotCBSMonoItem`.
        total_cbs: Option<Number>,
    }
}

group! {
    /// Ad rem (`quantidade`) ou ad valorem (`base`).
    #[schemars(rename = "NfeMonoTributo")]
    MonoTributo {
        quantidade: Option<Number>,
        base: Option<Number>,
        /// Reais por unidade, ou percentual de `base`; o da UF no IBS ad
        /// valorem.
        aliquota: Option<Number>,
        /// Percentual do município, só no IBS ad valorem.
        aliquota_mun: Option<Number>,
        valor: Option<Number>,
        quantidade_retencao: Option<Number>,
        base_retencao: Option<Number>,
        aliquota_retencao: Option<Number>,
        valor_retencao: Option<Number>,
        /// `gMonoRet`: cobrado anteriormente.
        valor_retido: Option<Number>,
        /// `gpBioDiferenca`.
        quantidade_biocombustivel: Option<Number>,
        valor_diferenca: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeParIbsCbs")]
    ParIbsCbs { ibs: Option<Number>, cbs: Option<Number> }
}

group! {
    #[schemars(rename = "NfeAjusteCompetencia")]
    AjusteCompetencia {
        /// `AAAA-MM`.
        mes: Option<String>,
        ibs: Option<Number>,
        cbs: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeCreditoPresumido")]
    CreditoPresumido {
        base: Option<Number>,
        /// `cCredPres`.
        codigo: Option<String>,
        aliquota_ibs: Option<Number>,
        valor_ibs: Option<Number>,
        aliquota_cbs: Option<Number>,
        valor_cbs: Option<Number>,
        /// O crédito depende de condição suspensiva (`vCredPresCondSus`).
        condicao_suspensiva: Option<bool>,
    }
}

group! {
    #[schemars(rename = "NfeCreditoPresumidoZfm")]
    CreditoPresumidoZfm {
        /// `AAAA-MM`.
        mes: Option<String>,
        /// 0 a 4.
        tipo: Option<String>,
        valor: Option<Number>,
    }
}

group! {
    /// `IS`; só quando informado: não é devido em 2026.
    #[schemars(rename = "NfeImpostoSeletivo")]
    ImpostoSeletivo {
        cst: Option<String>,
        cclass_trib: Option<String>,
        base: Option<Number>,
        aliquota: Option<Number>,
        /// Reais por unidade (`adRemIS`).
        aliquota_unidade: Option<Number>,
        unidade: Option<String>,
        quantidade: Option<Number>,
        valor: Option<Number>,
    }
}
