//! A product for customers: what the catalogue has, and what our tables say of its
//! NCM.

use base::when;
use data::{cest, monophasic, ncm};
use datasets::catalog::product::Product;
use datasets::catalog::{Known, Origin};
use datasets::rates::ibpt::{self, Answer};
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;
use store::tables::editions::DatasetKind;
use store::{Conn, DbResult};

/// Um produto do catálogo. O que não se sabe é `null`.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "Produto")]
pub(super) struct ProductOut {
    /// Como o catálogo o tem, sem zeros a mais.
    gtin: String,
    nome: String,
    marca: Option<String>,
    ncm: Option<NcmOut>,
    cest: Option<CestOut>,
    /// PIS e COFINS são pagos pelo fabricante ou importador; `null` sem NCM.
    monofasico: Option<bool>,
    unidade: Option<String>,
    imagem_url: Option<String>,
    peso_estimado_kg: Option<Exact>,
    embalagem: Option<PackageOut>,
    /// CST do ICMS de uma revenda no regime normal, como referência: 60 se há
    /// CEST, senão 00; `null` sem NCM. Confira com a legislação do seu estado.
    cst_referencia: Option<&'static str>,
    /// CFOP de uma revenda dentro do estado, como referência; `null` sem NCM.
    cfop_referencia: Option<&'static str>,
    /// A carga tributária aproximada na UF pedida; `null` sem `uf`, sem NCM ou
    /// sem a tabela do IBPT da UF.
    carga_tributaria: Option<BurdenOut>,
    fonte: SourceOut,
}

/// O NCM de um produto.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "NcmDoProduto")]
struct NcmOut {
    codigo: String,
    codigo_formatado: String,
    /// A da tabela vigente; `null`: o código não está mais nela.
    descricao: Option<String>,
}

/// O CEST de um produto.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "CestDoProduto")]
struct CestOut {
    codigo: String,
    codigo_formatado: String,
    /// O catálogo não o tem: é o único que o Convênio ICMS 142/2018 dá para este
    /// NCM.
    referencia: bool,
}

/// A embalagem, em centímetros.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "EmbalagemDoProduto")]
struct PackageOut {
    altura_cm: Option<Exact>,
    largura_cm: Option<Exact>,
    profundidade_cm: Option<Exact>,
}

/// Alíquotas aproximadas do IBPT, em percentual do preço.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "CargaDoProduto")]
struct BurdenOut {
    uf: String,
    federal: Exact,
    estadual: Exact,
    municipal: Exact,
    /// O que o documento imprime depois dos valores.
    citacao: String,
    versao: String,
    /// A tabela já venceu.
    vencida: bool,
}

/// De onde o produto é conhecido.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "FonteDoProduto")]
struct SourceOut {
    tipo: SourceKind,
    nome: String,
    /// A versão da lista; `null`: documentos da conta, ou fonte de fora.
    versao: Option<String>,
    /// Quando a fonte de fora respondeu; `null` para as outras.
    consultado_em: Option<String>,
}

/// O tipo da fonte de um produto.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "TipoDaFonteDoProduto")]
#[serde(rename_all = "snake_case")]
enum SourceKind {
    /// A lista de quem opera o serviço.
    Catalogo,
    OpenFoodFacts,
    /// Documentos que a conta emitiu ou recebeu; só ela vê.
    Conta,
    /// Uma fonte de fora, consultada porque o catálogo não tem o código.
    Externa,
}

/// Um produto como a demonstração o mostra.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProdutoDaDemonstracao")]
pub(super) struct DemoProductOut {
    gtin: String,
    nome: String,
    ncm: Option<FormattedOut>,
    cest: Option<FormattedOut>,
    marca: Option<String>,
    monofasico: Option<bool>,
    imagem_url: Option<String>,
    fonte: SourceOut,
}

/// Um código como se escreve.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoFormatado")]
struct FormattedOut {
    codigo_formatado: String,
}

impl ProductOut {
    pub(super) fn of(known: &Known) -> ProductOut {
        let product = &known.product;
        let ncm = (!product.ncm.is_empty()).then_some(product.ncm.as_str());
        let cest = cest_of(product);
        ProductOut {
            gtin: product.gtin.clone(),
            nome: product.name.clone(),
            marca: told(&product.brand),
            monofasico: ncm.map(monophasic::is_monophasic),
            cst_referencia: ncm.map(|_| if cest.is_some() { "60" } else { "00" }),
            cfop_referencia: ncm.map(|_| if cest.is_some() { "5405" } else { "5102" }),
            ncm: ncm.map(|code| NcmOut {
                codigo: code.to_owned(),
                codigo_formatado: dotted(code, &[4, 6]),
                descricao: ncm::get(code).map(|_| ncm::complete_description(code)),
            }),
            cest,
            unidade: told(&product.unit),
            imagem_url: told(&product.image_url),
            peso_estimado_kg: product.weight_kg.map(Exact),
            embalagem: package(product),
            carga_tributaria: None,
            fonte: source(&known.origin),
        }
    }

    /// Adds the approximate taxes in a state.
    ///
    /// # Errors
    /// The database failed.
    pub(super) async fn with_burden(
        mut self,
        conn: &mut Conn,
        uf: Option<&str>,
        now_ms: i64,
    ) -> DbResult<ProductOut> {
        let (Some(uf), Some(ncm)) = (uf, &self.ncm) else {
            return Ok(self);
        };
        if let Answer::Found(found) = ibpt::get(conn, uf, &ncm.codigo, "").await? {
            let today = when::today(now_ms, "DF").to_string();
            let rates = &found.rates;
            self.carga_tributaria = Some(BurdenOut {
                uf: uf.to_owned(),
                federal: Exact(rates.federal_national),
                estadual: Exact(rates.state),
                municipal: Exact(rates.municipal),
                citacao: format!("Fonte: IBPT {}", rates.key),
                versao: rates.version.clone(),
                vencida: rates.until < today,
            });
        }
        Ok(self)
    }

    pub(super) fn demo(self) -> DemoProductOut {
        DemoProductOut {
            gtin: self.gtin,
            nome: self.nome,
            ncm: self.ncm.map(|ncm| FormattedOut {
                codigo_formatado: ncm.codigo_formatado,
            }),
            cest: self.cest.map(|cest| FormattedOut {
                codigo_formatado: cest.codigo_formatado,
            }),
            marca: self.marca,
            monofasico: self.monofasico,
            imagem_url: self.imagem_url,
            fonte: self.fonte,
        }
    }
}

/// The product's CEST, or the only one that there is for its NCM.
fn cest_of(product: &Product) -> Option<CestOut> {
    let out = |code: &str, reference| CestOut {
        codigo: code.to_owned(),
        codigo_formatado: dotted(code, &[2, 5]),
        referencia: reference,
    };
    if !product.cest.is_empty() {
        return Some(out(&product.cest, false));
    }
    if product.ncm.is_empty() {
        return None;
    }
    match cest::by_ncm(&product.ncm).as_slice() {
        [only] => Some(out(only.codigo, true)),
        _ => None,
    }
}

fn package(product: &Product) -> Option<PackageOut> {
    let sides = [product.height_cm, product.width_cm, product.depth_cm];
    let [height, width, depth] = sides.map(|side| side.map(Exact));
    sides.iter().any(Option::is_some).then_some(PackageOut {
        altura_cm: height,
        largura_cm: width,
        profundidade_cm: depth,
    })
}

fn source(origin: &Origin) -> SourceOut {
    match origin {
        Origin::Own => SourceOut {
            tipo: SourceKind::Conta,
            nome: "Documentos da conta".to_owned(),
            versao: None,
            consultado_em: None,
        },
        Origin::Source { name, fetched_ms } => SourceOut {
            tipo: SourceKind::Externa,
            nome: name.clone(),
            versao: None,
            consultado_em: Some(when::rfc3339(*fetched_ms)),
        },
        Origin::Edition(edition) => {
            let (kind, name) = match edition.kind {
                DatasetKind::OpenFoodFacts => (
                    SourceKind::OpenFoodFacts,
                    "Open Food Facts (Open Database License)",
                ),
                // No other kind has products.
                _ => (SourceKind::Catalogo, "Catálogo"),
            };
            SourceOut {
                tipo: kind,
                nome: name.to_owned(),
                versao: Some(edition.version.clone()),
                consultado_em: None,
            }
        }
    }
}

fn told(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// A code with points before these places.
fn dotted(code: &str, places: &[usize]) -> String {
    let mut text = String::with_capacity(code.len() + places.len());
    for (at, letter) in code.char_indices() {
        if places.contains(&at) {
            text.push('.');
        }
        text.push(letter);
    }
    text
}
