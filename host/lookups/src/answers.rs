//! What sources answer: the contents `consulta.*.resposta/1` of `wit/schemas`.
//! A source is hostile: what does not read as these types is no answer.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// A street.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Street {
    /// 8 digits.
    pub cep: String,
    pub logradouro: Option<String>,
    pub complemento: Option<String>,
    pub unidade: Option<String>,
    pub bairro: Option<String>,
    pub localidade: String,
    pub uf: String,
    pub ibge: Option<String>,
    pub gia: Option<String>,
    pub ddd: Option<String>,
    pub siafi: Option<String>,
    /// Degrees.
    pub latitude: Option<Decimal>,
    pub longitude: Option<Decimal>,
}

/// Streets.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Streets {
    pub itens: Vec<Street>,
}

/// A code and what it means.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Coded {
    pub codigo: Option<String>,
    pub descricao: Option<String>,
}

/// The registration of a company.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Registration {
    /// 01, 02, 03, 04 or 08.
    pub codigo: Option<String>,
    pub descricao: Option<String>,
    pub desde: Option<String>,
    pub motivo: Option<String>,
}

/// Where a company or a place is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Place {
    pub logradouro: Option<String>,
    pub numero: Option<String>,
    pub complemento: Option<String>,
    pub bairro: Option<String>,
    pub cep: Option<String>,
    pub cidade: Option<String>,
    pub codigo_ibge: Option<String>,
    pub uf: Option<String>,
}

/// How a company is reached.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Contacts {
    pub telefone: Option<String>,
    pub telefone2: Option<String>,
    pub email: Option<String>,
}

/// A partner of a company.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Partner {
    pub nome: Option<String>,
    pub qualificacao: Option<String>,
    pub desde: Option<String>,
}

/// A regime a company may have chosen.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Choice {
    pub optante: Option<bool>,
    pub desde: Option<String>,
    pub ate: Option<String>,
}

/// A company of the federal registry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Company {
    pub cnpj: String,
    pub razao_social: String,
    pub nome_fantasia: Option<String>,
    pub matriz: Option<bool>,
    pub situacao: Option<Registration>,
    pub abertura: Option<String>,
    pub natureza_juridica: Option<Coded>,
    pub porte: Option<String>,
    pub capital_social: Option<Decimal>,
    pub cnae_principal: Option<Coded>,
    pub cnaes_secundarios: Vec<Coded>,
    pub endereco: Option<Place>,
    pub contatos: Option<Contacts>,
    pub socios: Vec<Partner>,
    pub simples: Option<Choice>,
    pub mei: Option<Choice>,
}

/// A model of the FIPE table a vehicle may be.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Candidate {
    pub codigo: Option<String>,
    pub descricao: Option<String>,
    pub valor: Option<Decimal>,
}

/// A vehicle; nothing about its owner.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Vehicle {
    pub placa: String,
    pub marca: String,
    pub modelo: String,
    pub versao: Option<String>,
    pub ano_fabricacao: Option<i32>,
    pub ano_modelo: Option<i32>,
    pub cor: Option<String>,
    pub combustivel: Option<String>,
    pub municipio: Option<String>,
    pub uf: Option<String>,
    pub fipe: Vec<Candidate>,
}

/// A code of a list of the FIPE table and its name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FipeItem {
    pub codigo: String,
    pub nome: String,
}

/// A list of the FIPE table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FipeItems {
    pub itens: Vec<FipeItem>,
    /// `AAAA-MM`.
    pub mes_referencia: Option<String>,
}

/// The price of a model of one year.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FipePrice {
    /// 32000: new.
    pub ano_modelo: Option<i32>,
    pub combustivel: Option<String>,
    pub sigla_combustivel: Option<String>,
    pub valor: Option<Decimal>,
    /// `AAAA-MM`.
    pub mes_referencia: Option<String>,
}

/// The prices of a model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FipePrices {
    pub codigo: String,
    pub marca: String,
    pub modelo: String,
    pub precos: Vec<FipePrice>,
}

/// Where an address is.
#[derive(Clone, Debug, Deserialize)]
pub struct Coordinates {
    pub latitude: Decimal,
    pub longitude: Decimal,
    #[serde(default)]
    pub precisao: Option<String>,
    #[serde(default)]
    pub texto: Option<String>,
    #[serde(default)]
    pub endereco: Option<Place>,
}

/// The address of a place.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Address {
    pub texto: String,
    #[serde(flatten)]
    pub place: Place,
}

/// A way by road.
#[derive(Clone, Debug, Deserialize)]
pub struct Route {
    pub distancia_m: Decimal,
    pub duracao_s: Decimal,
    #[serde(default)]
    pub geometria: Option<String>,
}

/// A product of a bar code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Product {
    /// 8, 13 or 14 digits.
    pub gtin: String,
    pub nome: String,
    pub marca: Option<String>,
    /// 8 digits.
    pub ncm: Option<String>,
    /// 7 digits.
    pub cest: Option<String>,
    pub unidade: Option<String>,
    pub imagem_url: Option<String>,
    /// With the package.
    pub peso_kg: Option<Decimal>,
    pub altura_cm: Option<Decimal>,
    pub largura_cm: Option<Decimal>,
    pub profundidade_cm: Option<Decimal>,
}
