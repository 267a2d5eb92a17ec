//! Loading a component: refuse early, compile once, ask who it is.

pub mod bounded;
pub mod description;
mod health;
mod patience;

pub use health::{Ending, Health, Tally};

use crate::contract::permissions::{self, Permissions};
use crate::contract::{Description, PACKAGE, VERSION, World};
use crate::engine::Runtime;
use crate::hex;
use crate::host::{Allow, Customer, Granted, Memo, StepHost};
use sha2::{Digest, Sha256};
use std::hash::{BuildHasher as _, DefaultHasher, Hash, Hasher, RandomState};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;
use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, HasSelf, InstancePre, Lift, Linker,
};
use wasmtime::{Engine, Store};

/// Interfaces an adapter may import.
const ALLOWED_IMPORTS: [&str; 4] = ["control", "signer", "secrets", "diagnostics"];
/// Foreign imports shown.
const FOREIGN_SHOWN: usize = 10;
/// Characters shown of a name the hub does not know.
const NAME_CHARS: usize = 80;
/// Largest file of compiled code that is read.
const COMPILED_BYTES: u64 = 1 << 30;
/// How a core module begins: magic number, version 1, layer 0.
const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// Why a component is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("component has {size} bytes, the limit is {limit}")]
    TooLarge { size: usize, limit: usize },
    #[error("not a usable component: {0}")]
    Invalid(String),
    #[error(
        "component imports {0}, which the hub does not offer (adapters have no WASI, no network, no clock)"
    )]
    ForbiddenImports(String),
    #[error("not a component: this is a core module; `hub adapter build` wraps it")]
    CoreModule,
    #[error(
        "component speaks {0}, this hub {PACKAGE}@{VERSION}: build it with the SDK of this version"
    )]
    WrongVersion(String),
    #[error("component exports none of {PACKAGE}/{{nfse,sefaz,lookup}}@{VERSION}")]
    NoWorld,
    #[error("describe() failed: {0}")]
    Describe(String),
    #[error("describe() is not acceptable: {0}")]
    BadDescription(String),
    #[error("declare() failed: {0}")]
    Declare(String),
    #[error("what the adapter asks for is too wide: {0}")]
    TooWide(String),
    #[error(
        "component declares no permissions ({}/declaration@{}): build it with the SDK of this version",
        permissions::PACKAGE,
        permissions::VERSION
    )]
    Undeclared,
}

/// A component ready to run: compiled, linked, described.
pub struct Loaded {
    /// SHA-256 of the component, in hex: its identity.
    pub digest: String,
    pub world: World,
    pub description: Description,
    /// What it may do with keys, secrets and certificates. None: it is from before
    /// there were declarations, and what no adapter may do holds alone.
    pub permissions: Option<Arc<Permissions>>,
    /// Interfaces of the contract it asks for, sorted.
    pub imports: Vec<String>,
    pub(crate) pre: InstancePre<StepHost>,
    pub(crate) start: ComponentExportIndex,
    pub(crate) resume: ComponentExportIndex,
    /// Places of this component among those that compute.
    pub(crate) places: Arc<Semaphore>,
    /// How its flows ended in this process.
    pub health: Health,
}

impl Loaded {
    /// Holds a component that new flows are to use to what an old one need not have.
    ///
    /// # Errors
    /// [`LoadError::Undeclared`]: it says nothing of what it may do.
    pub fn declared(&self) -> Result<(), LoadError> {
        let declared = self.permissions.as_ref();
        declared.map(|_| ()).ok_or(LoadError::Undeclared)
    }
}

impl Runtime {
    /// Loads a component, from the cache of compiled code when it is there.
    ///
    /// # Errors
    /// The reason, in a sentence an operator can act on.
    pub fn load(&self, bytes: &[u8], cache: Option<&Path>) -> Result<Loaded, LoadError> {
        if bytes.len() > self.limits.component_bytes {
            return Err(LoadError::TooLarge {
                size: bytes.len(),
                limit: self.limits.component_bytes,
            });
        }
        if bytes.starts_with(CORE_MODULE) {
            return Err(LoadError::CoreModule);
        }
        let digest = hex(&Sha256::digest(bytes));
        let component = match cache {
            Some(folder) => cached(&self.engine, bytes, &digest, folder)?,
            None => compile(&self.engine, bytes)?,
        };
        if let Some(other) = other_version(&self.engine, &component) {
            return Err(LoadError::WrongVersion(other));
        }
        let imports = imports(&self.engine, &component)?;
        let (world, start, resume) = exports(&component).ok_or(LoadError::NoWorld)?;
        let mut linker = Linker::<StepHost>::new(&self.engine);
        let invalid = |error: wasmtime::Error| LoadError::Invalid(format!("{error:#}"));
        crate::contract::fiscal::provider::control::add_to_linker::<_, HasSelf<_>>(
            &mut linker,
            |host| host,
        )
        .map_err(invalid)?;
        crate::contract::signer::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host)
            .map_err(invalid)?;
        crate::contract::secrets::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host)
            .map_err(invalid)?;
        crate::contract::diagnostics::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host)
            .map_err(invalid)?;
        let pre = linker.instantiate_pre(&component).map_err(invalid)?;
        let description = self.describe(&component, &pre)?;
        description::check(&description).map_err(LoadError::BadDescription)?;
        let permissions = self.declare(&component, &pre)?;
        if let Some(permissions) = &permissions {
            permissions::check(permissions, &description).map_err(LoadError::TooWide)?;
        }
        let places = Arc::new(Semaphore::new(self.limits.computing_each.max(1)));
        Ok(Loaded {
            digest,
            world,
            description,
            permissions: permissions.map(Arc::new),
            imports,
            pre,
            start,
            resume,
            places,
            health: Health::new(self.broke.clone()),
        })
    }

    fn describe(
        &self,
        component: &Component,
        pre: &InstancePre<StepHost>,
    ) -> Result<Description, LoadError> {
        let index = interface(component, "describe")
            .and_then(|instance| component.get_export_index(Some(&instance), "describe"))
            .ok_or_else(|| LoadError::Describe("there is no describe export".to_owned()))?;
        self.said(pre, index).map_err(LoadError::Describe)
    }

    /// None: the component has no declaration.
    fn declare(
        &self,
        component: &Component,
        pre: &InstancePre<StepHost>,
    ) -> Result<Option<Permissions>, LoadError> {
        let name = format!(
            "{}/declaration@{}",
            permissions::PACKAGE,
            permissions::VERSION
        );
        let index = component
            .get_export_index(None, &name as &str)
            .and_then(|instance| component.get_export_index(Some(&instance), "declare"));
        index
            .map(|index| self.said(pre, index).map_err(LoadError::Declare))
            .transpose()
    }

    /// What a function without parameters gives in a fresh instance, or why not.
    fn said<T>(&self, pre: &InstancePre<StepHost>, index: ComponentExportIndex) -> Result<T, String>
    where
        (T,): ComponentNamedList + Lift + 'static,
    {
        // Its own limit, longer than that of a step: a start loads many components
        // at once, beside other work.
        let limit_ms = self.limits.describe_ms;
        let granted = Granted::default();
        let mut store = self.store(Arc::new(Nobody), Arc::default(), granted, &[], limit_ms);
        let failed = |error: wasmtime::Error| match error.downcast_ref() {
            Some(wasmtime::Trap::Interrupt) => format!("it took longer than {limit_ms} ms"),
            _ => format!("{error:#}"),
        };
        let instance = pre.instantiate(&mut store).map_err(failed)?;
        let function = instance
            .get_typed_func::<(), (T,)>(&mut store, index)
            .map_err(failed)?;
        let (said,) = function.call(&mut store, ()).map_err(failed)?;
        Ok(said)
    }

    pub(crate) fn store(
        &self,
        customer: Arc<dyn Customer>,
        memo: Arc<Memo>,
        granted: Granted,
        entropy: &[u8],
        limit_ms: u64,
    ) -> Store<StepHost> {
        let mut store = Store::new(
            &self.engine,
            StepHost::new(&self.limits, customer, memo, granted, entropy),
        );
        store.limiter(|host| &mut host.limits);
        store.set_epoch_deadline(self.deadline_ticks(limit_ms));
        store.epoch_deadline_callback(patience::of(limit_ms));
        store.set_hostcall_fuel(self.limits.transfer_bytes);
        store
    }
}

fn compile(engine: &Engine, bytes: &[u8]) -> Result<Component, LoadError> {
    Component::new(engine, bytes).map_err(|error| LoadError::Invalid(format!("{error:#}")))
}

/// Compiled code kept in `<folder>/<engine>/<digest>.cwasm`, beside a checksum
/// of the compiled file itself: damaged files are compiled again. It is a CRC-32,
/// because it is against damage only: who may write the code may write its sum.
/// Each start reads all of them (17 MB for those of the checkout).
fn cached(
    engine: &Engine,
    bytes: &[u8],
    digest: &str,
    folder: &Path,
) -> Result<Component, LoadError> {
    let folder = folder.join(engine_name(engine));
    let file = folder.join(format!("{digest}.cwasm"));
    let sum = folder.join(format!("{digest}.crc32"));
    if let Some(component) = from_cache(engine, &file, &sum) {
        return Ok(component);
    }
    let component = compile(engine, bytes)?;
    if let Err(error) = keep(&component, &folder, &file, &sum) {
        // It works without: only the next start is slower.
        tracing::warn!(file = %file.display(), %error, "compiled adapter cannot be kept");
    }
    Ok(component)
}

fn keep(component: &Component, folder: &Path, file: &Path, sum: &Path) -> std::io::Result<()> {
    let compiled = component
        .serialize()
        .map_err(|error| std::io::Error::other(format!("{error:#}")))?;
    std::fs::create_dir_all(folder)?;
    write_atomically(file, &compiled)?;
    write_atomically(sum, checksum(&compiled).as_bytes())
}

fn from_cache(engine: &Engine, file: &Path, sum: &Path) -> Option<Component> {
    let compiled = bounded::read(file, COMPILED_BYTES).ok()?;
    let expected = bounded::read(sum, COMPILED_BYTES).ok()?;
    if checksum(&compiled).as_bytes() != expected {
        tracing::warn!(file = %file.display(), "compiled adapter is damaged, compiling it again");
        return None;
    }
    #[expect(
        unsafe_code,
        reason = "compiled code is written by hubs only, into a folder only their user may write, \
        and its checksum was compared just above; wasmtime itself checks the engine's version and settings"
    )]
    // SAFETY: the bytes are what `Component::serialize` of this engine gave. They are
    // in memory: whoever writes into a file that is mapped ends the process (SIGBUS).
    unsafe {
        Component::deserialize(engine, &compiled)
            .inspect_err(|error| {
                tracing::warn!(file = %file.display(), error = format!("{error:#}"), "compiled adapter is not usable, compiling it again");
            })
            .ok()
    }
}

fn checksum(compiled: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(compiled))
}

fn engine_name(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Writes a file whole or not at all. Several loads, of other processes too, may
/// write the same file at once: each writes a temporary file of its own name.
///
/// # Errors
/// The folder cannot be written; the old file is as it was.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let number = RandomState::new().build_hasher().finish();
    let temporary: PathBuf = path.with_extension(format!("{number:016x}.tmp"));
    let written = std::fs::File::create_new(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _may_not_be_there = std::fs::remove_file(&temporary);
    }
    written
}

/// What the component imports, or the refusal of what it may not.
fn imports(engine: &Engine, component: &Component) -> Result<Vec<String>, LoadError> {
    let kind = component.component_type();
    let mut names: Vec<String> = kind
        .imports(engine)
        .map(|(name, _)| name.to_owned())
        .collect();
    names.sort();
    let foreign: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !allowed(name))
        .take(FOREIGN_SHOWN)
        .collect();
    if foreign.is_empty() {
        Ok(names)
    } else {
        Err(LoadError::ForbiddenImports(foreign.join(", ")))
    }
}

/// The first import or export of our package with a version that is not ours.
fn other_version(engine: &Engine, component: &Component) -> Option<String> {
    let kind = component.component_type();
    let imports = kind.imports(engine).map(|(name, _)| name);
    let exports = kind.exports(engine).map(|(name, _)| name);
    let ours = |name: &&str| {
        name.strip_prefix(PACKAGE)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let other = |name: &&str| {
        name.split_once('@')
            .is_none_or(|(_, version)| version != VERSION)
    };
    imports
        .chain(exports)
        .filter(ours)
        .find(other)
        .map(|name| name.chars().take(NAME_CHARS).collect())
}

fn allowed(name: &str) -> bool {
    ALLOWED_IMPORTS
        .iter()
        .any(|interface| name == format!("{PACKAGE}/{interface}@{VERSION}"))
}

fn interface(component: &Component, name: &str) -> Option<ComponentExportIndex> {
    component.get_export_index(None, &format!("{PACKAGE}/{name}@{VERSION}") as &str)
}

fn exports(component: &Component) -> Option<(World, ComponentExportIndex, ComponentExportIndex)> {
    World::ALL.into_iter().find_map(|world| {
        let instance = interface(component, world.interface())?;
        let start = component.get_export_index(Some(&instance), "start")?;
        let resume = component.get_export_index(Some(&instance), "resume")?;
        Some((world, start, resume))
    })
}

/// The customer of `describe`, which must not need one.
struct Nobody;

impl Customer for Nobody {
    fn sign_xml(
        &self,
        _: &str,
        _: &str,
        _: &crate::contract::signer::Options,
        _: Allow<'_>,
    ) -> Result<String, crate::contract::SignError> {
        Err(crate::contract::SignError::NoCertificate)
    }
    fn sign_bytes(
        &self,
        _: &[u8],
        _: crate::contract::signer::Algorithm,
    ) -> Result<Vec<u8>, crate::contract::SignError> {
        Err(crate::contract::SignError::NoCertificate)
    }
    fn certificate(&self) -> Option<crate::contract::signer::Certificate> {
        None
    }
    fn has_secret(&self, _: &str) -> bool {
        false
    }
}
