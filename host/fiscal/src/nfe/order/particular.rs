//! Groups of particular goods and of foreign trade.

use super::{Intermediacao, Number, ViaTransporte};
use crate::body::group;

group! {
    /// Lote (`rastro`).
    #[schemars(rename = "NfeRastreio")]
    Rastreio {
        lote: Option<String>,
        quantidade: Option<Number>,
        data_fabricacao: Option<String>,
        data_validade: Option<String>,
        /// `cAgreg`.
        codigo_agregacao: Option<String>,
    }
}

group! {
    /// `comb`.
    #[schemars(rename = "NfeCombustivel")]
    Combustivel {
        /// `cProdANP`.
        codigo_anp: Option<String>,
        /// `descANP`; ausente: conforme o código.
        descricao_anp: Option<String>,
        /// `pGLP`.
        percentual_glp: Option<Number>,
        /// `pGNn`.
        percentual_gas_nacional: Option<Number>,
        /// `pGNi`.
        percentual_gas_importado: Option<Number>,
        /// `vPart`.
        valor_partida: Option<Number>,
        codif: Option<String>,
        /// `qTemp`.
        quantidade_temperatura: Option<Number>,
        /// `UFCons`; ausente: a do destinatário; senão, a do emitente.
        uf_consumo: Option<String>,
        cide: Option<Cide>,
        encerrante: Option<Encerrante>,
        /// `pBio`.
        percentual_biodiesel: Option<Number>,
        /// `origComb`, até 30.
        origens: Vec<OrigemCombustivel>,
    }
}

group! {
    #[schemars(rename = "NfeCide")]
    Cide {
        base: Option<Number>,
        aliquota: Option<Number>,
        valor: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeEncerrante")]
    Encerrante {
        bico: Option<String>,
        bomba: Option<String>,
        tanque: Option<String>,
        inicial: Option<Number>,
        r#final: Option<Number>,
    }
}

group! {
    /// `origComb`.
    #[schemars(rename = "NfeOrigemCombustivel")]
    OrigemCombustivel {
        importado: Option<bool>,
        uf: Option<String>,
        percentual: Option<Number>,
    }
}

group! {
    /// `med`.
    #[schemars(rename = "NfeMedicamento")]
    Medicamento {
        /// Número ou "ISENTO".
        codigo_anvisa: Option<String>,
        motivo_isencao: Option<String>,
        /// Preço máximo ao consumidor (`vPMC`).
        preco_maximo: Option<Number>,
    }
}

group! {
    /// `veicProd`; os valores são os códigos oficiais.
    #[schemars(rename = "NfeVeiculoNovo")]
    VeiculoNovo {
        tipo_operacao: Option<String>,
        chassi: Option<String>,
        codigo_cor: Option<String>,
        cor: Option<String>,
        potencia: Option<String>,
        cilindradas: Option<String>,
        peso_liquido: Option<String>,
        peso_bruto: Option<String>,
        serie: Option<String>,
        tipo_combustivel: Option<String>,
        motor: Option<String>,
        capacidade_tracao: Option<String>,
        distancia_eixos: Option<String>,
        ano_modelo: Option<String>,
        ano_fabricacao: Option<String>,
        tipo_pintura: Option<String>,
        tipo_veiculo: Option<String>,
        especie: Option<String>,
        vin: Option<String>,
        condicao: Option<String>,
        codigo_modelo: Option<String>,
        codigo_cor_denatran: Option<String>,
        lotacao: Option<String>,
        restricao: Option<String>,
    }
}

group! {
    #[schemars(rename = "NfeArma")]
    Arma {
        /// 0 uso permitido, 1 uso restrito.
        tipo: Option<String>,
        serie: Option<String>,
        cano: Option<String>,
        descricao: Option<String>,
    }
}

group! {
    /// `DI`.
    #[schemars(rename = "NfeImportacao")]
    Importacao {
        /// Da DI, DSI, DIRE ou DUImp.
        numero: Option<String>,
        data: Option<String>,
        local_desembaraco: Option<String>,
        uf_desembaraco: Option<String>,
        data_desembaraco: Option<String>,
        via_transporte: Option<ViaTransporte>,
        valor_afrmm: Option<Number>,
        intermediacao: Option<Intermediacao>,
        cpf_cnpj_terceiro: Option<String>,
        uf_terceiro: Option<String>,
        codigo_exportador: Option<String>,
        adicoes: Vec<Adicao>,
    }
}

group! {
    #[schemars(rename = "NfeAdicao")]
    Adicao {
        numero: Option<String>,
        sequencia: Option<String>,
        codigo_fabricante: Option<String>,
        desconto: Option<Number>,
        drawback: Option<String>,
    }
}

group! {
    /// `detExport`.
    #[schemars(rename = "NfeItemExportacao")]
    ItemExportacao {
        drawback: Option<String>,
        /// Exportação indireta: `nRE`, `chNFe`, `qExport`.
        registro_exportacao: Option<String>,
        chave: Option<String>,
        quantidade: Option<Number>,
    }
}

group! {
    /// Fornecimento de cana-de-açúcar.
    #[schemars(rename = "NfeCana")]
    Cana {
        safra: Option<String>,
        /// `AAAA-MM` (`ref`).
        mes: Option<String>,
        fornecimentos: Vec<FornecimentoCana>,
        total_mes: Option<Number>,
        total_anterior: Option<Number>,
        total_geral: Option<Number>,
        deducoes: Vec<DeducaoCana>,
        valor_fornecimento: Option<Number>,
        valor_deducoes: Option<Number>,
        valor_liquido: Option<Number>,
    }
}

group! {
    #[schemars(rename = "NfeFornecimentoCana")]
    FornecimentoCana { dia: Option<Number>, quantidade: Option<Number> }
}

group! {
    #[schemars(rename = "NfeDeducaoCana")]
    DeducaoCana { descricao: Option<String>, valor: Option<Number> }
}

group! {
    /// `agropecuario`: um dos dois.
    #[schemars(rename = "NfeAgropecuario")]
    Agropecuario {
        /// Até 20.
        defensivos: Vec<Defensivo>,
        guia_transito: Option<GuiaTransito>,
    }
}

group! {
    #[schemars(rename = "NfeDefensivo")]
    Defensivo { receituario: Option<String>, cpf_responsavel: Option<String> }
}

group! {
    #[schemars(rename = "NfeGuiaTransito")]
    GuiaTransito {
        /// 1 a 7 (`tpGuia`).
        tipo: Option<String>,
        uf: Option<String>,
        serie: Option<String>,
        numero: Option<String>,
    }
}
