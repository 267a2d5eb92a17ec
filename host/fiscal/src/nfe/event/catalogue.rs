//! The events as data: those of every day here, those of the reform in
//! [`crate::nfe::event::reform`].
//!
//! Codes, `descEvento`, fields and limits are those of the event schemas of
//! package PL_010d v1.03 (in production since 2026-07-01). Who receives an
//! event and until when is of the notes named in each entry, second-hand.

use std::sync::LazyLock;

use crate::nfe::event::fields::{
    JUSTIFICATIVA, VALOR, campo, codigo, com, grupo, lista, opcao, opcional, texto,
};
use crate::nfe::event::kind::{Autor, BASE, Cabeca, CampoEvento, Codigo, Formato, Receptor, Tipo};
use crate::nfe::event::reform;

/// Every event, ordered by code.
pub fn catalogue() -> &'static [Tipo] {
    static TODOS: LazyLock<Vec<Tipo>> = LazyLock::new(|| {
        let mut todos: Vec<Tipo> = COMUNS.into_iter().chain(reform::EVENTOS).collect();
        todos.sort_unstable_by_key(|tipo| tipo.codigo);
        todos
    });
    &TODOS
}

/// The event with this `tpEvento`.
pub fn busca(codigo: &str) -> Option<&'static Tipo> {
    let todos = catalogue();
    let posicao = todos
        .binary_search_by(|tipo| tipo.codigo.cmp(codigo))
        .ok()?;
    todos.get(posicao)
}

const COMUNS: [Tipo; 9] = [
    Tipo {
        codigo: "110110",
        nome: "Carta de Correção",
        descricao: "Carta de Correcao",
        explicacao: "Corrige um texto errado da nota autorizada. Cada carta substitui a anterior, por isso \
                     deve repetir todas as correções ainda válidas. Não serve para valores, impostos, \
                     quantidades, troca de remetente ou destinatário nem datas.",
        sequencia_maxima: 20,
        prazo: "720 horas (30 dias) após a autorização",
        campos: &[
            campo(
                "xCorrecao",
                "correcao",
                texto(15, 1000),
                "Correção",
                "O que deve ser lido no lugar do que a nota traz.",
            ),
            campo(
                "xCondUso",
                "condicao_uso",
                Formato::Fixo {
                    texto: CONDICAO_DE_USO,
                },
                "Condições de uso",
                "Texto fixo do leiaute; o hub preenche.",
            ),
        ],
        nota_tecnica: "2011.003",
        ..BASE
    },
    Tipo {
        codigo: "110111",
        nome: "Cancelamento",
        descricao: "Cancelamento",
        explicacao: "Desfaz uma nota autorizada cuja mercadoria não circulou.",
        modelos: &["55", "65"],
        prazo: "24 horas (NF-e) ou 30 minutos (NFC-e) após a autorização, salvo prazo maior da UF",
        campos: &[PROTOCOLO_DA_NOTA, MOTIVO],
        nota_tecnica: "2011.006",
        ..BASE
    },
    Tipo {
        codigo: "110112",
        nome: "Cancelamento por substituição",
        descricao: "Cancelamento por substituicao",
        explicacao: "Cancela a NFC-e emitida em duplicidade quando a venda já está em outra NFC-e, \
                     emitida em contingência.",
        modelos: &["65"],
        prazo: "168 horas após a autorização",
        campos: &[
            PROTOCOLO_DA_NOTA,
            MOTIVO,
            campo(
                "chNFeRef",
                "chave_substituta",
                Formato::Chave,
                "Chave da nota que fica",
                "Chave da NFC-e que substitui a cancelada.",
            ),
        ],
        nota_tecnica: "2018.004",
        cabeca: Cabeca::Completa,
        ..BASE
    },
    Tipo {
        codigo: "110750",
        nome: "Conciliação financeira (ECONF)",
        descricao: "ECONF",
        explicacao: "Liga à nota um pagamento recebido depois da emissão. Facultativo, salvo onde a UF o exige.",
        modelos: &["55", "65"],
        receptor: Receptor::SvrsOuAutorizador,
        sequencia_maxima: 99,
        prazo: "sem prazo fixado",
        campos: &[lista(
            100,
            grupo(
                "detPag",
                "pagamentos",
                "Pagamentos",
                "Um para cada valor recebido.",
                PAGAMENTO,
            ),
        )],
        nota_tecnica: "2024.002",
        cabeca: Cabeca::Aplicativo,
        ..BASE
    },
    Tipo {
        codigo: "110751",
        nome: "Cancelamento da conciliação financeira",
        descricao: "Cancelamento Conciliação Financeira",
        explicacao: "Desfaz um ECONF registrado por engano.",
        modelos: &["55", "65"],
        receptor: Receptor::SvrsOuAutorizador,
        sequencia_maxima: 99,
        prazo: "sem prazo fixado",
        campos: &[campo(
            "nProtEvento",
            "protocolo_evento",
            Formato::Protocolo,
            "Protocolo do ECONF",
            "Protocolo do evento 110750 que será desfeito.",
        )],
        nota_tecnica: "2024.002",
        cabeca: Cabeca::Aplicativo,
        ..BASE
    },
    Tipo {
        codigo: "210200",
        nome: "Confirmação da operação",
        descricao: "Confirmacao da Operacao",
        explicacao: "O destinatário confirma que a operação ocorreu como está na nota.",
        prazo: "180 dias após a autorização",
        ..MANIFESTACAO
    },
    Tipo {
        codigo: "210210",
        nome: "Ciência da operação",
        descricao: "Ciencia da Operacao",
        explicacao: "O destinatário sabe da nota, ainda sem se manifestar; libera o XML completo.",
        prazo: "10 dias após a autorização, recomendado",
        ..MANIFESTACAO
    },
    Tipo {
        codigo: "210220",
        nome: "Desconhecimento da operação",
        descricao: "Desconhecimento da Operacao",
        explicacao: "O destinatário declara que não fez esta operação.",
        prazo: "180 dias após a autorização",
        campos: &[opcional(MOTIVO)],
        ..MANIFESTACAO
    },
    Tipo {
        codigo: "210240",
        nome: "Operação não realizada",
        descricao: "Operacao nao Realizada",
        explicacao: "A operação era do destinatário, mas não se concluiu (recusa, devolução no ato, sinistro).",
        prazo: "180 dias após a autorização",
        campos: &[MOTIVO],
        ..MANIFESTACAO
    },
];

/// A conclusive manifestation may be changed once (second-hand); the schema
/// takes two digits, so the authority decides.
const MANIFESTACAO: Tipo = Tipo {
    autores: &[Autor::Destinatario],
    receptor: Receptor::AmbienteNacional,
    sequencia_maxima: 99,
    nota_tecnica: "2020.001",
    ..BASE
};

const PROTOCOLO_DA_NOTA: CampoEvento = campo(
    "nProt",
    "protocolo",
    Formato::Protocolo,
    "Protocolo da nota",
    "Protocolo de autorização da nota.",
);

const MOTIVO: CampoEvento = campo(
    "xJust",
    "justificativa",
    JUSTIFICATIVA,
    "Justificativa",
    "Motivo do evento, de 15 a 255 caracteres.",
);

/// Enumerated by the schema, here in its spelling without accents.
const CONDICAO_DE_USO: &str = "A Carta de Correcao e disciplinada pelo paragrafo 1o-A do art. 7o do Convenio S/N, de 15 de dezembro de 1970 e pode ser utilizada para regularizacao de erro ocorrido na emissao de documento fiscal, desde que o erro nao esteja relacionado com: I - as variaveis que determinam o valor do imposto tais como: base de calculo, aliquota, diferenca de preco, quantidade, valor da operacao ou da prestacao; II - a correcao de dados cadastrais que implique mudanca do remetente ou do destinatario; III - a data de emissao ou de saida.";

const PAGAMENTO: &[CampoEvento] = &[
    opcional(campo(
        "indPag",
        "indicador",
        opcao(&[
            codigo("0", "a_vista", "Pagamento à vista"),
            codigo("1", "a_prazo", "Pagamento a prazo"),
        ]),
        "À vista ou a prazo",
        "Se o valor foi combinado à vista ou a prazo.",
    )),
    campo("tPag", "forma", opcao(FORMAS), "Forma", "Como foi pago."),
    opcional(campo(
        "xPag",
        "descricao",
        texto(2, 60),
        "Descrição da forma",
        "Qual é a forma, quando é 99 (outros).",
    )),
    campo("vPag", "valor", VALOR, "Valor", "Quanto foi recebido."),
    campo("dPag", "data", Formato::Data, "Data", "Dia do pagamento."),
    com(
        &["UFPag"],
        opcional(campo(
            "CNPJPag",
            "cnpj_transacional",
            Formato::Cnpj,
            "CNPJ onde se pagou",
            "Estabelecimento que processou o pagamento, quando não é o emitente.",
        )),
    ),
    com(
        &["CNPJPag"],
        opcional(campo(
            "UFPag",
            "uf_transacional",
            Formato::Uf,
            "UF onde se pagou",
            "UF do estabelecimento que processou o pagamento.",
        )),
    ),
    com(
        &["CNPJPag", "UFPag"],
        opcional(campo(
            "CNPJIF",
            "cnpj_credenciadora",
            Formato::Cnpj,
            "CNPJ da instituição",
            "Instituição financeira, de pagamento ou credenciadora.",
        )),
    ),
    com(
        &["CNPJPag", "UFPag"],
        opcional(campo(
            "tBand",
            "bandeira",
            Formato::Digitos { tamanho: 2 },
            "Bandeira",
            "Código da bandeira do cartão.",
        )),
    ),
    com(
        &["CNPJPag", "UFPag"],
        opcional(campo(
            "cAut",
            "autorizacao",
            texto(1, 128),
            "Autorização",
            "Número da autorização do cartão, PIX ou boleto.",
        )),
    ),
    com(
        &["UFReceb"],
        opcional(campo(
            "CNPJReceb",
            "cnpj_beneficiario",
            Formato::Cnpj,
            "CNPJ que recebeu",
            "Estabelecimento que ficou com o dinheiro.",
        )),
    ),
    com(
        &["CNPJReceb"],
        opcional(campo(
            "UFReceb",
            "uf_beneficiario",
            Formato::Uf,
            "UF de quem recebeu",
            "UF do estabelecimento que ficou com o dinheiro.",
        )),
    ),
];

/// `tPag` (IT 2024.002, table of payment means; names of the API, §5.1).
pub(crate) const FORMAS: &[Codigo] = &[
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
