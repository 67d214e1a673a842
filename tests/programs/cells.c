/* Memory to look at: a chain of cells, a buffer that changes, a page that can't be written. */
#include <stdio.h>
#include <string.h>

struct cell {
    int number;
    struct cell *next;
    char name[16];
};

static unsigned char buffer[4096];

static int fill(unsigned char *where, int from, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        where[i] = (unsigned char)(from + i);
        sum += where[i];
    }
    return sum;
}

int main(void) {
    struct cell last = {3, 0, "last"};
    struct cell first = {1, &last, "first"};
    struct cell *head = &first;
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        sum += fill(buffer, 16 * round, 16);
        head->number = sum;
    }
    printf("%d %s\n", sum, head->next->name);
    return 0;
}
