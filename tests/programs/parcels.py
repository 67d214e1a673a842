"""A small post office: what the fake adapter plays unless a test wants something else."""

PRICES = {"letter": 1, "parcel": 5, "crate": 12}


class Parcel:
    def __init__(self, name, kind, weight):
        self.name = name
        self.kind = kind
        self.weight = weight
        self.stamps = []

    def __repr__(self):
        return f"Parcel({self.name!r}, {self.kind!r}, {self.weight})"


def stamp(parcel, price):
    paid = 0
    while paid < price:
        value = min(5, price - paid)
        parcel.stamps.append(value)
        paid += value
    return paid


def send(parcels):
    total = 0
    for parcel in parcels:
        price = PRICES[parcel.kind] * parcel.weight
        total += stamp(parcel, price)
        print(f"{parcel.name}: {price}")
    return total


def main():
    parcels = [Parcel("postcard", "letter", 1), Parcel("books", "parcel", 2)]
    parcels.append(Parcel("piano", "coach", 400))
    total = send(parcels)
    print("total", total)


if __name__ == "__main__":
    main()
