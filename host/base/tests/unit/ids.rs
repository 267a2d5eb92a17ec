use base::ids::{new, several};

#[test]
fn ids_of_one_moment_keep_their_order_however_they_were_made() {
    let ms = 1_790_000_000_000;
    let mut made = Vec::new();
    for _ in 0..50 {
        made.extend(several("evt", ms, 2));
        made.push(new("evt", ms));
    }
    assert!(made.is_sorted());
    let (older, newer) = (several("evt", ms - 1, 3), new("evt", ms));
    assert!(older.is_sorted());
    assert!(newer > made[149]);
}

#[test]
fn ids_of_a_moment_keep_their_order_beside_those_of_a_later_one() {
    let ms = 1_790_000_100_000;
    let (mut earlier, mut later) = (Vec::new(), Vec::new());
    for _ in 0..50 {
        earlier.push(new("evt", ms));
        later.push(new("evt", ms + 1));
    }
    assert!(earlier.is_sorted() && later.is_sorted());
}
