//! The body of an NFS-e of a city.

use super::row::{
    Rows, apart, company, company_text, digits, group, moment, number, only, refused, text, told,
};

pub const SERVICE: Rows = &[&[
    moment("data_emissao", "data_emissao"),
    apart("natureza_operacao", "valores.iss.exigibilidade"),
    apart("natureza_operacao", "valores.iss.tributacao"),
    apart("natureza_operacao", "servico.codigo_municipio_incidencia"),
    apart("regime_especial_tributacao", "regime.especial"),
    apart("optante_simples_nacional", "regime.opcao_simples"),
    apart("optante_simples_nacional", "regime.apuracao_simples"),
    apart("incentivador_cultural", "regime.incentivador_cultural"),
    text("codigo_obra", "obra.codigo"),
    text("art", "obra.art"),
    refused("numero_rps_substituido", REPLACES),
    refused("serie_rps_substituido", REPLACES),
    refused("tipo_rps_substituido", REPLACES),
    // Of their older examples.
    company_text("razao_social", "nome"),
    only("status", "1"),
    group("prestador", "", PROVIDER),
    group("tomador", "tomador", TAKER),
    group("servico", "servico", WORK),
    group("intermediario", "intermediario", BROKER),
]];

const REPLACES: &str = "Uma substituição é pedida pela API do hub: POST /api/v1/nfse/substituir, com o nota_id ou a chave da nota anterior.";

const PROVIDER: Rows = &[&[
    company("cnpj", "cnpj"),
    company("codigo_municipio", "municipio"),
    company("inscricao_municipal", "im"),
]];

const NO_NIF: &str = "O hub não declara o motivo da falta do NIF: informe o nif.";

const TAKER: Rows = &[&[
    digits(11, "cpf", "tomador.cpf_cnpj"),
    digits(14, "cnpj", "tomador.cpf_cnpj"),
    text("nif", "tomador.nif"),
    refused("motivo_ausencia_nif", NO_NIF),
    text("inscricao_municipal", "tomador.im"),
    text("razao_social", "tomador.nome"),
    text("telefone", "tomador.telefone"),
    text("email", "tomador.email"),
    group("endereco", "tomador.endereco", ADDRESS),
]];

const ADDRESS: Rows = &[&[
    text("logradouro", "tomador.endereco.logradouro"),
    told(
        "tipo_logradouro",
        "O tipo do logradouro vai no próprio logradouro.",
    ),
    text("numero", "tomador.endereco.numero"),
    text("complemento", "tomador.endereco.complemento"),
    text("bairro", "tomador.endereco.bairro"),
    digits(7, "codigo_municipio", "tomador.endereco.codigo_ibge"),
    text("uf", "tomador.endereco.uf"),
    digits(8, "cep", "tomador.endereco.cep"),
]];

const BROKER: Rows = &[&[
    text("razao_social", "intermediario.nome"),
    digits(11, "cpf", "intermediario.cpf_cnpj"),
    digits(14, "cnpj", "intermediario.cpf_cnpj"),
    text("nif", "intermediario.nif"),
    refused("motivo_ausencia_nif", NO_NIF),
    text("inscricao_municipal", "intermediario.im"),
]];

const CALCULATED: &str = "Nesta nota a autoridade calcula IBS e CBS pela classificação tributária: envie sem este campo.";
const APPROXIMATE: &str = "A carga tributária aproximada vai separada por ente, pela API do hub (valores.tributos_aproximados).";

const WORK: Rows = &[&[
    number("valor_servicos", "valores.servico"),
    number("valor_deducoes", "valores.deducoes.valor"),
    number("valor_pis", "valores.retencoes.pis"),
    number("valor_cofins", "valores.retencoes.cofins"),
    number("valor_inss", "valores.retencoes.inss"),
    number("valor_ir", "valores.retencoes.ir"),
    number("valor_csll", "valores.retencoes.csll"),
    apart("iss_retido", "valores.iss.retencao"),
    apart("valor_iss", ""),
    apart("valor_iss_retido", ""),
    apart("base_calculo", ""),
    told(
        "valor_liquido",
        "O valor líquido resulta dos outros valores da nota.",
    ),
    number("outras_retencoes", "valores.retencoes.outras"),
    number("aliquota", "valores.iss.aliquota"),
    number("desconto_incondicionado", "valores.desconto_incondicionado"),
    number("desconto_condicionado", "valores.desconto_condicionado"),
    apart("item_lista_servico", "servico.item_lista_servico"),
    apart("item_lista_servico", "servico.codigo_tributacao_nacional"),
    digits(7, "codigo_cnae", "servico.cnae"),
    text(
        "codigo_tributario_municipio",
        "servico.codigo_tributacao_municipio",
    ),
    text("discriminacao", "servico.descricao"),
    digits(7, "codigo_municipio", "servico.codigo_municipio_prestacao"),
    refused("percentual_total_tributos", APPROXIMATE),
    refused("fonte_total_tributos", APPROXIMATE),
    digits(9, "codigo_nbs", "servico.codigo_nbs"),
    digits(
        6,
        "codigo_indicador_operacao",
        "ibs_cbs.codigo_indicador_operacao",
    ),
    digits(6, "ibs_cbs_classificacao_tributaria", "ibs_cbs.cclass_trib"),
    digits(3, "ibs_cbs_situacao_tributaria", "ibs_cbs.cst"),
    refused("ibs_cbs_base_calculo", CALCULATED),
    refused("ibs_uf_aliquota", CALCULATED),
    refused("ibs_mun_aliquota", CALCULATED),
    refused("cbs_aliquota", CALCULATED),
    refused("ibs_uf_valor", CALCULATED),
    refused("ibs_mun_valor", CALCULATED),
    refused("cbs_valor", CALCULATED),
]];
