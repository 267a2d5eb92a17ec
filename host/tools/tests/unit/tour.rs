use tools::tour::{Ending, MAX_PLACES, Tour, TourError, order};

/// A matrix of numbers that are spread evenly and always the same.
fn spread(places: usize, seed: u64, symmetric: bool) -> Vec<u32> {
    let number = |from: usize, to: usize| {
        let (from, to) = if symmetric && from > to {
            (to, from)
        } else {
            (from, to)
        };
        let mixed = (seed * 1_000_003 + from as u64 * 8_191 + to as u64 * 131_071 + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        u32::try_from(mixed >> 44).expect("20 bits") % 10_000 + 1
    };
    let mut metres = Vec::new();
    for from in 0..places {
        for to in 0..places {
            metres.push(if from == to { 0 } else { number(from, to) });
        }
    }
    metres
}

fn endings(places: usize) -> Vec<Ending> {
    let last = (places > 1).then(|| Ending::At(places / 2 + places % 2));
    let last = last.filter(|end| !matches!(end, Ending::At(end) if *end == 0 || *end >= places));
    [Ending::Closed, Ending::Open]
        .into_iter()
        .chain(last)
        .collect()
}

fn length(places: usize, metres: &[u32], order: &[usize], ending: Ending) -> u64 {
    let back = (ending == Ending::Closed && places > 1).then_some(0);
    let mut way = order.to_vec();
    way.extend(back);
    way.windows(2)
        .map(|edge| u64::from(metres[edge[0] * places + edge[1]]))
        .sum()
}

/// Everything that a tour promises but for being short.
fn check(places: usize, metres: &[u32], ending: Ending) -> Tour {
    let tour = order(places, metres, ending).expect("a tour");
    assert_eq!(tour.order.first(), Some(&0));
    let mut sorted = tour.order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..places).collect::<Vec<_>>(), "{ending:?}");
    assert_eq!(tour.length_m, length(places, metres, &tour.order, ending));
    let mut sent: Vec<usize> = (0..places).collect();
    if let Ending::At(end) = ending {
        assert_eq!(tour.order.last(), Some(&end));
        sent.remove(end);
        sent.push(end);
    }
    assert_eq!(tour.sent_m, length(places, metres, &sent, ending));
    assert!(tour.length_m <= tour.sent_m);
    tour
}

/// The shortest way, by trying all.
fn shortest(places: usize, metres: &[u32], ending: Ending) -> u64 {
    fn walk(way: &mut Vec<usize>, left: &mut Vec<usize>, measure: &dyn Fn(&[usize]) -> u64) -> u64 {
        if left.is_empty() {
            return measure(way);
        }
        let mut best = u64::MAX;
        for at in 0..left.len() {
            let next = left.remove(at);
            way.push(next);
            best = best.min(walk(way, left, measure));
            way.pop();
            left.insert(at, next);
        }
        best
    }
    let end = match ending {
        Ending::At(end) => Some(end),
        Ending::Closed | Ending::Open => None,
    };
    let mut left = (1..places).filter(|place| Some(*place) != end).collect();
    let measure = |way: &[usize]| {
        let mut way = way.to_vec();
        way.extend(end);
        length(places, metres, &way, ending)
    };
    walk(&mut vec![0], &mut left, &measure)
}

#[test]
fn few_stops_have_the_shortest_way() {
    for places in 1..=7 {
        for seed in 0..4 {
            for symmetric in [true, false] {
                let metres = spread(places, seed, symmetric);
                for ending in endings(places) {
                    let tour = check(places, &metres, ending);
                    let best = shortest(places, &metres, ending);
                    assert_eq!(
                        tour.length_m, best,
                        "{places} {seed} {symmetric} {ending:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn many_stops_are_all_visited() {
    for places in [30, MAX_PLACES] {
        for symmetric in [true, false] {
            let metres = spread(places, 3, symmetric);
            for ending in endings(places) {
                let tour = check(places, &metres, ending);
                let shorter = tour.length_m < tour.sent_m / 2;
                assert!(shorter, "{places} {ending:?}");
                assert_eq!(order(places, &metres, ending), Ok(tour));
            }
        }
    }
}

/// A street with one-way traffic: there is one short way, against which each edge
/// is long.
#[test]
fn one_way_streets_are_followed() {
    let places = 40;
    let mut metres = vec![0; places * places];
    for from in 0..places {
        for to in 0..places {
            // Stops are numbered so that the order sent is a bad one.
            let [a, b] = [from, to].map(|place| place * 7 % places);
            metres[from * places + to] = if b > a { 10 * (b - a) } else { 9_000 * (a - b) };
        }
    }
    let metres: Vec<u32> = metres
        .into_iter()
        .map(|metres| u32::try_from(metres).expect("small"))
        .collect();
    let tour = check(places, &metres, Ending::Open);
    assert_eq!(tour.length_m, 390);
}

#[test]
fn extremes_do_not_overflow() {
    let places = MAX_PLACES;
    let metres = vec![u32::MAX; places * places];
    for ending in endings(places) {
        let tour = check(places, &metres, ending);
        assert_eq!(tour.length_m, tour.sent_m);
    }
    let zeros = vec![0; places * places];
    assert_eq!(check(places, &zeros, Ending::Closed).length_m, 0);
}

#[test]
fn impossible_requests_are_refused() {
    assert_eq!(order(0, &[], Ending::Open), Err(TourError::Places(0)));
    let many = MAX_PLACES + 1;
    let metres = vec![1; many * many];
    assert_eq!(
        order(many, &metres, Ending::Open),
        Err(TourError::Places(many))
    );
    assert_eq!(
        order(usize::MAX, &[], Ending::Open),
        Err(TourError::Places(usize::MAX))
    );
    let wrong = TourError::Matrix {
        expected: 4,
        found: 3,
    };
    assert_eq!(order(2, &[0, 1, 1], Ending::Open), Err(wrong));
    for end in [0, 2, usize::MAX] {
        let refused = order(2, &[0, 1, 1, 0], Ending::At(end));
        assert_eq!(refused, Err(TourError::End(end)));
    }
}

/// Instances of TSPLIB whose shortest tour is known: at most 3 % above.
#[test]
fn known_instances() {
    let Some(folder) = judges::shared("facts/tsplib") else {
        return;
    };
    let optima = std::fs::read_to_string(folder.join("optima.csv")).expect("the optima");
    for line in optima.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let optimum: u64 = columns[3].parse().expect("a number");
        let file = folder.join(format!("{}.tsp", columns[0]));
        let instance = std::fs::read_to_string(file).expect("the instance");
        let points: Vec<[f64; 2]> = instance
            .lines()
            .skip_while(|line| line.trim() != "NODE_COORD_SECTION")
            .skip(1)
            .take_while(|line| line.trim() != "EOF")
            .filter(|line| !line.trim().is_empty())
            .map(|line| {
                let mut numbers = line.split_whitespace().skip(1);
                let mut number = || numbers.next().and_then(|text| text.parse().ok());
                [number().expect("x"), number().expect("y")]
            })
            .collect();
        assert_eq!(points.len().to_string(), columns[1]);
        let metres: Vec<u32> = points
            .iter()
            .flat_map(|[x, y]| {
                let to = points.iter();
                to.map(move |[u, v]| (x - u).hypot(y - v).round() as u32)
            })
            .collect();
        let began = std::time::Instant::now();
        let tour = check(points.len(), &metres, Ending::Closed);
        let took = began.elapsed();
        println!("{}: {} of {optimum}, {took:?}", columns[0], tour.length_m);
        assert!(tour.length_m >= optimum, "{}", columns[0]);
        assert!(tour.length_m * 100 <= optimum * 103, "{}", columns[0]);
    }
}
