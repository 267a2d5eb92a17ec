//! Distances on the map: straight lines, and a guess of the way by road where no
//! service of routes was asked.

/// Mean radius of the Earth in metres (IUGG, R1).
const RADIUS_M: f64 = 6_371_008.8;
/// How much longer a road is than the straight line.
const DETOUR: f64 = 1.3;
/// Mean speed by road: 60 km/h, in metres a second.
const SPEED_M_S: f64 = 60.0 / 3.6;

/// Why two numbers are no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GeoError {
    /// Not a number from -90 to 90.
    #[error("the latitude is not between -90 and 90")]
    Latitude,
    /// Not a number from -180 to 180.
    #[error("the longitude is not between -180 and 180")]
    Longitude,
}

/// A place, in degrees (WGS 84).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    latitude: f64,
    longitude: f64,
}

impl Point {
    /// A place by its degrees, north and east positive.
    ///
    /// # Errors
    /// Degrees outside of the Earth, infinite or not a number.
    pub fn new(latitude: f64, longitude: f64) -> Result<Point, GeoError> {
        if !(-90.0..=90.0).contains(&latitude) {
            return Err(GeoError::Latitude);
        }
        if !(-180.0..=180.0).contains(&longitude) {
            return Err(GeoError::Longitude);
        }
        Ok(Point {
            latitude,
            longitude,
        })
    }

    /// Degrees north of the equator.
    pub fn latitude(self) -> f64 {
        self.latitude
    }

    /// Degrees east of Greenwich.
    pub fn longitude(self) -> f64 {
        self.longitude
    }

    /// Length of the straight line (great circle, haversine) in metres. On the
    /// sphere it differs by at most 0.6 % from the ellipsoid.
    pub fn distance_m(self, to: Point) -> f64 {
        let [from_north, to_north] = [self.latitude, to.latitude].map(f64::to_radians);
        let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
        let chord = half(to.latitude - self.latitude)
            + from_north.cos() * to_north.cos() * half(to.longitude - self.longitude);
        // Rounding may bring it just above 1 for opposite places.
        2.0 * RADIUS_M * chord.min(1.0).sqrt().asin()
    }
}

/// A way by road.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Road {
    /// Its length in metres.
    pub metres: u32,
    /// How long it takes in seconds.
    pub seconds: u32,
}

/// What the way by road is taken to be: 1.3 times the straight line, at 60 km/h.
/// A guess, to be marked as one.
pub fn estimate(from: Point, to: Point) -> Road {
    let metres = from.distance_m(to) * DETOUR;
    Road {
        metres: whole(metres),
        seconds: whole(metres / SPEED_M_S),
    }
}

/// The guessed metres by road from each place to each, row by row: what
/// [`crate::tour::order`] takes.
pub fn matrix(points: &[Point]) -> Vec<u32> {
    let from = points.iter();
    from.flat_map(|from| points.iter().map(|to| estimate(*from, *to).metres))
        .collect()
}

/// The nearest whole number. Half the Earth's girth times 1.3 is far below the
/// largest.
fn whole(value: f64) -> u32 {
    value.round() as u32
}
