#include <stdio.h>
#include <string.h>
struct point { int x, y; char name[8]; };
static int add(int a, int b) {
    int sum = a + b;
    return sum;
}
int main(int argc, char **argv) {
    struct point p = {1, 2, "one"};
    int total = 0;
    for (int i = 0; i < 5; i++) {
        total = add(total, i);
        printf("total %d\n", total);
        fflush(stdout);
    }
    int *nothing = 0;
    if (argc > 1) *nothing = 3;
    return p.x;
}
