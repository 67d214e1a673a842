use std::collections::{BTreeMap, BTreeSet, HashMap};

struct Shelf {
    small: i8,
    wide: u64,
    letter: char,
    pair: (i32, u8),
}

fn main() {
    let count: i32 = -3;
    let byte: u8 = 200;
    let long: i64 = 5;
    let ratio: f64 = 1.5;
    let letter = 'x';
    let shelf = Shelf { small: -1, wide: 2, letter: 'y', pair: (1, 2) };
    let numbers: Vec<u16> = vec![1, 2];
    let shared: HashMap<u8, i64> = HashMap::from([(1, 2)]);
    let towns: BTreeMap<String, u32> = BTreeMap::from([("Rome".into(), 5), ("Oslo".into(), 2)]);
    let mut squares: BTreeMap<i32, i64> = BTreeMap::new();
    for number in 0..1000 {
        squares.insert(number, i64::from(number) * i64::from(number));
    }
    let pairs = BTreeMap::from([((1, "a".to_string()), vec![7u8])]);
    let nothing: BTreeMap<i32, i32> = BTreeMap::new();
    let odd: BTreeSet<i16> = (0..40).map(|number| 2 * number + 1).collect();
    println!("{count} {byte} {long} {ratio} {letter} {numbers:?} {shared:?}"); // here
    println!("{} {} {} {:?}", shelf.small, shelf.wide, shelf.letter, shelf.pair);
    println!("{towns:?} {squares:?} {pairs:?} {nothing:?} {odd:?}");
}
