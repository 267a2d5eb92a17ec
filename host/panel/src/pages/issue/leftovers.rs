//! What a document says and the form has no field for, in people's words: where a form is filled
//! with a document, it names what was not copied.

use super::inputs::{FORMS, form};
use rust_decimal::Decimal;
use serde_json::Value;

/// Most items that are named by their numbers.
const NUMBERED: usize = 5;
/// What is said of members without a name here.
const OTHERS: &str = "outros dados";
const ABROAD: &str = "endereço no exterior";

/// Members of a group that the form shows, or that follow from others, and what people call
/// those that it has no field for.
struct Members {
    own: &'static [&'static str],
    left: &'static [(&'static str, &'static str)],
}

const NOTE: Members = Members {
    own: &[
        "destinatario",
        "consumidor",
        "tomador",
        "itens",
        "pagamentos",
        "servico",
        "valores",
        "natureza_operacao",
        "presenca",
        "frete",
        "troco",
        "informacoes_complementares",
        "data_competencia",
        "tipo_operacao",
        "finalidade",
        // What a note has by itself, or what follows from others.
        "emitente",
        "totais",
        "id",
        "chave",
        "layout",
        "modelo",
        "serie",
        "numero",
        "ambiente",
        "codigo_uf",
        "codigo_numerico",
        "digito_verificador",
        "tipo_emissao",
        "contingencia",
        "formato_danfe",
        "processo_emissao",
        "versao_aplicativo",
        "indicador_intermediador",
        "qr_code",
        "url_consulta",
        "data_emissao",
        "data_saida",
        "consumidor_final",
        "destino_operacao",
        "municipio_fato_gerador",
        "identificacao",
        "codigo_municipio_emissor",
        "regime",
        "calcular_impostos",
        "responsavel_tecnico",
        "pessoas",
    ],
    left: &[
        ("transporte", "transporte"),
        ("cobranca", "fatura e duplicatas"),
        ("referencias", "documentos referenciados"),
        ("entrega", "local de entrega"),
        ("retirada", "local de retirada"),
        ("autorizados_xml", "autorizados a baixar o XML"),
        ("retencoes", "retenções"),
        ("intermediario", "intermediário"),
        ("intermediador", "intermediador da venda"),
        ("vendedor", "vendedor"),
        ("compra", "pedido e contrato do comprador"),
        ("obra", "obra"),
        ("evento", "evento"),
        ("exportacao", "exportação"),
        ("substitui", "a nota que era substituída"),
        ("informacoes_fisco", "informações ao fisco"),
        ("observacoes_contribuinte", "observações do contribuinte"),
        ("observacoes_fisco", "observações do fisco"),
        ("processos", "processos referenciados"),
        ("data_previsao_entrega", "previsão de entrega"),
        ("desconto", "desconto da nota inteira"),
        ("seguro", "seguro"),
        ("outras_despesas", "outras despesas"),
        ("ibs_cbs", "IBS e CBS"),
    ],
};

const PARTY: Members = Members {
    own: &[
        "cpf_cnpj",
        "nome",
        "email",
        "ie",
        "indicador_ie",
        "endereco",
        "tipo",
    ],
    left: &[
        ("telefone", "telefone do cliente"),
        ("im", "inscrição municipal do cliente"),
        ("suframa", "inscrição do cliente na Suframa"),
        ("documento_estrangeiro", "documento do exterior"),
        ("nif", "documento do exterior"),
    ],
};

const ADDRESS: Members = Members {
    own: &[
        "cep",
        "logradouro",
        "numero",
        "complemento",
        "bairro",
        "cidade",
        "codigo_ibge",
        "uf",
        "pais",
        "codigo_pais",
    ],
    left: &[("estado", ABROAD), ("codigo_postal", ABROAD)],
};

const ITEM: Members = Members {
    own: &[
        "numero",
        "descricao",
        "codigo",
        "ncm",
        "cfop",
        "cest",
        "gtin",
        "unidade",
        "quantidade",
        "valor_unitario",
        "desconto",
        // The sum of it is the freight of the note.
        "frete",
        "valor_bruto",
        "valor_item",
        "gtin_tributavel",
        "unidade_tributavel",
        "quantidade_tributavel",
        "valor_unitario_tributavel",
        "compoe_total",
        "impostos",
        "origem",
    ],
    left: &[
        ("informacoes", "informações adicionais do produto"),
        ("seguro", "seguro"),
        ("outras_despesas", "outras despesas"),
        ("pedido", "pedido do comprador"),
        ("rastreios", "lotes e validades"),
        ("observacao_contribuinte", "observação do contribuinte"),
        ("observacao_fisco", "observação do fisco"),
        ("devolucao", "IPI devolvido"),
        ("documento_referenciado", "documento referenciado"),
        ("cbenef", "código de benefício fiscal"),
        ("creditos_presumidos", "crédito presumido"),
        ("credito_presumido_zfm", "crédito presumido"),
        ("ex_tipi", "exceção da TIPI"),
        ("nve", "NVE"),
        ("fci", "número da FCI"),
        ("escala_relevante", "escala de produção"),
        ("cnpj_fabricante", "CNPJ do fabricante"),
        ("codigo_barras", "código de barras que não é GTIN"),
        ("bem_movel_usado", "indicação de bem usado"),
        ("embalagem", "embalagem"),
        ("combustivel", "dados do combustível"),
        ("medicamento", "dados do medicamento"),
        ("veiculo_novo", "dados do veículo"),
        ("armas", "dados da arma"),
        ("recopi", "número do RECOPI"),
        ("importacoes", "declaração de importação"),
        ("exportacoes", "dados da exportação"),
    ],
};

const PAYMENT: Members = Members {
    own: &["forma", "valor", "cartao"],
    left: &[
        ("indicador", "pagamento à vista ou a prazo"),
        ("descricao", "descrição do pagamento"),
        ("data", "data do pagamento"),
        ("cnpj_pagador", "estabelecimento do pagamento"),
        ("uf_pagador", "estabelecimento do pagamento"),
    ],
};

const SERVICE: Members = Members {
    own: &[
        "descricao",
        "codigo_tributacao_nacional",
        "item_lista_servico",
        "cnae",
    ],
    left: &[
        (
            "codigo_tributacao_municipio",
            "código do serviço na prefeitura",
        ),
        ("codigo_nbs", "código NBS"),
        ("codigo_municipio_prestacao", "local da prestação"),
        ("codigo_pais_prestacao", "país da prestação"),
        ("codigo_municipio_incidencia", "município do ISS"),
        ("codigo_interno", "código interno do serviço"),
    ],
};

const VALUES: Members = Members {
    own: &[
        "servico",
        "desconto_incondicionado",
        "iss",
        "tributos_aproximados",
    ],
    left: &[
        ("recebido", "valor recebido pelo intermediário"),
        ("desconto_condicionado", "desconto condicionado"),
        ("deducoes", "deduções"),
        ("retencoes", "retenções de tributos federais"),
    ],
};

const ISS: Members = Members {
    own: &["aliquota", "retencao", "tributacao", "exigibilidade"],
    left: &[
        ("numero_processo", "processo que suspende o ISS"),
        ("imunidade", "imunidade"),
        ("beneficio_municipal", "benefício municipal"),
    ],
};

/// What was not copied, in people's words; empty where all was. `asked`: the request is what
/// somebody asked for, and not what the hub made of it, as a note has it.
pub fn left_out(request: &Value, asked: bool) -> String {
    let mut words = Words::default();
    words.members(request, &NOTE);
    let purpose = request["finalidade"].as_str();
    if purpose.is_some_and(|word| word != "normal") || request["tipo_operacao"] == "entrada" {
        words.add("a finalidade da nota");
    }
    for name in ["destinatario", "consumidor", "tomador"] {
        party(&request[name], &mut words);
    }
    for payment in list(&request["pagamentos"]) {
        self::payment(payment, &mut words);
    }
    service(&request["servico"], &request["valores"], &mut words);
    words.0.extend(items(list(&request["itens"]), asked));
    words.0.join(", ")
}

/// Names, each once.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, word: &str) {
        if !self.0.iter().any(|known| known == word) {
            self.0.push(word.to_owned());
        }
    }

    /// What a group says that is not copied, in the order of the table.
    fn members(&mut self, group: &Value, known: &Members) {
        for (name, word) in known.left {
            if is_said(&group[*name]) {
                self.add(word);
            }
        }
        let mut members = group.as_object().into_iter().flatten();
        let named = |name: &str| known.left.iter().any(|(left, _)| *left == name);
        if members.any(|(name, value)| {
            let name = name.as_str();
            !known.own.contains(&name) && !named(name) && is_said(value)
        }) {
            self.add(OTHERS);
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Whether there is something in a member. A note without freight says so, and nothing else by it.
fn is_said(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(list) => list.iter().any(is_said),
        Value::Object(group) => group.values().any(is_said),
        Value::String(text) => !text.is_empty() && text != "sem_frete",
        Value::Number(number) => !decimal(&number.to_string()).is_zero(),
        Value::Bool(_) => true,
    }
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap_or_default()
}

/// A word of a closed list that is not the usual one.
fn is_special(value: &Value, usual: &[&str]) -> bool {
    let word = value.as_str().unwrap_or_default();
    !word.is_empty() && !usual.contains(&word)
}

fn party(party: &Value, words: &mut Words) {
    words.members(party, &PARTY);
    let address = &party["endereco"];
    words.members(address, &ADDRESS);
    let country = &address["codigo_pais"];
    if party["tipo"] == "exterior" || is_special(country, &["1058", "BR"]) {
        words.add(ABROAD);
    }
}

fn payment(payment: &Value, words: &mut Words) {
    let word = form(payment["forma"].as_str().unwrap_or_default());
    if !FORMS.iter().any(|(known, _)| *known == word) {
        words.add("a forma de um pagamento");
    }
    // Without anything else it says that the machine is not part of the shop's program.
    let card = payment["cartao"].as_object().into_iter().flatten();
    let mut card = card.filter(|(name, value)| *name != "integrado" || **value == true);
    if card.any(|(_, value)| is_said(value)) {
        words.add("dados do cartão");
    }
    words.members(payment, &PAYMENT);
}

fn service(service: &Value, values: &Value, words: &mut Words) {
    words.members(service, &SERVICE);
    let listed = is_said(&service["item_lista_servico"]);
    // Where there is a code, it follows from the code.
    if listed && !is_said(&service["codigo_tributacao_nacional"]) {
        words.add("item da lista de serviços");
    }
    words.members(values, &VALUES);
    // The rate of the Simples comes out of the company's profile.
    let mode = &values["tributos_aproximados"]["modo"];
    if is_special(mode, &["simples", "nao_informado"]) {
        words.add("tributos aproximados");
    }
    let iss = &values["iss"];
    words.members(iss, &ISS);
    if is_special(&iss["tributacao"], &["tributavel"]) {
        words.add("tributação do ISS");
    }
    if is_special(&iss["exigibilidade"], &["exigivel"]) {
        words.add("exigibilidade do ISS");
    }
    if iss["retencao"] == "intermediario" {
        words.add("retenção do ISS pelo intermediário");
    }
}

/// What items say, each thing with the items that say it.
fn items(items: &[Value], asked: bool) -> Vec<String> {
    let mut found: Vec<(String, Vec<usize>)> = Vec::new();
    for (item, number) in items.iter().zip(1..) {
        let mut words = Words::default();
        words.members(item, &ITEM);
        if item["compoe_total"] == false {
            words.add("indicação de que não soma no total");
        }
        if is_taxed_otherwise(item) {
            words.add("unidade tributável");
        }
        if asked && is_said(&item["impostos"]) {
            words.add("impostos escritos à mão");
        }
        if asked && is_said(&item["origem"]) {
            words.add("origem da mercadoria");
        }
        for word in words.0 {
            match found.iter_mut().find(|(known, _)| *known == word) {
                Some((_, numbers)) => numbers.push(number),
                None => found.push((word, vec![number])),
            }
        }
    }
    let said = found.into_iter();
    said.map(|(word, numbers)| format!("{word} ({})", of_items(&numbers)))
        .collect()
}

/// `item 2`, `itens 1 e 3`.
fn of_items(numbers: &[usize]) -> String {
    match numbers {
        [one] => format!("item {one}"),
        [before @ .., last] if numbers.len() <= NUMBERED => {
            let before: Vec<String> = before.iter().map(ToString::to_string).collect();
            format!("itens {} e {last}", before.join(", "))
        }
        many => format!("{} itens", many.len()),
    }
}

/// Taxed by another unit than it is sold by.
fn is_taxed_otherwise(item: &Value) -> bool {
    let text = |name: &str| match &item[name] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let differs = |taxed: &str, sold: &str| {
        let (taxed, sold) = (text(taxed), text(sold));
        let same =
            taxed == sold || taxed.parse::<Decimal>().is_ok() && decimal(&taxed) == decimal(&sold);
        !taxed.is_empty() && !same
    };
    differs("unidade_tributavel", "unidade")
        || differs("quantidade_tributavel", "quantidade")
        || differs("valor_unitario_tributavel", "valor_unitario")
        || differs("gtin_tributavel", "gtin")
}
