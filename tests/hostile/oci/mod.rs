//! Releases that go through a registry of other people: `docker-registry` of Debian.

pub mod server;

use crate::admin::Desk;
use crate::minisign::Key;
use crate::releases::{Stage, revision};
use base::config::{Config, Hidden};
use hub::releases::oci;
use hub::releases::pack::{self, Packed};
use reqwest::Client;
use serde_json::{Value, json};
use server::{Answering, Server, http};
use std::path::Path;
use tests::app::Backend;
use tests::localhost;

/// `registro` and a password, as `htpasswd` writes them.
const HTPASSWD: &str = "registro:$2b$04$cw0CjvHfAwm5w92nn77aV.MnjLQLSWuMdhDUd1g62f/.l/xxS/Dam\n";
const PASSWORD: &str = "senha-do-registro";

/// Files as `hub adapter pack` writes them.
fn packed(folder: &Path, component: &[u8], signature: Option<&str>) -> Packed {
    let file = |end: &str| folder.join(format!("dps-1.0.0.{end}"));
    let made = Packed {
        component: file("wasm"),
        about: file("json"),
        signature: signature.map(|_| file("wasm.minisig")),
        version: "1.0.0".to_owned(),
    };
    std::fs::write(&made.component, component).expect("component");
    std::fs::write(&made.about, "{\"name\":\"dps\"}\n").expect("about");
    if let (Some(file), Some(text)) = (&made.signature, signature) {
        std::fs::write(file, text).expect("signature");
    }
    made
}

/// A hub, and a registry beside it; None where the registry is not installed.
struct World {
    desk: Desk,
    server: Server,
    config: Config,
}

impl World {
    async fn start(auth: &str, files: &[(&str, &str)]) -> Option<World> {
        World::of(Server::start(auth, files)?).await
    }

    async fn of(server: Server) -> Option<World> {
        let desk = Desk::open(Backend::Sqlite).await.expect("always there");
        let config = desk.stage.app.app.config.clone();
        Some(World {
            desk,
            server,
            config,
        })
    }

    fn stage(&self) -> &Stage {
        &self.desk.stage
    }

    fn address(&self, reference: &str) -> String {
        format!("oci://{}/adapters/dps{reference}", self.server.host)
    }

    /// Uploads a component under a tag; the address by digest, or the sentence.
    async fn push(
        &self,
        tag: &str,
        component: &[u8],
        signature: Option<&str>,
        config: &Config,
    ) -> Result<String, String> {
        let made = packed(self.stage().folder.path(), component, signature);
        let pushed = pack::push(config, &made, &self.address(tag)).await;
        pushed.map_err(|error| format!("{error:#}"))
    }

    /// The sentence that refuses what is at an address.
    async fn refused(&self, reference: &str, config: &Config) -> String {
        let address = self.address(reference);
        let refused = self.stage().install_from(&address, config).await.err();
        let refused = refused.unwrap_or_default();
        assert_eq!(refused.lines().count(), 1, "one sentence: {refused}");
        assert!(refused.starts_with(&address), "{refused}");
        refused
    }

    /// Puts a manifest that the hub did not write under a tag.
    async fn manifest(&self, tag: &str, manifest: &Value) {
        let host = &self.server.host;
        let url = format!("http://{host}/v2/adapters/dps/manifests/{tag}");
        let media = manifest["mediaType"].as_str().expect("a media type");
        let request = Client::new().put(url).header("content-type", media);
        let answer = request.body(manifest.to_string()).send().await;
        let answer = answer.expect("answer");
        assert_eq!(answer.status(), 201, "{tag}: {:?}", answer.text().await);
    }
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", flow::hex(&openssl::sha::sha256(bytes)))
}

fn layer(media: &str, bytes: &[u8], size: usize) -> Value {
    json!({ "mediaType": media, "digest": digest(bytes), "size": size })
}

fn manifest(layers: &[Value]) -> Value {
    json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": { "mediaType": "application/vnd.oci.empty.v1+json", "digest": digest(b"{}"), "size": 2 },
        "layers": layers,
    })
}

/// A registry with TLS whose certificate is of an authority that only the settings know.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registry_of_ones_own_authority_is_believed_where_the_settings_say_so() {
    let Some(server) = Server::secure("") else {
        return;
    };
    let certificate = server.certificate();
    let world = World::of(server).await.expect("a registry");
    let good = revision(1);
    let signature = world.stage().key.sign(&good);
    // Authorities of somebody else.
    let other = tempfile::tempdir().expect("folder");
    localhost::certificate(other.path());
    let mut config = world.config.clone();
    config.adapters.ca = other.path().join("server.pem");
    let unknown = world.push(":1.0.0", &good, Some(&signature), &config).await;
    let sentence = unknown.expect_err("an unknown authority");
    assert!(sentence.contains("cannot be asked"), "{sentence}");

    config.adapters.ca = certificate;
    let pushed = world.push(":1.0.0", &good, Some(&signature), &config).await;
    let pushed = pushed.expect("pushed");
    assert!(pushed.starts_with("oci://localhost:"), "{pushed}");
    let installed = world.stage().install_from(&pushed, &config).await;
    assert!(installed.expect("installed").new);
    config.adapters.ca = world.stage().folder.path().join("absent.pem");
    let absent = world.refused(":1.0.0", &config).await;
    assert!(absent.contains("adapters.ca"), "{absent}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_release_goes_through_a_registry() {
    let Some(world) = World::start("", &[]).await else {
        return;
    };
    let (stage, config) = (world.stage(), &world.config);
    let good = revision(1);
    let signature = stage.key.sign(&good);
    let pushed = world.push(":1.0.0", &good, Some(&signature), config).await;
    let pushed = pushed.expect("pushed");
    let again = world.push(":1.0.0", &good, Some(&signature), config).await;
    assert_eq!(
        again.as_ref(),
        Ok(&pushed),
        "the same files are one artifact"
    );

    let by_tag = world.address(":1.0.0");
    let installed = stage.install_from(&by_tag, config).await;
    let installed = installed.expect("installed");
    assert!(installed.new);
    assert_eq!(format!("sha256:{}", installed.digest), digest(&good));
    let body = json!({ "url": pushed });
    let (status, answer) = world.desk.post("?ativar=true", body).await;
    assert_eq!((status, &answer["nova"]), (200, &json!(false)), "{answer}");
    assert_eq!(stage.current(), installed.digest);
    let (status, answer) = world
        .desk
        .post("", json!({ "url": world.address(":2.0.0") }))
        .await;
    let sentence = answer["mensagem"].as_str().expect("a sentence");
    assert_eq!(status, 422);
    assert!(sentence.contains("has no such tag"), "{sentence}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_registry_may_not_bring_says_why() {
    let Some(world) = World::start("", &[]).await else {
        return;
    };
    let (stage, config) = (world.stage(), &world.config);
    let good = revision(1);
    let signature = stage.key.sign(&good);
    let pushed = world.push(":good", &good, Some(&signature), config).await;
    let pushed = pushed.expect("pushed");
    let stranger = Key::generate().sign(&good);
    let foreign = world.push(":stranger", &good, Some(&stranger), config);
    foreign.await.expect("pushed");
    let unsigned = world.push(":unsigned", &good, None, config).await;
    assert!(
        unsigned.is_err_and(|why| why.contains("sign it with --key")),
        "what nobody could install is not pushed"
    );
    let mut careless = config.clone();
    careless.adapters.require_signature = false;
    let unsigned = world.push(":unsigned", &good, None, &careless);
    unsigned.await.expect("pushed");

    let component = |size| layer(oci::COMPONENT, &good, size);
    let signed = layer(oci::SIGNATURE, signature.as_bytes(), signature.len());
    let cases = [
        ("huge", vec![component(1 << 40), signed.clone()]),
        ("longer", vec![component(1_000), signed.clone()]),
        ("twice", vec![component(good.len()), component(good.len())]),
        ("nothing", vec![signed]),
    ];
    for (tag, layers) in cases {
        world.manifest(tag, &manifest(&layers)).await;
    }
    let index = "application/vnd.oci.image.index.v1+json";
    world
        .manifest(
            "several",
            &json!({ "schemaVersion": 2, "mediaType": index, "manifests": [] }),
        )
        .await;
    let unknown = format!("@{}", digest(b"nothing"));
    for (reference, part) in [
        (":2.0.0", "has no such tag"),
        (unknown.as_str(), "has no such tag, digest or repository"),
        ("", "neither a tag nor a digest"),
        (":stranger", "of no key of adapters.trusted_keys"),
        (":unsigned", "no layer with a signature"),
        (":huge", "1099511627776 bytes, which is more than"),
        (":longer", "has more than 1000 bytes"),
        (
            ":twice",
            "several layers of the media type application/wasm",
        ),
        (":nothing", "no layer with a component"),
        (":several", "an index of several artifacts"),
    ] {
        let refused = world.refused(reference, config).await;
        assert!(refused.contains(part), "{reference}: {refused}");
    }

    // The registry's own disk is changed: the layer is not what the manifest says.
    let file = world.server.file_of(&digest(&good));
    let mut bytes = std::fs::read(&file).expect("blob");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes).expect("tampered");
    let (_, of_manifest) = pushed.split_once('@').expect("a digest");
    for reference in [":good".to_owned(), format!("@{of_manifest}")] {
        let refused = world.refused(&reference, config).await;
        let part = "its component: the layer has another digest than the manifest says";
        assert!(refused.contains(part), "{refused}");
    }
    assert!(stage.statuses().await.is_empty(), "nothing was kept");
}

/// The settings with a login at a registry.
fn with_login(config: &Config, host: &str, user: &str, password: &str) -> Config {
    let mut config = config.clone();
    host.clone_into(&mut config.adapters.oci_host);
    user.clone_into(&mut config.adapters.oci_user);
    config.adapters.oci_password = Hidden::from(password);
    config
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registry_that_asks_for_a_password_gets_that_of_its_own() {
    let auth = "auth: { htpasswd: { realm: registro, path: FOLDER/htpasswd } }\n";
    let Some(world) = World::start(auth, &[("htpasswd", HTPASSWD)]).await else {
        return;
    };
    let config = &world.config;
    let host = &world.server.host;
    let right = with_login(config, host, "registro", PASSWORD);
    let good = revision(1);
    let signature = world.stage().key.sign(&good);
    let anonymous = world.push(":1.0.0", &good, Some(&signature), config).await;
    assert!(anonymous.is_err_and(|why| why.contains("asks for a login")));
    let pushed = world.push(":1.0.0", &good, Some(&signature), &right).await;
    pushed.expect("pushed");
    for (config, part) in [
        (config.clone(), "asks for a login: set adapters.oci_host"),
        // The login of another registry is not sent to this one.
        (
            with_login(config, "registry.example.com", "registro", PASSWORD),
            "asks for a login: set adapters.oci_host",
        ),
        (
            with_login(config, host, "registro", "outra-senha"),
            "refuses the login",
        ),
        // A password alone is a token, which this registry does not know.
        (with_login(config, host, "", PASSWORD), "refuses the login"),
    ] {
        let refused = world.refused(":1.0.0", &config).await;
        assert!(refused.contains(part), "{refused}");
        assert!(!refused.contains("senha"), "{refused}");
    }
    let address = world.address(":1.0.0");
    let installed = world.stage().install_from(&address, &right).await;
    assert!(installed.expect("installed").new);
}

/// A server that gives tokens, and how a registry's settings name it.
async fn token_server() -> (Answering, String) {
    let token = "{\"access_token\":\"de-passagem\"}";
    let tokens =
        Answering::start(http("200 OK", "content-type: application/json\r\n", token)).await;
    let auth = format!(
        "auth: {{ silly: {{ realm: \"{}/token\", service: registro }} }}\n",
        tokens.base
    );
    (tokens, auth)
}

/// A registry whose tokens another server gives (Distribution, "Token Authentication").
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registry_that_asks_for_a_token_gets_one() {
    let (tokens, auth) = token_server().await;
    let Some(world) = World::start(&auth, &[]).await else {
        return;
    };
    let config = with_login(&world.config, &world.server.host, "registro", PASSWORD);
    let good = revision(1);
    let signature = world.stage().key.sign(&good);
    let pushed = world.push(":1.0.0", &good, Some(&signature), &config).await;
    pushed.expect("pushed");
    let heads = tokens.heads();
    assert_eq!(heads.len(), 1, "one token for an upload: {heads:?}");
    let wanted = "GET /token?service=registro&scope=repository%3Aadapters%2Fdps%3Apull";
    assert!(heads[0].starts_with(wanted), "{heads:?}");
    assert!(heads[0].contains("authorization: Basic "), "{heads:?}");
    // Nobody's token, where the settings have no login.
    let address = world.address(":1.0.0");
    let installed = world.stage().install_from(&address, &world.config).await;
    assert!(installed.expect("installed").new);
    let heads = tokens.heads();
    assert!(!heads[1].contains("authorization:"), "{heads:?}");
}

/// A registry that is asked by TLS gets no login sent elsewhere without it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_goes_by_tls_to_where_tokens_are_made() {
    let (tokens, auth) = token_server().await;
    let Some(server) = Server::secure(&auth) else {
        return;
    };
    let certificate = server.certificate();
    let world = World::of(server).await.expect("a registry");
    let mut config = with_login(&world.config, &world.server.host, "registro", PASSWORD);
    config.adapters.ca = certificate;
    let refused = world.refused(":1.0.0", &config).await;
    assert!(refused.contains("without TLS"), "{refused}");
    assert!(!refused.contains(PASSWORD), "{refused}");
    assert!(tokens.heads().is_empty(), "{:?}", tokens.heads());
}

/// Debian's registry looks at a manifest by itself: one that lies is made here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_manifest_than_the_address_names_is_refused() {
    let stage = Stage::start(Backend::Sqlite).await.expect("always there");
    let config = &stage.app.app.config;
    let other = manifest(&[layer(oci::COMPONENT, b"", 0)]).to_string();
    let long = " ".repeat(300 << 10);
    let wanted = digest(b"another");
    for (body, reference, part) in [
        (
            other.as_str(),
            format!("@{wanted}"),
            "the manifest has another digest than the address",
        ),
        (
            long.as_str(),
            ":1".to_owned(),
            "its manifest: has more than 262144 bytes",
        ),
        ("[", ":1".to_owned(), "its manifest cannot be read"),
    ] {
        let registry = Answering::start(http("200 OK", "", body)).await;
        let host = registry.base.replace("http", "oci");
        let place = format!("{host}/adapters/dps{reference}");
        let refused = stage.install_from(&place, config).await.err();
        let refused = refused.unwrap_or_default();
        assert!(refused.contains(part), "{refused}");
        assert_eq!(registry.heads().len(), 1, "nothing else was fetched");
    }
}

/// A registry that names a server inside is not followed there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registry_leads_nowhere_inside() {
    let stage = Stage::start(Backend::Sqlite).await.expect("always there");
    let config = &stage.app.app.config;
    let metadata = "http://169.254.169.254/latest/meta-data/";
    let challenge = format!("www-authenticate: Bearer realm=\"{metadata}\"\r\n");
    let plain = "www-authenticate: Bearer realm=\"http://example.com/token\"\r\n";
    let location = format!("location: {metadata}\r\n");
    let inside = "location: https://10.0.0.1/v2/\r\n";
    for (status, headers, part) in [
        (
            "401 Unauthorized",
            challenge.as_str(),
            "a component is fetched by https",
        ),
        ("401 Unauthorized", plain, "a component is fetched by https"),
        (
            "307 Temporary Redirect",
            location.as_str(),
            "a component is fetched by https",
        ),
        ("307 Temporary Redirect", inside, "of an internal network"),
        (
            "401 Unauthorized",
            "",
            "asks for a login of an unknown kind",
        ),
    ] {
        let registry = Answering::start(http(status, headers, "")).await;
        let host = registry.base.replace("http", "oci");
        let place = format!("{host}/adapters/dps:1.0.0");
        let refused = stage.install_from(&place, config).await.err();
        let refused = refused.unwrap_or_default();
        assert!(refused.contains(part), "{status} {headers}: {refused}");
    }
}
