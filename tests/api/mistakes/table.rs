//! The table of mistakes: each is made, what it is told is compared, and
//! `docs/ERROS.md` says the same. `BLESS=1` writes that file.

use super::Mistake;
use serde_json::Value;
use tests::TestApp;
use tests::adapters::workspace;

/// What stands before the rows; the title and the first paragraph are those of the page.
const HEAD: &str = "# Erros de quem começa

O que o hub responde aos enganos mais comuns: o código, o campo, o que está errado e o que fazer. Nenhum deles gasta crédito nem número de nota.

O código vem no corpo (`codigo`) e no cabeçalho `X-Error-Code`, ao lado do status HTTP. Onde a coluna do campo está preenchida, o que é dito e o
que fazer são `mensagem` e `correcao` de um item de `campos`; onde está vazia, são `mensagem` e `dica` da própria resposta. Todos os códigos
estão em `/docs/erros`.
";

/// The headings over the groups, in their order.
const GROUPS: [&str; 5] = [
    "Chave e endereço",
    "O corpo da requisição",
    "Nomes e tipos dos campos",
    "Valores",
    "Consultas e webhooks",
];

/// A mistake and what was answered.
struct Row {
    text: String,
    wrong: Option<String>,
}

/// Makes every mistake, and compares the table with the file.
///
/// # Panics
/// Something else is said of one, or the file says something else.
pub async fn tell(app: &TestApp, groups: [Vec<Mistake>; 5]) {
    let (mut text, mut wrong, mut made) = (HEAD.to_owned(), Vec::new(), 0);
    for (title, mistakes) in GROUPS.iter().zip(groups) {
        text.push_str(&format!(
            "\n## {title}\n\n| Engano | Resposta | Campo | O que é dito | O que fazer |\n| --- | --- | --- | --- | --- |\n"
        ));
        for mistake in &mistakes {
            let row = tried(app, mistake).await;
            text.push_str(&row.text);
            wrong.extend(row.wrong);
            made += 1;
        }
    }
    assert!(made >= 40, "{made}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let file = workspace().join("docs/ERROS.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &text).expect("written");
    }
    let written = std::fs::read_to_string(&file).expect("docs/ERROS.md");
    let news: Vec<&str> = text
        .lines()
        .filter(|line| !written.lines().any(|known| known == *line))
        .collect();
    assert!(
        written == text,
        "docs/ERROS.md says something else; run with BLESS=1 if these are right: {news:#?}"
    );
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('\n', " ")
        .replace('<', "&lt;")
}

/// Sends it and compares; the row of the table.
async fn tried(app: &TestApp, mistake: &Mistake) -> Row {
    let address = format!("{}{}", app.base_url, mistake.path);
    let mut request = app.http().request(mistake.method.clone(), address);
    if !mistake
        .headers
        .iter()
        .any(|(name, _)| *name == "authorization")
    {
        request = request.bearer_auth(&app.live_key);
    }
    for (name, value) in mistake
        .headers
        .iter()
        .filter(|(_, value)| !value.is_empty())
    {
        request = request.header(*name, value);
    }
    let response = request.body(mistake.body.clone()).send().await;
    let answer = response.expect("an answer");
    let status = answer.status().as_u16();
    let code = answer.headers().get("x-error-code").cloned();
    let text = answer.text().await.expect("a body");
    let body: Value = serde_json::from_str(&text).expect("JSON");
    let code = code.as_ref().and_then(|code| code.to_str().ok());
    row(mistake, &body, status, code.unwrap_or("without a code"))
}

fn row(mistake: &Mistake, body: &Value, status: u16, code: &str) -> Row {
    let points = body["campos"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let at = points
        .iter()
        .position(|point| point["campo"] == mistake.member);
    let point = points.get(at.unwrap_or_default()).unwrap_or(&Value::Null);
    let (member, what, hint) = if mistake.member.is_empty() {
        ("", &body["mensagem"], &body["dica"])
    } else {
        (
            point["campo"].as_str().unwrap_or_default(),
            &point["mensagem"],
            &point["correcao"],
        )
    };
    let [what, hint] = [what, hint].map(|text| text.as_str().unwrap_or_default());
    let in_code = |text: &str| match text {
        "" => String::new(),
        text => format!("`{text}`"),
    };
    let line = format!(
        "| {} | {status} {} | {} | {} | {} |\n",
        mistake.what,
        in_code(code),
        in_code(member),
        cell(what),
        cell(hint)
    );
    let is_first = match mistake.member {
        "" => points.is_empty(),
        _ => at == Some(0),
    };
    let fits = format!("{status} {code}") == mistake.refused
        && member == mistake.member
        && what.contains(mistake.said[0])
        && hint.contains(mistake.said[1])
        && mistake.said.iter().all(|part| !part.is_empty())
        && (is_first || !mistake.first);
    let wrong = (!fits).then(|| {
        format!(
            "{line}    wanted {} {} {:?}, first: {}",
            mistake.refused, mistake.member, mistake.said, mistake.first
        )
    });
    Row { text: line, wrong }
}
