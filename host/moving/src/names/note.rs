//! The body of an NF-e and an NFC-e, without its items.

use super::item::ITEM;
use super::parties::{
    CARRIER, COMPANY, DELIVERY, DELIVERY_ADDRESS, PICKUP, PICKUP_ADDRESS, RECIPIENT,
    RECIPIENT_ADDRESS,
};
use super::row::{
    Form, Row, Rows, apart, code, day, digits, flag, flag_of, integer, list, moment, number, only,
    other, refused, text, texts, told,
};
use super::totals::TOTALS;

pub const NOTE: Rows = &[
    HEAD,
    COMPANY,
    RECIPIENT,
    RECIPIENT_ADDRESS,
    PICKUP,
    PICKUP_ADDRESS,
    DELIVERY,
    DELIVERY_ADDRESS,
    ITEMS,
    TOTALS,
    SERVICES,
    CARRIER,
    TRANSPORT,
    CHARGE,
    REMARKS,
    PARTICULAR,
];

const HEAD: &[Row] = &[
    text("natureza_operacao", "natureza_operacao"),
    integer("serie", "serie"),
    refused("numero", "O hub numera as notas: envie sem numero."),
    refused(
        "codigo_unico",
        "O hub sorteia o código da chave: envie sem codigo_unico.",
    ),
    refused(
        "forma_emissao",
        "Não há emissão em contingência: envie sem forma_emissao.",
    ),
    moment("data_emissao", "data_emissao"),
    moment("data_entrada_saida", "data_saida"),
    day("data_previsao_entrega_bem", "data_previsao_entrega"),
    code("tipo_documento", "tipo_operacao"),
    code("local_destino", "destino_operacao"),
    digits(7, "municipio", "municipio_fato_gerador"),
    digits(7, "ibs_cbs_municipio", "municipio_fato_gerador_ibs"),
    code("finalidade_emissao", "finalidade"),
    digits(2, "tipo_nota_debito", "tipo_nota_debito"),
    digits(2, "tipo_nota_credito", "tipo_nota_credito"),
    flag("consumidor_final", "consumidor_final"),
    code("presenca_comprador", "presenca"),
    apart("indicador_intermediario", "intermediador"),
    list("notas_referenciadas", "referencias", REFERENCE),
    code(
        "tipo_compra_governamental",
        "compra_governamental.tipo_ente",
    ),
    number(
        "perc_reducao_aliquota_compra_governamental",
        "compra_governamental.redutor",
    ),
    code(
        "tipo_operacao_governamental",
        "compra_governamental.tipo_operacao",
    ),
    texts(
        "chaves_nfe_antecipacao_pagamento",
        "pagamentos_antecipados",
        &["chave_nfe"],
    ),
    texts("pessoas_autorizadas", "autorizados_xml", &["cnpj", "cpf"]),
];

const REFERENCE: Rows = &[&[
    digits(44, "chave_nfe", "chave"),
    digits(44, "chave_cte", "chave"),
    text("uf", "nota_papel.uf"),
    other("mes", "nota_papel.mes", Form::YearMonth),
    digits(14, "cnpj", "nota_papel.cnpj"),
    digits(2, "modelo", "nota_papel.modelo"),
    text("serie", "nota_papel.serie"),
    text("numero", "nota_papel.numero"),
    text("uf_nf_produtor", "nota_produtor.uf"),
    other("mes_nf_produtor", "nota_produtor.mes", Form::YearMonth),
    digits(14, "cnpj_nf_produtor", "nota_produtor.cpf_cnpj"),
    digits(11, "cpf_nf_produtor", "nota_produtor.cpf_cnpj"),
    text("inscricao_estadual_nf_produtor", "nota_produtor.ie"),
    digits(2, "modelo_nf_produtor", "nota_produtor.modelo"),
    text("serie_nf_produtor", "nota_produtor.serie"),
    text("numero_nf_produtor", "nota_produtor.numero"),
    text("modelo_ecf", "cupom.modelo"),
    text("numero_ecf", "cupom.numero_ecf"),
    text("coo", "cupom.coo"),
]];

/// Their documentation has both names.
const ITEMS: &[Row] = &[list("items", "itens", ITEM), list("itens", "itens", ITEM)];

/// What a note with services says besides its sums.
const SERVICES: &[Row] = &[
    day("data_prestacao_servico", "servicos.data_competencia"),
    code(
        "codigo_regime_especial_tributacao",
        "servicos.regime_especial",
    ),
    number("pis_valor_retido", "retencoes.pis"),
    number("cofins_valor_retido", "retencoes.cofins"),
    number("csll_valor_retido", "retencoes.csll"),
    number("irrf_base_calculo", "retencoes.base_irrf"),
    number("irrf_valor_retido", "retencoes.irrf"),
    number("prev_social_base_calculo", "retencoes.base_previdencia"),
    number("prev_social_valor_retido", "retencoes.previdencia"),
];

const VEHICLE: Rows = &[&[
    text("veiculo_placa", "placa"),
    text("veiculo_uf", "uf"),
    text("veiculo_rntc", "rntc"),
]];

const TRANSPORT: &[Row] = &[
    code("modalidade_frete", "transporte.modalidade_frete"),
    number(
        "transporte_icms_servico",
        "transporte.retencao_icms.valor_servico",
    ),
    number(
        "transporte_icms_base_calculo",
        "transporte.retencao_icms.base",
    ),
    number(
        "transporte_icms_aliquota",
        "transporte.retencao_icms.aliquota",
    ),
    number("transporte_icms_valor", "transporte.retencao_icms.valor"),
    digits(4, "transporte_icms_cfop", "transporte.retencao_icms.cfop"),
    digits(
        7,
        "transporte_icms_codigo_municipio",
        "transporte.retencao_icms.municipio",
    ),
    text("veiculo_placa", "transporte.veiculo.placa"),
    text("veiculo_uf", "transporte.veiculo.uf"),
    text("veiculo_rntc", "transporte.veiculo.rntc"),
    text("veiculo_identificacao_vagao", "transporte.vagao"),
    text("veiculo_identificacao_balsa", "transporte.balsa"),
    list("reboques", "transporte.reboques", VEHICLE),
    list("volumes", "transporte.volumes", VOLUME),
];

const VOLUME: Rows = &[&[
    number("quantidade", "quantidade"),
    text("especie", "especie"),
    text("marca", "marca"),
    text("numero", "numeracao"),
    number("peso_liquido", "peso_liquido"),
    number("peso_bruto", "peso_bruto"),
    texts("lacres", "lacres", &["numero"]),
]];

const CHARGE: &[Row] = &[
    text("numero_fatura", "cobranca.fatura.numero"),
    number("valor_original_fatura", "cobranca.fatura.valor_original"),
    number("valor_desconto_fatura", "cobranca.fatura.desconto"),
    number("valor_liquido_fatura", "cobranca.fatura.valor_liquido"),
    list("duplicatas", "cobranca.duplicatas", INSTALMENT),
    // Of their older examples.
    told(
        "forma_pagamento",
        "Pagamento à vista ou a prazo vai em formas_pagamento (indicador_pagamento).",
    ),
    list("formas_pagamento", "pagamentos", PAYMENT),
    number("valor_troco", "troco"),
    digits(14, "cnpj_intermediario", "intermediador.cnpj"),
    text("id_intermediario", "intermediador.identificador"),
];

const INSTALMENT: Rows = &[&[
    digits(3, "numero", "numero"),
    day("data_vencimento", "vencimento"),
    number("valor", "valor"),
]];

const PAYMENT: Rows = &[&[
    code("indicador_pagamento", "indicador"),
    digits(2, "forma_pagamento", "forma"),
    text("descricao_pagamento", "descricao"),
    number("valor_pagamento", "valor"),
    day("data_pagamento", "data"),
    digits(14, "cnpj_transacional", "cnpj_pagador"),
    text("uf_transacional", "uf_pagador"),
    flag_of(("1", "2"), "tipo_integracao", "cartao.integrado"),
    digits(14, "cnpj_credenciadora", "cartao.cnpj_credenciadora"),
    digits(2, "bandeira_operadora", "cartao.bandeira"),
    text("numero_autorizacao", "cartao.autorizacao"),
    digits(14, "cnpj_beneficiario", "cartao.cnpj_recebedor"),
    text("id_terminal_pagamento", "cartao.terminal"),
    // Of their older examples; an amount goes in valor_troco of the note.
    only("troco", "0"),
    told(
        "nome_credenciadora",
        "A nota não tem lugar para o nome da credenciadora.",
    ),
]];

const REMARK: Rows = &[&[text("campo", "campo"), text("texto", "texto")]];

const REMARKS: &[Row] = &[
    text("informacoes_adicionais_fisco", "informacoes_fisco"),
    text(
        "informacoes_adicionais_contribuinte",
        "informacoes_complementares",
    ),
    list(
        "observacoes_contribuinte",
        "observacoes_contribuinte",
        REMARK,
    ),
    list("observacoes_fisco", "observacoes_fisco", REMARK),
    list(
        "processos_referenciados",
        "processos",
        &[&[
            text("identificador_processo", "numero"),
            code("indicador_origem_processo", "origem"),
            digits(2, "tipo_ato_concessorio", "tipo_ato"),
        ]],
    ),
];

const PARTICULAR: &[Row] = &[
    text("uf_local_embarque", "exportacao.uf_embarque"),
    text("local_embarque", "exportacao.local_embarque"),
    text("local_despacho", "exportacao.local_despacho"),
    text("nota_empenho_compra", "compra.empenho"),
    text("pedido_compra", "compra.pedido"),
    text("contrato_compra", "compra.contrato"),
    text("cana_safra", "cana.safra"),
    other("cana_mes_ano_referencia", "cana.mes", Form::MonthYear),
    list(
        "cana_fornecimentos",
        "cana.fornecimentos",
        &[&[number("dia", "dia"), number("quantidade", "quantidade")]],
    ),
    number("cana_quantidade_mes_fornecimento", "cana.total_mes"),
    number(
        "cana_quantidade_anterior_fornecimento",
        "cana.total_anterior",
    ),
    number("cana_quantidade_geral_fornecimento", "cana.total_geral"),
    list(
        "cana_deducoes",
        "cana.deducoes",
        &[&[text("descricao", "descricao"), number("valor", "valor")]],
    ),
    number("cana_valor_fornecimento", "cana.valor_fornecimento"),
    number("cana_valor_total_deducoes", "cana.valor_deducoes"),
    number("cana_valor_liquido_fornecimento", "cana.valor_liquido"),
    digits(14, "cnpj_responsavel_tecnico", "responsavel_tecnico.cnpj"),
    text("contato_responsavel_tecnico", "responsavel_tecnico.contato"),
    text("email_responsavel_tecnico", "responsavel_tecnico.email"),
    text(
        "telefone_responsavel_tecnico",
        "responsavel_tecnico.telefone",
    ),
    digits(2, "identificador_csrt", "responsavel_tecnico.id_csrt"),
    refused(
        "hash_csrt",
        "O hub calcula o hash do CSRT guardado no perfil fiscal: envie sem hash_csrt.",
    ),
    list(
        "agropecuario_defensivo",
        "agropecuario.defensivos",
        &[&[
            text("numero_receituario", "receituario"),
            digits(11, "cpf_responsavel", "cpf_responsavel"),
        ]],
    ),
    code("agropecuario_tipo_guia", "agropecuario.guia_transito.tipo"),
    text("agropecuario_uf_guia", "agropecuario.guia_transito.uf"),
    text(
        "agropecuario_serie_guia",
        "agropecuario.guia_transito.serie",
    ),
    text(
        "agropecuario_numero_guia",
        "agropecuario.guia_transito.numero",
    ),
];
