//! The access key of NF-e and NFC-e.

use sim::sefaz::chave::{check, digit};
use sim::sefaz::family::{CTE, NFE};

#[test]
fn digits_and_parts() {
    // Worked by hand: 43 ones weigh 5*44 + (2+3+4) = 229; 229 mod 11 = 9; 11 - 9 = 2.
    assert_eq!(digit(&"1".repeat(43)), Some(2));
    assert_eq!(digit("é"), None);
    let first = format!("352611{}550010000000011{}", "12ABC34501DE35", "12345679");
    let key = format!("{first}{}", digit(&first).expect("digit"));
    let parts = check(&key, &NFE, 2026).expect("key");
    assert_eq!(
        (parts.uf(), parts.document(), parts.number, parts.cnf),
        ("SP", "12ABC34501DE35", "000000001", "12345679")
    );
    assert_eq!(check(&key, &NFE, 2025).err(), Some("615"));
    assert_eq!(check(&key, &CTE, 2026).err(), Some("618"));
    assert_eq!(check("35", &NFE, 2026).err(), Some("236"));
}
