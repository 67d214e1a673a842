// Values of many kinds: pointers, unions, bit fields, large arrays, strings, enumerations.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

enum class Colour { red, green = 5 };

union Either {
    uint32_t whole;
    uint8_t bytes[4];
};

struct Flags {
    unsigned ready : 1;
    unsigned level : 3;
};

struct Node {
    int value;
    Node *next;
};

static int large[1000000];

namespace shop {
int price(int count) { return count * 3; }
}

int main() {
    int count = 42;
    double ratio = 2.5;
    char letter = 'x';
    bool sure = true;
    const char *text = "native\tcode";
    char buffer[16] = "buffer";
    Colour colour = Colour::green;
    Either either = {0x01020304};
    Flags flags = {1, 5};
    Node last = {2, nullptr}, first = {1, &last};
    Node *head = &first;
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    std::string name = "parcel";
    std::vector<int> many(100000, 7);
    std::map<std::string, int> stock = {{"apple", 3}, {"pear", 4}};
    for (int i = 0; i < 1000000; i++)
        large[i] = i;
    int *view = large;
    count += shop::price(2); // LOOK
    ratio *= 2;
    std::printf("%d %f %c %d %s %s %d %u %u %d %d %zu %zu %d %d\n", count, ratio, letter, sure,
                text, buffer, (int)colour, either.whole, flags.level, head->next->value, grid[1][2],
                many.size(), stock.size(), (int)name.size(), view[3]);
    return 0;
}
