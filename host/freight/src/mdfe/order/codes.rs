//! Enumerations of the request (MOC MDF-e 3.00b, annex I; words are ours).

use fiscal::body::codes;

codes! {
    /// `tpEmit`.
    TipoEmitente named "MdfeTipoEmitente" {
        Prestador = "1" "prestador",
        CargaPropria = "2" "carga_propria",
        Globalizado = "3" "cte_globalizado",
    }
}

codes! {
    /// `tpTransp`.
    TipoTransportador named "MdfeTipoTransportador" {
        Empresa = "1" "etc",
        Autonomo = "2" "tac",
        Cooperativa = "3" "ctc",
    }
}

codes! {
    /// `modal`.
    Modal named "MdfeModal" {
        Rodoviario = "1" "rodoviario",
        Aereo = "2" "aereo",
        Aquaviario = "3" "aquaviario",
        Ferroviario = "4" "ferroviario",
    }
}

codes! {
    /// `tpRod`.
    TipoRodado named "MdfeTipoRodado" {
        Truck = "01" "truck",
        Toco = "02" "toco",
        CavaloMecanico = "03" "cavalo_mecanico",
        Van = "04" "van",
        Utilitario = "05" "utilitario",
        Outros = "06" "outros",
    }
}

codes! {
    /// `tpCar`.
    TipoCarroceria named "MdfeTipoCarroceria" {
        NaoAplicavel = "00" "nao_aplicavel",
        Aberta = "01" "aberta",
        Fechada = "02" "fechada",
        Granelera = "03" "granelera",
        PortaContainer = "04" "porta_container",
        Sider = "05" "sider",
    }
}

codes! {
    /// `tpProp`.
    TipoProprietario named "MdfeTipoProprietario" {
        Agregado = "0" "tac_agregado",
        Independente = "1" "tac_independente",
        Outros = "2" "outros",
    }
}

codes! {
    /// `respSeg`.
    ResponsavelSeguro named "MdfeResponsavelSeguro" {
        Emitente = "1" "emitente",
        Contratante = "2" "contratante",
    }
}

codes! {
    /// `tpCarga` (Resolução ANTT 5.849/2019).
    TipoCarga named "MdfeTipoCarga" {
        GranelSolido = "01" "granel_solido",
        GranelLiquido = "02" "granel_liquido",
        Frigorificada = "03" "frigorificada",
        Conteinerizada = "04" "conteinerizada",
        Geral = "05" "carga_geral",
        Neogranel = "06" "neogranel",
        PerigosaGranelSolido = "07" "perigosa_granel_solido",
        PerigosaGranelLiquido = "08" "perigosa_granel_liquido",
        PerigosaFrigorificada = "09" "perigosa_frigorificada",
        PerigosaConteinerizada = "10" "perigosa_conteinerizada",
        PerigosaGeral = "11" "perigosa_carga_geral",
        GranelPressurizado = "12" "granel_pressurizado",
    }
}

codes! {
    /// `cUnid`.
    UnidadePeso named "MdfeUnidadePeso" { Quilograma = "01" "kg", Tonelada = "02" "ton" }
}

codes! {
    /// `tpValePed`.
    TipoValePedagio named "MdfeTipoValePedagio" { Tag = "01" "tag", Placa = "04" "placa" }
}

codes! {
    /// `categCombVeic`: axles of vehicle and trailers together.
    CategoriaVeicular named "MdfeCategoriaVeicular" {
        DoisEixos = "02" "2_eixos",
        TresEixos = "04" "3_eixos",
        QuatroEixos = "06" "4_eixos",
        CincoEixos = "07" "5_eixos",
        SeisEixos = "08" "6_eixos",
        SeteEixos = "10" "7_eixos",
        OitoEixos = "11" "8_eixos",
        NoveEixos = "12" "9_eixos",
        DezEixos = "13" "10_eixos",
        AcimaDeDezEixos = "14" "acima_de_10_eixos",
    }
}

codes! {
    /// `tpComp`.
    TipoComponente named "MdfeTipoComponente" {
        ValePedagio = "01" "vale_pedagio",
        Impostos = "02" "impostos",
        Despesas = "03" "despesas",
        Frete = "04" "frete",
        Outros = "99" "outros",
    }
}

codes! {
    /// `indPag`.
    FormaPagamento named "MdfeFormaPagamento" { AVista = "0" "a_vista", APrazo = "1" "a_prazo" }
}

codes! {
    /// `tpAntecip`.
    Antecipacao named "MdfeAntecipacao" {
        NaoPermite = "0" "nao_permite",
        Permite = "1" "permite",
        ComConfirmacao = "2" "permite_com_confirmacao",
    }
}

codes! {
    /// `tpNav`.
    Navegacao named "MdfeNavegacao" { Interior = "0" "interior", Cabotagem = "1" "cabotagem" }
}

codes! {
    /// `tpUnidTranspVazia`.
    TransporteVazio named "MdfeTransporteVazio" { Caminhao = "1" "caminhao", Carreta = "2" "carreta" }
}
