//! Places of errors, from the forms that others write.

use markup::field::{of_layout, of_pointer};

#[test]
fn paths_of_layouts_become_places() {
    for (official, place) in [
        ("det[2]/prod/NCM", "det[1].prod.NCM"),
        ("infEvento/@Id", "infEvento.Id"),
        ("a[0]/b[x]", "a[0].b[x]"),
        ("", ""),
    ] {
        assert_eq!(of_layout(official), place);
    }
}

#[test]
fn pointers_become_places() {
    for (path, place) in [
        ("/itens/0/ncm", "itens[0].ncm"),
        ("itens.0.ncm", "itens[0].ncm"),
        ("itens[0].ncm", "itens[0].ncm"),
        ("servico.codigo", "servico.codigo"),
        ("/", ""),
    ] {
        assert_eq!(of_pointer(path), place);
    }
}
