//! `CPython`'s `random.Random`: MT19937 seeded from an integer, `getrandbits`, `choice`, `sample` and
//! `shuffle` as `CPython` 3.11 and later compute them.
//!
//! It serves to draw again what the published releases drew. Draws of our own are keyed, see
//! [`crate::seeded`].

const N: usize = 624;
const M: usize = 397;
const UPPER: u32 = 0x8000_0000;
const LOWER: u32 = 0x7fff_ffff;

/// The generator's state.
#[derive(Clone)]
pub struct Random {
    state: [u32; N],
    next: usize,
}

impl Random {
    /// `random.Random(seed)`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the seed is taken apart into 32-bit words")]
    pub fn new(seed: u64) -> Self {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        if high == 0 { Self::by_array(&[low]) } else { Self::by_array(&[low, high]) }
    }

    fn by_word(seed: u32) -> Self {
        let mut state = [0; N];
        state[0] = seed;
        for i in 1..N {
            let before: u32 = state[i - 1];
            let index = u32::try_from(i).expect("below 624");
            state[i] = 1_812_433_253_u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(index);
        }
        Self { state, next: N }
    }

    /// `init_by_array` of the reference implementation.
    fn by_array(key: &[u32]) -> Self {
        let mut random = Self::by_word(19_650_218);
        let state = &mut random.state;
        let (mut i, mut j) = (1, 0);
        let step = |state: &mut [u32; N], i: &mut usize, factor: u32| {
            let before = state[*i - 1];
            state[*i] ^= (before ^ (before >> 30)).wrapping_mul(factor);
            *i
        };
        let wrap = |state: &mut [u32; N], i: &mut usize| {
            *i += 1;
            if *i == N {
                state[0] = state[N - 1];
                *i = 1;
            }
        };
        for _ in 0..N.max(key.len()) {
            let at = step(state, &mut i, 1_664_525);
            state[at] = state[at].wrapping_add(key[j]).wrapping_add(u32::try_from(j).expect("keys are short"));
            wrap(state, &mut i);
            j = (j + 1) % key.len();
        }
        for _ in 0..N - 1 {
            let at = step(state, &mut i, 1_566_083_941);
            state[at] = state[at].wrapping_sub(u32::try_from(at).expect("below 624"));
            wrap(state, &mut i);
        }
        state[0] = UPPER;
        random
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        if self.next == N {
            self.twist();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    fn twist(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & UPPER) | (self.state[(i + 1) % N] & LOWER);
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// `getrandbits(k)` for 1 to 32 bits.
    pub fn bits(&mut self, k: u32) -> u32 {
        self.word() >> (32 - k)
    }

    /// `_randbelow(n)`: bits are drawn until they are below `n`.
    ///
    /// # Panics
    /// When `n` is 0 or does not fit 32 bits.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "nothing is below 0");
        let n = u32::try_from(n).expect("populations are small");
        let k = u32::BITS - n.leading_zeros();
        loop {
            let drawn = self.bits(k);
            if drawn < n {
                return drawn as usize;
            }
        }
    }

    /// `choice(items)`.
    pub fn choice<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// `sample(items, k)`, in draw order. A small population is drawn from by moving its last item
    /// into the gap, a large one by drawing positions until one is new.
    ///
    /// # Panics
    /// When `k` is above the number of items.
    pub fn sample<T: Clone>(&mut self, items: &[T], k: usize) -> Vec<T> {
        assert!(k <= items.len(), "a sample is no larger than its population");
        let positions = if items.len() <= pool_limit(k) {
            self.sample_from_pool(items.len(), k)
        } else {
            self.sample_distinct(items.len(), k)
        };
        positions.into_iter().map(|position| items[position].clone()).collect()
    }

    fn sample_from_pool(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut pool: Vec<usize> = (0..n).collect();
        let mut draw = |i| {
            let j = self.below(n - i);
            let drawn = pool[j];
            pool[j] = pool[n - i - 1];
            drawn
        };
        (0..k).map(&mut draw).collect()
    }

    fn sample_distinct(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut drawn = Vec::with_capacity(k);
        while drawn.len() < k {
            let j = self.below(n);
            if !drawn.contains(&j) {
                drawn.push(j);
            }
        }
        drawn
    }

    /// `shuffle(items)`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The largest population of which a list costs less than a set of `k`: 21 + 4^⌈log4(3k)⌉.
fn pool_limit(k: usize) -> usize {
    if k <= 5 {
        21
    } else {
        21 + std::iter::successors(Some(1), |power| Some(power * 4)).find(|p| *p >= 3 * k).expect("endless")
    }
}

#[cfg(test)]
mod tests {
    //! Expected values were recorded from `CPython` 3.11.7.

    use super::*;

    fn range(n: usize) -> Vec<usize> {
        (0..n).collect()
    }

    #[test]
    fn words_are_those_of_cpython() {
        let mut random = Random::new(42);
        assert_eq!([random.word(), random.word(), random.word()], [2_746_317_213, 478_163_327, 107_420_369]);
        (0..700).for_each(|_| _ = random.word());
        assert_eq!(random.word(), 1_422_277_848, "past the first twist");
        let mut random = Random::new((1 << 40) + 5);
        assert_eq!([random.word(), random.word(), random.word()], [2_166_296_868, 2_220_160_828, 1_153_647_273]);
        let mut random = Random::new(0);
        assert_eq!([random.word(), random.word(), random.word()], [3_626_764_237, 1_654_615_998, 3_255_389_356]);
        assert_eq!((random.bits(5), random.bits(31)), (28, 903_170_602));
    }

    #[test]
    fn samples_of_small_and_large_populations_and_choices_are_those_of_cpython() {
        let mut random = Random::new(42);
        assert_eq!(random.sample(&range(1050), 50)[..8], [228, 51, 563, 501, 457, 285, 209, 178]);
        assert_eq!(random.sample(&range(4), 3), [1, 3, 2]);
        assert_eq!(random.sample(&range(10), 3), [3, 4, 1]);
        assert_eq!(*random.choice(&range(94)), 77);
        let choices: Vec<usize> = (0..5).map(|_| *random.choice(&range(103))).collect();
        assert_eq!(choices, [81, 21, 68, 93, 31]);
        assert_eq!(random.sample(&range(60), 50)[..8], [10, 29, 24, 17, 40, 44, 35, 14]);
        assert_eq!(random.sample(&range(60), 50)[47..], [39, 15, 1]);
        let mut items = range(10);
        random.shuffle(&mut items);
        assert_eq!(items, [2, 9, 7, 6, 8, 1, 0, 3, 4, 5]);
    }

    #[test]
    fn the_pool_limit_grows_as_in_cpython() {
        assert_eq!(
            [pool_limit(3), pool_limit(5), pool_limit(6), pool_limit(50), pool_limit(100)],
            [21, 21, 85, 277, 1045]
        );
    }
}
