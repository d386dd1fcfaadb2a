// SPDX-License-Identifier: Apache-2.0
// Lets the binary of systems load on glibc 2.28 although it is linked with a newer one.
//
// The C++ library inside it asks for functions of newer versions of glibc. Those are defined here, hidden: the binary
// uses its own. Mathematical functions lead to the older versions of the same names, which compute the same and differ
// in how they set errno alone. Tested by the names of versions in the binary (system_fmu_test).
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)

#define KDYN_OLDER(name) __asm__(".symver older_" #name "," #name "@GLIBC_2.2.5")
KDYN_OLDER(exp);
KDYN_OLDER(log);
KDYN_OLDER(log2);
KDYN_OLDER(pow);
KDYN_OLDER(hypot);
#undef KDYN_OLDER

extern "C" {

double older_exp(double);
double older_log(double);
double older_log2(double);
double older_pow(double, double);
double older_hypot(double, double);

double exp(double x) noexcept { return older_exp(x); }
double log(double x) noexcept { return older_log(x); }
double log2(double x) noexcept { return older_log2(x); }
double pow(double x, double y) noexcept { return older_pow(x, y); }
double hypot(double x, double y) noexcept { return older_hypot(x, y); }

// glibc 2.33 made functions of these; the kernel is asked directly.
int stat(const char* path, struct stat* out) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, out, 0));
}
int lstat(const char* path, struct stat* out) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW));
}
int fstat(int file, struct stat* out) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, file, "", out, AT_EMPTY_PATH));
}

// glibc 2.32: whether counts may be changed without locks. Never, here.
char __libc_single_threaded = 0;

// glibc 2.34 moved it from libpthread to libc.
int pthread_once(pthread_once_t* control, void (*routine)()) {
  std::atomic_ref<int> state(*control);  // 0: not begun, 1: at work, 2: done
  for (;;) {
    int expected = 0;
    if (state.compare_exchange_strong(expected, 1)) {
      try {
        routine();
      } catch (...) {
        state.store(0);
        throw;
      }
      state.store(2);
      return 0;
    }
    if (expected == 2) return 0;
    sched_yield();
  }
}

// The C++ library looks whether it exists, to know that there may be threads; nobody calls it.
int __pthread_key_create(pthread_key_t*, void (*)(void*)) noexcept { return ENOSYS; }

// glibc 2.35: what unwinding of exceptions asks for. Older ones are asked by dl_iterate_phdr.
struct Wanted {
  std::uintptr_t address;
  dl_find_object* out;
};
static int look(dl_phdr_info* object, std::size_t, void* data) {
  const Wanted& wanted = *static_cast<const Wanted*>(data);
  std::uintptr_t first = UINTPTR_MAX, last = 0, frames = 0;
  bool inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (part.p_type == PT_LOAD) {
      inside = inside || (wanted.address >= begin && wanted.address < end);
      first = begin < first ? begin : first;
      last = end > last ? end : last;
    } else if (part.p_type == PT_GNU_EH_FRAME) {
      frames = begin;
    }
  }
  if (!inside || frames == 0) return 0;
  *wanted.out = {};
  wanted.out->dlfo_map_start = reinterpret_cast<void*>(first);
  wanted.out->dlfo_map_end = reinterpret_cast<void*>(last);
  wanted.out->dlfo_eh_frame = reinterpret_cast<void*>(frames);
  return 1;
}
int _dl_find_object(void* address, dl_find_object* out) noexcept {
  Wanted wanted{reinterpret_cast<std::uintptr_t>(address), out};
  return dl_iterate_phdr(&look, &wanted) == 1 ? 0 : -1;
}

}  // extern "C"

#endif
