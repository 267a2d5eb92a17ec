//! The events as data: those of every day here, those of the reform in
//! [`crate::nfe::event::reform`].
//!
//! Codes, `descEvento`, fields and limits are those of the event schemas of
//! package PL_010d v1.03 (in production since 2026-07-01). Who receives an
//! event and until when is of the notes named in each entry, second-hand.

use std::sync::LazyLock;

use crate::nfe::event::fields::{
    JUSTIFICATION, VALUE, codigo, field, group, list, option, optional, text, with,
};
use crate::nfe::event::kind::{Author, BASE, Codigo, EventField, Formato, Head, Kind, Receiver};
use crate::nfe::event::reform;

/// Every event, ordered by code.
pub fn catalogue() -> &'static [Kind] {
    static ALL: LazyLock<Vec<Kind>> = LazyLock::new(|| {
        let mut all: Vec<Kind> = COMMON.into_iter().chain(reform::EVENTOS).collect();
        all.sort_unstable_by_key(|kind| kind.codigo);
        all
    });
    &ALL
}

/// The event with this `tpEvento`.
pub fn search(codigo: &str) -> Option<&'static Kind> {
    let all = catalogue();
    let position = all.binary_search_by(|kind| kind.codigo.cmp(codigo)).ok()?;
    all.get(position)
}

const COMMON: [Kind; 9] = [
    Kind {
        codigo: "110110",
        nome: "Carta de Correção",
        descricao: "Carta de Correcao",
        explicacao: "Corrige um texto errado da nota autorizada. Cada carta substitui a anterior, por isso \
                     deve repetir todas as correções ainda válidas. Não serve para valores, impostos, \
                     quantidades, troca de remetente ou destinatário nem datas.",
        sequencia_maxima: 20,
        prazo: "720 horas (30 dias) após a autorização",
        campos: &[
            field(
                "xCorrecao",
                "correcao",
                text(15, 1000),
                "Correção",
                "O que deve ser lido no lugar do que a nota traz.",
            ),
            field(
                "xCondUso",
                "condicao_uso",
                Formato::Fixo {
                    texto: CONDITION_OF_USE,
                },
                "Condições de uso",
                "Texto fixo do leiaute; o hub preenche.",
            ),
        ],
        nota_tecnica: "2011.003",
        ..BASE
    },
    Kind {
        codigo: "110111",
        nome: "Cancelamento",
        descricao: "Cancelamento",
        explicacao: "Desfaz uma nota autorizada cuja mercadoria não circulou.",
        modelos: &["55", "65"],
        prazo: "24 horas (NF-e) ou 30 minutos (NFC-e) após a autorização, salvo prazo maior da UF",
        campos: &[NOTA_PROTOCOL, REASON],
        nota_tecnica: "2011.006",
        ..BASE
    },
    Kind {
        codigo: "110112",
        nome: "Cancelamento por substituição",
        descricao: "Cancelamento por substituicao",
        explicacao: "Cancela a NFC-e emitida em duplicidade quando a venda já está em outra NFC-e, \
                     emitida em contingência.",
        modelos: &["65"],
        prazo: "168 horas após a autorização",
        campos: &[
            NOTA_PROTOCOL,
            REASON,
            field(
                "chNFeRef",
                "chave_substituta",
                Formato::Chave,
                "Chave da nota que fica",
                "Chave da NFC-e que substitui a cancelada.",
            ),
        ],
        nota_tecnica: "2018.004",
        cabeca: Head::Complete,
        ..BASE
    },
    Kind {
        codigo: "110750",
        nome: "Conciliação financeira (ECONF)",
        descricao: "ECONF",
        explicacao: "Liga à nota um pagamento recebido depois da emissão. Facultativo, salvo onde a UF o exige.",
        modelos: &["55", "65"],
        receptor: Receiver::SvrsOuAutorizador,
        sequencia_maxima: 99,
        prazo: "sem prazo fixado",
        campos: &[list(
            100,
            group(
                "detPag",
                "pagamentos",
                "Pagamentos",
                "Um para cada valor recebido.",
                PAYMENT,
            ),
        )],
        nota_tecnica: "2024.002",
        cabeca: Head::Application,
        ..BASE
    },
    Kind {
        codigo: "110751",
        nome: "Cancelamento da conciliação financeira",
        descricao: "Cancelamento Conciliação Financeira",
        explicacao: "Desfaz um ECONF registrado por engano.",
        modelos: &["55", "65"],
        receptor: Receiver::SvrsOuAutorizador,
        sequencia_maxima: 99,
        prazo: "sem prazo fixado",
        campos: &[field(
            "nProtEvento",
            "protocolo_evento",
            Formato::Protocolo,
            "Protocolo do ECONF",
            "Protocolo do evento 110750 que será desfeito.",
        )],
        nota_tecnica: "2024.002",
        cabeca: Head::Application,
        ..BASE
    },
    Kind {
        codigo: "210200",
        nome: "Confirmação da operação",
        descricao: "Confirmacao da Operacao",
        explicacao: "O destinatário confirma que a operação ocorreu como está na nota.",
        prazo: "180 dias após a autorização",
        ..MANIFESTATION
    },
    Kind {
        codigo: "210210",
        nome: "Ciência da operação",
        descricao: "Ciencia da Operacao",
        explicacao: "O destinatário sabe da nota, ainda sem se manifestar; libera o XML completo.",
        prazo: "10 dias após a autorização, recomendado",
        ..MANIFESTATION
    },
    Kind {
        codigo: "210220",
        nome: "Desconhecimento da operação",
        descricao: "Desconhecimento da Operacao",
        explicacao: "O destinatário declara que não fez esta operação.",
        prazo: "180 dias após a autorização",
        campos: &[optional(REASON)],
        ..MANIFESTATION
    },
    Kind {
        codigo: "210240",
        nome: "Operação não realizada",
        descricao: "Operacao nao Realizada",
        explicacao: "A operação era do destinatário, mas não se concluiu (recusa, devolução no ato, sinistro).",
        prazo: "180 dias após a autorização",
        campos: &[REASON],
        ..MANIFESTATION
    },
];

/// A conclusive manifestation may be changed once (second-hand); the schema
/// takes two digits, so the authority decides.
const MANIFESTATION: Kind = Kind {
    autores: &[Author::Destinatario],
    receptor: Receiver::AmbienteNacional,
    sequencia_maxima: 99,
    nota_tecnica: "2020.001",
    ..BASE
};

const NOTA_PROTOCOL: EventField = field(
    "nProt",
    "protocolo",
    Formato::Protocolo,
    "Protocolo da nota",
    "Protocolo de autorização da nota.",
);

const REASON: EventField = field(
    "xJust",
    "justificativa",
    JUSTIFICATION,
    "Justificativa",
    "Motivo do evento, de 15 a 255 caracteres.",
);

/// Enumerated by the schema, here in its spelling without accents.
const CONDITION_OF_USE: &str = "A Carta de Correcao e disciplinada pelo paragrafo 1o-A do art. 7o do Convenio S/N, de 15 de dezembro de 1970 e pode ser utilizada para regularizacao de erro ocorrido na emissao de documento fiscal, desde que o erro nao esteja relacionado com: I - as variaveis que determinam o valor do imposto tais como: base de calculo, aliquota, diferenca de preco, quantidade, valor da operacao ou da prestacao; II - a correcao de dados cadastrais que implique mudanca do remetente ou do destinatario; III - a data de emissao ou de saida.";

const PAYMENT: &[EventField] = &[
    optional(field(
        "indPag",
        "indicador",
        option(&[
            codigo("0", "a_vista", "Pagamento à vista"),
            codigo("1", "a_prazo", "Pagamento a prazo"),
        ]),
        "À vista ou a prazo",
        "Se o valor foi combinado à vista ou a prazo.",
    )),
    field("tPag", "forma", option(FORMS), "Forma", "Como foi pago."),
    optional(field(
        "xPag",
        "descricao",
        text(2, 60),
        "Descrição da forma",
        "Qual é a forma, quando é 99 (outros).",
    )),
    field("vPag", "valor", VALUE, "Valor", "Quanto foi recebido."),
    field("dPag", "data", Formato::Data, "Data", "Dia do pagamento."),
    with(
        &["UFPag"],
        optional(field(
            "CNPJPag",
            "cnpj_transacional",
            Formato::Cnpj,
            "CNPJ onde se pagou",
            "Estabelecimento que processou o pagamento, quando não é o emitente.",
        )),
    ),
    with(
        &["CNPJPag"],
        optional(field(
            "UFPag",
            "uf_transacional",
            Formato::Uf,
            "UF onde se pagou",
            "UF do estabelecimento que processou o pagamento.",
        )),
    ),
    with(
        &["CNPJPag", "UFPag"],
        optional(field(
            "CNPJIF",
            "cnpj_credenciadora",
            Formato::Cnpj,
            "CNPJ da instituição",
            "Instituição financeira, de pagamento ou credenciadora.",
        )),
    ),
    with(
        &["CNPJPag", "UFPag"],
        optional(field(
            "tBand",
            "bandeira",
            Formato::Digitos { tamanho: 2 },
            "Bandeira",
            "Código da bandeira do cartão.",
        )),
    ),
    with(
        &["CNPJPag", "UFPag"],
        optional(field(
            "cAut",
            "autorizacao",
            text(1, 128),
            "Autorização",
            "Número da autorização do cartão, PIX ou boleto.",
        )),
    ),
    with(
        &["UFReceb"],
        optional(field(
            "CNPJReceb",
            "cnpj_beneficiario",
            Formato::Cnpj,
            "CNPJ que recebeu",
            "Estabelecimento que ficou com o dinheiro.",
        )),
    ),
    with(
        &["CNPJReceb"],
        optional(field(
            "UFReceb",
            "uf_beneficiario",
            Formato::Uf,
            "UF de quem recebeu",
            "UF do estabelecimento que ficou com o dinheiro.",
        )),
    ),
];

/// `tPag` (IT 2024.002, table of payment means; names of the API, §5.1).
pub(crate) const FORMS: &[Codigo] = &[
    codigo("01", "dinheiro", "Dinheiro"),
    codigo("02", "cheque", "Cheque"),
    codigo("03", "cartao_credito", "Cartão de crédito"),
    codigo("04", "cartao_debito", "Cartão de débito"),
    codigo("05", "cartao_loja", "Cartão da loja ou crediário"),
    codigo("10", "vale_alimentacao", "Vale-alimentação"),
    codigo("11", "vale_refeicao", "Vale-refeição"),
    codigo("12", "vale_presente", "Vale-presente"),
    codigo("13", "vale_combustivel", "Vale-combustível"),
    codigo("14", "duplicata", "Duplicata mercantil"),
    codigo("15", "boleto", "Boleto"),
    codigo("16", "deposito", "Depósito"),
    codigo("17", "pix_dinamico", "PIX com QR code dinâmico"),
    codigo("18", "transferencia", "Transferência ou carteira digital"),
    codigo("19", "fidelidade", "Fidelidade, cashback, crédito virtual"),
    codigo("20", "pix_estatico", "PIX com QR code estático"),
    codigo("21", "credito_em_loja", "Crédito em loja"),
    codigo(
        "22",
        "nao_informado",
        "Eletrônico, não informado por falha do equipamento",
    ),
    codigo("23", "pix_automatico", "PIX automático"),
    codigo("24", "transferencia_book", "TEF, book transfer"),
    codigo("90", "sem_pagamento", "Sem pagamento"),
    codigo("91", "pagamento_posterior", "Pagamento posterior"),
    codigo("99", "outros", "Outros"),
];
