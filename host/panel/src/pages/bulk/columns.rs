//! Columns of a file of notes: which field of the issuing form each is, by its
//! title.

use crate::pages::issue::inputs;
use crate::pages::issue::register::BY_CODE;
use flow::registry::fold;

/// The column by which lines are one note.
pub const NOTE: &str = "nota";
/// A column the hub adds to files it gives back; nothing is read there.
pub const TO_CORRECT: &str = "O que corrigir";

/// Columns the hub adds to a file it gives back.
const ADDED: &[&str] = &[
    TO_CORRECT,
    "Linha",
    "Situação",
    "Número da nota",
    "Chave",
    "Identificador",
    // Its title in files of before.
    "Id",
];

/// Title in the file that is offered, field of the form, and other titles that
/// mean it.
struct Column {
    title: &'static str,
    field: &'static str,
    also: &'static [&'static str],
    /// Of goods, of services, of both.
    of: Of,
    /// What the example says.
    examples: [&'static str; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Both,
    Goods,
    Service,
}

const fn column(
    title: &'static str,
    field: &'static str,
    also: &'static [&'static str],
    of: Of,
    examples: [&'static str; 2],
) -> Column {
    Column {
        title,
        field,
        also,
        of,
        examples,
    }
}

const COLUMNS: &[Column] = &[
    column("Nota", NOTE, &["Pedido", "Venda"], Of::Goods, ["1", "1"]),
    column(
        "CPF ou CNPJ",
        "documento",
        &["CNPJ", "CPF", "CPF/CNPJ", "CNPJ/CPF"],
        Of::Both,
        ["12.345.678/0001-95", ""],
    ),
    column(
        "Nome",
        "nome",
        &["Cliente", "Razão social", "Destinatário", "Tomador"],
        Of::Both,
        ["Cliente Exemplo Ltda", ""],
    ),
    column("Inscrição estadual", "ie", &["IE"], Of::Goods, ["", ""]),
    column("E-mail", "email", &["Email"], Of::Both, ["", ""]),
    column("CEP", "cep", &[], Of::Both, ["30140-071", ""]),
    column(
        "Logradouro",
        "logradouro",
        &["Endereço", "Rua"],
        Of::Both,
        ["Rua da Bahia", ""],
    ),
    column("Número", "numero", &["Nº", "No"], Of::Both, ["1000", ""]),
    column("Complemento", "complemento", &[], Of::Both, ["", ""]),
    column("Bairro", "bairro", &[], Of::Both, ["Centro", ""]),
    column(
        "Município",
        "municipio",
        &["Cidade"],
        Of::Both,
        ["Belo Horizonte", ""],
    ),
    column("UF", "uf", &["Estado"], Of::Both, ["MG", ""]),
    column(
        "Descrição",
        "descricao",
        &[
            "Produto",
            "Serviço",
            "Descrição do produto",
            "Descrição do serviço",
            "Discriminação",
        ],
        Of::Both,
        ["Café torrado 1 kg", "Filtro de papel"],
    ),
    column(
        "Código do produto",
        "codigo",
        &["Código", "SKU"],
        Of::Goods,
        ["CAFE1", "FILTRO"],
    ),
    column("NCM", "ncm", &[], Of::Goods, ["0901.21.00", "4823.20.99"]),
    column("CFOP", "cfop", &[], Of::Goods, ["", ""]),
    column("CEST", "cest", &[], Of::Goods, ["", ""]),
    column("Unidade", "unidade", &["Un"], Of::Goods, ["UN", "CX"]),
    column(
        "Código de barras",
        "gtin",
        &["GTIN", "EAN"],
        Of::Goods,
        ["", ""],
    ),
    column(
        "Código de tributação",
        "servico",
        &["Código do serviço", "Código nacional"],
        Of::Service,
        ["01.01.01", ""],
    ),
    column(
        "Quantidade",
        "quantidade",
        &["Qtd", "Qtde"],
        Of::Both,
        ["2", "1"],
    ),
    column(
        "Valor unitário",
        "valor",
        &["Valor", "Preço", "Preço unitário", "Valor do serviço"],
        Of::Both,
        ["18,90", "7,50"],
    ),
    column("Desconto", "desconto", &[], Of::Both, ["", ""]),
    column(
        "ISS",
        "aliquota",
        &["Alíquota", "Alíquota do ISS"],
        Of::Service,
        ["", ""],
    ),
    column(
        "Forma de pagamento",
        "forma",
        &["Pagamento", "Forma"],
        Of::Goods,
        ["PIX", ""],
    ),
    column(
        "Informações complementares",
        "informacoes",
        &["Informações", "Observações", "Observação"],
        Of::Both,
        ["", ""],
    ),
];

/// The field of each column of a file; None for what is not read.
pub struct Columns {
    fields: Vec<Option<&'static str>>,
    /// Which of them have a title.
    titled: Vec<bool>,
    /// How many cells a line may have; see [`Columns::parted`].
    most: Option<usize>,
    /// Titles nobody knows, and those of the other kind of note.
    pub unknown: Vec<String>,
}

/// A title as it is compared: without what stands in parentheses.
fn plain(title: &str) -> String {
    fold(title.split('(').next().unwrap_or_default())
}

impl Columns {
    /// Reads the first line of a file.
    ///
    /// # Errors
    /// Why nothing can be read below it, for people.
    pub fn read(titles: &[String], kind: &str) -> Result<Columns, String> {
        let mut columns = Columns {
            fields: Vec::new(),
            titled: titles.iter().map(|one| !one.trim().is_empty()).collect(),
            most: None,
            unknown: Vec::new(),
        };
        let other = other(kind);
        let mut strange = false;
        for title in titles {
            let meant = meant(title);
            let read = meant.filter(|column| column.of != other || column.field == NOTE);
            let field = read.map(|column| column.field);
            if field.is_some() && columns.fields.contains(&field) {
                return Err(format!("A coluna \"{title}\" está repetida. Deixe uma só."));
            }
            if field.is_none() && !Columns::is_added(title) && !title.trim().is_empty() {
                columns.unknown.push(title.clone());
                strange |= meant.is_none();
            }
            columns.fields.push(field);
        }
        let needed: &[&str] = match kind {
            "nfse" => &["descricao", "valor"],
            "nfce" => &["descricao", "ncm", "quantidade", "valor", "forma"],
            _ => &[
                "documento",
                "nome",
                "descricao",
                "ncm",
                "quantidade",
                "valor",
                "forma",
            ],
        };
        // Products that are registered may come by their code alone. A title that nobody
        // knows may be the one that is missing.
        let by_code = columns.fields.contains(&Some("codigo")) && !strange;
        let missing = needed
            .iter()
            .filter(|field| !columns.fields.contains(&Some(**field)))
            .filter(|field| !(by_code && BY_CODE.contains(field)));
        let missing: Vec<&str> = missing.map(|field| title_of(field)).collect();
        if missing.is_empty() {
            return Ok(columns);
        }
        Err(format!(
            "A primeira linha deve ter os títulos das colunas, e não achamos: {}. Use o arquivo de modelo.",
            missing.join(", ")
        ))
    }

    /// Of a file whose commas part the cells, and which has so many titles: an amount without
    /// quotes makes a line longer, and shifts what stands behind it, even where the last cells
    /// are empty.
    pub fn parted(self, titles: usize) -> Columns {
        Columns {
            most: Some(titles),
            ..self
        }
    }

    /// Whether a line has more cells than it may.
    pub fn is_long(&self, line: &[String]) -> bool {
        self.most.is_some_and(|most| line.len() > most)
    }

    /// Whether a title is of a column that the hub adds to files it gives back.
    pub fn is_added(title: &str) -> bool {
        let wanted = plain(title);
        ADDED.iter().any(|added| plain(added) == wanted)
    }

    /// What a line has in a field, trimmed.
    pub fn get<'l>(&self, line: &'l [String], field: &str) -> &'l str {
        let at = self.fields.iter().position(|one| *one == Some(field));
        let cell = at.and_then(|at| line.get(at));
        cell.map_or("", |cell| cell.trim())
    }

    /// What a line has where no title stands, trimmed.
    pub fn untitled<'l>(&self, line: &'l [String]) -> Option<&'l str> {
        let titled = self.titled.iter().chain(std::iter::repeat(&false));
        let mut cells = line.iter().map(|cell| cell.trim()).zip(titled);
        let lost = cells.find(|(cell, titled)| !**titled && !cell.is_empty());
        lost.map(|(cell, _)| cell)
    }

    /// The fields there are.
    pub fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().flatten().copied()
    }
}

/// Parts of a title that say a rate; `fold` drops the signs.
const RATE: &[&str] = &["%", "％", "﹪", "percent"];
/// Parts of a title that say neither a rate nor the amount of one.
const OTHER: &[&str] = &["total", "‰"];
/// Words of the title of a number that say the same: `Valor (R$ mil)`, `Valor (tot.)`.
const OTHER_WORDS: &[&str] = &[
    "tot", "mil", "milhar", "milhares", "milhões", "000", "1000", "1.000",
];
/// Word of the title of an amount that says a rate (`por cento`) or the price of a hundred.
const HUNDRED: &str = "cento";

/// The column that a title means. A title that says a rate means no amount, one that says an
/// amount no rate, and one that says a total or thousands neither: what a line has is the price
/// of one.
fn meant(title: &str) -> Option<&'static Column> {
    let wanted = plain(title);
    let means = |column: &&Column| {
        plain(column.title) == wanted
            || fold(column.field) == wanted
            || column.also.iter().any(|also| plain(also) == wanted)
    };
    let found = COLUMNS.iter().find(means).filter(|_| !wanted.is_empty())?;
    let title = title.to_lowercase();
    let others: &[&str] = if found.field == "aliquota" {
        &["r$", "reais", "valor"]
    } else {
        RATE
    };
    let part = |part: &&str| title.contains(*part);
    // `0,000` is how a number is written, and `1.000` a thousand.
    let words = title.split(|sign: char| !sign.is_alphanumeric() && sign != '.' && sign != ',');
    let mut words = words.map(|word| word.trim_matches(['.', ',']));
    let is_amount = matches!(found.field, "valor" | "desconto");
    let is_number = is_amount || matches!(found.field, "quantidade" | "aliquota");
    let other = others.iter().chain(OTHER).any(part)
        || words
            .any(|word| is_number && OTHER_WORDS.contains(&word) || is_amount && word == HUNDRED);
    (!other).then_some(found)
}

/// What the column of a field is called.
pub fn title_of(field: &str) -> &'static str {
    let found = COLUMNS.iter().find(|column| column.field == field);
    match found {
        Some(column) => column.title,
        None => inputs::get(field).map_or("", |input| input.label),
    }
}

/// Whose columns a kind of note has not.
fn other(kind: &str) -> Of {
    if kind == "nfse" {
        Of::Goods
    } else {
        Of::Service
    }
}

/// The file that is offered to be filled in: titles and an example.
pub fn template(kind: &str) -> Vec<Vec<String>> {
    let other = other(kind);
    let columns: Vec<&Column> = COLUMNS.iter().filter(|column| column.of != other).collect();
    let mut lines = vec![
        columns
            .iter()
            .map(|column| column.title.to_owned())
            .collect(),
    ];
    let examples = if kind == "nfse" { 1 } else { 2 };
    for at in 0..examples {
        let service = |column: &&&Column| kind == "nfse" && column.field == "descricao";
        let cell = |column: &&Column| match column.examples[at] {
            _ if service(&column) => "Desenvolvimento de programa".to_owned(),
            example => example.to_owned(),
        };
        lines.push(columns.iter().map(cell).collect());
    }
    lines
}
