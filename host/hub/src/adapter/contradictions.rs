//! Where the systems of a registry want what a component does not declare.

use flow::Loaded;
use flow::contract::permissions::{self, Namespace, Permissions};
use flow::registry::{Certificado, Options, Registry, System};
use std::collections::BTreeSet;

/// How an option names a secret.
const SECRET: &str = "{segredo.";

/// One sentence for each. Empty: all that the registry sets for the component's
/// systems is within its declaration.
#[must_use]
pub fn contradictions(loaded: &Loaded, registry: &Registry) -> Vec<String> {
    let Some(permissions) = &loaded.permissions else {
        return vec!["declares no permissions: new notes do not use it".to_owned()];
    };
    let ours: BTreeSet<&str> = registry
        .adapters()
        .filter(|adapter| adapter.component == loaded.description.name)
        .map(|adapter| adapter.name.as_str())
        .collect();
    let of = |system: &System| {
        let adapter = system.adapter.as_deref();
        adapter.is_some_and(|adapter| ours.contains(adapter))
    };
    let mut findings = Vec::new();
    for system in registry.systems().filter(|system| of(system)) {
        let name = format!("system {}", system.id);
        wants(&name, system, permissions, &mut findings);
        sets(&name, &system.options, permissions, &mut findings);
    }
    for municipality in registry.municipalities() {
        let legs = municipality.routes.iter().chain(&municipality.earlier);
        for leg in legs.filter(|leg| of(&leg.system)) {
            let name = format!("municipality {}", municipality.ibge);
            sets(&name, &leg.options, permissions, &mut findings);
        }
    }
    findings
}

/// What a system needs of the customer.
fn wants(name: &str, system: &System, permissions: &Permissions, findings: &mut Vec<String>) {
    for secret in &system.credentials {
        if !permissions.secret(secret) {
            findings.push(format!(
                "{name} wants the secret {secret}, which the component does not declare"
            ));
        }
    }
    let signs = !permissions.elements.is_empty() || !permissions.texts.is_empty();
    if system.certificado == Certificado::Signature && !signs {
        findings.push(format!(
            "{name} wants signatures, and the component declares none"
        ));
    }
    if system.certificado == Certificado::Tls && permissions.certificate_endpoints.is_empty() {
        findings.push(format!(
            "{name} wants the certificate in the TLS handshake, which the component offers nowhere"
        ));
    }
}

/// The options of a system or a municipality.
fn sets(name: &str, options: &Options, permissions: &Permissions, findings: &mut Vec<String>) {
    for (option, value) in options {
        let value = value.to_wire();
        let gives = Namespace::Configured(option.clone());
        let mut elements = permissions.elements.iter();
        if elements.any(|element| element.namespaces.contains(&gives))
            && let Some(why) = permissions::ill_configured(&value)
        {
            findings.push(format!("{name}, option {option}: {why}"));
        }
        let named = value.split(SECRET).skip(1);
        let named = named.filter_map(|rest| rest.split('}').next());
        for secret in named.filter(|secret| !permissions.secret(secret)) {
            findings.push(format!(
                "{name}, option {option}: the secret {secret} is not declared by the component"
            ));
        }
    }
}
