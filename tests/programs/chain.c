/* Ends in a library that has no source here. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    int values[4] = {4, 2, 3, 1};
    qsort(values, 4, sizeof *values, by_value);
    printf("%d\n", values[0]);
    abort();
}
