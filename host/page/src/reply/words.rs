//! What people call the members of requests and the elements of layouts that the
//! sentences of the API name.

use crate::names::capital;

/// Members of requests, by the labels of their fields.
const LABELS: &[(&str, &str)] = &[
    ("ambiente", "Ambiente"),
    ("anexo", "Anexo"),
    ("ate", "Até"),
    ("bairro", "Bairro"),
    ("cep", "CEP"),
    ("cfop", "CFOP"),
    ("chave", "Chave de acesso"),
    ("cnpj", "CNPJ"),
    ("cpf_cnpj", "CPF ou CNPJ"),
    ("de", "De"),
    ("destinatario", "CPF ou CNPJ do destinatário"),
    ("emitente_id", "Emitente"),
    ("folha12", "Folha de 12 meses"),
    ("ie", "Inscrição estadual"),
    ("im", "Inscrição municipal"),
    ("justificativa", "Justificativa"),
    ("ncm", "NCM"),
    ("numero", "Número"),
    ("origem", "Origem da mercadoria"),
    ("q", "Procura"),
    ("quantidade", "Quantidade"),
    ("rbt12", "Receita de 12 meses"),
    ("regime", "Regime"),
    ("serie", "Série"),
    ("uf", "UF"),
    ("uf_destino", "UF de quem compra"),
    ("uf_origem", "UF de quem vende"),
    ("valor_max", "Valor máximo"),
    ("valor_min", "Valor mínimo"),
    ("valor_unitario", "Valor unitário"),
    ("xml_base64", "Arquivo XML"),
];

/// Elements of layouts: the article and the noun that people know.
const ELEMENTS: &[(&str, &str, &str)] = &[
    ("cEAN", "o", "código de barras"),
    ("cMun", "a", "cidade"),
    ("cProd", "o", "código do produto"),
    ("fone", "o", "telefone"),
    ("infAdProd", "a", "informação adicional do item"),
    ("natOp", "a", "natureza da operação"),
    ("nro", "o", "número"),
    ("qCom", "a", "quantidade"),
    ("uCom", "a", "unidade"),
    ("vUnCom", "o", "valor unitário"),
    ("xBairro", "o", "bairro"),
    ("xCorrecao", "a", "correção"),
    ("xCpl", "o", "complemento"),
    ("xDescServ", "a", "descrição do serviço"),
    ("xFant", "o", "nome fantasia"),
    ("xJust", "a", "justificativa"),
    ("xLgr", "o", "logradouro"),
    ("xMun", "a", "cidade"),
    ("xNome", "o", "nome"),
    ("xPais", "o", "país"),
    ("xProd", "a", "descrição"),
];

/// Words behind which a noun has no article of its own.
const BEFORE_NOUNS: &[&str] = &[
    "a", "ao", "campo", "da", "de", "do", "em", "na", "no", "o", "tag",
];

/// A member of a request as its form calls it.
pub fn label(name: &str) -> String {
    let known = LABELS.iter().find(|(member, _)| *member == name);
    known.map_or_else(|| name.replace('_', " "), |(_, label)| (*label).to_owned())
}

/// A sentence with the nouns of people in place of the names of elements:
/// `xBairro deve ter` is `O bairro deve ter`.
pub fn spoken(text: &str) -> String {
    let apart = |c: char| !c.is_alphanumeric();
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(apart) {
        let word = piece.trim_end_matches(apart);
        let known = ELEMENTS.iter().find(|(element, ..)| *element == word);
        let said = known.map(|(_, article, noun)| noun_behind(&out, article, noun));
        out.push_str(said.as_deref().unwrap_or(word));
        out.push_str(piece.get(word.len()..).unwrap_or_default());
    }
    out
}

/// A noun as it goes on behind what was said before.
fn noun_behind(before: &str, article: &str, noun: &str) -> String {
    let before = before.trim_end();
    let last = before.rsplit(' ').next().unwrap_or_default();
    let last = last.to_lowercase();
    if BEFORE_NOUNS.contains(&last.as_str()) {
        noun.to_owned()
    } else if before.is_empty() || before.ends_with(['.', '!', '?']) {
        format!("{} {noun}", capital(article))
    } else {
        format!("{article} {noun}")
    }
}
