// One name in several places: overloads, a method, a template, inlined copies.
#include <cstdio>

namespace shop {
int price(int pieces) { return pieces * 3; }
double price(double weight) { return weight * 1.5; }
}  // namespace shop

struct Cart {
    int price(int discount) { return 10 - discount; }
};

static inline __attribute__((always_inline)) int doubled(int x) { return x + x; }

int main(int argc, char **) {
    Cart cart;
    int sum = shop::price(argc) + cart.price(2);
    sum += static_cast<int>(shop::price(2.0));
    sum += doubled(argc) + doubled(sum);
    std::printf("%d\n", sum);
    return 0;
}
