/* Calls whose numbers are known: recorded_program MODE. Sizes are ones that
   nothing else in such a process uses. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void* __memcpy_chk(void*, const void*, size_t, size_t);
void* __memmove_chk(void*, const void*, size_t, size_t);
void* __mempcpy_chk(void*, const void*, size_t, size_t);
void* __memset_chk(void*, int, size_t, size_t);

extern char** environ;

static char a[1 << 16], b[1 << 16], c[1 << 16];
static char early[4096];
static int early_failures;

/* Before any constructor, the recorder's included. */
static void CallEarly(int argc, char** argv, char** variables) {
  (void)argc, (void)argv, (void)variables;
  for (int i = 0; i < 2000; ++i) early[i] = (char)(i * 7);
  memmove(early + 3, early, 1337);
  for (int i = 0; i < 1337; ++i)
    early_failures += early[i + 3] != (char)(i * 7);
  memmove(early, early + 3, 1337);
  for (int i = 0; i < 1337; ++i) early_failures += early[i] != (char)(i * 7);
  early_failures += mempcpy(early + 2100, early, 337) != early + 2437;
  memcpy(early + 2500, early, 338);
  early_failures += memcmp(early + 2500, early, 338) != 0;
  memset(early + 3000, 'x', 339);
  early_failures += early[3338] != 'x' || early[3339] == 'x';
}
__attribute__((section(".preinit_array"),
               used)) static void (*const first)(int, char**,
                                                 char**) = CallEarly;

static void Calls(int count, size_t size) {
  for (int i = 0; i < count; ++i) memcpy(a, b, size);
}

static int Functions(void) {
  for (int i = 0; i < 3; ++i) memcpy(a, b, 401);
  for (int i = 0; i < 4; ++i) memmove(a, b, 402);
  for (int i = 0; i < 5; ++i) mempcpy(a, b, 403);
  for (int i = 0; i < 6; ++i) memset(a, 1, 404);
  __memcpy_chk(a, b, 405, sizeof a);
  __memmove_chk(a, b, 406, sizeof a);
  if (__mempcpy_chk(a, b, 407, sizeof a) != a + 407) return 1;
  __memset_chk(a, 1, 408, sizeof a);
  memcpy(a, b, 5000);
  memcpy(a, b, 5001);
  return 0;
}

static void* InThread(void* count) {
  Calls((int)(size_t)count, 411);
  return NULL;
}

static int Threads(int count, int calls) {
  pthread_t* threads = calloc((size_t)count, sizeof *threads);
  if (threads == NULL) return 1;
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], NULL, InThread, (void*)(size_t)calls)) {
      return 1;
    }
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  return 0;
}

static int Forks(int count) {
  Calls(1000, 421);
  for (int i = 0; i < count; ++i) {
    if (fork() == 0) {
      /* A thread may be the first to call in a child. */
      Threads(1, 100);
      Calls(1000, 421);
      if (i % 3 == 0) kill(getpid(), SIGKILL);
      _exit(0);
    }
    Calls(10, 421);
  }
  while (wait(NULL) > 0) {
  }
  return 0;
}

static int Executes(const char* self) {
  Calls(100, 431);
  char* const arguments[] = {(char*)self, "functions", NULL};
  pid_t child;
  if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0) return 1;
  waitpid(child, NULL, 0);
  child = vfork();
  if (child == 0) {
    memcpy(a, b, 432);
    execv(self, arguments);
    _exit(1);
  }
  waitpid(child, NULL, 0);
  Calls(100, 431);
  execv(self, arguments);
  return 1;
}

static volatile sig_atomic_t handled;

static void Handle(int number) {
  (void)number;
  memcpy(c, b, 441);
  memcpy(c, b, 6000);
  ++handled;
}

static int Signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = Handle;
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, NULL);
  /* The handler calls with the same size, so that lost counts show. */
  int calls = 0;
  while (handled < 500) {
    Calls(1000, 441);
    calls += 1000;
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  printf("%d %d\n", calls + handled, handled);
  return 0;
}

static int Reuse(void) {
  for (int i = 0; i < 100; ++i) {
    memcpy(a, b, 8192);
    memcpy(c, a, 8192);
  }
  memmove(a + 64, a, 20000);
  memmove(a, a + 64, 20000);
  return 0;
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  if (early_failures != 0) return 9;
  if (strcmp(mode, "functions") == 0) return Functions();
  if (strcmp(mode, "threads") == 0) return Threads(8, 200000);
  if (strcmp(mode, "many_threads") == 0) return Threads(400, 1000);
  if (strcmp(mode, "forks") == 0) return Forks(9);
  if (strcmp(mode, "many_forks") == 0) return Forks(300);
  if (strcmp(mode, "executes") == 0) return Executes(argv[0]);
  if (strcmp(mode, "signals") == 0) return Signals();
  if (strcmp(mode, "reuse") == 0) return Reuse();
  if (strcmp(mode, "overflows") == 0) {
    __memcpy_chk(a, b, 10, 5);
    return 0;
  }
  Calls(1, 451);
  if (strcmp(mode, "interrupted") == 0) {
    /* As Ctrl-C does: both get it. */
    kill(getppid(), SIGINT);
    kill(getpid(), SIGINT);
  }
  if (strcmp(mode, "terminated") == 0) kill(getppid(), SIGTERM);
  pause();
  return 1;
}
