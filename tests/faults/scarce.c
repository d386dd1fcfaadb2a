/* SPDX-License-Identifier: Apache-2.0
   Loaded before a program (LD_PRELOAD), it counts what the program asks the system for between the beginning and the end
   of main, and lets the n-th request fail:
     SCARCE_MEMORY=n   malloc, calloc, realloc, aligned_alloc, posix_memalign give nothing
     SCARCE_THREAD=n   pthread_create says EAGAIN
     SCARCE_ALL=1      and every later request, too
     SCARCE_LOG=FILE   how many there were of each, "memory threads", written when main ends; and when a request is refused, the libraries
                       through which it came */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int working;
static atomic_long memory, threads;
static long memory_at, thread_at;
static int all;

/* What dlsym itself asks for before malloc is found. */
static char early[65536];
static size_t early_used;
static void* from_early(size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (early_used + size > sizeof early) abort();
  void* out = early + early_used;
  early_used += size;
  return out;
}
static int is_early(const void* p) { return (const char*)p >= early && (const char*)p < early + sizeof early; }

static void* (*real_malloc)(size_t);
static void* (*real_calloc)(size_t, size_t);
static void* (*real_realloc)(void*, size_t);
static void (*real_free)(void*);
static void* (*real_aligned)(size_t, size_t);
static int (*real_memalign)(void**, size_t, size_t);
static int (*real_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

static int finding;
static void find(void) {
  if (real_free != NULL || finding) return;
  finding = 1;
  real_malloc = dlsym(RTLD_NEXT, "malloc");
  real_calloc = dlsym(RTLD_NEXT, "calloc");
  real_realloc = dlsym(RTLD_NEXT, "realloc");
  real_aligned = dlsym(RTLD_NEXT, "aligned_alloc");
  real_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  real_create = dlsym(RTLD_NEXT, "pthread_create");
  real_free = dlsym(RTLD_NEXT, "free");
  finding = 0;
}

/* Who asked: libraries of others may not survive a refusal, and that is not for kdyn to mend. */
static void tell_who(void) {
  const char* log = getenv("SCARCE_LOG");
  if (log == NULL) return;
  working = 0;
  void* frames[64];
  const int count = backtrace(frames, 64);
  const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < count && file >= 0; ++i) {
    Dl_info who;
    if (dladdr(frames[i], &who) == 0 || who.dli_fname == NULL) continue;
    const char* name = strrchr(who.dli_fname, '/');
    name = name == NULL ? who.dli_fname : name + 1;
    if (write(file, name, strlen(name)) < 0 || write(file, "\n", 1) < 0) break;
  }
  if (file >= 0) close(file);
  working = 1;
}

static int fails(atomic_long* count, long at) {
  if (!working) return 0;
  const long now = atomic_fetch_add(count, 1) + 1;
  if (at > 0 && now == at) tell_who();
  return at > 0 && (now == at || (all && now > at));
}

void* malloc(size_t size) {
  find();
  if (real_malloc == NULL) return from_early(size);
  if (fails(&memory, memory_at)) { errno = ENOMEM; return NULL; }
  return real_malloc(size);
}
void* calloc(size_t n, size_t size) {
  find();
  if (real_calloc == NULL) return from_early(n * size);
  if (fails(&memory, memory_at)) { errno = ENOMEM; return NULL; }
  return real_calloc(n, size);
}
void* realloc(void* p, size_t size) {
  find();
  if (is_early(p)) {
    void* out = malloc(size);
    if (out != NULL) memcpy(out, p, size);
    return out;
  }
  if (fails(&memory, memory_at)) { errno = ENOMEM; return NULL; }
  return real_realloc(p, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  find();
  if (fails(&memory, memory_at)) { errno = ENOMEM; return NULL; }
  return real_aligned(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  find();
  if (fails(&memory, memory_at)) return ENOMEM;
  return real_memalign(out, alignment, size);
}
void free(void* p) {
  if (p == NULL || is_early(p)) return;
  find();
  real_free(p);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  find();
  if (fails(&threads, thread_at)) return EAGAIN;
  return real_create(thread, attributes, start, argument);
}

static void tell(void) {
  working = 0;
  const char* log = getenv("SCARCE_LOG");
  if (log == NULL || memory_at > 0 || thread_at > 0) return;
  char text[64];
  const int length = snprintf(text, sizeof text, "%ld %ld\n", (long)memory, (long)threads);
  const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return;
  if (write(file, text, (size_t)length) != length) unlink(log);
  close(file);
}

static int (*real_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  const char* n;
  if ((n = getenv("SCARCE_MEMORY")) != NULL) memory_at = atol(n);
  if ((n = getenv("SCARCE_THREAD")) != NULL) thread_at = atol(n);
  all = getenv("SCARCE_ALL") != NULL;
  void* frames[4];
  backtrace(frames, 4);  /* its library is loaded now, not amid a request */
  /* What the program starts is not counted. */
  unsetenv("LD_PRELOAD");
  working = 1;
  const int out = real_main(argc, argv, environment);
  tell();
  return out;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
