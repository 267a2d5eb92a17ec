//! Taxes of the reform (NT 2025.002): IBS, CBS and IS of an item.

use super::Numero;
use super::base::grupo;

grupo! {
    /// `IBSCBS`. Os grupos de cada CST estão na própria tabela de CST; o que
    /// estiver ausente é calculado.
    #[schemars(rename = "NfeIbsCbs")]
    IbsCbs {
        cst: Option<String>,
        cclass_trib: Option<String>,
        /// `indDoacao`.
        doacao: Option<bool>,
        base: Option<Numero>,
        ibs_uf: Option<Tributo>,
        ibs_mun: Option<Tributo>,
        /// Soma dos dois.
        valor_ibs: Option<Numero>,
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

grupo! {
    /// IBS da UF, IBS do município ou CBS.
    #[schemars(rename = "NfeTributoRtc")]
    Tributo {
        aliquota: Option<Numero>,
        /// `pRedAliq`; ausente: a da classificação tributária.
        reducao: Option<Numero>,
        /// `pAliqEfet`.
        aliquota_efetiva: Option<Numero>,
        /// `pDif`.
        diferimento: Option<Numero>,
        /// `vDif`.
        valor_diferido: Option<Numero>,
        /// `pDevTrib`.
        percentual_devolvido: Option<Numero>,
        /// `vDevTrib`.
        valor_devolvido: Option<Numero>,
        valor: Option<Numero>,
    }
}

grupo! {
    /// O que seria devido sem a suspensão.
    #[schemars(rename = "NfeTributacaoRegular")]
    TributacaoRegular {
        cst: Option<String>,
        cclass_trib: Option<String>,
        aliquota_ibs_uf: Option<Numero>,
        valor_ibs_uf: Option<Numero>,
        aliquota_ibs_mun: Option<Numero>,
        valor_ibs_mun: Option<Numero>,
        aliquota_cbs: Option<Numero>,
        valor_cbs: Option<Numero>,
    }
}

grupo! {
    /// `gALCZFMCBS`: áreas de livre comércio e Zona Franca de Manaus.
    #[schemars(rename = "NfeAlcZfmCbs")]
    AlcZfmCbs {
        tipo: Option<String>,
        processo_suframa: Option<String>,
        aliquota: Option<Numero>,
        valor: Option<Numero>,
    }
}

grupo! {
    /// Combustíveis com tributação monofásica. Uma forma para o IBS, uma para a
    /// CBS.
    #[schemars(rename = "NfeMonoIbsCbs")]
    MonoIbsCbs {
        ibs: Option<MonoTributo>,
        cbs: Option<MonoTributo>,
        /// `vTotIBSMonoItem`.
        total_ibs: Option<Numero>,
        /// `vTotCBSMonoItem`.
        total_cbs: Option<Numero>,
    }
}

grupo! {
    /// Ad rem (`quantidade`) ou ad valorem (`base`).
    #[schemars(rename = "NfeMonoTributo")]
    MonoTributo {
        quantidade: Option<Numero>,
        base: Option<Numero>,
        /// Reais por unidade, ou percentual de `base`; o da UF no IBS ad
        /// valorem.
        aliquota: Option<Numero>,
        /// Percentual do município, só no IBS ad valorem.
        aliquota_mun: Option<Numero>,
        valor: Option<Numero>,
        quantidade_retencao: Option<Numero>,
        base_retencao: Option<Numero>,
        aliquota_retencao: Option<Numero>,
        valor_retencao: Option<Numero>,
        /// `gMonoRet`: cobrado anteriormente.
        valor_retido: Option<Numero>,
        /// `gpBioDiferenca`.
        quantidade_biocombustivel: Option<Numero>,
        valor_diferenca: Option<Numero>,
    }
}

grupo! {
    #[schemars(rename = "NfeParIbsCbs")]
    ParIbsCbs { ibs: Option<Numero>, cbs: Option<Numero> }
}

grupo! {
    #[schemars(rename = "NfeAjusteCompetencia")]
    AjusteCompetencia {
        /// `AAAA-MM`.
        mes: Option<String>,
        ibs: Option<Numero>,
        cbs: Option<Numero>,
    }
}

grupo! {
    #[schemars(rename = "NfeCreditoPresumido")]
    CreditoPresumido {
        base: Option<Numero>,
        /// `cCredPres`.
        codigo: Option<String>,
        aliquota_ibs: Option<Numero>,
        valor_ibs: Option<Numero>,
        aliquota_cbs: Option<Numero>,
        valor_cbs: Option<Numero>,
        /// O crédito depende de condição suspensiva (`vCredPresCondSus`).
        condicao_suspensiva: Option<bool>,
    }
}

grupo! {
    #[schemars(rename = "NfeCreditoPresumidoZfm")]
    CreditoPresumidoZfm {
        /// `AAAA-MM`.
        mes: Option<String>,
        /// 0 a 4.
        tipo: Option<String>,
        valor: Option<Numero>,
    }
}

grupo! {
    /// `IS`; só quando informado: não é devido em 2026.
    #[schemars(rename = "NfeImpostoSeletivo")]
    ImpostoSeletivo {
        cst: Option<String>,
        cclass_trib: Option<String>,
        base: Option<Numero>,
        aliquota: Option<Numero>,
        /// Reais por unidade (`adRemIS`).
        aliquota_unidade: Option<Numero>,
        unidade: Option<String>,
        quantidade: Option<Numero>,
        valor: Option<Numero>,
    }
}
