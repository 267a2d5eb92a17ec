//! The files of all layouts, as they are in `leiautes/`.

/// Files of a layout: name and content.
pub type Files = &'static [(&'static str, &'static str)];

macro_rules! layouts {
    ($($name:literal: [$($file:literal),* $(,)?]),* $(,)?) => {
        /// Each layout with its files.
        pub const LAYOUTS: &[(&str, Files)] = &[
            $(($name, &[
                $(($file, include_str!(concat!("../leiautes/", $name, "/", $file)))),*
            ])),*
        ];
    };
}

layouts! {
    "assessorpublico": [
        "leiaute.txt",
        "envelope.xml",
        "emitir.xml",
        "consultar-lote.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "egoverneiss": [
        "leiaute.txt",
        "envelope.xml",
        "emitir.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "agili": [
        "leiaute.txt",
        "emitir.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "conam": [
        "leiaute.txt",
        "envelope.xml",
        "envelope-consulta.xml",
        "emitir.xml",
        "consultar-situacao.xml",
        "consultar-lote.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "el": [
        "leiaute.txt",
        "envelope.xml",
        "envelope-emitir.xml",
        "entrar.xml",
        "emitir.xml",
        "consultar-protocolo.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "bauhaus": [
        "leiaute.txt",
        "emitir.json",
        "cancelar.json",
    ],
    "equiplano": [
        "leiaute.txt",
        "envelope.xml",
        "emitir.xml",
        "consultar-situacao.xml",
        "consultar-lote.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "ipm": [
        "leiaute.txt",
        "emitir.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
        "solicitar-cancelamento.xml",
    ],
    "issdsf": [
        "leiaute.txt",
        "envelope.xml",
        "emitir.xml",
        "assinatura.txt",
        "consultar-lote.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "nfsebrasil": [
        "leiaute.txt",
        "envelope.xml",
        "envelope-lote.xml",
        "emitir.xml",
        "consultar-lote.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "webfisco": [
        "leiaute.txt",
        "envelope.xml",
        "emitir.xml",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "aspec": ["leiaute.txt", "emitir.json"],
    "giap": [
        "leiaute.txt",
        "emitir.xml",
        "consultar-nota.xml",
        "cancelar.xml",
    ],
    "sigissweb": ["leiaute.txt", "entrar.json", "emitir.xml"],
    "saopaulo": [
        "leiaute.txt",
        "envelope.xml",
        "emitir.xml",
        "emitir-assinatura.txt",
        "consultar-rps.xml",
        "consultar-nota.xml",
        "cancelar.xml",
        "cancelar-assinatura.txt",
    ],
    "sigiss": [
        "leiaute.txt",
        "envelope.xml",
        "emitir.xml",
        "consultar-lote.xml",
        "consultar-nota.xml",
        "cancelar.xml",
        "cancelar-prestador.xml",
    ],
}

/// The files of a layout.
pub fn files(layout: &str) -> Option<Files> {
    let found = LAYOUTS.iter().find(|(name, _)| *name == layout);
    found.map(|(_, files)| *files)
}

/// One file of a layout.
pub fn file(files: Files, name: &str) -> Option<&'static str> {
    let found = files.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
