// A loader that misbehaves as GLIBC_TUNABLES says, for replay_test. It stands
// alone, without a C library: its CPUID and XGETBV are the only ones.

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

namespace {

// What the replay looks for in a loader.
extern "C" const char kOptions[] = "--list-tunables --list-diagnostics";

long Call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long r10 asm("r10") = d;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
}

void Print(int fd, const char* text) {
  size_t size = 0;
  while (text[size] != '\0') ++size;
  Call(SYS_write, fd, reinterpret_cast<long>(text), size);
}

void PrintHex(uint64_t value) {
  char digits[17];
  for (int i = 0; i < 16; ++i) {
    digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 0xf];
  }
  digits[16] = '\0';
  Print(1, digits);
  Print(1, "\n");
}

[[noreturn]] void Exit(int status) {
  while (true) Call(SYS_exit_group, status);
}

bool StartsWith(const char* text, const char* prefix) {
  while (*prefix != '\0') {
    if (*text++ != *prefix++) return false;
  }
  return true;
}

const char* Behaviour(char** environment) {
  constexpr char kName[] = "GLIBC_TUNABLES=";
  for (; *environment != nullptr; ++environment) {
    if (StartsWith(*environment, kName)) {
      return *environment + sizeof(kName) - 1;
    }
  }
  return "";
}

// CPUID with the upper halves set, which it must clear, and XGETBV.
void Answer() {
  uint64_t a = 0xffffffff00000007, b = ~0ull, c = 0xffffffff00000001, d = ~0ull;
  asm volatile("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d));
  PrintHex(a);
  PrintHex(b);
  PrintHex(c);
  PrintHex(d);
  asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  PrintHex(a);
  PrintHex(d);
}

}  // namespace

extern "C" [[noreturn]] void Main(uint64_t* stack) {
  char** const environment = reinterpret_cast<char**>(stack + stack[0] + 2);
  const char* const behaviour = Behaviour(environment);
  constexpr int kSigstop = 19;
  if (StartsWith(behaviour, "silent")) Exit(0);
  if (StartsWith(behaviour, "deaf")) {
    const uint64_t all = ~0ull;
    Call(SYS_rt_sigprocmask, 0, reinterpret_cast<long>(&all), 0, sizeof(all));
    while (true) Call(SYS_pause);
  }
  if (StartsWith(behaviour, "crash")) asm volatile("ud2");
  if (StartsWith(behaviour, "trap")) asm volatile("int3");
  if (StartsWith(behaviour, "stop")) {
    Call(SYS_kill, Call(SYS_getpid), kSigstop);
  }
  while (StartsWith(behaviour, "flood")) Print(1, kOptions);
  while (StartsWith(behaviour, "spin")) asm volatile("");
  Answer();
  if (StartsWith(behaviour, "fail")) {
    Print(2, "Fatal error: no\nmore\n");
    Exit(3);
  }
  Exit(0);
}

asm(".globl _start\n"
    "_start:\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call Main\n");
