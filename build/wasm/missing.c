/* What clingo calls and WASI lacks: signals, locks of files and the times of processes. A page has none of them: there is one
   thread, and what the program would do at a signal is done from outside. */
#include "missing.h"
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef void (*handler)(int);

unsigned alarm(unsigned seconds) { (void)seconds; return 0; }
void flockfile(FILE *file) { (void)file; }
void funlockfile(FILE *file) { (void)file; }
handler signal(int number, handler action) { (void)number; (void)action; return 0; }
int raise(int number) { (void)number; __builtin_trap(); }
void __SIG_IGN(int number) { (void)number; }
void __SIG_DFL(int number) { (void)number; }
void __SIG_ERR(int number) { (void)number; }

/* The time since the start, since nothing else takes time of this thread. */
int getrusage(int who, struct rusage *usage) {
  (void)who;
  struct timespec now;
  memset(usage, 0, sizeof *usage);
  clock_gettime(CLOCK_MONOTONIC, &now);
  usage->ru_utime.tv_sec = now.tv_sec;
  usage->ru_utime.tv_usec = now.tv_nsec / 1000;
  return 0;
}

/* Nothing is destroyed at the end of the program. */
int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *library) {
  (void)destroy; (void)object; (void)library;
  return 0;
}

/* The exceptions of C++: compilers expect the runtime to define their tag. */
__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");
