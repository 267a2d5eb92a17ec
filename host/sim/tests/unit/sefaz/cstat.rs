//! Official codes and the texts of refusals.

use sim::sefaz::cstat::{Refusal, TEXTS};

#[test]
fn texts_fit_the_layout() {
    for (code, text) in TEXTS.iter() {
        assert!(text.chars().count() <= 240, "{code}");
        assert!(text.chars().all(|c| (' '..='ÿ').contains(&c)), "{code}");
    }
    assert_eq!(
        Refusal::with("539", " [chNFe: 1][nRec: 2]").reason(false),
        "Rejeicao: Duplicidade de NF-e com diferenca na Chave de Acesso [chNFe: 1][nRec: 2]"
    );
    assert_eq!(
        Refusal::from("100").reason(true),
        "Autorizado o uso da NF-e"
    );
}
