#[derive(Debug, Clone)]
struct Parcel {
    weight: u32,
    town: String,
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
    println!("total {}", total);
    if std::env::args().count() > 1 {
        let none: Option<u32> = None;
        println!("{}", none.unwrap());
    }
}
