use base::metrics::process::{most_files, resident_bytes, write};

#[test]
fn what_the_system_says_is_read() {
    let status = "Name:\thub\nVmHWM:\t   90000 kB\nVmRSS:\t   81920 kB\nThreads:\t9\n";
    assert_eq!(resident_bytes(status), Some(83_886_080.0));
    assert_eq!(resident_bytes("Name:\thub\n"), None);
    let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                  Max open files            1024                 1048576              files\n";
    assert_eq!(most_files(limits), Some(1_024.0));
    let endless = limits.replace("1024 ", "unlimited ");
    assert_eq!(most_files(&endless), None);
    assert_eq!(most_files(""), None);
}

/// Also where there is no `/proc`: the processor's time is always there.
#[test]
fn the_numbers_of_this_process_are_told() {
    let mut text = String::new();
    write(&mut text);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("process_cpu_seconds_total "));
    let seconds: f64 = line.expect("a line").parse().expect("a number");
    assert!(seconds > 0.0, "{text}");
    assert!(text.contains("# TYPE process_cpu_seconds_total counter\n"));
}
