//! Particular goods.

use super::row::{Form, Row, code, digits, flag, list, number, other, text};

pub(super) const NEW_VEHICLE: &[Row] = &[
    code("veiculo_tipo_operacao", "veiculo_novo.tipo_operacao"),
    text("veiculo_chassi", "veiculo_novo.chassi"),
    text("veiculo_codigo_cor", "veiculo_novo.codigo_cor"),
    text("veiculo_descricao_cor", "veiculo_novo.cor"),
    text("veiculo_potencia_motor", "veiculo_novo.potencia"),
    text("veiculo_cm3", "veiculo_novo.cilindradas"),
    text("veiculo_peso_liquido", "veiculo_novo.peso_liquido"),
    text("veiculo_peso_bruto", "veiculo_novo.peso_bruto"),
    text("veiculo_serie", "veiculo_novo.serie"),
    digits(
        2,
        "veiculo_tipo_combustivel",
        "veiculo_novo.tipo_combustivel",
    ),
    text("veiculo_numero_motor", "veiculo_novo.motor"),
    text("veiculo_cmt", "veiculo_novo.capacidade_tracao"),
    text("veiculo_distancia_eixos", "veiculo_novo.distancia_eixos"),
    text("veiculo_ano_modelo", "veiculo_novo.ano_modelo"),
    text("veiculo_ano_fabricacao", "veiculo_novo.ano_fabricacao"),
    text("veiculo_tipo_pintura", "veiculo_novo.tipo_pintura"),
    text("veiculo_tipo", "veiculo_novo.tipo_veiculo"),
    text("veiculo_especie", "veiculo_novo.especie"),
    text("veiculo_codigo_vin", "veiculo_novo.vin"),
    text("veiculo_condicao", "veiculo_novo.condicao"),
    text("veiculo_codigo_marca_modelo", "veiculo_novo.codigo_modelo"),
    digits(
        2,
        "veiculo_codigo_cor_denatran",
        "veiculo_novo.codigo_cor_denatran",
    ),
    text("veiculo_lotacao", "veiculo_novo.lotacao"),
    text("veiculo_restricao", "veiculo_novo.restricao"),
];

pub(super) const MEDICINE: &[Row] = &[
    text("medicamento_codigo_anvisa", "medicamento.codigo_anvisa"),
    text("medicamento_motivo_isencao", "medicamento.motivo_isencao"),
    number(
        "medicamento_preco_maximo_consumidor",
        "medicamento.preco_maximo",
    ),
];

pub(super) const ARMS: &[Row] = &[list(
    "armamentos",
    "armas",
    &[&[
        code("tipo_arma", "tipo"),
        text("numero_serie", "serie"),
        text("numero_serie_cano", "cano"),
        text("descricao", "descricao"),
    ]],
)];

pub(super) const FUEL: &[Row] = &[
    digits(9, "combustivel_codigo_anp", "combustivel.codigo_anp"),
    text("combustivel_descricao_anp", "combustivel.descricao_anp"),
    number("combustivel_percentual_glp", "combustivel.percentual_glp"),
    number(
        "combustivel_percentual_gas_natural_nacional",
        "combustivel.percentual_gas_nacional",
    ),
    number(
        "combustivel_percentual_gas_natural_importado",
        "combustivel.percentual_gas_importado",
    ),
    number("combustivel_valor_partida", "combustivel.valor_partida"),
    text("combustivel_registro_codif", "combustivel.codif"),
    number(
        "combustivel_quantidade_temperatura_ambiente",
        "combustivel.quantidade_temperatura",
    ),
    text("combustivel_sigla_uf", "combustivel.uf_consumo"),
    number("combustivel_cide_base_calculo", "combustivel.cide.base"),
    number("combustivel_cide_aliquota", "combustivel.cide.aliquota"),
    number("combustivel_cide_valor", "combustivel.cide.valor"),
    text("combustivel_numero_bico", "combustivel.encerrante.bico"),
    text("combustivel_numero_bomba", "combustivel.encerrante.bomba"),
    text("combustivel_numero_tanque", "combustivel.encerrante.tanque"),
    number(
        "combustivel_valor_encerrante_inicio",
        "combustivel.encerrante.inicial",
    ),
    number(
        "combustivel_valor_encerrante_final",
        "combustivel.encerrante.final",
    ),
    number(
        "combustivel_percentual_biodiesel",
        "combustivel.percentual_biodiesel",
    ),
    list(
        "origens_combustivel",
        "combustivel.origens",
        &[&[
            flag("indicador_importacao", "importado"),
            other("uf_origem", "uf", Form::State),
            number("percentual_originario_uf", "percentual"),
        ]],
    ),
];
