//! What may be done to a document in its state: title, questions and body of
//! each action. [`super::acting`] shows the forms and does it.

use super::files;
use crate::form::Fields;
use crate::reply::text;
use base::operations::{self, Operation};
use serde_json::{Value, json};

/// A field of an action's form.
pub struct Input {
    /// Name in the form and, but for the path, in the API.
    pub name: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    pub kind: InputKind,
}

/// How a field is filled in.
pub enum InputKind {
    /// One line that must be filled in.
    Line,
    /// One line that may stay empty.
    Optional,
    /// A whole number that may stay empty.
    Whole,
    /// The name of a city; the operation takes its code.
    City,
    /// A text of so many characters at least and at most.
    Text(usize, usize),
    Money,
    Date,
    /// Words of the API and what people call them.
    Choice(&'static [(&'static str, &'static str)]),
}

/// Something that can be done to a document.
pub struct Action {
    /// The end of its address.
    pub word: &'static str,
    pub title: &'static str,
    /// Of the button that does it.
    pub verb: &'static str,
    /// What it means, before anything is filled in.
    pub sentence: &'static str,
    /// Said when it was done.
    pub done: &'static str,
    /// It cannot be undone.
    pub grave: bool,
    /// Word of the audit.
    pub audit: &'static str,
    pub inputs: &'static [Input],
    /// Id of the operation; `*` stands for the kind.
    operation: &'static str,
    /// Models and states that allow it.
    models: &'static [&'static str],
    states: &'static [&'static str],
}

/// Sending a draft.
pub const ISSUE: &str = "emitir";
/// Taking back the link of a payment, which is offered beside the links there are.
pub const UNLINK: &str = "desfazer-pagamento";
const REASON: Input = Input {
    name: "justificativa",
    label: "Justificativa",
    hint: "De 15 a 255 caracteres; vai para a autoridade.",
    kind: InputKind::Text(15, 255),
};
/// Why a service note is cancelled; nothing is chosen beforehand.
pub const REASONS: &[(&str, &str)] = &[
    ("", "Escolha o motivo"),
    ("erro_emissao", "Erro na emissão"),
    ("servico_nao_prestado", "Serviço não prestado"),
    ("duplicidade", "Nota em duplicidade"),
    ("outros", "Outro"),
];
const CITY: &str = "O nome da cidade, como Betim/MG; o código do IBGE também serve.";
const SEFAZ: &[&str] = &["55", "65", "57", "58"];
const ALL: &[&str] = &["55", "65", "57", "58", "nfse"];
const STANDS: &[&str] = &["autorizada"];

/// All actions, in the order in which pages show them.
pub const ACTIONS: &[Action] = &[
    Action {
        word: ISSUE,
        title: "Emitir o rascunho",
        verb: "Emitir agora",
        sentence: "O documento recebe um número e vai para a autoridade como está no rascunho.",
        done: "O rascunho foi emitido.",
        grave: false,
        audit: "documento.emitido",
        inputs: &[],
        operation: "*.emitir",
        models: ALL,
        states: &["rascunho"],
    },
    Action {
        word: "cce",
        title: "Carta de correção",
        verb: "Registrar a carta",
        sentence: "Corrige o que não muda valores, quantidades, datas nem quem são as partes. Cada carta substitui a anterior.",
        done: "Carta de correção registrada.",
        grave: false,
        audit: "documento.corrigido",
        inputs: &[Input {
            name: "correcao",
            label: "Correção",
            hint: "De 15 a 1.000 caracteres: o texto inteiro, com o que as cartas anteriores disseram.",
            kind: InputKind::Text(15, 1_000),
        }],
        operation: "nfe.cce",
        models: &["55"],
        states: STANDS,
    },
    Action {
        word: "cce",
        title: "Carta de correção",
        verb: "Registrar a carta",
        sentence: "Corrige um campo do CT-e que não muda valores nem partes. Cada carta substitui a anterior.",
        done: "Carta de correção registrada.",
        grave: false,
        audit: "documento.corrigido",
        inputs: &[
            Input {
                name: "grupo",
                label: "Grupo",
                hint: "O grupo do leiaute que tem o campo, como infCarga.",
                kind: InputKind::Line,
            },
            Input {
                name: "campo",
                label: "Campo",
                hint: "O nome do campo no leiaute, como proPred.",
                kind: InputKind::Line,
            },
            Input {
                name: "valor",
                label: "Novo valor",
                hint: "",
                kind: InputKind::Line,
            },
            Input {
                name: "item",
                label: "Item",
                hint: "Só onde o grupo se repete: a posição, a partir de 1.",
                kind: InputKind::Whole,
            },
        ],
        operation: "cte.cce",
        models: &["57"],
        states: STANDS,
    },
    Action {
        word: "encerrar",
        title: "Encerrar o MDF-e",
        verb: "Encerrar",
        sentence: "Diz que a viagem terminou. Depois disso o MDF-e não aceita outro evento.",
        done: "Encerramento registrado.",
        grave: true,
        audit: "documento.encerrado",
        inputs: &[
            Input {
                name: "codigo_ibge",
                label: "Município onde a viagem terminou",
                hint: "O nome da cidade; o código do IBGE também serve.",
                kind: InputKind::City,
            },
            Input {
                name: "uf",
                label: "UF",
                hint: "Duas letras. Só onde há mais de uma cidade com o nome.",
                kind: InputKind::Optional,
            },
            Input {
                name: "data",
                label: "Data",
                hint: "Vazia: hoje.",
                kind: InputKind::Date,
            },
        ],
        operation: "mdfe.encerrar",
        models: &["58"],
        states: STANDS,
    },
    Action {
        word: "condutor",
        title: "Incluir um condutor",
        verb: "Incluir",
        sentence: "Acrescenta um motorista à viagem.",
        done: "Condutor incluído.",
        grave: false,
        audit: "documento.condutor",
        inputs: &[
            Input {
                name: "nome",
                label: "Nome",
                hint: "",
                kind: InputKind::Line,
            },
            Input {
                name: "cpf",
                label: "CPF",
                hint: "",
                kind: InputKind::Line,
            },
        ],
        operation: "mdfe.incluir-condutor",
        models: &["58"],
        states: STANDS,
    },
    Action {
        word: "documentos",
        title: "Incluir notas no MDF-e",
        verb: "Incluir",
        sentence: "Só do MDF-e que foi emitido com carregamento posterior: acrescenta NF-e à viagem.",
        done: "Notas incluídas.",
        grave: false,
        audit: "documento.notas_incluidas",
        inputs: &[
            Input {
                name: "codigo_ibge_carregamento",
                label: "Município do carregamento",
                hint: CITY,
                kind: InputKind::City,
            },
            Input {
                name: "codigo_ibge_descarga",
                label: "Município da descarga",
                hint: CITY,
                kind: InputKind::City,
            },
            Input {
                name: "chaves",
                label: "Chaves das NF-e",
                hint: "Separadas por espaço.",
                kind: InputKind::Text(44, 4_500),
            },
        ],
        operation: "mdfe.incluir-dfe",
        models: &["58"],
        states: STANDS,
    },
    Action {
        word: "vinculo",
        title: "Ligar à nota de origem",
        verb: "Ligar",
        sentence: "Diz de que nota esta é devolução, complemento ou ajuste. Fica só no hub; a autoridade não é avisada.",
        done: "As notas estão ligadas.",
        grave: false,
        audit: "documento.vinculado",
        inputs: &[
            Input {
                name: "chave_origem",
                label: "Chave da nota de origem",
                hint: "44 posições, com ou sem espaços.",
                kind: InputKind::Line,
            },
            Input {
                name: "tipo",
                label: "Esta nota é",
                hint: "",
                kind: InputKind::Choice(&[
                    ("devolucao", "Devolução"),
                    ("complementar", "Complementar"),
                    ("ajuste", "Ajuste"),
                ]),
            },
        ],
        operation: "nfe.vinculos",
        models: &["55"],
        states: &["autorizada", "cancelada"],
    },
    Action {
        word: "pagamento",
        title: "Vincular um pagamento",
        verb: "Vincular",
        sentence: "Registra na SEFAZ um pagamento que foi feito depois da emissão (ECONF).",
        done: "Pagamento vinculado.",
        grave: false,
        audit: "documento.pagamento",
        inputs: &[
            Input {
                name: "forma",
                label: "Forma",
                hint: "",
                kind: InputKind::Choice(&[
                    ("pix", "PIX"),
                    ("dinheiro", "Dinheiro"),
                    ("boleto", "Boleto"),
                    ("transferencia", "Transferência"),
                    ("deposito", "Depósito"),
                    ("cheque", "Cheque"),
                    ("outros", "Outra"),
                ]),
            },
            Input {
                name: "valor",
                label: "Valor (R$)",
                hint: "",
                kind: InputKind::Money,
            },
            Input {
                name: "data",
                label: "Data do pagamento",
                hint: "",
                kind: InputKind::Date,
            },
        ],
        operation: "nfe.econf",
        models: &["55"],
        states: STANDS,
    },
    Action {
        word: UNLINK,
        title: "Desfazer um vínculo de pagamento",
        verb: "Desfazer",
        sentence: "Só o mais antigo que está em vigor pode ser desfeito.",
        done: "Vínculo desfeito.",
        grave: true,
        audit: "documento.pagamento_desfeito",
        inputs: &[Input {
            name: "protocolo",
            label: "Protocolo do vínculo",
            hint: "Está entre os pagamentos vinculados.",
            kind: InputKind::Line,
        }],
        operation: "nfe.econf.desfazer",
        models: &["55"],
        states: STANDS,
    },
    Action {
        word: "consultar",
        title: "Consultar na autoridade",
        verb: "Consultar",
        sentence: "Pergunta à autoridade a situação do documento e corrige o que estiver diferente aqui.",
        done: "A autoridade foi consultada.",
        grave: false,
        audit: "documento.consultado",
        inputs: &[],
        operation: "*.status",
        models: ALL,
        states: &[
            "autorizada",
            "cancelada",
            "em_transmissao",
            "pendente_prefeitura",
        ],
    },
    Action {
        word: "cancelar",
        title: "Cancelar",
        verb: "Cancelar documento",
        sentence: "O documento deixa de valer. Não há volta.",
        done: "Cancelamento registrado.",
        grave: true,
        audit: "documento.cancelado",
        inputs: &[REASON],
        operation: "*.cancelar",
        models: &["55", "57", "58"],
        states: STANDS,
    },
    Action {
        word: "cancelar",
        title: "Cancelar",
        verb: "Cancelar documento",
        sentence: "O cupom deixa de valer. Não há volta.",
        done: "Cancelamento registrado.",
        grave: true,
        audit: "documento.cancelado",
        inputs: &[
            REASON,
            Input {
                name: "chave_substituta",
                label: "Chave da NFC-e que a substitui",
                hint: "Só no cancelamento por substituição; senão deixe vazia.",
                kind: InputKind::Optional,
            },
        ],
        operation: "nfce.cancelar",
        models: &["65"],
        states: STANDS,
    },
    Action {
        word: "cancelar",
        title: "Cancelar",
        verb: "Cancelar documento",
        sentence: "A nota deixa de valer. Não há volta; em algumas cidades o pedido ainda é analisado.",
        done: "Cancelamento registrado.",
        grave: true,
        audit: "documento.cancelado",
        inputs: &[
            Input {
                name: "codigo_motivo",
                label: "Motivo",
                hint: "",
                kind: InputKind::Choice(REASONS),
            },
            REASON,
        ],
        operation: "nfse.cancelar",
        models: &["nfse"],
        states: STANDS,
    },
    Action {
        word: "excluir",
        title: "Excluir o rascunho",
        verb: "Excluir",
        sentence: "O rascunho some daqui. Nenhum número foi usado.",
        done: "O rascunho foi excluído.",
        grave: true,
        audit: "documento.excluido",
        inputs: &[],
        operation: "documentos.delete",
        models: ALL,
        states: &["rascunho"],
    },
];

/// What may be done to a document as it is now.
pub fn of(document: &Value) -> Vec<&'static Action> {
    let (model, state) = (text(document, "modelo"), text(document, "status"));
    let closed = !text(document, "encerrado_em").is_empty();
    ACTIONS
        .iter()
        .filter(|action| action.models.contains(&model) && action.states.contains(&state))
        // A manifest that is closed takes nothing more; a draft in contingency has a key.
        .filter(|action| !closed || action.word == "consultar")
        .filter(|action| action.word != "excluir" || text(document, "chave").is_empty())
        // A number in a queue of a city may still be unknown to it.
        .filter(|action| {
            action.word != "consultar"
                || SEFAZ.contains(&model)
                || files::exist(document)
                || state == "pendente_prefeitura"
        })
        .collect()
}

impl Action {
    /// Whether documents of this model have it, in some state.
    pub fn is_of(&self, model: &str) -> bool {
        self.models.contains(&model)
    }

    /// The row of the operation that does it, for a document of this model.
    pub fn operation(&self, model: &str) -> Option<&'static Operation> {
        let kind = match model {
            "65" => "nfce",
            "nfse" => "nfse",
            "57" => "cte",
            "58" => "mdfe",
            _ => "nfe",
        };
        operations::get(&self.operation.replace('*', kind))
    }

    /// The body of the call, of what was filled in.
    pub fn body(&self, id: &str, fields: &Fields) -> Option<Value> {
        let mut body = match self.word {
            "excluir" => return None,
            "emitir" => return Some(json!({ "nota_id": id })),
            _ => json!({ "ref": id }),
        };
        match self.word {
            "pagamento" => {
                body["pagamentos"] = json!([{
                    "forma": fields.get("forma"), "valor": fields.decimal("valor"), "data": fields.get("data"),
                }]);
                return Some(body);
            }
            "cce" if fields.has("grupo") => {
                let mut one = json!({
                    "grupo": fields.get("grupo"), "campo": fields.get("campo"), "valor": fields.get("valor"),
                });
                if let Ok(item) = fields.get("item").parse::<u32>() {
                    one["item"] = item.into();
                }
                body["correcoes"] = json!([one]);
                return Some(body);
            }
            "documentos" => {
                body["chaves"] = json!(files::addresses(fields.get("chaves")));
            }
            _ => {}
        }
        for input in self.inputs.iter().filter(|input| input.name != "chaves") {
            let value = fields.get(input.name);
            if !value.is_empty() {
                let keyed = input.name.starts_with("chave");
                body[input.name] = match keyed {
                    true => value.replace([' ', '.'], "").into(),
                    false => value.into(),
                };
            }
        }
        Some(body)
    }
}
