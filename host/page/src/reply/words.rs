//! What people call the members of requests and the elements of layouts that the
//! sentences of the API name.

use crate::names::capital;

/// Members of requests whose fields have other labels than [`words`] has.
const LABELS: &[(&str, &str)] = &[
    ("chave", "Chave de acesso"),
    ("cpf_cnpj", "CPF ou CNPJ"),
    ("destinatario", "CPF ou CNPJ do destinatário"),
    ("emitente_id", "Emitente"),
    ("ie", "Inscrição estadual"),
    ("im", "Inscrição municipal"),
    ("origem", "Origem da mercadoria"),
    ("q", "Procura"),
    ("uf_destino", "UF de quem compra"),
    ("uf_origem", "UF de quem vende"),
    ("xml_base64", "Arquivo XML"),
];

/// Members and words of the API as people write them: whole names, and the parts of others
/// between their underscores.
const WORDS: &[(&str, &str)] = &[
    ("aereo", "aéreo"),
    ("alimentacao", "alimentação"),
    ("aliquota", "alíquota"),
    ("ambito", "âmbito"),
    ("antecipacao", "antecipação"),
    ("apolice", "apólice"),
    ("aquaviario", "aquaviário"),
    ("ate", "até"),
    ("averbacao", "averbação"),
    ("averbacoes", "averbações"),
    ("calculo", "cálculo"),
    ("caracteristica", "característica"),
    ("cbs", "CBS"),
    ("cclass_trib", "classificação tributária do IBS e da CBS"),
    ("cep", "CEP"),
    ("cest", "CEST"),
    ("cfop", "CFOP"),
    ("cnae", "CNAE"),
    ("cnaes", "CNAEs"),
    ("cnpj", "CNPJ"),
    ("cobranca", "cobrança"),
    ("codigo", "código"),
    ("cofins", "COFINS"),
    ("combustivel", "combustível"),
    ("contratacao", "contratação"),
    ("correcao", "correção"),
    ("cpf", "CPF"),
    ("cpp", "CPP"),
    ("credito", "crédito"),
    ("csll", "CSLL"),
    ("cst", "CST"),
    ("ddd", "DDD"),
    ("declaracao", "declaração"),
    ("descricao", "descrição"),
    ("devolucao", "devolução"),
    ("difal", "DIFAL"),
    ("difal_base_unica", "DIFAL de base única"),
    ("diferenca", "diferença"),
    ("diferenca_pp", "diferença em pontos percentuais"),
    ("email", "e-mail"),
    ("emissao", "emissão"),
    ("endereco", "endereço"),
    ("especie", "espécie"),
    ("excecoes", "exceções"),
    ("fator_r", "fator R"),
    ("fcp", "FCP"),
    ("fcp_difal", "FCP do DIFAL"),
    ("ferroviario", "ferroviário"),
    ("folha12", "folha de 12 meses"),
    ("formula", "fórmula"),
    ("gia", "GIA"),
    ("homologacao", "homologação"),
    ("horario", "horário"),
    ("ibge", "IBGE"),
    ("ibs", "IBS"),
    ("ibs_cbs", "IBS e CBS"),
    ("ibs_mun", "IBS do município"),
    ("ibs_uf", "IBS do estado"),
    ("icms", "ICMS"),
    ("icms_no_das", "ICMS no DAS"),
    ("ie", "inscrição estadual"),
    ("iii", "III"),
    ("informacoes", "informações"),
    ("inicio", "início"),
    ("inscricao", "inscrição"),
    ("ipi", "IPI"),
    ("irpj", "IRPJ"),
    ("is", "Imposto Seletivo"),
    ("iss", "ISS"),
    ("iv", "IV"),
    ("juridica", "jurídica"),
    ("liquido", "líquido"),
    ("lotacao", "lotação"),
    ("max", "máximo"),
    ("mecanico", "mecânico"),
    ("mei", "MEI"),
    ("min", "mínimo"),
    ("municipio", "município"),
    ("mva", "MVA"),
    ("nao", "não"),
    ("ncm", "NCM"),
    ("niveis", "níveis"),
    ("numero", "número"),
    ("observacao", "observação"),
    ("observacoes", "observações"),
    ("operacao", "operação"),
    ("pais", "país"),
    ("parcela_deduzir", "parcela a deduzir"),
    ("pedagio", "pedágio"),
    ("pis", "PIS"),
    ("precisao", "precisão"),
    ("prestacao", "prestação"),
    ("previsao", "previsão"),
    ("producao", "produção"),
    ("proprietario", "proprietário"),
    ("qualificacao", "qualificação"),
    ("razao", "razão"),
    ("rbt12", "receita de 12 meses"),
    ("rbt12_proporcionalizado", "receita de 12 meses projetada"),
    ("reducao", "redução"),
    ("refeicao", "refeição"),
    ("regiao", "região"),
    ("regime_pis_cofins", "PIS e COFINS de quem vende"),
    ("reparticao", "repartição"),
    ("responsavel", "responsável"),
    ("rntrc", "RNTRC"),
    ("rodoviario", "rodoviário"),
    ("saida", "saída"),
    ("secundarios", "secundários"),
    ("serie", "série"),
    ("servico", "serviço"),
    ("servicos", "serviços"),
    ("siafi", "SIAFI"),
    ("situacao", "situação"),
    ("socios", "sócios"),
    ("solido", "sólido"),
    ("st", "ST"),
    ("subcontratacao", "subcontratação"),
    ("substituicao", "substituição"),
    ("tecnico", "técnico"),
    ("termino", "término"),
    ("teto_do_iss", "limitado ao teto do ISS"),
    ("tipi", "TIPI"),
    ("transferencia", "transferência"),
    ("tributacao", "tributação"),
    ("tributavel", "tributável"),
    ("trilha", "passos do cálculo"),
    ("uf", "UF"),
    ("unitario", "unitário"),
    ("v", "V"),
    ("vagao", "vagão"),
    ("vale_alimentacao", "vale-alimentação"),
    ("vale_combustivel", "vale-combustível"),
    ("vale_pedagio", "vale-pedágio"),
    ("vale_presente", "vale-presente"),
    ("vale_refeicao", "vale-refeição"),
    ("valido", "válido"),
    ("valor_nota", "valor da nota"),
    ("valor_operacao", "valor da operação"),
    ("veiculo", "veículo"),
    ("veiculos", "veículos"),
    ("versao", "versão"),
    ("vigencia", "vigência"),
    ("xml", "XML"),
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
    known.map_or_else(|| capital(&words(name)), |(_, label)| (*label).to_owned())
}

/// A member's name as words, or one of the API's own values: `aliquota_efetiva` is
/// "alíquota efetiva".
pub fn words(name: &str) -> String {
    let known = |word: &str| WORDS.iter().find(|(one, _)| *one == word);
    if let Some((_, whole)) = known(name) {
        return (*whole).to_owned();
    }
    let parts = name.split('_');
    let parts: Vec<&str> = parts
        .map(|part| known(part).map_or(part, |(_, word)| *word))
        .collect();
    parts.join(" ")
}

/// What programs are told to give for a calculation ("Informe ..."), and no form has.
const OF_CALCULATIONS: &[&str] = &[
    "a MVA se a mercadoria está sujeita a ela.",
    "aliquota_icms se a do produto é outra.",
    "aliquota_icms se o produto é outro.",
    "aliquota_ipi: 0 se quem vende não é contribuinte do IPI.",
    "aliquota_ipi.",
    "ex_tipi se o produto está em uma.",
    "fcp: 0 se o produto não está nela.",
];
/// What people do instead.
const ASK: &str = "Confira com o seu contador.";

/// A text with what people do about what only programs can give.
fn for_people(text: &str) -> String {
    OF_CALCULATIONS
        .iter()
        .fold(text.to_owned(), |said, members| {
            said.replace(&format!(": informe {members}"), &format!(". {ASK}"))
                .replace(&format!("Informe {members}"), ASK)
        })
}

/// A text of an answer with words where it is one of the API's own values, or names a member:
/// `sem_tabela` is "sem tabela".
pub fn told(text: &str) -> String {
    let text = for_people(text);
    let own = |word: &str| {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        word.starts_with(|c: char| c.is_ascii_lowercase()) && word.bytes().all(letters)
    };
    let pieces: Vec<String> = text
        .split(' ')
        .map(|piece| {
            let word = piece.trim_matches(|c: char| ".,;:()".contains(c));
            match own(word) && (word.contains('_') || word == text) {
                true => piece.replace(word, &words(word)),
                false => piece.to_owned(),
            }
        })
        .collect();
    pieces.join(" ")
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
