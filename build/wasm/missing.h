/* What clingo calls and WASI's headers lack; see missing.c. */
#ifdef __cplusplus
#include <cstdio>
extern "C" {
#else
#include <stdio.h>
#endif
unsigned alarm(unsigned seconds);
void flockfile(FILE *file);
void funlockfile(FILE *file);
#ifdef __cplusplus
}
#endif
