#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
namespace shapes {
int area(int side) {
    return side * side;
}
double area(double side) {
    return side * side;
}
struct box {
    int wide, high;
    int area() const {
        return wide * high;
    }
};
}
template <typename T> T twice(T value) {
    T result = value + value;
    return result;
}
static inline __attribute__((always_inline)) int plus_one(int n) {
    int more = n + 1;
    return more;
}
int counter = 0;
int numbers[4] = {1, 2, 3, 4};
void fail(int kind) {
    if (kind == 1)
        throw std::runtime_error("no more parcels");
    if (kind == 2)
        throw 42;
}
int bump(int by) {
    int before = counter;
    counter += by;
    numbers[by % 4] += by;
    return before;
}
int main(int argc, char **argv) {
    int kind = argc > 1 ? std::stoi(argv[1]) : 0;
    shapes::box b{2, 3};
    int total = shapes::area(3);
    total += (int)shapes::area(1.5);
    total += b.area();
    total += twice(4);
    total += (int)twice(2.5);
    total += plus_one(total);
    for (int i = 0; i < 3; i++)
        total += plus_one(bump(i));
    std::vector<std::string> names{"a", "bee"};
    printf("%d %d\n", total, counter);
    try {
        fail(1);
    } catch (const std::exception &e) {
        printf("caught %s\n", e.what());
    }
    fail(kind);
    return 3;
}
