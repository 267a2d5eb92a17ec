use tools::geo::{GeoError, Point, estimate, matrix};

fn point(latitude: f64, longitude: f64) -> Point {
    Point::new(latitude, longitude).expect("a place")
}

#[test]
fn known_distances() {
    let sao_paulo = point(-23.5329, -46.6395);
    let rio = point(-22.9129, -43.2003);
    let away = sao_paulo.distance_m(rio);
    assert!((357_000.0..360_500.0).contains(&away), "{away}");
    // A degree on a great circle: 2 pi R / 360.
    let degree = point(0.0, 0.0).distance_m(point(0.0, 1.0));
    assert!((degree - 111_195.08).abs() < 0.1, "{degree}");
    let across = point(90.0, 0.0).distance_m(point(-90.0, 0.0));
    assert!((across - 20_015_114.4).abs() < 1.0, "{across}");
    let around = point(0.0, 179.5).distance_m(point(0.0, -179.5));
    assert!((around - degree).abs() < 0.1, "{around}");
}

#[test]
fn a_distance_is_one() {
    let places = [
        point(-23.5, -46.6),
        point(3.0, -60.0),
        point(-33.7, -53.4),
        point(90.0, 12.0),
        point(0.0, 180.0),
    ];
    for a in places {
        assert!(a.distance_m(a) < 0.001);
        for b in places {
            assert!((a.distance_m(b) - b.distance_m(a)).abs() < 0.001);
            for c in places {
                assert!(a.distance_m(c) <= a.distance_m(b) + b.distance_m(c) + 0.001);
            }
        }
    }
}

#[test]
fn roads_are_guessed() {
    let road = estimate(point(0.0, 0.0), point(0.0, 1.0));
    assert_eq!(road.metres, 144_554);
    // 60 km/h: a kilometre a minute.
    assert_eq!(road.seconds, 8_673);
    let places = [point(0.0, 0.0), point(0.0, 1.0), point(1.0, 0.0)];
    let metres = matrix(&places);
    assert_eq!(metres.len(), 9);
    assert_eq!(metres[..3], [0, 144_554, 144_554]);
    assert_eq!(metres[1], metres[3]);
    assert!(matrix(&[]).is_empty());
}

#[test]
fn places_are_on_the_earth() {
    for wrong in [90.1, -90.1, f64::NAN, f64::INFINITY] {
        assert_eq!(Point::new(wrong, 0.0), Err(GeoError::Latitude));
    }
    for wrong in [180.1, -180.1, f64::NAN, f64::NEG_INFINITY] {
        assert_eq!(Point::new(0.0, wrong), Err(GeoError::Longitude));
    }
    let place = point(-90.0, 180.0);
    assert!((place.latitude() + 90.0).abs() < f64::EPSILON);
    assert!((place.longitude() - 180.0).abs() < f64::EPSILON);
}
