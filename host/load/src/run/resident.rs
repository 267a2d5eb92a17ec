//! Memory of processes, as Linux tells it.

/// Resident memory of a process in bytes; 0: there is no such process.
pub fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    of(&status.unwrap_or_default()).unwrap_or_default()
}

fn of(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_line_of_resident_memory_is_read() {
        let status = "Name:\thub\nVmHWM:\t  200 kB\nVmRSS:\t  120 kB\n";
        assert_eq!(super::of(status), Some(122_880));
        assert_eq!(super::of("Name:\tkthread\n"), None);
    }
}
