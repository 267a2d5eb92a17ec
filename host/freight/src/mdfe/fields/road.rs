//! `rodo`: vehicles, drivers and what the ANTT asks. Vehicle, trailers and
//! drivers are members of the request itself.

use super::word_of;
use fiscal::fields::Field;
use fiscal::fields::Form::Decimal;
use fiscal::fields::field::{dissolve, flag_of, list, number, text, texts_of, word};

pub(super) const RODO: &[Field] = &[
    dissolve("infANTT", AGENCY).told_at("rodoviario"),
    dissolve("veicTracao", VEHICLE).told_at("veiculo"),
    list("veicReboque", "reboques", TRAILER),
    text("codAgPorto", "rodoviario.agendamento_porto"),
    texts_of("lacRodo", "rodoviario.lacres"),
];

const AGENCY: &[Field] = &[
    text("RNTRC", "rodoviario.rntrc"),
    list(
        "infCIOT",
        "rodoviario.ciot",
        &[
            text("CIOT", "codigo"),
            text("CPF", "cpf_cnpj"),
            text("CNPJ", "cpf_cnpj"),
        ],
    ),
    dissolve(
        "valePed",
        &[
            list("disp", "rodoviario.vale_pedagio.dispositivos", DEVICE),
            word(
                "categCombVeic",
                "rodoviario.vale_pedagio.categoria",
                word_of!(CategoriaVeicular),
            ),
        ],
    )
    .told_at("rodoviario.vale_pedagio"),
    list(
        "infContratante",
        "rodoviario.contratantes",
        &[
            text("xNome", "nome"),
            text("CPF", "cpf_cnpj"),
            text("CNPJ", "cpf_cnpj"),
            text("idEstrangeiro", "id_estrangeiro"),
            dissolve(
                "infContrato",
                &[
                    text("NroContrato", "contrato"),
                    number("vContratoGlobal", "valor_contrato"),
                ],
            ),
        ],
    ),
    list("infPag", "rodoviario.pagamentos", PAYMENT),
];

const DEVICE: &[Field] = &[
    text("CNPJForn", "cnpj_fornecedor"),
    text("CNPJPg", "cpf_cnpj_pagador"),
    text("CPFPg", "cpf_cnpj_pagador"),
    text("nCompra", "numero_compra"),
    number("vValePed", "valor"),
    word("tpValePed", "tipo", word_of!(TipoValePedagio)),
];

const PAYMENT: &[Field] = &[
    text("xNome", "nome"),
    text("CPF", "cpf_cnpj"),
    text("CNPJ", "cpf_cnpj"),
    text("idEstrangeiro", "id_estrangeiro"),
    list(
        "Comp",
        "componentes",
        &[
            word("tpComp", "tipo", word_of!(TipoComponente)),
            number("vComp", "valor"),
            text("xComp", "descricao"),
        ],
    ),
    number("vContrato", "valor"),
    flag_of("indAltoDesemp", "alto_desempenho", "1", ""),
    word("indPag", "forma", word_of!(FormaPagamento)),
    number("vAdiant", "adiantamento"),
    flag_of("indAntecipaAdiant", "antecipa_adiantamento", "1", ""),
    list(
        "infPrazo",
        "parcelas",
        &[
            text("nParcela", "numero"),
            text("dVenc", "vencimento"),
            number("vParcela", "valor"),
        ],
    ),
    word("tpAntecip", "antecipacao", word_of!(Antecipacao)),
    dissolve(
        "infBanc",
        &[
            text("codBanco", "banco"),
            text("codAgencia", "agencia"),
            text("CNPJIPEF", "cnpj_ipef"),
            text("PIX", "pix"),
        ],
    )
    .told_at("banco"),
];

/// Lines of the owner, whose members are in `proprietario`; the argument stands
/// before that name.
macro_rules! owner {
    ($before:literal) => {
        dissolve(
            "prop",
            &[
                text("CPF", concat!($before, "proprietario.cpf_cnpj")),
                text("CNPJ", concat!($before, "proprietario.cpf_cnpj")),
                text("RNTRC", concat!($before, "proprietario.rntrc")),
                text("xNome", concat!($before, "proprietario.nome")),
                text("IE", concat!($before, "proprietario.ie")),
                text("UF", concat!($before, "proprietario.uf")),
                word(
                    "tpProp",
                    concat!($before, "proprietario.tipo"),
                    word_of!(TipoProprietario),
                ),
            ],
        )
        .told_at(concat!($before, "proprietario"))
    };
}

/// Whole numbers of kilograms and cubic metres.
const fn whole(tag: &'static str, name: &'static str) -> Field {
    number(tag, name).plain(Decimal(0, 0))
}

const VEHICLE: &[Field] = &[
    text("cInt", "veiculo.codigo_interno"),
    text("placa", "veiculo.placa"),
    text("RENAVAM", "veiculo.renavam"),
    whole("tara", "veiculo.tara"),
    whole("capKG", "veiculo.capacidade_kg"),
    whole("capM3", "veiculo.capacidade_m3"),
    owner!("veiculo."),
    list(
        "condutor",
        "condutores",
        &[text("xNome", "nome"), text("CPF", "cpf")],
    ),
    word("tpRod", "veiculo.tipo_rodado", word_of!(TipoRodado)),
    word("tpCar", "veiculo.tipo_carroceria", word_of!(TipoCarroceria)),
    text("UF", "veiculo.uf"),
];

const TRAILER: &[Field] = &[
    text("cInt", "codigo_interno"),
    text("placa", "placa"),
    text("RENAVAM", "renavam"),
    whole("tara", "tara"),
    whole("capKG", "capacidade_kg"),
    whole("capM3", "capacidade_m3"),
    owner!(""),
    word("tpCar", "tipo_carroceria", word_of!(TipoCarroceria)),
    text("UF", "uf"),
];
