use std::collections::HashMap;

#[derive(Debug, Clone)]
struct Parcel {
    weight: u32,
    town: String,
}

#[derive(Debug)]
enum Kind {
    Letter,
    Box(u32),
    Tube { length: u32 },
}

fn cost(parcel: &Parcel) -> u32 {
    let base = parcel.weight * 3;
    base + parcel.town.len() as u32
}

fn main() {
    let parcels = vec![
        Parcel { weight: 2, town: String::from("Oslo") },
        Parcel { weight: 5, town: String::from("Rome") },
    ];
    let mut total = 0;
    for parcel in &parcels {
        total += cost(parcel);
    }
    let kinds = vec![Kind::Letter, Kind::Box(2), Kind::Tube { length: 7 }];
    let sizes: HashMap<String, u32> = HashMap::from([("small".to_string(), 3)]);
    let (nobody, somebody): (Option<String>, Option<String>) = (None, Some("Ada".to_string()));
    println!("total {} {:?} {:?} {:?} {:?}", total, kinds, sizes, nobody, somebody);
    if std::env::args().count() > 1 {
        let none: Option<u32> = None;
        println!("{}", none.unwrap());
    }
}
