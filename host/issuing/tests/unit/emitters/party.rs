use issuing::emitters::party::card::{Address, Person, Role, principal};
use markup::field::Fields;

#[test]
fn the_words_of_roles_are_those_of_the_type() {
    for word in Role::ALL {
        let role: Role = serde_json::from_value(word.into()).expect("a role");
        assert_eq!(serde_json::to_value(role).expect("a word"), word);
    }
}

#[test]
fn there_is_one_principal_address() {
    let address = |principal| Address {
        principal,
        ..Address::default()
    };
    let mut person = Person::default();
    let which = |person: &Person| -> Vec<usize> {
        let all = person.enderecos.iter().enumerate();
        all.filter(|(_, one)| one.principal == Some(true))
            .map(|(index, _)| index)
            .collect()
    };
    person.append(address(None));
    person.append(address(Some(false)));
    assert_eq!(which(&person), [0]);
    person.append(address(Some(true)));
    assert_eq!(which(&person), [2]);
    let mut fields = Fields::default();
    let mut none = [address(None), address(None)];
    principal(&mut fields, &mut none);
    assert_eq!(none.map(|one| one.principal), [Some(true), Some(false)]);
    assert!(fields.0.is_empty());
    principal(&mut fields, &mut [address(Some(true)), address(Some(true))]);
    assert_eq!(fields.0.len(), 1);
}
