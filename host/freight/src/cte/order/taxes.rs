//! Amounts and taxes of the service.

use super::GrupoIcms;
use fiscal::body::{Number, group};
use fiscal::nfe::order::{AlcZfmCbs, ParIbsCbs, TributacaoRegular, Tributo};

group! {
    /// `vPrest`.
    #[schemars(rename = "CteValores")]
    Valores {
        /// Valor total da prestação (`vTPrest`).
        prestacao: Option<Number>,
        /// Valor sem tributos (`vTPrestLiq`).
        liquido: Option<Number>,
        /// Valor a receber (`vRec`); ausente: o da prestação.
        receber: Option<Number>,
        componentes: Vec<Componente>,
    }
}

group! {
    /// Parcela do valor (`Comp`).
    #[schemars(rename = "CteComponente")]
    Componente {
        /// Até 15 caracteres.
        nome: Option<String>,
        valor: Option<Number>,
    }
}

group! {
    /// `ICMS`. Ausente, com emitente do Simples Nacional: `icms_sn`.
    #[schemars(rename = "CteIcms")]
    Icms {
        /// Ausente: conforme `cst`.
        grupo: Option<GrupoIcms>,
        /// 00, 20, 40, 41, 51, 60 ou 90.
        cst: Option<String>,
        /// Percentual de redução da base (`pRedBC`).
        reducao: Option<Number>,
        /// Ausente: o valor da prestação, menos a redução.
        base: Option<Number>,
        aliquota: Option<Number>,
        /// Ausente: base vezes alíquota.
        valor: Option<Number>,
        /// Crédito outorgado ou presumido (`vCred`).
        credito: Option<Number>,
        /// `vICMSDeson`; vai com `codigo_beneficio`.
        valor_desonerado: Option<Number>,
        /// `cBenef`.
        codigo_beneficio: Option<String>,
        /// ICMS do fornecimento futuro (`vICMSPrevisto`), no pagamento antecipado.
        valor_previsto: Option<Number>,
    }
}

group! {
    /// ICMS da UF de término, a consumidor final não contribuinte
    /// (`ICMSUFFim`).
    #[schemars(rename = "CteIcmsUfFim")]
    IcmsUfFim {
        /// Ausente: o valor da prestação.
        base: Option<Number>,
        /// Fundo de combate à pobreza (`pFCPUFFim`); ausente: zero.
        aliquota_fcp: Option<Number>,
        /// Alíquota interna da UF de término (`pICMSUFFim`).
        aliquota_interna: Option<Number>,
        /// `pICMSInter`; ausente: a alíquota entre as duas UFs.
        aliquota_interestadual: Option<Number>,
        /// `vFCPUFFim`; ausente: calculado.
        valor_fcp: Option<Number>,
        /// `vICMSUFFim`; ausente: base vezes a diferença das alíquotas.
        valor_fim: Option<Number>,
        /// `vICMSUFIni`; ausente: zero.
        valor_inicio: Option<Number>,
    }
}

group! {
    /// `IBSCBS`. O que estiver ausente é calculado.
    #[schemars(rename = "CteIbsCbs")]
    IbsCbs {
        cst: Option<String>,
        cclass_trib: Option<String>,
        /// `indDoacao`.
        doacao: Option<bool>,
        /// Ausente: o valor da prestação, menos o ICMS.
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
        /// `gEstornoCred`.
        estorno_credito: Option<ParIbsCbs>,
    }
}

group! {
    /// Pagamento previsto (`pgto`).
    #[schemars(rename = "CtePagamento")]
    Pagamento {
        /// Identificação da transação (`idTransacao`).
        transacao: Option<String>,
        /// Código do meio de pagamento, dois dígitos (`tpMeioPgto`).
        forma: Option<String>,
        /// `CNPJReceb`.
        cnpj_recebedor: Option<String>,
        /// Oito primeiras posições do CNPJ da instituição (`CNPJBasePSP`).
        cnpj_base_instituicao: Option<String>,
    }
}
