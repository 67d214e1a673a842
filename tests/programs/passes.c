/* Comes to one line again and again, in one thread or several: passes [PASSES [THREADS]] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pair { int left, right; };

static int passes = 20;

static int pass(int i, int total) {
    struct pair both = {i, total};
    int zero = i == 7 ? 0 : 1;
    return both.left + both.right; /* PASS */
}

static void *walk(void *name) {
    int total = 0;
    for (int i = 0; i < passes; i++)
        total = pass(i, total) % 1000;
    printf("%s: total %d\n", (char *)name, total);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 1)
        passes = atoi(argv[1]);
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t others[8];
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, walk, "other");
    walk("main");
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    return 0;
}
