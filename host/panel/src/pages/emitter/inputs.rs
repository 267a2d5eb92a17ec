//! The fields of a company's fiscal profile: their places in it, and how they are written.

use super::place;

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Digits,
    Whole,
    Decimal,
    /// A secret: stored sealed and never shown. An empty field leaves the
    /// stored one as it is.
    Secret,
    /// One of these, by their words in the API.
    Choice(&'static [(&'static str, &'static str)]),
    /// A box to be ticked.
    Tick,
    /// State and registration, one a line.
    Registrations,
}

/// A field: its name, its place in the profile, how it is written, its width,
/// its label and a hint.
pub struct Input {
    pub name: &'static str,
    pub place: &'static str,
    pub kind: Kind,
    pub class: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
}

const fn input(
    name: &'static str,
    place: &'static str,
    kind: Kind,
    class: &'static str,
    label: &'static str,
    hint: &'static str,
) -> Input {
    Input {
        name,
        place,
        kind,
        class,
        label,
        hint,
    }
}

impl Input {
    /// It is stored sealed and never shown.
    pub fn is_secret(&self) -> bool {
        self.kind == Kind::Secret
    }
}

/// What the choice of the regime is called.
pub const REGIME: &str = "Regime tributário";
/// Field of the logo, which has a form of its own, and what it is called.
pub const LOGO: &str = "logotipo";
pub const LOGO_FILE: &str = "Arquivo PNG ou JPEG";
/// The box that turns the look-up of received notes on.
pub const AUTOMATIC: &str = "entrada_automatica";
/// Registrations as a substitute taxpayer in other states.
pub const SUBSTITUTE: &str = "ie_substituto";
const NEXT: &str = "Não pode diminuir. Preencha se a empresa já emitiu notas por outro sistema.";
const KEPT: &str = "Guardamos em segredo e não mostramos mais.";
const LOGIN: &str = "Só onde a prefeitura pede. Guardamos em segredo e não mostramos mais.";

const COMPANY: &[Input] = &[
    input(
        "razao_social",
        "/razao_social",
        Kind::Text,
        "",
        "Razão social",
        "",
    ),
    input(
        "nome_fantasia",
        "/nome_fantasia",
        Kind::Text,
        "",
        "Nome fantasia",
        "",
    ),
    input("ie", "/ie", Kind::Text, "c2", "Inscrição estadual", ""),
    input("im", "/im", Kind::Text, "c2", "Inscrição municipal", ""),
    input("cnae", "/cnae", Kind::Digits, "c2", "CNAE", ""),
    input("email", "/email", Kind::Text, "", "E-mail", ""),
    input("telefone", "/telefone", Kind::Text, "", "Telefone", ""),
];

const ADDRESS: &[Input] = &[
    input("cep", "/endereco/cep", Kind::Digits, "c2", "CEP", ""),
    input(
        "logradouro",
        "/endereco/logradouro",
        Kind::Text,
        "c4",
        "Logradouro",
        "",
    ),
    input("numero", "/endereco/numero", Kind::Text, "c2", "Número", ""),
    input(
        "complemento",
        "/endereco/complemento",
        Kind::Text,
        "c2",
        "Complemento",
        "",
    ),
    input("bairro", "/endereco/bairro", Kind::Text, "c4", "Bairro", ""),
    input(
        "municipio",
        "/endereco/codigo_ibge",
        Kind::Digits,
        "c4",
        "Município",
        place::HINT,
    ),
    input("uf", "/endereco/uf", Kind::Text, "c2", "UF", ""),
];

const TAXES: &[Input] = &[
    input(
        "cfop_interno",
        "/padroes/cfop_interno",
        Kind::Digits,
        "c2",
        "CFOP no estado",
        "",
    ),
    input(
        "cfop_interestadual",
        "/padroes/cfop_interestadual",
        Kind::Digits,
        "c2",
        "CFOP fora do estado",
        "",
    ),
    input(
        "unidade",
        "/padroes/unidade",
        Kind::Text,
        "c2",
        "Unidade",
        "",
    ),
    input(
        "origem",
        "/padroes/origem",
        Kind::Digits,
        "c2",
        "Origem",
        "0 é mercadoria nacional.",
    ),
    input(
        "icms_cst",
        "/padroes/icms/cst",
        Kind::Digits,
        "c2",
        "CST do ICMS",
        "No Lucro Real e no Presumido.",
    ),
    input(
        "icms_csosn",
        "/padroes/icms/csosn",
        Kind::Digits,
        "c2",
        "CSOSN",
        "No Simples e no MEI.",
    ),
    input(
        "icms_aliquota",
        "/padroes/icms/aliquota",
        Kind::Decimal,
        "c2",
        "ICMS (%)",
        "",
    ),
    input(
        "pis_cst",
        "/padroes/pis/cst",
        Kind::Digits,
        "c2",
        "CST do PIS",
        "",
    ),
    input(
        "pis_aliquota",
        "/padroes/pis/aliquota",
        Kind::Decimal,
        "c2",
        "PIS (%)",
        "",
    ),
    input(
        "cofins_cst",
        "/padroes/cofins/cst",
        Kind::Digits,
        "c2",
        "CST da COFINS",
        "",
    ),
    input(
        "cofins_aliquota",
        "/padroes/cofins/aliquota",
        Kind::Decimal,
        "c2",
        "COFINS (%)",
        "",
    ),
    input(
        "ibs_cst",
        "/padroes/ibs_cbs/cst",
        Kind::Digits,
        "c2",
        "CST do IBS e da CBS",
        "",
    ),
    input(
        "ibs_classe",
        "/padroes/ibs_cbs/cclass_trib",
        Kind::Digits,
        "c2",
        "Classificação (cClassTrib)",
        "",
    ),
];

const NUMBERS: &[Input] = &[
    input(
        "nfe_serie",
        "/nfe/serie",
        Kind::Whole,
        "",
        "Série da NF-e",
        "",
    ),
    input(
        "nfe_proximo",
        "/nfe/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número da NF-e",
        NEXT,
    ),
    input(
        "nfce_serie",
        "/nfce/serie",
        Kind::Whole,
        "",
        "Série da NFC-e",
        "",
    ),
    input(
        "nfce_proximo",
        "/nfce/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número da NFC-e",
        NEXT,
    ),
    input(
        "csc_id",
        "/nfce/csc_id",
        Kind::Text,
        "",
        "Número (id) do CSC da NFC-e",
        "",
    ),
    input("csc", "/nfce/csc", Kind::Secret, "", "CSC da NFC-e", KEPT),
];

const SERVICE: &[Input] = &[
    input(
        "rps_serie",
        "/nfse/serie_rps",
        Kind::Text,
        "",
        "Série do RPS ou da DPS",
        "",
    ),
    input(
        "nfse_proximo",
        "/nfse/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número do RPS ou da DPS",
        NEXT,
    ),
    input(
        "item_lista",
        "/nfse/item_lista_servico",
        Kind::Text,
        "c2",
        "Item da lista de serviços",
        "",
    ),
    input(
        "iss",
        "/nfse/aliquota_iss",
        Kind::Decimal,
        "c2",
        "ISS (%)",
        "",
    ),
    input(
        "nominal",
        "/simples/aliquota_nominal",
        Kind::Decimal,
        "c2",
        "Alíquota nominal do Simples (%)",
        "",
    ),
];

/// Their hints say which are stored, and which the city asks for.
const LOGINS: &[Input] = &[
    input(
        "prefeitura_usuario",
        "/nfse/credenciais/usuario",
        Kind::Secret,
        "c2",
        "Usuário na prefeitura",
        LOGIN,
    ),
    input(
        "prefeitura_senha",
        "/nfse/credenciais/senha",
        Kind::Secret,
        "c2",
        "Senha na prefeitura",
        LOGIN,
    ),
    input(
        "prefeitura_token",
        "/nfse/credenciais/token",
        Kind::Secret,
        "c2",
        "Token da prefeitura",
        LOGIN,
    ),
    input(
        "prefeitura_chave",
        "/nfse/credenciais/chave_autorizacao",
        Kind::Secret,
        "c2",
        "Chave de autorização",
        LOGIN,
    ),
    input(
        "prefeitura_frase",
        "/nfse/credenciais/frase_secreta",
        Kind::Secret,
        "c2",
        "Frase secreta",
        LOGIN,
    ),
];

const RECEIVED: &[Input] = &[input(
    AUTOMATIC,
    "/entrada/automatica",
    Kind::Tick,
    "",
    "Busca automática de notas recebidas",
    "Perguntamos à SEFAZ cerca de uma vez por hora, sem cobrança, pelas notas emitidas contra a empresa. Ligue só se nenhum outro sistema busca as notas deste CNPJ: a SEFAZ conta as consultas de todos.",
)];

const SPECIAL: &[(&str, &str)] = &[
    ("", "Nenhum"),
    ("ato_cooperado", "Ato cooperado"),
    ("estimativa", "Estimativa"),
    ("microempresa_municipal", "Microempresa municipal"),
    ("notario_ou_registrador", "Notário ou registrador"),
    ("profissional_autonomo", "Profissional autônomo"),
    ("sociedade_de_profissionais", "Sociedade de profissionais"),
    ("outros", "Outros"),
];

const WAYS: &[(&str, &str)] = &[
    ("", "A da cidade"),
    ("nacional", "Emissor nacional"),
    ("municipal", "Sistema da prefeitura"),
];

const MORE: &[Input] = &[
    input(
        "regime_especial",
        "/nfse/regime_especial",
        Kind::Choice(SPECIAL),
        "",
        "Regime especial do ISS",
        "",
    ),
    input(
        "via",
        "/nfse/via",
        Kind::Choice(WAYS),
        "",
        "Por onde vão as notas de serviço",
        "Mude só onde a cidade aceita os dois caminhos.",
    ),
    input(
        "credito",
        "/simples/aliquota_credito",
        Kind::Decimal,
        "",
        "Crédito de ICMS do Simples (%)",
        "Alíquota que o cliente pode aproveitar, com os CSOSN que dão crédito.",
    ),
    input(
        "pix",
        "/pix/chave",
        Kind::Text,
        "",
        "Chave PIX que recebe",
        "CPF, CNPJ, e-mail, telefone com +55 ou chave aleatória.",
    ),
    input(
        SUBSTITUTE,
        "/ie_substituto",
        Kind::Registrations,
        "c6",
        "Inscrições de substituto tributário",
        "Uma por linha: a sigla do estado e a inscrição da empresa nele.",
    ),
    input(
        "cte_serie",
        "/cte/serie",
        Kind::Whole,
        "",
        "Série do CT-e",
        "",
    ),
    input(
        "cte_proximo",
        "/cte/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número do CT-e",
        NEXT,
    ),
    input(
        "mdfe_serie",
        "/mdfe/serie",
        Kind::Whole,
        "",
        "Série do MDF-e",
        "",
    ),
    input(
        "mdfe_proximo",
        "/mdfe/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número do MDF-e",
        NEXT,
    ),
];

/// Fields that stand together.
pub struct Block {
    pub id: &'static str,
    pub title: &'static str,
    pub hint: &'static str,
    pub inputs: &'static [Input],
    /// Few companies need it: it is opened to be seen.
    pub folded: bool,
}

/// The block of the address.
pub const OF_ADDRESS: &str = "bloco-endereco";
/// The block of the taxation of products.
pub const OF_TAXES: &str = "bloco-tributacao";
/// The block whose title is followed by what the city asks for.
pub const OF_LOGINS: &str = "bloco-login";
/// The block of the numbers of product notes.
pub const OF_NUMBERS: &str = "bloco-numeracao";

pub const BLOCKS: &[Block] = &[
    Block {
        id: "bloco-empresa",
        title: "Empresa",
        hint: "",
        inputs: COMPANY,
        folded: false,
    },
    Block {
        id: OF_ADDRESS,
        title: "Endereço",
        hint: "",
        inputs: ADDRESS,
        folded: false,
    },
    Block {
        id: OF_TAXES,
        title: "Tributação dos produtos",
        hint: "Vale para os produtos que não têm outra na nota. Se tudo ficar vazio, é a de uma venda comum de mercadoria no regime da empresa; só acima do sublimite do Simples não há uma comum, e é preciso preencher.",
        inputs: TAXES,
        folded: false,
    },
    Block {
        id: OF_NUMBERS,
        title: "Numeração da NF-e e da NFC-e",
        hint: "",
        inputs: NUMBERS,
        folded: false,
    },
    Block {
        id: "bloco-servico",
        title: "Notas de serviço",
        hint: "",
        inputs: SERVICE,
        folded: false,
    },
    Block {
        id: OF_LOGINS,
        title: "Login no sistema da prefeitura",
        hint: "",
        inputs: LOGINS,
        folded: false,
    },
    Block {
        id: "bloco-recebidas",
        title: "Notas recebidas",
        hint: "",
        inputs: RECEIVED,
        folded: false,
    },
    Block {
        id: "bloco-mais",
        title: "Mais dados fiscais",
        hint: "",
        inputs: MORE,
        folded: true,
    },
];

/// All of them, in the order of the form.
pub fn inputs() -> impl Iterator<Item = &'static Input> {
    BLOCKS.iter().flat_map(|block| block.inputs)
}

/// The field of a place of the profile, as `endereco.cep`; None where none shows it.
pub fn at(path: &str) -> Option<&'static str> {
    let place = format!("/{}", path.replace('.', "/"));
    let found = inputs().find(|input| input.place == place);
    found.map(|input| input.name)
}

/// What a field is called; None for one of another form.
pub fn label(name: &str) -> Option<&'static str> {
    let found = inputs().find(|input| input.name == name);
    found.map(|input| input.label)
}

/// Where a field stands in the form, compared with others; those of other forms first.
pub fn order(name: &str) -> usize {
    match inputs().position(|input| input.name == name) {
        Some(at) if at < COMPANY.len() => at + 1,
        // The regime stands behind the first block.
        Some(at) => at + 2,
        None if name == "regime" => COMPANY.len() + 1,
        None => 0,
    }
}

/// What to write in a field of numbers; empty for others.
pub fn write(name: &str) -> &'static str {
    let found = inputs().find(|input| input.name == name);
    match found.map(|input| input.kind) {
        Some(Kind::Digits) => "Escreva só os números.",
        Some(Kind::Whole) => "Escreva um número inteiro.",
        Some(Kind::Decimal) => "Escreva um número, como 18 ou 1,65.",
        Some(Kind::Choice(_)) => "Escolha uma das opções.",
        Some(Kind::Tick) => "Preencha o município da empresa, ou desmarque.",
        Some(Kind::Registrations) => "Escreva uma por linha, como SP 110042490114.",
        Some(Kind::Text | Kind::Secret) | None => "",
    }
}
