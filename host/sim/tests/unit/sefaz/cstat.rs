//! Official codes and the texts of refusals.

use sim::sefaz::cstat::{CTE_TEXTS, MDFE_TEXTS, Refusal, TEXTS};

#[test]
fn texts_fit_the_layout() {
    let all = [&TEXTS, &CTE_TEXTS, &MDFE_TEXTS];
    for (code, text) in all.iter().flat_map(|texts| texts.iter()) {
        assert!(text.chars().count() <= 240, "{code}");
        assert!(text.chars().all(|c| (' '..='ÿ').contains(&c)), "{code}");
    }
    assert_eq!(
        Refusal::with("539", " [chNFe: 1][nRec: 2]").reason(&TEXTS, false),
        "Rejeicao: Duplicidade de NF-e com diferenca na Chave de Acesso [chNFe: 1][nRec: 2]"
    );
    assert_eq!(
        Refusal::from("100").reason(&TEXTS, true),
        "Autorizado o uso da NF-e"
    );
    for (texts, text) in [
        (&CTE_TEXTS, "Autorizado o uso do CT-e"),
        (&MDFE_TEXTS, "Autorizado o uso do MDF-e"),
    ] {
        assert_eq!(Refusal::from("100").reason(texts, true), text);
    }
}
