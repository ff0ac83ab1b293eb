//! The integer code of the data sheet of the Bosch BME280 (BST-BME280-DS002, section 4.2.3).

/// The trimming parameters.
#[derive(Clone, Copy)]
pub struct Bme280 {
    /// T1 to T3.
    pub t: [i32; 3],
    /// P1 to P9.
    pub p: [i64; 9],
    /// H1 to H6.
    pub h: [i32; 6],
}

impl Bme280 {
    /// A typical device.
    pub const TYPICAL: Bme280 = Bme280 {
        t: [27504, 26435, -1000],
        p: [36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000],
        h: [75, 362, 0, 324, 50, 30],
    };

    /// Returns the fine temperature in 1/5120 °C.
    pub fn fine(&self, raw: i32) -> i32 {
        let [t1, t2, t3] = self.t;
        let linear = (((raw >> 3) - (t1 << 1)) * t2) >> 11;
        let distance = (raw >> 4) - t1;
        linear + ((((distance * distance) >> 12) * t3) >> 14)
    }

    /// Returns the temperature in 0.01 °C.
    pub fn temperature(&self, raw: i32) -> i32 {
        (self.fine(raw) * 5 + 128) >> 8
    }

    /// Returns the pressure in 1/256 Pa.
    pub fn pressure(&self, raw: i32, fine: i32) -> i64 {
        let [p1, p2, p3, p4, p5, p6, p7, p8, p9] = self.p;
        let warmth = i64::from(fine) - 128_000;
        let offset = warmth * warmth * p6 + ((warmth * p5) << 17) + (p4 << 35);
        let slope = ((warmth * warmth * p3) >> 8) + ((warmth * p2) << 12);
        let slope = (((1_i64 << 47) + slope) * p1) >> 33;
        if slope == 0 || slope == -1 {
            return 0;
        }
        let p = (((i64::from(1_048_576 - raw)) << 31) - offset) * 3125 / slope;
        let square = (p9 * (p >> 13) * (p >> 13)) >> 25;
        ((p + square + ((p8 * p) >> 19)) >> 8) + (p7 << 4)
    }

    /// Returns the relative humidity in 1/1024 %.
    pub fn humidity(&self, raw: i32, fine: i32) -> i32 {
        let [h1, h2, h3, h4, h5, h6] = self.h;
        let warmth = fine - 76_800;
        let reading = ((raw << 14) - (h4 << 20) - h5 * warmth + 16_384) >> 15;
        let slope = (((warmth * h6) >> 10) * (((warmth * h3) >> 11) + 32_768)) >> 10;
        let h = reading * (((slope + 2_097_152) * h2 + 8192) >> 14);
        let h = h - (((((h >> 15) * (h >> 15)) >> 7) * h1) >> 4);
        h.clamp(0, 419_430_400) >> 12
    }
}
