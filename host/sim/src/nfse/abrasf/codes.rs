//! Messages of the cities. The codes up to E161 are those of the error table
//! of ABRASF 1.0; E123, E174 and E324 were seen in answers; E172 and the S
//! codes are the simulator's own. The texts are ours.

/// One message of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefusalMessage {
    pub code: String,
    pub text: String,
    pub correction: String,
    /// RPS it is about: number, series, type.
    pub rps: Option<Box<(String, String, String)>>,
}

impl RefusalMessage {
    pub fn of(code: &str) -> Self {
        let (text, correction) = text(code);
        Self {
            code: code.to_owned(),
            text: text.to_owned(),
            correction: correction.to_owned(),
            rps: None,
        }
    }

    /// The same with another hint, cut to what the layouts allow (200 characters).
    pub fn hint(mut self, correction: &str) -> Self {
        self.correction = correction.chars().take(200).collect();
        self
    }
}

fn text(code: &str) -> (&'static str, &'static str) {
    TEXTS
        .iter()
        .find(|(known, ..)| *known == code)
        .map_or(OTHER, |(_, text, correction)| (text, correction))
}

/// Text and hint of a code without its own.
const OTHER: (&str, &str) = ("RPS recusado.", "Confira os dados enviados.");

/// Code, text, hint.
const TEXTS: [(&str, &str, &str); 28] = [
    (
        "E2",
        "Competência posterior à emissão.",
        "Informe competência igual ou anterior à emissão.",
    ),
    (
        "E4",
        "RPS não enviado para esta base.",
        "Envie o RPS para emissão da NFS-e.",
    ),
    (
        "E6",
        "NFS-e não pode ser cancelada por este serviço.",
        "Procure a prefeitura.",
    ),
    ("E7", "NFS-e já substituída.", "Confira o número da NFS-e."),
    (
        "E10",
        "RPS já informado.",
        "Já existe RPS com o mesmo número, série e tipo.",
    ),
    (
        "E16",
        "Emissão do RPS posterior a hoje.",
        "Informe uma data válida.",
    ),
    (
        "E18",
        "Valor dos serviços deve ser maior que zero.",
        "Informe o valor dos serviços.",
    ),
    (
        "E19",
        "Deduções maiores que os serviços.",
        "Confira as deduções.",
    ),
    (
        "E21",
        "Descontos maiores que os serviços.",
        "Confira os descontos.",
    ),
    (
        "E44",
        "CNPJ do prestador inválido.",
        "Informe o CNPJ correto.",
    ),
    (
        "E47",
        "CPF/CNPJ do tomador inválido.",
        "Informe o CPF/CNPJ correto.",
    ),
    (
        "E52",
        "Tomador e prestador são o mesmo.",
        "Informe outro tomador.",
    ),
    (
        "E69",
        "Quantidade de RPS incorreta.",
        "Informe a quantidade correta.",
    ),
    (
        "E71",
        "RPS em duplicidade no lote.",
        "Remova o RPS repetido.",
    ),
    (
        "E78",
        "NFS-e não encontrada para o prestador.",
        "Confira o número da NFS-e.",
    ),
    ("E79", "NFS-e já cancelada.", "Confira o número da NFS-e."),
    (
        "E86",
        "Protocolo não encontrado.",
        "Confira o número do protocolo.",
    ),
    (
        "E92",
        "RPS recebido e ainda não processado.",
        "Consulte novamente mais tarde.",
    ),
    ("E123", "RPS inexistente.", "Confira os dados do RPS."),
    (
        "E156",
        "Prestador não autorizado a emitir NFS-e.",
        "Solicite autorização à prefeitura.",
    ),
    (
        "E157",
        "Usuário não autorizado para este contribuinte.",
        "Use o certificado ou o acesso do contribuinte.",
    ),
    (
        "E159",
        "Prestador do lote difere do prestador do RPS.",
        "Informe o mesmo prestador.",
    ),
    (
        "E160",
        "Arquivo fora da estrutura do XML de entrada.",
        "Envie o arquivo conforme o schema.",
    ),
    (
        "E172",
        "Erro na assinatura do arquivo.",
        "Assine novamente com certificado válido.",
    ),
    ("E174", "RPS não assinado.", "Assine o RPS."),
    (
        "E324",
        "Assinatura do RPS inválida.",
        "Assine com certificado ICP-Brasil.",
    ),
    (
        "S001",
        "Valores do RPS não fecham.",
        "Confira base de cálculo, ISS e valor líquido.",
    ),
    (
        "S002",
        "Cabeçalho ausente ou de outra versão.",
        "Envie o cabeçalho da versão do layout.",
    ),
];
