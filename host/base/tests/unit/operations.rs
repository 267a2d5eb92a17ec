use base::operations::all;

const TABLE: &str = include_str!("../../operations.csv");

#[test]
fn the_table_is_whole() {
    let rows = all();
    assert_eq!(
        rows.len(),
        TABLE.lines().count() - 1,
        "a row cannot be read"
    );
    let product: Vec<_> = rows.iter().filter(|row| !row.n.starts_with('C')).collect();
    assert_eq!(product.len(), 164);
    assert_eq!(
        product
            .iter()
            .filter(|row| row.availability == "production")
            .count(),
        135
    );
    assert_eq!(product.iter().filter(|row| row.credits == "0").count(), 69);
    for (index, row) in rows.iter().enumerate() {
        assert!(
            rows[..index]
                .iter()
                .all(|other| other.operation != row.operation),
            "{} twice",
            row.operation
        );
        assert!(
            rows[..index]
                .iter()
                .all(|other| (&other.method, &other.path) != (&row.method, &row.path)),
            "{} {} twice",
            row.method,
            row.path
        );
    }
}
