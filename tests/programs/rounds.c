#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For the tools of agents: a function that is called in rounds, a value that changes, and ways to end. */
volatile int seen;
static char name[16];

static int work(int i) {
    seen = i;               /* in work */
    return i * 2;
}

static void copy(const char *text) {
    strcpy(name, text);     /* careless */
}

int main(int argc, char **argv) {
    int total = 0;
    if (argc > 1 && !strcmp(argv[1], "wait"))
        for (;;)
            usleep(10000);  /* waiting */
    for (int i = 1; i <= 10; i++)
        total += work(i);   /* each round */
    copy("rounds");
    printf("%s: %d\n", name, total);
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "crash"))
        *(volatile int *)8 = total; /* crash */
    return total == 110 ? 0 : 1;
}
