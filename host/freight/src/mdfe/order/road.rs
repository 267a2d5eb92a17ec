//! What the modal of roads adds: vehicles, drivers and what the ANTT asks.

use super::{
    Antecipacao, CategoriaVeicular, FormaPagamento, TipoCarroceria, TipoComponente,
    TipoProprietario, TipoRodado, TipoValePedagio,
};
use fiscal::body::{Number, group};

group! {
    /// Veículo que traciona (`veicTracao`).
    #[schemars(rename = "MdfeVeiculo")]
    Veiculo {
        /// `cInt`.
        codigo_interno: Option<String>,
        placa: Option<String>,
        renavam: Option<String>,
        /// Quilos.
        tara: Option<Number>,
        /// Quilos (`capKG`).
        capacidade_kg: Option<Number>,
        /// `capM3`.
        capacidade_m3: Option<Number>,
        /// `prop`: só quando o veículo não é do emitente.
        proprietario: Option<Proprietario>,
        /// `tpRod`; ausente: outros.
        tipo_rodado: Option<TipoRodado>,
        /// `tpCar`; ausente: não aplicável.
        tipo_carroceria: Option<TipoCarroceria>,
        /// Onde o veículo é licenciado.
        uf: Option<String>,
    }
}

group! {
    /// Reboque (`veicReboque`).
    #[schemars(rename = "MdfeReboque")]
    Reboque {
        /// `cInt`.
        codigo_interno: Option<String>,
        placa: Option<String>,
        renavam: Option<String>,
        /// Quilos.
        tara: Option<Number>,
        /// Quilos (`capKG`); obrigatória.
        capacidade_kg: Option<Number>,
        /// `capM3`.
        capacidade_m3: Option<Number>,
        /// `prop`: só quando o reboque não é do emitente.
        proprietario: Option<Proprietario>,
        /// `tpCar`; ausente: não aplicável.
        tipo_carroceria: Option<TipoCarroceria>,
        /// Onde o reboque é licenciado.
        uf: Option<String>,
    }
}

group! {
    /// De quem é o veículo (`prop`).
    #[schemars(rename = "MdfeProprietario")]
    Proprietario {
        cpf_cnpj: Option<String>,
        /// Registro na ANTT, oito dígitos.
        rntrc: Option<String>,
        nome: Option<String>,
        /// Vai junto com `uf`.
        ie: Option<String>,
        uf: Option<String>,
        /// `tpProp`; ausente: outros.
        tipo: Option<TipoProprietario>,
    }
}

group! {
    /// `condutor`.
    #[schemars(rename = "MdfeCondutor")]
    Condutor {
        nome: Option<String>,
        cpf: Option<String>,
    }
}

group! {
    /// `rodo`, além de veículos e condutores.
    #[schemars(rename = "MdfeRodoviario")]
    Rodoviario {
        /// Registro do emitente na ANTT, oito dígitos; obrigatório do prestador
        /// de serviço de transporte.
        rntrc: Option<String>,
        /// `infCIOT`.
        ciot: Vec<Ciot>,
        vale_pedagio: Option<ValePedagio>,
        /// `infContratante`: obrigatório do prestador de serviço de transporte.
        contratantes: Vec<Contratante>,
        /// Pagamento do frete (`infPag`).
        pagamentos: Vec<PagamentoFrete>,
        /// `codAgPorto`.
        agendamento_porto: Option<String>,
        /// `lacRodo`.
        lacres: Vec<String>,
    }
}

group! {
    /// Operação de transporte registrada na ANTT (`infCIOT`).
    #[schemars(rename = "MdfeCiot")]
    Ciot {
        /// Doze dígitos (`CIOT`).
        codigo: Option<String>,
        /// De quem gerou o código.
        cpf_cnpj: Option<String>,
    }
}

group! {
    /// `valePed`.
    #[schemars(rename = "MdfeValePedagio")]
    ValePedagio {
        dispositivos: Vec<DispositivoPedagio>,
        /// `categCombVeic`.
        categoria: Option<CategoriaVeicular>,
    }
}

group! {
    /// `disp`.
    #[schemars(rename = "MdfeDispositivoPedagio")]
    DispositivoPedagio {
        /// De quem fornece o vale (`CNPJForn`).
        cnpj_fornecedor: Option<String>,
        /// De quem paga, quando não é o emitente.
        cpf_cnpj_pagador: Option<String>,
        /// Identificador do vale (`nCompra`).
        numero_compra: Option<String>,
        valor: Option<Number>,
        tipo: Option<TipoValePedagio>,
    }
}

group! {
    /// Quem contrata o serviço (`infContratante`).
    #[schemars(rename = "MdfeContratante")]
    Contratante {
        nome: Option<String>,
        cpf_cnpj: Option<String>,
        /// Em vez de `cpf_cnpj` (`idEstrangeiro`).
        id_estrangeiro: Option<String>,
        /// `NroContrato`; vai junto com `valor_contrato`.
        contrato: Option<String>,
        /// `vContratoGlobal`.
        valor_contrato: Option<Number>,
    }
}

group! {
    /// Pagamento do frete (`infPag`).
    #[schemars(rename = "MdfePagamento")]
    PagamentoFrete {
        nome: Option<String>,
        /// De quem paga.
        cpf_cnpj: Option<String>,
        /// Em vez de `cpf_cnpj` (`idEstrangeiro`).
        id_estrangeiro: Option<String>,
        /// `Comp`.
        componentes: Vec<ComponentePagamento>,
        /// `vContrato`; ausente: a soma dos componentes.
        valor: Option<Number>,
        /// `indAltoDesemp`.
        alto_desempenho: Option<bool>,
        /// `indPag`; ausente: a prazo, se houver parcelas.
        forma: Option<FormaPagamento>,
        /// `vAdiant`.
        adiantamento: Option<Number>,
        /// `indAntecipaAdiant`.
        antecipa_adiantamento: Option<bool>,
        /// `infPrazo`.
        parcelas: Vec<Parcela>,
        /// `tpAntecip`.
        antecipacao: Option<Antecipacao>,
        /// Número do banco; vai junto com `agencia`.
        banco: Option<String>,
        agencia: Option<String>,
        /// Instituição de pagamento eletrônico do frete (`CNPJIPEF`), em vez do
        /// banco.
        cnpj_ipef: Option<String>,
        /// Chave PIX, em vez do banco.
        pix: Option<String>,
    }
}

group! {
    /// `Comp`.
    #[schemars(rename = "MdfeComponente")]
    ComponentePagamento {
        tipo: Option<TipoComponente>,
        valor: Option<Number>,
        /// Com tipo `outros`.
        descricao: Option<String>,
    }
}

group! {
    /// `infPrazo`.
    #[schemars(rename = "MdfeParcela")]
    Parcela {
        /// Três dígitos; ausente: a posição na lista.
        numero: Option<String>,
        /// `AAAA-MM-DD`.
        vencimento: Option<String>,
        valor: Option<Number>,
    }
}
