//! Number types for counting layouts: a fast one, a wide one, and exact ones.
//!
//! Counting only adds and multiplies, so relative errors accumulate linearly. [`WideFloat`] has 128
//! bits and any exponent; after n consecutive operations its relative error is below n · 2⁻¹²⁴.

use num_bigint::BigUint;

/// A non-negative number.
pub trait Count: Clone + Default + PartialEq + Send + Sync {
    fn one() -> Self;
    /// Adds `other · times`.
    fn add_times(&mut self, other: &Self, times: u32);
    /// Adds `a · b`.
    fn add_product(&mut self, a: &Self, b: &Self);

    #[inline]
    fn zero() -> Self {
        Self::default()
    }

    #[inline]
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

/// A number that can be scaled by a fraction.
pub trait Weight: Count {
    /// `self · by / divisor`.
    fn scaled(&self, by: u64, divisor: u64) -> Self;
}

impl Count for f64 {
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
}

impl Weight for f64 {
    #[inline]
    fn scaled(&self, by: u64, divisor: u64) -> Self {
        self * by as f64 / divisor as f64
    }
}

impl Count for BigUint {
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
}

/// An integer modulo 2^(64 · N). The truncated bits do not affect the lower bits of sums and
/// products, so a result below 2^(64 · N) is exact, even if intermediate results were truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowBits<const N: usize>([u64; N]);

impl<const N: usize> Default for LowBits<N> {
    #[inline]
    fn default() -> Self {
        LowBits([0; N])
    }
}

impl<const N: usize> LowBits<N> {
    /// Adds `other · times`, shifted up by `from` words.
    #[inline]
    fn add(&mut self, other: &[u64; N], times: u64, from: usize) {
        let mut carry = 0;
        for (sum, word) in self.0[from..].iter_mut().zip(other) {
            let all = u128::from(*word) * u128::from(times) + u128::from(*sum) + carry;
            *sum = all as u64;
            carry = all >> 64;
        }
    }
}

impl<const N: usize> Count for LowBits<N> {
    #[inline]
    fn one() -> Self {
        let mut one = Self::default();
        one.0[0] = 1;
        one
    }

    #[inline]
    fn add_times(&mut self, other: &Self, times: u32) {
        self.add(&other.0, times.into(), 0);
    }

    #[inline]
    fn add_product(&mut self, a: &Self, b: &Self) {
        b.0.iter().enumerate().for_each(|(at, &word)| self.add(&a.0, word, at));
    }
}

impl<const N: usize> From<LowBits<N>> for BigUint {
    fn from(LowBits(words): LowBits<N>) -> Self {
        BigUint::new(words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect())
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

    /// Returns a number of bits that suffices for twice the value.
    #[inline]
    pub fn bits(self) -> u64 {
        (self.exponent + 129).max(0) as u64
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

    /// Returns the quotient. `divisor` must not be zero.
    #[inline]
    pub fn divided_by(self, divisor: WideFloat) -> WideFloat {
        let WideFloat { mantissa, exponent } = ratio(&self.mantissa.into(), &divisor.mantissa.into());
        WideFloat { mantissa, exponent: exponent + self.exponent - divisor.exponent }.normalized()
    }

    /// Returns the nearest `f64`.
    #[inline]
    pub fn to_f64(self) -> f64 {
        // Multiply by two powers of two, as a single one could underflow.
        let power = |exponent: i64| 2.0_f64.powi(exponent.clamp(-1000, 1023) as i32);
        self.mantissa as f64 * power(self.exponent) * power((self.exponent + 1000).min(0))
    }
}

impl Count for WideFloat {
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
}

impl Weight for WideFloat {
    #[inline]
    fn scaled(&self, by: u64, divisor: u64) -> Self {
        self.times(WideFloat::new(by.into())).divided_by(WideFloat::new(divisor.into()))
    }
}

/// Returns a quotient of 126 or 127 bits. The last bit is set if any bits were truncated (sticky
/// bit).
fn ratio(numerator: &BigUint, denominator: &BigUint) -> WideFloat {
    let shift = 126 + denominator.bits() as i64 - numerator.bits() as i64;
    let (up, down) = (shift.max(0) as u64, (-shift).max(0) as u64);
    let (numerator, denominator) = (numerator << up, denominator << down);
    let quotient = &numerator / &denominator;
    let is_truncated = &quotient * &denominator != numerator;
    let mantissa = u128::try_from(quotient).expect("127 bits at the most");
    WideFloat { mantissa: mantissa | u128::from(is_truncated), exponent: -shift }.normalized()
}

/// Returns the `f64` nearest to `numerator / denominator`.
pub fn exact_ratio(numerator: &BigUint, denominator: &BigUint) -> f64 {
    ratio(numerator, denominator).to_f64()
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
            prop_assert!(u64::from(128 - exact.leading_zeros()) < product.bits());
            let mut low = LowBits::<1>([c]);
            low.add_times(&LowBits([a]), b as u32);
            low.add_product(&LowBits([a]), &LowBits([b]));
            prop_assert_eq!(low.0[0], c.wrapping_add(a.wrapping_mul(b as u32 as u64)).wrapping_add(a.wrapping_mul(b)));
            let mut low = LowBits::<4>([c, 0, 0, 0]);
            low.add_product(&LowBits([a, 0, 0, 0]), &LowBits([b, 0, 0, 0]));
            let twice = low;
            low.add_product(&twice, &twice);
            prop_assert_eq!(BigUint::from(low), BigUint::from(exact) * exact + exact);
            prop_assert_eq!(wide_a.to_f64(), a as f64);
            prop_assert_eq!(WideFloat::new(exact).to_f64(), exact as f64);
            if a < 1 << 53 && c < 1 << 53 {
                prop_assert_eq!(wide_a.divided_by(WideFloat::new(c.into())).to_f64(), a as f64 / c as f64);
            }
        }
    }
}
