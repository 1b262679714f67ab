//! Numbers that count layouts: quick ones, certain ones, exact ones.
//!
//! The count of layouts adds and multiplies, and never subtracts, so that relative errors only add up. [`Wide`] keeps 128
//! bits and any exponent; after n operations one after the other its relative error is below n · 2⁻¹²⁴.

use num_bigint::BigUint;

/// A number that is not negative.
pub trait Weight: Clone + Default + PartialEq + Send + Sync {
    fn one() -> Self;
    /// Adds `other · times`.
    fn add_times(&mut self, other: &Self, times: u32);
    /// Adds `a · b`.
    fn add_product(&mut self, a: &Self, b: &Self);
    /// `self · by / divisor`, which is whole where the type is.
    fn scaled(&self, by: u64, divisor: u64) -> Self;

    fn zero() -> Self {
        Self::default()
    }

    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl Weight for f64 {
    fn one() -> Self {
        1.0
    }

    #[inline]
    fn add_times(&mut self, other: &Self, times: u32) {
        *self += other * f64::from(times);
    }

    #[inline]
    fn add_product(&mut self, a: &Self, b: &Self) {
        *self += a * b;
    }

    fn scaled(&self, by: u64, divisor: u64) -> Self {
        self * by as f64 / divisor as f64
    }
}

impl Weight for BigUint {
    fn one() -> Self {
        BigUint::from(1_u32)
    }

    fn add_times(&mut self, other: &Self, times: u32) {
        match times {
            0 => {}
            1 => *self += other,
            _ => *self += other * times,
        }
    }

    fn add_product(&mut self, a: &Self, b: &Self) {
        *self += a * b;
    }

    fn scaled(&self, by: u64, divisor: u64) -> Self {
        self * by / divisor
    }
}

/// `mantissa · 2^exponent`, cut off after 128 bits. The first bit of a mantissa is set, but for zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wide {
    mantissa: u128,
    exponent: i64,
}

impl Wide {
    pub fn new(number: u128) -> Self {
        Wide { mantissa: number, exponent: 0 }.normal()
    }

    #[inline]
    fn normal(self) -> Self {
        if self.mantissa == 0 {
            return Wide::zero();
        }
        let shift = self.mantissa.leading_zeros();
        Wide { mantissa: self.mantissa << shift, exponent: self.exponent - i64::from(shift) }
    }

    /// The whole number that this is, if it is one below 2¹²⁷: then nothing was ever cut off, if all that was added and
    /// multiplied to get here were whole numbers.
    pub fn whole(self) -> Option<u128> {
        let shift = u32::try_from(-self.exponent).ok()?;
        match self.mantissa {
            0 => Some(0),
            mantissa if (1..128).contains(&shift) && mantissa.trailing_zeros() >= shift => Some(mantissa >> shift),
            _ => None,
        }
    }

    /// The sum, rounded down.
    #[inline]
    fn plus(self, other: Wide) -> Wide {
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if small.mantissa == 0 {
            return large;
        }
        if large.mantissa == 0 {
            return small;
        }
        let shift = large.exponent - small.exponent;
        let low = if shift < 128 { small.mantissa >> shift } else { 0 };
        let (sum, carry) = large.mantissa.overflowing_add(low);
        if carry {
            Wide { mantissa: sum >> 1 | 1 << 127, exponent: large.exponent + 1 }
        } else {
            Wide { mantissa: sum, exponent: large.exponent }
        }
    }

    /// The product, rounded down, by schoolbook on halves.
    #[inline]
    fn multiplied(self, other: Wide) -> Wide {
        if self.mantissa == 0 || other.mantissa == 0 {
            return Wide::zero();
        }
        let low = |number: u128| number & u128::from(u64::MAX);
        let (a, b) = (self.mantissa, other.mantissa);
        let middle = (a >> 64) * low(b);
        let other_middle = low(a) * (b >> 64);
        let carry = (low(middle) + low(other_middle) + ((low(a) * low(b)) >> 64)) >> 64;
        let high = (a >> 64) * (b >> 64) + (middle >> 64) + (other_middle >> 64) + carry;
        let shift = u32::from(high >> 127 == 0);
        // The bit that moves in from below is lost, as all further ones are.
        Wide { mantissa: high << shift, exponent: self.exponent + other.exponent + 128 - i64::from(shift) }
    }

    /// The quotient; `divisor` is not zero.
    pub fn over(self, divisor: Wide) -> Wide {
        let Wide { mantissa, exponent } = ratio(&self.mantissa.into(), &divisor.mantissa.into());
        Wide { mantissa, exponent: exponent + self.exponent - divisor.exponent }.normal()
    }

    /// The floating point number next to this one.
    pub fn nearest(self) -> f64 {
        // Two steps: the first may be too small a power of two by itself.
        let power = |exponent: i64| 2.0_f64.powi(exponent.clamp(-1000, 1023) as i32);
        self.mantissa as f64 * power(self.exponent) * power((self.exponent + 1000).min(0))
    }
}

impl Weight for Wide {
    fn one() -> Self {
        Wide::new(1)
    }

    #[inline]
    fn add_times(&mut self, other: &Self, times: u32) {
        match times {
            0 => {}
            1 => *self = self.plus(*other),
            _ => *self = self.plus(other.multiplied(Wide::new(times.into()))),
        }
    }

    #[inline]
    fn add_product(&mut self, a: &Self, b: &Self) {
        *self = self.plus(a.multiplied(*b));
    }

    fn scaled(&self, by: u64, divisor: u64) -> Self {
        self.multiplied(Wide::new(by.into())).over(Wide::new(divisor.into()))
    }
}

/// A quotient of 126 bits or one more, the last of them set if anything was cut off.
fn ratio(numerator: &BigUint, denominator: &BigUint) -> Wide {
    let shift = 126 + denominator.bits() as i64 - numerator.bits() as i64;
    let (up, down) = (shift.max(0) as u64, (-shift).max(0) as u64);
    let (numerator, denominator) = (numerator << up, denominator << down);
    let quotient = &numerator / &denominator;
    let is_cut = &quotient * &denominator != numerator;
    let mantissa = u128::try_from(quotient).expect("127 bits at the most");
    Wide { mantissa: mantissa | u128::from(is_cut), exponent: -shift }.normal()
}

/// The floating point number next to `numerator / denominator`.
pub fn exact_ratio(numerator: &BigUint, denominator: &BigUint) -> f64 {
    ratio(numerator, denominator).nearest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wide_numbers_calculate_as_whole_ones_do(a in 0_u64.., b in 0_u64.., c in 1_u64..) {
            let (wide_a, wide_b) = (Wide::new(a.into()), Wide::new(b.into()));
            let mut product = Wide::new(c.into());
            product.add_product(&wide_a, &wide_b);
            let exact = u128::from(a) * u128::from(b) + u128::from(c);
            if exact < 1 << 127 {
                prop_assert_eq!(product.whole(), Some(exact));
            }
            prop_assert_eq!(wide_a.nearest(), a as f64);
            prop_assert_eq!(Wide::new(exact).nearest(), exact as f64);
            if a < 1 << 53 && c < 1 << 53 {
                prop_assert_eq!(wide_a.over(Wide::new(c.into())).nearest(), a as f64 / c as f64);
            }
        }
    }
}
