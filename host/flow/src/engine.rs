//! One wasmtime engine for the process: pooled, bounded, interruptible.

use crate::limits::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// One epoch. A step's deadline is a number of these.
pub const TICK_MS: u64 = 10;

/// Memory of an ended instance that stays mapped, wiped, for the next one.
const KEPT_BYTES: usize = 1 << 20;

/// Address space of a memory and of the guard behind it with which compiled code
/// compares no address: WebAssembly's addresses are of 32 bits, and what they reach
/// is either the memory or faults. Only pages that are used exist.
const WHOLE: (u64, u64) = (4 << 30, 32 << 20);

/// Guard behind memories that reserve no more than they may have.
const SMALL_GUARD: u64 = 1 << 16;

/// Most epochs the thread counts at once.
const CATCH_UP_TICKS: u64 = 10;

/// The engine and the thread that moves its epoch; the thread ends with it.
pub struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    clock: Arc<Clock>,
    /// Told each time that a flow of one of its components breaks.
    pub broke: Arc<Notify>,
}

/// The time, and how far the epoch has followed it.
struct Clock {
    begun: Instant,
    /// Whole ticks since the beginning that the epoch has followed.
    followed: AtomicU64,
    stop: AtomicBool,
}

impl Clock {
    /// Whole ticks that have passed and that the epoch has not followed yet.
    fn behind(&self) -> u64 {
        let passed = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX) / TICK_MS;
        passed.saturating_sub(self.followed.load(Ordering::Acquire))
    }

    /// On a busy machine the thread wakes late: the epoch follows the time that
    /// passed, but at most so far at once, so that a machine that stood still
    /// does not end steps that did not run.
    fn follow(&self, engine: &Engine) {
        let behind = self.behind();
        for _ in 0..behind.min(CATCH_UP_TICKS) {
            engine.increment_epoch();
        }
        self.followed.fetch_add(behind, Ordering::Release);
    }
}

impl Runtime {
    /// # Errors
    /// The machine cannot reserve the pool, or the compiler is not usable.
    pub fn new(limits: Limits) -> Result<Self, wasmtime::Error> {
        let engine = engine(&limits)?;
        let clock = Arc::new(Clock {
            begun: Instant::now(),
            followed: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        });
        let (ticking, followed) = (engine.weak(), clock.clone());
        std::thread::Builder::new()
            .name("epoch".to_owned())
            .spawn(move || {
                while !followed.stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(TICK_MS));
                    let Some(engine) = ticking.upgrade() else {
                        break;
                    };
                    followed.follow(&engine);
                }
            })?;
        Ok(Runtime {
            engine,
            limits,
            clock,
            broke: Arc::default(),
        })
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The deadline, in ticks of the epoch, of a call that may compute for
    /// `ms`: [`ticks`], and those that the epoch is behind the clock.
    pub(crate) fn deadline_ticks(&self, ms: u64) -> u64 {
        let late = self.clock.behind().min(CATCH_UP_TICKS);
        ticks(Duration::from_millis(ms)) + late
    }
}

/// Ticks in which so much time has surely passed: one more than there are in
/// it, because the first may come at once.
pub(crate) fn ticks(time: Duration) -> u64 {
    let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    ms.div_ceil(TICK_MS).saturating_add(1)
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.clock.stop.store(true, Ordering::Relaxed);
    }
}

/// With whole address spaces where the process may reserve them for the pool;
/// otherwise, as under a limit of virtual memory, with memories as large as they
/// may become and compiled code that compares each address.
fn engine(limits: &Limits) -> Result<Engine, wasmtime::Error> {
    Engine::new(&config(limits, WHOLE)).or_else(|error| {
        tracing::warn!(%error, "the address space for fast adapters is not to be had: each of their accesses to memory is checked");
        Engine::new(&config(limits, (limits.memory_bytes as u64, SMALL_GUARD)))
    })
}

/// `reserved` are the bytes of address space of a memory and of its guard.
fn config(limits: &Limits, reserved: (u64, u64)) -> Config {
    let mut pool = PoolingAllocationConfig::default();
    let instances = limits.instances.try_into().unwrap_or(u32::MAX);
    let memories = limits.memories.try_into().unwrap_or(u32::MAX);
    pool.total_component_instances(limits.pool)
        .total_core_instances(limits.pool.saturating_mul(4).max(instances))
        .total_memories(limits.pool.max(memories))
        .total_tables(limits.pool.saturating_mul(4))
        .max_core_instances_per_component(instances)
        .max_memories_per_component(memories)
        .max_tables_per_component(instances)
        .max_memory_size(limits.memory_bytes)
        // An instance lives a fraction of a millisecond and the next one uses
        // the same pages: wiping them costs less than faulting them in.
        .linear_memory_keep_resident(KEPT_BYTES)
        .table_keep_resident(KEPT_BYTES)
        .pagemap_scan(Enabled::Auto);
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        // Components are stripped: the tables that lead from an address to a
        // place in their code, and the system's unwind tables, would be a
        // large part of the compiled code that each process keeps in memory.
        .generate_address_map(false)
        .native_unwind_info(false)
        .memory_reservation(reserved.0)
        .memory_guard_size(reserved.1)
        .max_wasm_stack(512 << 10)
        // Adapters must answer the same on every machine.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}
