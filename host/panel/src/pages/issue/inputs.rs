//! The fields of the issuing form: name, label, hint, and what to write there,
//! which an error says beside the field. Bulk issue has the same fields as
//! columns.

use data::ufs::UFS;

/// A field of the form.
pub struct Input {
    pub name: &'static str,
    /// Its width and when it is shown.
    pub class: &'static str,
    /// `text`, `numeric`, `decimal`, `email`: the keyboard of a telephone; or
    /// `date`.
    pub keyboard: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    /// What to write there, as a sentence.
    pub write: &'static str,
}

const fn input(
    name: &'static str,
    class: &'static str,
    keyboard: &'static str,
    label: &'static str,
    hint: &'static str,
    write: &'static str,
) -> Input {
    Input {
        name,
        class,
        keyboard,
        label,
        hint,
        write,
    }
}

/// Of a state registration: ISENTO and nothing are two kinds of taxpayers in the note.
pub const EXEMPT: &str = "Contribuinte isento: escreva ISENTO. Não contribuinte: deixe vazio.";

/// Who receives the note, but for the address.
pub const RECIPIENT: &[Input] = &[
    input(
        "documento",
        "",
        "text",
        "CPF ou CNPJ",
        "Na NFC-e pode ficar vazio.",
        "Escreva os 11 números do CPF ou os 14 do CNPJ, com ou sem pontos.",
    ),
    input(
        "nome",
        "",
        "text",
        "Nome",
        "",
        "Escreva o nome da pessoa ou a razão social da empresa.",
    ),
    input(
        "ie",
        "so-produto",
        "text",
        "Inscrição estadual",
        EXEMPT,
        "Escreva o número da inscrição, ISENTO para um contribuinte isento, ou deixe vazio se não há.",
    ),
    input(
        "email",
        "",
        "email",
        "E-mail",
        "Para enviar a nota depois.",
        "Escreva um endereço como nome@empresa.com.br, ou deixe vazio.",
    ),
];

/// As the hint of the first of [`RECIPIENT`], in a service note.
pub const DOCUMENT_HINT_OF_SERVICE: &str =
    "Pode ficar vazio onde a prefeitura aceita nota sem tomador.";

/// The address of who receives the note.
pub const ADDRESS: &[Input] = &[
    input(
        "cep",
        "c2",
        "numeric",
        "CEP",
        "",
        "Escreva os oito números, como 30140-071.",
    ),
    input(
        "logradouro",
        "c4",
        "text",
        "Logradouro",
        "",
        "Escreva a rua ou avenida, sem o número.",
    ),
    input(
        "numero",
        "c2",
        "text",
        "Número",
        "",
        "Escreva o número da casa, ou S/N se não há.",
    ),
    input(
        "complemento",
        "",
        "text",
        "Complemento",
        "",
        "Escreva sala, andar ou bloco, ou deixe vazio.",
    ),
    input("bairro", "", "text", "Bairro", "", "Escreva o bairro."),
    input(
        "municipio",
        "c4",
        "text",
        "Município",
        "O nome da cidade; o código do IBGE também serve.",
        "Escreva o nome da cidade, como Belo Horizonte, e escolha a UF.",
    ),
    input("uf", "c2", "text", "UF", "", "Escolha o estado."),
];

/// What every item has.
pub const ITEM: &[Input] = &[
    input(
        "descricao",
        "c4",
        "text",
        "Descrição",
        "",
        "Escreva o que foi vendido ou feito.",
    ),
    input(
        "ncm",
        "c2 so-produto",
        "numeric",
        "NCM",
        "Oito números.",
        "Escreva os oito números da classificação do produto, como 0901.21.00.",
    ),
    input(
        "quantidade",
        "c2",
        "decimal",
        "Quantidade",
        "",
        "Escreva um número maior que zero, como 2 ou 1,5.",
    ),
    input(
        "valor",
        "c2",
        "decimal",
        "Valor unitário (R$)",
        "",
        "Escreva o preço de uma unidade, como 18,90.",
    ),
    input(
        "desconto",
        "c2",
        "decimal",
        "Desconto (R$)",
        "No item todo.",
        "Escreva um valor como 5,00, ou deixe vazio.",
    ),
];

/// What an item may say besides, of goods alone.
pub const ITEM_MORE: &[Input] = &[
    input(
        "codigo",
        "c2",
        "text",
        "Código do produto",
        "O seu código.",
        "Escreva até 60 letras e números, ou deixe vazio.",
    ),
    input(
        "cfop",
        "c2",
        "numeric",
        "CFOP",
        "Vazio: o do cadastro da empresa.",
        "Escreva os quatro números da operação, como 5102, ou deixe vazio.",
    ),
    input(
        "unidade",
        "c2",
        "text",
        "Unidade",
        "Vazio: a do cadastro da empresa, ou UN.",
        "Escreva até seis letras, como UN, KG ou CX.",
    ),
    input(
        "cest",
        "c2",
        "numeric",
        "CEST",
        "De quem tem substituição tributária.",
        "Escreva os sete números, ou deixe vazio.",
    ),
    input(
        "gtin",
        "c2",
        "numeric",
        "Código de barras",
        "O GTIN da embalagem.",
        "Escreva os 8, 12, 13 ou 14 números do código de barras, ou deixe vazio.",
    ),
];

/// What a service note has once.
pub const SERVICE: &[Input] = &[
    input(
        "servico",
        "c2",
        "numeric",
        "Código de tributação",
        "Os seis números da lista nacional: procure abaixo.",
        "Escreva os seis números da lista nacional de serviços, como 01.01.01.",
    ),
    input(
        "aliquota",
        "c2",
        "decimal",
        "ISS (%)",
        "Vazio: o do cadastro da empresa.",
        "Escreva um percentual como 2,5, ou deixe vazio.",
    ),
    input(
        "competencia",
        "c2",
        "date",
        "Dia do serviço",
        "Vazio: hoje.",
        "Escolha o dia em que o serviço foi prestado, até hoje.",
    ),
];

/// A payment, but for its form.
pub const PAYMENT: &[Input] = &[
    input(
        "forma",
        "",
        "text",
        "Forma",
        "",
        "Escolha a forma de pagamento.",
    ),
    input(
        "pago",
        "",
        "decimal",
        "Valor (R$)",
        "Vazio: o que falta para o total da nota.",
        "Escreva um valor como 37,80. Um dos pagamentos pode ficar vazio: leva o que falta.",
    ),
];

/// What was given back of what was paid; once, behind the payments.
pub const CHANGE: &[Input] = &[input(
    "troco",
    "",
    "decimal",
    "Troco (R$)",
    "Só se pagaram mais que o total.",
    "Escreva quanto foi devolvido, como 5,00, ou deixe vazio e confira os valores pagos.",
)];

/// What a note may say besides.
pub const MORE: &[Input] = &[
    input(
        "natureza",
        "so-produto",
        "text",
        "Natureza da operação",
        "Vazio: conforme o CFOP, como Venda de mercadoria.",
        "Escreva até 60 letras, ou deixe vazio.",
    ),
    input(
        "frete",
        "so-produto",
        "decimal",
        "Frete (R$)",
        "Dividido entre os itens.",
        "Escreva um valor como 25,00, ou deixe vazio.",
    ),
    input(
        "presenca",
        "so-produto",
        "text",
        "Como foi a venda",
        "",
        "Escolha como o cliente comprou.",
    ),
    input(
        "informacoes",
        "c6",
        "text",
        "Informações complementares",
        "Saem impressas na nota.",
        "Escreva até 2.000 letras, ou deixe vazio.",
    ),
];

/// Fields that are chosen from a list of their own.
const CHOSEN: &[Input] = &[
    input("tipo", "", "text", "Tipo", "", "Escolha o tipo da nota."),
    input(
        "emitente",
        "",
        "text",
        "Emitente",
        "",
        "Escolha a empresa que emite a nota.",
    ),
    input(
        "cliente",
        "",
        "text",
        "Cliente guardado",
        "",
        "Escolha um cliente da lista.",
    ),
    input(
        "produto_busca",
        "",
        "text",
        "Nome ou código de barras",
        "",
        "Escreva o nome do produto ou o código de barras.",
    ),
    input(
        "ncm_busca",
        "",
        "text",
        "O que é o produto, ou o começo do NCM",
        "",
        "Escreva uma ou duas palavras, como café torrado, ou os primeiros números.",
    ),
    input(
        "servico_busca",
        "",
        "text",
        "O que é o serviço",
        "",
        "Escreva uma ou duas palavras, como manutenção de veículos.",
    ),
    input(
        "retido",
        "c2",
        "text",
        "ISS retido",
        "",
        "Escolha quem recolhe o ISS.",
    ),
];

/// All fields, about in the order of the form.
const ALL: [&[Input]; 9] = [
    RECIPIENT, ADDRESS, ITEM, ITEM_MORE, SERVICE, PAYMENT, CHANGE, MORE, CHOSEN,
];

/// The field of a name.
pub fn get(name: &str) -> Option<&'static Input> {
    let all = ALL.into_iter().flatten();
    all.into_iter().find(|input| input.name == name)
}

/// Whether a field must be filled in: the class of the kinds of notes that demand it, empty
/// for all that have the field; None: it may stay empty.
pub fn must(name: &str) -> Option<&'static str> {
    match name {
        "descricao" | "ncm" | "valor" | "servico" => Some(""),
        // A service is done once where nothing else is said.
        "quantidade" => Some("so-produto"),
        "documento" | "nome" | "logradouro" | "bairro" | "municipio" => Some("so-nfe"),
        _ => None,
    }
}

/// Where a field stands in the form, compared with others: its part, its row,
/// its place there.
pub fn order(name: &str, row: usize) -> (usize, usize, usize) {
    let mut parts = ALL.into_iter().enumerate();
    let found = parts.find_map(|(part, inputs)| {
        let at = inputs.iter().position(|input| input.name == name)?;
        // The second part of an item stands behind its first.
        let (part, at) = if part == 3 { (2, at + 100) } else { (part, at) };
        Some((part, row, at))
    });
    found.unwrap_or_default()
}

/// Kinds of notes, by the names of their operations.
pub const KINDS: &[(&str, &str)] = &[
    ("nfe", "NF-e (produto)"),
    ("nfce", "NFC-e (consumidor)"),
    ("nfse", "NFS-e (serviço)"),
];

/// Means of payment, by their names in the API; the first is the usual one.
pub const FORMS: &[(&str, &str)] = &[
    ("pix", "PIX"),
    ("dinheiro", "Dinheiro"),
    ("cartao_credito", "Cartão de crédito"),
    ("cartao_debito", "Cartão de débito"),
    ("boleto", "Boleto"),
    ("transferencia", "Transferência"),
    ("cheque", "Cheque"),
    ("vale_alimentacao", "Vale-alimentação"),
    ("vale_refeicao", "Vale-refeição"),
    ("vale_presente", "Vale-presente"),
    ("credito_em_loja", "Crédito da loja"),
    ("pagamento_posterior", "A pagar depois"),
    ("sem_pagamento", "Sem pagamento"),
];

/// The form's word for a means of payment of the API.
pub fn form(name: &str) -> &str {
    match name {
        "pix_dinamico" | "pix_estatico" => "pix",
        other => other,
    }
}

/// How the buyer bought, by the names in the API.
pub const PRESENCES: &[(&str, &str)] = &[
    ("", "O usual do tipo de nota"),
    ("presencial", "No balcão"),
    ("internet", "Pela internet"),
    ("teleatendimento", "Por telefone"),
    ("entrega_domicilio", "Com entrega em casa"),
    ("outros", "De outro modo"),
];

/// Who pays the ISS to the city.
pub const WITHHOLDINGS: &[(&str, &str)] = &[
    ("", "Não: a empresa recolhe"),
    ("tomador", "Sim: quem contratou recolhe"),
];

/// The word of a value in one of the lists above; the value itself where there
/// is none.
pub fn word<'w>(list: &[(&'w str, &'w str)], value: &'w str) -> &'w str {
    let found = list.iter().find(|(known, _)| *known == value);
    found.map_or(value, |(_, word)| word)
}

/// The states by their siglas, in the order of the alphabet.
pub fn states() -> Vec<(&'static str, &'static str)> {
    let mut states: Vec<_> = UFS
        .iter()
        .map(|uf| (uf.abbreviation, uf.abbreviation))
        .collect();
    states.sort_unstable();
    states.insert(0, ("", "Escolha"));
    states
}
