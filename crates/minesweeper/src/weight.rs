//! Number types for counting layouts: a fast one, a wide one, and an exact one.
//!
//! Counting only adds and multiplies, so relative errors accumulate linearly. [`WideFloat`] has 128
//! bits and any exponent; after n consecutive operations its relative error is below n · 2⁻¹²⁴.

use num_bigint::BigUint;

/// A non-negative number.
pub trait Weight: Clone + Default + PartialEq + Send + Sync {
    fn one() -> Self;
    /// Adds `other · times`.
    fn add_times(&mut self, other: &Self, times: u32);
    /// Adds `a · b`.
    fn add_product(&mut self, a: &Self, b: &Self);
    /// `self · by / divisor`; an integer is rounded down.
    fn scaled(&self, by: u64, divisor: u64) -> Self;

    #[inline]
    fn zero() -> Self {
        Self::default()
    }

    #[inline]
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl Weight for f64 {
    #[inline]
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

    #[inline]
    fn scaled(&self, by: u64, divisor: u64) -> Self {
        self * by as f64 / divisor as f64
    }
}

impl Weight for BigUint {
    #[inline]
    fn one() -> Self {
        BigUint::from(1_u32)
    }

    #[inline]
    fn add_times(&mut self, other: &Self, times: u32) {
        match times {
            0 => {}
            1 => *self += other,
            _ => *self += other * times,
        }
    }

    #[inline]
    fn add_product(&mut self, a: &Self, b: &Self) {
        *self += a * b;
    }

    #[inline]
    fn scaled(&self, by: u64, divisor: u64) -> Self {
        self * by / divisor
    }
}

/// `mantissa · 2^exponent`, truncated to 128 bits. The top bit of the mantissa is set, except for
/// zero. Packed, the type takes 24 bytes instead of 32.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, packed(8))]
pub struct WideFloat {
    mantissa: u128,
    exponent: i64,
}

impl WideFloat {
    #[inline]
    pub fn new(number: u128) -> Self {
        WideFloat { mantissa: number, exponent: 0 }.normalized()
    }

    #[inline]
    fn normalized(self) -> Self {
        if self.mantissa == 0 {
            return WideFloat::zero();
        }
        let shift = self.mantissa.leading_zeros();
        WideFloat { mantissa: self.mantissa << shift, exponent: self.exponent - i64::from(shift) }
    }

    /// Returns the value as an integer, if it is an integer below 2¹²⁷. The result is exact,
    /// provided that the value was computed from integers by sums and products only.
    pub fn to_integer(self) -> Option<u128> {
        let shift = u32::try_from(-self.exponent).ok()?;
        let mantissa = self.mantissa;
        match mantissa {
            0 => Some(0),
            _ if (1..128).contains(&shift) && mantissa.trailing_zeros() >= shift => Some(mantissa >> shift),
            _ => None,
        }
    }

    /// Returns the sum, rounded down.
    #[inline]
    fn plus(self, other: WideFloat) -> WideFloat {
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
            WideFloat { mantissa: sum >> 1 | 1 << 127, exponent: large.exponent + 1 }
        } else {
            WideFloat { mantissa: sum, exponent: large.exponent }
        }
    }

    /// Returns the product, rounded down, by schoolbook multiplication of halves.
    #[inline]
    fn times(self, other: WideFloat) -> WideFloat {
        if self.mantissa == 0 || other.mantissa == 0 {
            return WideFloat::zero();
        }
        let low = |number: u128| number & u128::from(u64::MAX);
        let (a, b) = (self.mantissa, other.mantissa);
        let middle = (a >> 64) * low(b);
        let other_middle = low(a) * (b >> 64);
        let carry = (low(middle) + low(other_middle) + ((low(a) * low(b)) >> 64)) >> 64;
        let high = (a >> 64) * (b >> 64) + (middle >> 64) + (other_middle >> 64) + carry;
        let shift = u32::from(high >> 127 == 0);
        // The lower half of the product is truncated.
        WideFloat { mantissa: high << shift, exponent: self.exponent + other.exponent + 128 - i64::from(shift) }
    }

    /// Returns the `f64` nearest to the quotient. `divisor` must not be zero.
    pub fn ratio_to(self, divisor: WideFloat) -> f64 {
        // One bit of each mantissa makes room for the remainder of the long division.
        let (mut rest, divisor_mantissa) = (self.mantissa >> 1, divisor.mantissa >> 1);
        let mut quotient = 0_u128;
        for _ in 0..QUOTIENT_BITS {
            quotient <<= 1;
            if rest >= divisor_mantissa {
                rest -= divisor_mantissa;
                quotient |= 1;
            }
            rest <<= 1;
        }
        // A last bit stands for all further ones, so that halves are rounded correctly.
        let mantissa = quotient << 1 | u128::from(rest > 0);
        let exponent = self.exponent - divisor.exponent - i64::from(QUOTIENT_BITS);
        WideFloat { mantissa, exponent }.to_f64()
    }

    /// Returns the nearest `f64`.
    #[inline]
    pub fn to_f64(self) -> f64 {
        // Multiply by two powers of two, as a single one could underflow.
        let power = |exponent: i64| 2.0_f64.powi(exponent.clamp(-1000, 1023) as i32);
        self.mantissa as f64 * power(self.exponent) * power((self.exponent + 1000).min(0))
    }
}

/// Number of bits of a quotient, more than those of an `f64`.
const QUOTIENT_BITS: u32 = 64;

impl From<&BigUint> for WideFloat {
    fn from(number: &BigUint) -> Self {
        let shift = number.bits().saturating_sub(128);
        let mantissa = u128::try_from(number >> shift).expect("128 bits at the most");
        WideFloat { mantissa, exponent: shift as i64 }.normalized()
    }
}

impl Weight for WideFloat {
    #[inline]
    fn one() -> Self {
        WideFloat::new(1)
    }

    #[inline]
    fn add_times(&mut self, other: &Self, times: u32) {
        match times {
            0 => {}
            1 => *self = self.plus(*other),
            _ => *self = self.plus(other.times(WideFloat::new(times.into()))),
        }
    }

    #[inline]
    fn add_product(&mut self, a: &Self, b: &Self) {
        *self = self.plus(a.times(*b));
    }

    #[inline]
    fn scaled(&self, by: u64, divisor: u64) -> Self {
        let product = self.times(WideFloat::new(by.into()));
        WideFloat { mantissa: product.mantissa / u128::from(divisor), ..product }.normalized()
    }
}

/// Returns the `f64` nearest to `numerator / denominator`.
pub fn exact_ratio(numerator: &BigUint, denominator: &BigUint) -> f64 {
    WideFloat::from(numerator).ratio_to(denominator.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wide_floats_agree_with_integers(a in 0_u64.., b in 0_u64.., c in 1_u64..) {
            let (wide_a, wide_b) = (WideFloat::new(a.into()), WideFloat::new(b.into()));
            let mut product = WideFloat::new(c.into());
            product.add_product(&wide_a, &wide_b);
            let exact = u128::from(a) * u128::from(b) + u128::from(c);
            if exact < 1 << 127 {
                prop_assert_eq!(product.to_integer(), Some(exact));
            }
            prop_assert_eq!(wide_a.to_f64(), a as f64);
            prop_assert_eq!(WideFloat::new(exact).to_f64(), exact as f64);
            if a < 1 << 53 && c < 1 << 53 {
                prop_assert_eq!(wide_a.ratio_to(WideFloat::new(c.into())), a as f64 / c as f64);
                let (large_a, large_c) = (BigUint::from(a) << 900, BigUint::from(c) << 900);
                prop_assert_eq!(exact_ratio(&large_a, &large_c), a as f64 / c as f64);
                prop_assert_eq!(exact_ratio(&BigUint::from(a), &large_c), a as f64 / c as f64 * 2.0_f64.powi(-900));
                let scaled = WideFloat::new(u128::from(b) * u128::from(c)).scaled(a, c);
                prop_assert_eq!(scaled.to_f64(), (u128::from(a) * u128::from(b)) as f64);
            }
        }
    }
}
