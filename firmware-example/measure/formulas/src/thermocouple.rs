//! The functions of NIST Monograph 175 for type K, in `f32`.

/// Coefficients of the inverse function from −5.891, 0 and 20.644 mV, in °C.
const BELOW: [f32; 9] = [
    0.0,
    2.5173462e1,
    -1.1662878,
    -1.0833638,
    -8.977354e-1,
    -3.7342377e-1,
    -8.663_264e-2,
    -1.0450598e-2,
    -5.1920577e-4,
];
const MIDDLE: [f32; 10] = [
    0.0,
    2.508355e1,
    7.860106e-2,
    -2.503131e-1,
    8.31527e-2,
    -1.228034e-2,
    9.804036e-4,
    -4.41303e-5,
    1.057734e-6,
    -1.052755e-8,
];
const HIGH: [f32; 7] = [-1.318058e2, 4.830222e1, -1.646031, 5.464731e-2, -9.650715e-4, 8.802193e-6, -3.11081e-8];

/// Coefficients of the direct function below and above 0 °C, in mV.
const DIRECT_BELOW: [f32; 11] = [
    0.0,
    0.39450128e-1,
    0.23622374e-4,
    -0.32858907e-6,
    -0.4990483e-8,
    -0.6750906e-10,
    -0.5741033e-12,
    -0.31088873e-14,
    -0.1045161e-16,
    -0.19889268e-19,
    -0.16322697e-22,
];
const DIRECT_ABOVE: [f32; 10] = [
    -0.17600414e-1,
    0.38921205e-1,
    0.1855877e-4,
    -0.9945759e-7,
    0.31840946e-9,
    -0.56072845e-12,
    0.5607506e-15,
    -0.3202072e-18,
    0.97115147e-22,
    -0.12104721e-25,
];

fn horner(coefficients: &[f32], x: f32) -> f32 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Returns the temperature in °C for a voltage in mV against 0 °C, −5.891 to 54.886 mV.
pub fn inverse(millivolts: f32) -> f32 {
    if millivolts < 0.0 {
        horner(&BELOW, millivolts)
    } else if millivolts < 20.644 {
        horner(&MIDDLE, millivolts)
    } else {
        horner(&HIGH, millivolts)
    }
}

/// Returns the voltage in mV against 0 °C, −270 to 1372 °C.
pub fn cold_junction_millivolts(celsius: f32) -> f32 {
    if celsius < 0.0 {
        return horner(&DIRECT_BELOW, celsius);
    }
    let distance = celsius - 126.9686;
    horner(&DIRECT_ABOVE, celsius) + 0.1185976 * libm::expf(-1.183432e-4 * distance * distance)
}

/// Returns the temperature in °C of the hot junction for microvolts between the junctions.
pub fn hot_junction(microvolts: f32, cold: f32) -> f32 {
    inverse(microvolts / 1000.0 + cold_junction_millivolts(cold))
}
