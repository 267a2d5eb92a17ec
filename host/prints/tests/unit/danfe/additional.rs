use prints::danfe::a4::additional::Text;
use prints::pdf::font::win_ansi;

#[test]
fn taking_lines_in_pieces_loses_and_repeats_nothing() {
    let font: Vec<String> = (0..40)
        .map(|n| format!("Parágrafo {n}: ") + &format!("palavra{n} ").repeat(n))
        .collect();
    for (width, at_a_time) in [(50.0, 1), (80.0, 3), (200.0, 7), (1.0, 5), (900.0, 1000)] {
        let mut text = Text::new(font.iter().map(String::as_str));
        let mut found = Vec::new();
        let mut times = 0;
        while !text.ended() {
            let remain = text.lines(width);
            let new_ones = text.take(at_a_time, width);
            assert_eq!(new_ones.len(), remain.min(at_a_time));
            found.extend(new_ones);
            times += 1;
            assert!(times < 100_000);
        }
        let together: Vec<u8> = found.concat().into_iter().filter(|b| *b != b' ').collect();
        let whole = win_ansi(&font.concat());
        let whole: Vec<u8> = whole.into_iter().filter(|b| *b != b' ').collect();
        assert_eq!(together, whole, "{width}");
    }
}
