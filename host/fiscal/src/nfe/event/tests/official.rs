//! Every event of the catalogue against the official schemas.

use super::*;
use crate::nfe::event::tests::keyring::{Chaveiro, xmllint};
use markup::field::Campo;
use markup::layout::Layout;
use markup::xml::Document;

const ESQUEMAS: &str = "schemas/nfe/eventos-sped-nfe-PL_010_V1.30";

/// The concrete schema of a type's `detEvento`.
fn esquema_do_detalhe(pasta: &std::path::Path, codigo: &str) -> std::path::PathBuf {
    // The source has this one with a blank in its name.
    let nome = match codigo {
        "112120" => "e112120_v1.00 .xsd".to_owned(),
        _ => format!("e{codigo}_v1.00.xsd"),
    };
    pasta.join(nome)
}

/// `detEvento` as a document of its own.
fn detalhe(xml: &str) -> String {
    let doc = Document::parse(xml).unwrap();
    let elemento = doc.elements().find(|e| e.name() == "detEvento").unwrap();
    let texto = xml.get(elemento.span()).unwrap();
    texto.replacen(
        "<detEvento",
        &format!("<detEvento xmlns=\"{NAMESPACE}\""),
        1,
    )
}

fn construido(tipo: &'static Tipo, semente: u64) -> (Evento, String) {
    let modelo = tipo.modelos[usize::try_from(semente).unwrap() % tipo.modelos.len()];
    let mut dado = Dado(semente);
    let dados = gera(
        tipo.campos,
        semente.is_multiple_of(2),
        !semente.is_multiple_of(3),
        &mut dado,
    );
    let mut pedido = evento(tipo.codigo, modelo.parse().unwrap(), dados.clone());
    pedido.sequencia = 1 + u8::try_from(semente % u64::from(tipo.sequencia_maxima)).unwrap();
    pedido.papel = tipo
        .autores
        .get(usize::try_from(semente).unwrap() % tipo.autores.len())
        .copied();
    let arvore = assemble(&pedido)
        .unwrap_or_else(|erros: Vec<Campo>| panic!("{}: {erros:?}\n{dados}", tipo.codigo));
    let xml = escreve(&arvore);
    // The tree is in official order already: the layout's writer agrees.
    let escrito = escrever(&pedido).unwrap();
    assert_eq!(escrito.xml, xml, "{}", tipo.codigo);
    assert_eq!(
        escrito.assinado.map(|assinado| assinado.id),
        Some(pedido.id())
    );
    (pedido, xml)
}

#[test]
fn every_event_fits_its_schema() {
    let Some(pasta) = judges::shared(ESQUEMAS) else {
        return;
    };
    for tipo in catalogue() {
        let detalhes: Vec<String> = (0..24)
            .map(|semente| detalhe(&construido(tipo, semente).1))
            .collect();
        let queixas = xmllint(&esquema_do_detalhe(&pasta, tipo.codigo), &detalhes);
        assert!(queixas.is_empty(), "{}: {queixas}", tipo.codigo);
    }
}

#[test]
fn signed_batches_fit_and_verify() {
    let (Some(pasta), Some(chaveiro)) = (judges::shared(ESQUEMAS), Chaveiro::novo()) else {
        return;
    };
    let mut lotes = Vec::new();
    for tipo in catalogue() {
        let (pedido, xml) = construido(tipo, 2);
        let assinado = chaveiro.assina(&xml, &pedido.id());
        chaveiro.confere(&assinado, "infEvento");
        let lote = envi_evento(7, &[&assinado]).unwrap();
        // In the batch as well: the bytes and what they inherit are the same.
        chaveiro.confere(&lote, "infEvento");
        let layout = Layout::get(&nome_do_layout(tipo)).unwrap();
        assert_eq!(layout.validar(&lote), [], "{}", tipo.codigo);
        let concreto = match tipo.codigo {
            "110110" => Some("envCCe_v1.00.xsd"),
            "110111" => Some("envEventoCancNFe_v1.00.xsd"),
            "110112" => Some("envEventoCancSubst_v1.00.xsd"),
            "110750" => Some("envEventoEConf_v1.00.xsd"),
            "110751" => Some("envEventoCancEConf_v1.00.xsd"),
            "210200" | "210210" | "210220" | "210240" => Some("envConfRecebto_v1.00.xsd"),
            _ => None,
        };
        if let Some(concreto) = concreto {
            let queixas = xmllint(&pasta.join(concreto), std::slice::from_ref(&lote));
            assert!(queixas.is_empty(), "{}: {queixas}", tipo.codigo);
        }
        lotes.push(lote);
    }
    let queixas = xmllint(&pasta.join("envEvento_v1.00.xsd"), &lotes);
    assert!(queixas.is_empty(), "{queixas}");
}

/// The description of each type is one the schema enumerates, and the catalogue
/// has every event whose schema is there, but for those of others.
#[test]
fn the_catalogue_is_complete() {
    let Some(pasta) = judges::shared(ESQUEMAS) else {
        return;
    };
    let mut faltam = Vec::new();
    for entrada in std::fs::read_dir(pasta).unwrap() {
        let nome = entrada.unwrap().file_name().into_string().unwrap();
        let Some(codigo) = nome.strip_prefix('e').and_then(|resto| resto.get(..6)) else {
            continue;
        };
        let reforma = ["1121", "2111", "2121", "4121"]
            .iter()
            .any(|inicio| codigo.starts_with(inicio));
        if reforma && busca(codigo).is_none_or(|tipo| !tipo.reforma) {
            faltam.push(codigo.to_owned());
        }
    }
    assert!(faltam.is_empty(), "{faltam:?}");
}

#[test]
fn voiding_fits_its_schema_and_verifies() {
    let (Some(pasta), Some(chaveiro)) = (judges::shared(ESQUEMAS), Chaveiro::novo()) else {
        return;
    };
    let pedido = rules::inutilizacao();
    let escrito = pedido.escrever().unwrap();
    assert_eq!(escrito.xml, escreve(&pedido.montar().unwrap()));
    let assinado = chaveiro.assina(&escrito.xml, &pedido.id());
    chaveiro.confere(&assinado, "infInut");
    let queixas = xmllint(&pasta.join("inutNFe_v4.00.xsd"), &[assinado]);
    assert!(queixas.is_empty(), "{queixas}");
}
