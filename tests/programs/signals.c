#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t told = 0;
static void on_usr1(int number) {
    told = number;
}
static void work_begun(void) {
}
static void *work(void *name) {
    pthread_setname_np(pthread_self(), name);
    work_begun();
    for (int i = 0; i < 3; i++) usleep(1000);
    return name;
}
static int deep(int *where) {
    return *where;
}
int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "end";
    setvbuf(stdout, 0, _IOLBF, 0);
    signal(SIGUSR1, on_usr1);
    if (!strcmp(how, "segv")) return deep((int *)16);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "divide")) { volatile int zero = 0; return 3 / zero; }
    if (!strcmp(how, "usr1")) { raise(SIGUSR1); printf("told %d\n", told); }
    if (!strcmp(how, "term")) raise(SIGTERM);
    if (!strcmp(how, "kill")) raise(SIGKILL);
    if (!strcmp(how, "exit")) return 7;
    if (!strcmp(how, "eleven")) return 11;
    if (!strcmp(how, "show")) {
        char folder[4096];
        for (int i = 2; i < argc; i++) printf("[%s]\n", argv[i]);
        printf("PARCEL=%s\nin %s\n", getenv("PARCEL"), getcwd(folder, sizeof folder));
    }
    if (!strcmp(how, "spin")) for (printf("spinning\n");;) { usleep(1000); }
    if (!strcmp(how, "read")) {
        char line[100];
        printf("reading\n");
        while (fgets(line, sizeof line, stdin)) printf("read %s", line);
        printf("end\n");
    }
    if (!strcmp(how, "fork")) {
        pid_t child = fork();
        if (!child) { printf("child\n"); fflush(stdout); _exit(5); }
        int status; waitpid(child, &status, 0);
        printf("child %d\n", WEXITSTATUS(status));
    }
    if (!strcmp(how, "threads")) {
        pthread_t a, b;
        pthread_create(&a, 0, work, "worker-a"); pthread_create(&b, 0, work, "worker-b");
        pthread_join(a, 0); pthread_join(b, 0);
    }
    if (!strcmp(how, "flood")) for (int i = 0; i < 200000; i++) printf("line %d\n", i);
    if (!strcmp(how, "load")) {
        void *lib = dlopen(argv[2], RTLD_NOW);
        int (*call)(int) = (int (*)(int))dlsym(lib, "plugin_call");
        printf("%d\n", call(3));
    }
    return 0;
}
