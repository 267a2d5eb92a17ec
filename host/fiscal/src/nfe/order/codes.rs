//! Enumerations of the request (MOC 7.0 annex I; NT 2025.002 for the reform's).

use crate::body::codes;

codes! {
    /// `tpNF`.
    TipoOperacao { Entrada = "0" "entrada", Saida = "1" "saida" }
}

codes! {
    /// `finNFe`; 5 and 6 by NT 2025.002.
    Finalidade {
        Normal = "1" "normal",
        Complementar = "2" "complementar",
        Ajuste = "3" "ajuste",
        Devolucao = "4" "devolucao",
        NotaCredito = "5" "nota_credito",
        NotaDebito = "6" "nota_debito",
    }
}

codes! {
    /// `tpNFDebito` (NT 2025.002, B25.1; words are ours).
    TipoNotaDebito {
        TransferenciaCooperativa = "01" "transferencia_credito_cooperativa",
        AnulacaoCredito = "02" "anulacao_credito_saida_imune_isenta",
        NotasNaoProcessadas = "03" "debitos_notas_nao_processadas",
        MultaJuros = "04" "multa_juros",
        TransferenciaSucessao = "05" "transferencia_credito_sucessao",
        PagamentoAntecipado = "06" "pagamento_antecipado",
        PerdaEstoque = "07" "perda_estoque",
        DesenquadramentoSimples = "08" "desenquadramento_simples",
    }
}

codes! {
    /// `tpNFCredito` (NT 2025.002, B25.2; words are ours, the last one second-hand).
    TipoNotaCredito {
        MultaJuros = "01" "multa_juros",
        CreditoPresumidoZfm = "02" "credito_presumido_zfm",
        RetornoRecusa = "03" "retorno_recusa",
        ReducaoValores = "04" "reducao_valores",
        TransferenciaSucessao = "05" "transferencia_credito_sucessao",
        Outra = "06" "tipo_06",
    }
}

codes! {
    /// `indPres`.
    Presenca {
        NaoSeAplica = "0" "nao_se_aplica",
        Presencial = "1" "presencial",
        Internet = "2" "internet",
        Teleatendimento = "3" "teleatendimento",
        EntregaDomicilio = "4" "entrega_domicilio",
        ForaEstabelecimento = "5" "fora_estabelecimento",
        Outros = "9" "outros",
    }
}

impl Presenca {
    /// The buyer was not at the counter, so somebody may have brought the two
    /// together (`indIntermed`: MOC, B25c).
    pub fn is_a_distancia(self) -> bool {
        matches!(
            self,
            Presenca::Internet
                | Presenca::Teleatendimento
                | Presenca::EntregaDomicilio
                | Presenca::Outros
        )
    }
}

codes! {
    /// `idDest`.
    Destino { Interna = "1" "interna", Interestadual = "2" "interestadual", Exterior = "3" "exterior" }
}

codes! {
    /// `indIEDest`.
    IndicadorIe {
        Contribuinte = "1" "contribuinte",
        Isento = "2" "isento",
        NaoContribuinte = "9" "nao_contribuinte",
    }
}

codes! {
    /// `modFrete`.
    ModalidadeFrete {
        Emitente = "0" "emitente" | "cif" | "remetente",
        Destinatario = "1" "destinatario" | "fob",
        Terceiros = "2" "terceiros",
        ProprioRemetente = "3" "proprio_remetente",
        ProprioDestinatario = "4" "proprio_destinatario",
        SemFrete = "9" "sem_frete",
    }
}

codes! {
    /// `tPag` (Informe Técnico 2024.002, table of means of payment).
    Forma {
        Dinheiro = "01" "dinheiro",
        Cheque = "02" "cheque",
        CartaoCredito = "03" "cartao_credito",
        CartaoDebito = "04" "cartao_debito",
        CartaoLoja = "05" "cartao_loja",
        ValeAlimentacao = "10" "vale_alimentacao",
        ValeRefeicao = "11" "vale_refeicao",
        ValePresente = "12" "vale_presente",
        ValeCombustivel = "13" "vale_combustivel",
        Duplicata = "14" "duplicata",
        Boleto = "15" "boleto",
        Deposito = "16" "deposito",
        PixDinamico = "17" "pix_dinamico" | "pix",
        Transferencia = "18" "transferencia",
        Fidelidade = "19" "fidelidade",
        PixEstatico = "20" "pix_estatico",
        CreditoEmLoja = "21" "credito_em_loja",
        NaoInformado = "22" "nao_informado",
        PixAutomatico = "23" "pix_automatico",
        TransferenciaBook = "24" "transferencia_book",
        SemPagamento = "90" "sem_pagamento",
        PagamentoPosterior = "91" "pagamento_posterior",
        Outros = "99" "outros",
    }
}

codes! {
    /// `indPag`.
    IndicadorPagamento { AVista = "0" "a_vista", APrazo = "1" "a_prazo" }
}

codes! {
    /// `modBC`.
    ModalidadeBc {
        Mva = "0" "mva",
        Pauta = "1" "pauta",
        PrecoTabelado = "2" "preco_tabelado",
        ValorOperacao = "3" "valor_operacao",
    }
}

codes! {
    /// `modBCST`.
    ModalidadeBcSt {
        PrecoTabelado = "0" "preco_tabelado",
        ListaNegativa = "1" "lista_negativa",
        ListaPositiva = "2" "lista_positiva",
        ListaNeutra = "3" "lista_neutra",
        Mva = "4" "mva",
        Pauta = "5" "pauta",
        ValorOperacao = "6" "valor_operacao",
    }
}

codes! {
    /// Which of the groups that share a CST: shared taxation between states
    /// (`ICMSPart`) or transfer of ST retained before (`ICMSST`).
    GrupoIcms { Partilha = "part" "partilha", StRepasse = "st" "st_repasse" }
}

codes! {
    /// `tpViaTransp`.
    ViaTransporte {
        Maritima = "1" "maritima",
        Fluvial = "2" "fluvial",
        Lacustre = "3" "lacustre",
        Aerea = "4" "aerea",
        Postal = "5" "postal",
        Ferroviaria = "6" "ferroviaria",
        Rodoviaria = "7" "rodoviaria",
        Conduto = "8" "conduto",
        MeiosProprios = "9" "meios_proprios",
        Ficta = "10" "entrada_saida_ficta",
        Courier = "11" "courier",
        EmMaos = "12" "em_maos",
        Reboque = "13" "reboque",
    }
}

codes! {
    /// `tpIntermedio`.
    Intermediacao {
        ContaPropria = "1" "conta_propria",
        ContaEOrdem = "2" "conta_e_ordem",
        Encomenda = "3" "encomenda",
    }
}

codes! {
    /// `indISS`.
    ExigibilidadeIss {
        Exigivel = "1" "exigivel",
        NaoIncidencia = "2" "nao_incidencia",
        Isencao = "3" "isencao",
        Exportacao = "4" "exportacao",
        Imunidade = "5" "imunidade",
        SuspensaJudicial = "6" "suspensa_judicial",
        SuspensaAdministrativa = "7" "suspensa_administrativa",
    }
}

codes! {
    /// `indProc`.
    OrigemProcesso {
        Sefaz = "0" "sefaz",
        JusticaFederal = "1" "justica_federal",
        JusticaEstadual = "2" "justica_estadual",
        SecexRfb = "3" "secex_rfb",
        Confaz = "4" "confaz",
        Outros = "9" "outros",
    }
}
