//! Enumerations of the request (MOC CT-e 4.00, annex I; words are ours).

use fiscal::body::codes;

codes! {
    /// `tpCTe`.
    Tipo named "CteTipo" {
        Normal = "0" "normal",
        Complementar = "1" "complementar",
        Substituicao = "3" "substituicao",
    }
}

codes! {
    /// `modal`.
    Modal named "CteModal" {
        Rodoviario = "01" "rodoviario",
        Aereo = "02" "aereo",
        Aquaviario = "03" "aquaviario",
        Ferroviario = "04" "ferroviario",
        Dutoviario = "05" "dutoviario",
        Multimodal = "06" "multimodal",
    }
}

codes! {
    /// `tpServ`.
    Servico named "CteServico" {
        Normal = "0" "normal",
        Subcontratacao = "1" "subcontratacao",
        Redespacho = "2" "redespacho",
        RedespachoIntermediario = "3" "redespacho_intermediario",
        VinculadoMultimodal = "4" "vinculado_multimodal",
    }
}

codes! {
    /// `toma`.
    Papel named "CtePapel" {
        Remetente = "0" "remetente",
        Expedidor = "1" "expedidor",
        Recebedor = "2" "recebedor",
        Destinatario = "3" "destinatario",
        Outro = "4" "outro",
    }
}

codes! {
    /// Group of the ICMS; its code is the name of the element.
    GrupoIcms named "CteGrupoIcms" {
        Icms00 = "ICMS00" "icms00",
        Icms20 = "ICMS20" "icms20",
        Icms45 = "ICMS45" "icms45",
        Icms60 = "ICMS60" "icms60",
        Icms90 = "ICMS90" "icms90",
        OutraUf = "ICMSOutraUF" "icms_outra_uf",
        Simples = "ICMSSN" "icms_sn",
        PagamentoAntecipado = "gICMSPrevistoPagtoAntecip" "icms_previsto",
    }
}

codes! {
    /// `tpPer`.
    TipoData named "CteTipoData" {
        SemData = "0" "sem_data",
        NaData = "1" "na_data",
        AteData = "2" "ate_a_data",
        APartir = "3" "a_partir_da_data",
        NoPeriodo = "4" "no_periodo",
    }
}

codes! {
    /// `tpHor`.
    TipoHora named "CteTipoHora" {
        SemHora = "0" "sem_hora",
        NoHorario = "1" "no_horario",
        AteHorario = "2" "ate_o_horario",
        APartir = "3" "a_partir_do_horario",
        NoIntervalo = "4" "no_intervalo",
    }
}

codes! {
    /// `cUnid`.
    Unidade named "CteUnidade" {
        MetroCubico = "00" "m3",
        Quilograma = "01" "kg",
        Tonelada = "02" "ton",
        Unidade = "03" "unidade",
        Litro = "04" "litros",
        Mmbtu = "05" "mmbtu",
    }
}

codes! {
    /// `tpDoc` of the other documents.
    TipoDocumento named "CteTipoDocumento" {
        Declaracao = "00" "declaracao",
        Dutoviario = "10" "dutoviario",
        Cfe = "59" "cfe_sat",
        Nfce = "65" "nfce",
        Outros = "99" "outros",
    }
}

codes! {
    /// `tpPagAnt`.
    TipoPagamentoAntecipado named "CteTipoPagamentoAntecipado" {
        Antecipacao = "1" "antecipacao",
        Fornecimento = "3" "fornecimento",
    }
}

codes! {
    /// `tpUnidTransp`.
    TipoUnidadeTransporte named "CteTipoUnidadeTransporte" {
        Tracao = "1" "rodoviario_tracao",
        Reboque = "2" "rodoviario_reboque",
        Navio = "3" "navio",
        Balsa = "4" "balsa",
        Aeronave = "5" "aeronave",
        Vagao = "6" "vagao",
        Outros = "7" "outros",
    }
}

codes! {
    /// `tpUnidCarga`.
    TipoUnidadeCarga named "CteTipoUnidadeCarga" {
        Container = "1" "container",
        Uld = "2" "uld",
        Pallet = "3" "pallet",
        Outros = "4" "outros",
    }
}

codes! {
    /// `direc`.
    Direcao named "CteDirecao" {
        Norte = "N" "norte",
        Sul = "S" "sul",
        Leste = "L" "leste",
        Oeste = "O" "oeste",
    }
}

codes! {
    /// `tpNav`.
    Navegacao named "CteNavegacao" { Interior = "0" "interior", Cabotagem = "1" "cabotagem" }
}

codes! {
    /// `tpTraf`.
    Trafego named "CteTrafego" {
        Proprio = "0" "proprio",
        Mutuo = "1" "mutuo",
        Rodoferroviario = "2" "rodoferroviario",
        Rodoviario = "3" "rodoviario",
    }
}

codes! {
    /// `respFat` and `ferrEmi`.
    Ferrovia named "CteFerrovia" { Origem = "1" "origem", Destino = "2" "destino" }
}

codes! {
    /// `classDuto`.
    ClasseDuto named "CteClasseDuto" {
        Gasoduto = "1" "gasoduto",
        Mineroduto = "2" "mineroduto",
        Oleoduto = "3" "oleoduto",
    }
}

codes! {
    /// `tpContratacao`, of gas pipelines.
    ContratacaoDuto named "CteContratacaoDuto" {
        PontoAPonto = "0" "ponto_a_ponto",
        Entrada = "1" "entrada",
        Saida = "2" "saida",
    }
}

codes! {
    /// `CL`.
    ClasseTarifa named "CteClasseTarifa" {
        Minima = "M" "minima",
        Geral = "G" "geral",
        Especifica = "E" "especifica",
    }
}

codes! {
    /// `uniAP`.
    UnidadePerigoso named "CteUnidadePerigoso" {
        Quilograma = "1" "kg",
        QuilogramaBruto = "2" "kg_bruto",
        Litro = "3" "litros",
        IndiceTransporte = "4" "indice_transporte",
        Unidade = "5" "unidade",
    }
}
