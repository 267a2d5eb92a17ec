//! The body of an NFS-e of the national environment.

use super::row::{
    Row, Rows, apart, code, company, company_text, day, digits, flag, list, moment, number, only,
    refused, text, texts,
};

pub const NATIONAL: Rows = &[
    HEAD, PROVIDER, TAKER, BROKER, RECIPIENT, SERVICE, ABROAD, SITES, VALUES, TAXES, REFORM,
];

const HEAD: &[Row] = &[
    moment("data_emissao", "data_emissao"),
    digits(1, "serie_dps", "serie_rps"),
    refused("numero_dps", "O hub numera as notas: envie sem numero_dps."),
    day("data_competencia", "data_competencia"),
    only("emitente_dps", "1"),
    company("codigo_municipio_emissora", "municipio"),
    digits(50, "chave_nfse_substituida", "substitui.chave"),
    digits(2, "codigo_justificativa_substituicao", "substitui.motivo"),
    text("motivo_substituicao", "substitui.justificativa"),
];

const COMPANY_ONLY: &str = "Só empresas com CNPJ emitem aqui: informe cnpj_prestador.";

const PROVIDER: &[Row] = &[
    company("cnpj_prestador", "cnpj"),
    refused("cpf_prestador", COMPANY_ONLY),
    refused("nif_prestador", COMPANY_ONLY),
    refused("motivo_ausencia_nif_prestador", COMPANY_ONLY),
    refused("caepf_prestador", COMPANY_ONLY),
    company("inscricao_municipal_prestador", "im"),
    company_text("razao_social_prestador", "nome"),
    company_text("codigo_municipio_prestador", "municipio"),
    company_text("cep_prestador", "cep"),
    company_text("logradouro_prestador", "logradouro"),
    company_text("numero_prestador", "numero"),
    company_text("complemento_prestador", "complemento"),
    company_text("bairro_prestador", "bairro"),
    company_text("telefone_prestador", "telefone"),
    company_text("email_prestador", "email"),
    code("codigo_opcao_simples_nacional", "regime.opcao_simples"),
    code(
        "regime_tributario_simples_nacional",
        "regime.apuracao_simples",
    ),
    code("regime_especial_tributacao", "regime.especial"),
];

const NO_NIF: &str = "O hub não declara o motivo da falta do NIF: informe o NIF.";
const NO_REGISTER: &str = "O hub não declara o CAEPF: envie sem este campo.";

/// Somebody of the note: names end in who it is.
macro_rules! person {
    ($theirs:literal, $ours:literal) => {
        &[
            digits(14, concat!("cnpj_", $theirs), concat!($ours, ".cpf_cnpj")),
            digits(11, concat!("cpf_", $theirs), concat!($ours, ".cpf_cnpj")),
            text(concat!("nif_", $theirs), concat!($ours, ".nif")),
            refused(concat!("motivo_ausencia_nif_", $theirs), NO_NIF),
            refused(concat!("caepf_", $theirs), NO_REGISTER),
            text(
                concat!("inscricao_municipal_", $theirs),
                concat!($ours, ".im"),
            ),
            text(concat!("razao_social_", $theirs), concat!($ours, ".nome")),
            digits(
                7,
                concat!("codigo_municipio_", $theirs),
                concat!($ours, ".endereco.codigo_ibge"),
            ),
            digits(8, concat!("cep_", $theirs), concat!($ours, ".endereco.cep")),
            text(
                concat!("codigo_pais_ext_", $theirs),
                concat!($ours, ".endereco.codigo_pais"),
            ),
            text(
                concat!("cep_ext_", $theirs),
                concat!($ours, ".endereco.codigo_postal"),
            ),
            text(
                concat!("nome_cidade_ext_", $theirs),
                concat!($ours, ".endereco.cidade"),
            ),
            text(
                concat!("regiao_ext_", $theirs),
                concat!($ours, ".endereco.estado"),
            ),
            text(
                concat!("logradouro_", $theirs),
                concat!($ours, ".endereco.logradouro"),
            ),
            text(
                concat!("numero_", $theirs),
                concat!($ours, ".endereco.numero"),
            ),
            text(
                concat!("complemento_", $theirs),
                concat!($ours, ".endereco.complemento"),
            ),
            text(
                concat!("bairro_", $theirs),
                concat!($ours, ".endereco.bairro"),
            ),
            text(concat!("telefone_", $theirs), concat!($ours, ".telefone")),
            text(concat!("email_", $theirs), concat!($ours, ".email")),
        ]
    };
}

const TAKER: &[Row] = person!("tomador", "tomador");
const BROKER: &[Row] = person!("intermediario", "intermediario");
const RECIPIENT: &[Row] = person!("destinatario", "ibs_cbs.destinatario");

const SERVICE: &[Row] = &[
    digits(
        7,
        "codigo_municipio_prestacao",
        "servico.codigo_municipio_prestacao",
    ),
    text("codigo_pais_prestacao", "servico.codigo_pais_prestacao"),
    digits(
        6,
        "codigo_tributacao_nacional_iss",
        "servico.codigo_tributacao_nacional",
    ),
    digits(
        3,
        "codigo_tributacao_municipal_iss",
        "servico.codigo_tributacao_municipio",
    ),
    text("descricao_servico", "servico.descricao"),
    digits(9, "codigo_nbs", "servico.codigo_nbs"),
    text("codigo_interno_contribuinte", "servico.codigo_interno"),
    text("informacoes_complementares", "informacoes_complementares"),
];

const ABROAD: &[Row] = &[
    code("modo_prestacao", "exportacao.modo_prestacao"),
    code("vinculo_negocio", "exportacao.vinculo"),
    digits(3, "codigo_moeda", "exportacao.moeda"),
    number("valor_servico_ext", "exportacao.valor_moeda"),
    digits(
        2,
        "mecanismo_comercio_ext_prestador",
        "exportacao.mecanismo_prestador",
    ),
    digits(
        2,
        "mecanismo_comercio_ext_tomador",
        "exportacao.mecanismo_tomador",
    ),
    code(
        "movimentacao_temporaria_bens",
        "exportacao.movimentacao_temporaria",
    ),
    text("numero_declaracao_importacao", "exportacao.di"),
    text("numero_registro_exportacao", "exportacao.re"),
    flag("mdic", "exportacao.mdic"),
];

/// Where something is built or happens.
macro_rules! site {
    ($theirs:literal, $ours:literal) => {
        [
            digits(8, concat!("cep_", $theirs), concat!($ours, ".endereco.cep")),
            text(
                concat!("cep_ext_", $theirs),
                concat!($ours, ".endereco.codigo_postal"),
            ),
            text(
                concat!("nome_cidade_ext_", $theirs),
                concat!($ours, ".endereco.cidade"),
            ),
            text(
                concat!("regiao_ext_", $theirs),
                concat!($ours, ".endereco.estado"),
            ),
            text(
                concat!("logradouro_", $theirs),
                concat!($ours, ".endereco.logradouro"),
            ),
            text(
                concat!("numero_", $theirs),
                concat!($ours, ".endereco.numero"),
            ),
            text(
                concat!("complemento_", $theirs),
                concat!($ours, ".endereco.complemento"),
            ),
            text(
                concat!("bairro_", $theirs),
                concat!($ours, ".endereco.bairro"),
            ),
        ]
    };
}

const SITES: &[Row] = {
    const PLACES: [[Row; 8]; 2] = [site!("obra", "obra"), site!("evento", "evento")];
    const OWN: [Row; 7] = [
        text("inscricao_imobiliaria", "obra.inscricao_imobiliaria"),
        text("codigo_obra", "obra.codigo"),
        text("codigo_cib_obra", "obra.cib"),
        text("nome_evento", "evento.nome"),
        day("data_inicio_evento", "evento.inicio"),
        day("data_fim_evento", "evento.fim"),
        text("codigo_evento", "evento.identificacao"),
    ];
    const ALL: [Row; 23] = {
        let mut all = [OWN[0]; 23];
        let mut at = 0;
        while at < 23 {
            all[at] = if at < 7 {
                OWN[at]
            } else {
                PLACES[(at - 7) / 8][(at - 7) % 8]
            };
            at += 1;
        }
        all
    };
    &ALL
};

const VALUES: &[Row] = &[
    number("valor_recebido_intermediario", "valores.recebido"),
    number("valor_servico", "valores.servico"),
    number("desconto_incondicionado", "valores.desconto_incondicionado"),
    number("desconto_condicionado", "valores.desconto_condicionado"),
    number("percentual_deducao_servico", "valores.deducoes.percentual"),
    number("valor_deducao_servico", "valores.deducoes.valor"),
    list("documentos", "valores.deducoes.documentos", DEDUCTION),
];

const DEDUCTION: Rows = &[&[
    digits(50, "chave_nfse", "chave_nfse"),
    digits(44, "chave_nfe", "chave_nfe"),
    text("numero_documento", "numero"),
    digits(1, "tipo_deducao", "tipo"),
    text("descricao_deducao", "descricao"),
    day("data_emissao", "data_emissao"),
    number("valor_dedutivel", "valor_dedutivel"),
    number("valor_deducao", "valor_deducao"),
]];

const TAXES: &[Row] = &[
    code("tributacao_iss", "valores.iss.tributacao"),
    text("tipo_imunidade", "valores.iss.imunidade"),
    apart("tipo_exigibilidade_suspensao", "valores.iss.exigibilidade"),
    text("numero_processo_suspensao", "valores.iss.numero_processo"),
    digits(
        14,
        "numero_beneficio_municipal",
        "valores.iss.beneficio_municipal.numero",
    ),
    number(
        "valor_reducao_base_calculo",
        "valores.iss.beneficio_municipal.valor_reducao",
    ),
    number(
        "percentual_reducao_base_calculo",
        "valores.iss.beneficio_municipal.percentual_reducao",
    ),
    code("tipo_retencao_iss", "valores.iss.retencao"),
    number(
        "percentual_aliquota_relativa_municipio",
        "valores.iss.aliquota",
    ),
    digits(
        2,
        "situacao_tributaria_pis_cofins",
        "valores.retencoes.cst_pis_cofins",
    ),
    number(
        "base_calculo_pis_cofins",
        "valores.retencoes.base_pis_cofins",
    ),
    number("aliquota_pis", "valores.retencoes.aliquota_pis"),
    number("aliquota_cofins", "valores.retencoes.aliquota_cofins"),
    number("valor_pis", "valores.retencoes.pis"),
    number("valor_cofins", "valores.retencoes.cofins"),
    code(
        "tipo_retencao_pis_cofins",
        "valores.retencoes.tipo_retencao_pis_cofins",
    ),
    number("valor_cp", "valores.retencoes.inss"),
    number("valor_irrf", "valores.retencoes.ir"),
    number("valor_csll", "valores.retencoes.csll"),
    apart(
        "valor_total_tributos_federais",
        "valores.tributos_aproximados.federal",
    ),
    apart(
        "valor_total_tributos_estaduais",
        "valores.tributos_aproximados.estadual",
    ),
    apart(
        "valor_total_tributos_municipais",
        "valores.tributos_aproximados.municipal",
    ),
    apart(
        "percentual_total_tributos_federais",
        "valores.tributos_aproximados.federal",
    ),
    apart(
        "percentual_total_tributos_estaduais",
        "valores.tributos_aproximados.estadual",
    ),
    apart(
        "percentual_total_tributos_municipais",
        "valores.tributos_aproximados.municipal",
    ),
    apart("indicador_total_tributacao", "valores.tributos_aproximados"),
    apart(
        "percentual_total_tributos_simples_nacional",
        "valores.tributos_aproximados.percentual",
    ),
];

const REFORM: &[Row] = &[
    only("finalidade_emissao", "0"),
    flag("consumidor_final", "ibs_cbs.consumo_pessoal"),
    digits(
        6,
        "codigo_indicador_operacao",
        "ibs_cbs.codigo_indicador_operacao",
    ),
    code("tipo_operacao_governamental", "ibs_cbs.tipo_operacao"),
    texts(
        "chaves_nfse_referenciadas",
        "ibs_cbs.notas_referenciadas",
        &["chave_nfse"],
    ),
    code("tipo_ente_governamental", "ibs_cbs.ente_governamental"),
    apart("indicador_destinatario", "ibs_cbs.destinatario"),
    digits(3, "ibs_cbs_situacao_tributaria", "ibs_cbs.cst"),
    digits(6, "ibs_cbs_classificacao_tributaria", "ibs_cbs.cclass_trib"),
    digits(
        2,
        "ibs_cbs_credito_codigo_classificacao",
        "ibs_cbs.credito_presumido",
    ),
    digits(
        3,
        "ibs_cbs_situacao_tributaria_regular",
        "ibs_cbs.tributacao_regular.cst",
    ),
    digits(
        6,
        "ibs_cbs_classificacao_tributaria_regular",
        "ibs_cbs.tributacao_regular.cclass_trib",
    ),
    number("ibs_uf_percentual_diferimento", "ibs_cbs.diferimento.uf"),
    number(
        "ibs_mun_percentual_diferimento",
        "ibs_cbs.diferimento.municipio",
    ),
    number("cbs_percentual_diferimento", "ibs_cbs.diferimento.cbs"),
];
