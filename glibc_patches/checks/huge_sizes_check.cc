// huge_sizes: lengths past 2 GiB and 4 GiB, which 32 bits cannot hold.
//
// In every effort with operands of which only the first and the last MiB can be
// accessed: whoever copies all of it must fault in the middle, and who returns
// has left something out. From the normal effort on also whole copies: a small
// file is mapped again and again, so that they need address space only. The
// same bytes are written many times then, and each must be right at the end; in
// some places stands memory of its own, which shows that it was reached.

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/fault_hooks.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

using kernels::Function;

constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr uint64_t kEnds = kAreaSize;
// Pages of the file; a prime, so that an error of a power of two shows.
constexpr uint64_t kWindow = 251 * kPage;
// Memory of its own in the destination.
constexpr uint64_t kMark = 16 * kPage;
constexpr uint64_t kBeforeFirst = kPage;

bool IsSet(const CheckContext& context) {
  return context.variant.function == Function::kMemset;
}

// [offset, offset + size) of the world becomes fresh memory.
bool MapFresh(uint64_t offset, uint64_t size) {
  return mmap(World::Get().At(offset), size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void Unmap(uint64_t offset, uint64_t size) {
  mmap(World::Get().At(offset), size, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

// --- With a gap.

// The pages of the first and of the last `kEnds` bytes of an operand.
struct Ends {
  uint64_t first;
  uint64_t last;
  static constexpr uint64_t kSize = kEnds + 2 * kPage;
};
Ends EndsOf(uint64_t operand, uint64_t size) {
  return {operand / kPage * kPage, (operand + size - kEnds) / kPage * kPage};
}

bool IsInGap(uint64_t offset, uint64_t operand, uint64_t size) {
  return offset >= operand && offset < operand + size;
}

// Operands that overlap must be copied from the end that the other operand
// does not reach, and where the gap is first touched tells from which end.
std::optional<std::string> WrongDirection(const CheckContext& context,
                                          const PlacedCall& call,
                                          uint64_t touched) {
  const bool overlap = call.destination < call.source + call.size &&
                       call.source < call.destination + call.size;
  if (IsSet(context) || !overlap) return std::nullopt;
  const bool forwards = call.destination < call.source;
  // By the operand that is copied from: it is read before it is written to.
  const uint64_t middle = call.source + call.size / 2;
  const uint64_t other_middle = call.destination + call.size / 2;
  const bool near_begin = touched < std::min(middle, other_middle);
  const bool near_end = touched >= std::max(middle, other_middle);
  if (forwards ? !near_end : !near_begin) return std::nullopt;
  return absl::StrCat("copies overlapping operands ",
                      forwards ? "backwards, although the source is above"
                               : "forwards, although the source is below",
                      " the destination");
}

std::optional<std::string> AttemptWithGap(const CheckContext& context,
                                          const PlacedCall& call) {
  std::vector<uint64_t> mapped;
  const auto map = [&](uint64_t operand) {
    const Ends ends = EndsOf(operand, call.size);
    for (uint64_t end : {ends.first, ends.last}) {
      if (!MapFresh(end, Ends::kSize)) return false;
      mapped.push_back(end);
    }
    return true;
  };
  std::optional<std::string> wrong;
  if (map(call.destination) && (IsSet(context) || map(call.source))) {
    const auto fault = RunToFault([&] { CallVariant(context.variant, call); });
    asm volatile("cld");
    if (!fault.has_value()) {
      wrong =
          "returned although most of the operands cannot be accessed: it "
          "did not go through all of them";
    } else {
      const auto offset = World::Get().OffsetOf(fault->address);
      const bool inside =
          fault->signal == SIGSEGV && offset.has_value() &&
          (IsInGap(*offset, call.destination, call.size) ||
           (!IsSet(context) && IsInGap(*offset, call.source, call.size)));
      if (!inside) {
        wrong = absl::StrFormat("%s at 0x%x, outside both operands",
                                strsignal(fault->signal), fault->address);
      } else {
        wrong = WrongDirection(context, call, *offset);
      }
    }
  }
  for (uint64_t end : mapped) Unmap(end, Ends::kSize);
  return wrong;
}

// --- Whole copies.

int CreateFile(uint64_t size) {
  const int file = static_cast<int>(syscall(SYS_memfd_create, "checks", 0));
  if (file >= 0 && ftruncate(file, static_cast<off_t>(size)) != 0) {
    close(file);
    return -1;
  }
  return file;
}

bool CanCreateFile() {
  const int file = CreateFile(kWindow);
  if (file >= 0) close(file);
  return file >= 0;
}

// The file over and over from `offset` on; at least `size` bytes.
bool MapRepeated(int file, uint64_t offset, uint64_t size) {
  for (uint64_t done = 0; done < size; done += kWindow) {
    if (mmap(World::Get().At(offset + done), kWindow, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

// Where the destination has memory of its own: around its beginning and end,
// and around whole GiB from it.
std::vector<uint64_t> Marks(const PlacedCall& call) {
  const uint64_t page = call.destination / kPage * kPage;
  std::vector<uint64_t> marks = {page - kBeforeFirst};
  for (uint64_t at = kGiB; at + kMark < call.size; at += kGiB) {
    marks.push_back(page + at - kMark / 2);
  }
  marks.push_back((call.destination + call.size) / kPage * kPage - kMark / 2);
  return marks;
}

// The byte that must stand at an offset of the destination after the call;
// nullopt outside of it.
std::optional<char> Expected(const CheckContext& context,
                             const PlacedCall& call, uint64_t offset) {
  if (offset < call.destination || offset >= call.destination + call.size) {
    return std::nullopt;
  }
  if (IsSet(context)) return static_cast<char>(call.value);
  const uint64_t i = offset - call.destination + call.source - kHugeSource;
  return World::Get().Original(kNear.begin)[i % kWindow];
}

constexpr char kUntouched = '\xd7';

std::optional<std::string> WrongByte(const CheckContext& context,
                                     const PlacedCall& call, uint64_t begin,
                                     uint64_t size) {
  const char* now = World::Get().At(begin);
  for (uint64_t i = 0; i < size; ++i) {
    const char expected =
        Expected(context, call, begin + i).value_or(kUntouched);
    if (now[i] == expected) continue;
    return absl::StrFormat(
        "the byte at destination plus %d is 0x%02x, expected 0x%02x",
        static_cast<int64_t>(begin + i - call.destination),
        static_cast<unsigned char>(now[i]),
        static_cast<unsigned char>(expected));
  }
  return std::nullopt;
}

std::optional<std::string> CallAndJudge(const CheckContext& context,
                                        const PlacedCall& call) {
  World& world = World::Get();
  std::memset(world.At(call.destination / kPage * kPage + kMark), kUntouched,
              kWindow);
  for (uint64_t mark : Marks(call)) {
    if (!MapFresh(mark, kMark)) return std::nullopt;
    std::memset(world.At(mark), kUntouched, kMark);
  }
  CallVariant(context.variant, call);
  for (uint64_t mark : Marks(call)) {
    if (auto wrong = WrongByte(context, call, mark, kMark)) return wrong;
  }
  // A whole window that no mark covers.
  return WrongByte(context, call, call.destination / kPage * kPage + kMark,
                   kWindow);
}

std::optional<std::string> AttemptWhole(const CheckContext& context,
                                        const PlacedCall& call) {
  const uint64_t span = call.size + 4 * kMark + kWindow;
  const int to = CreateFile(kWindow);
  const int from = CreateFile(kWindow);
  const uint64_t to_begin = kHugeDestination;
  std::optional<std::string> wrong;
  if (to >= 0 && from >= 0 && MapRepeated(to, to_begin, span) &&
      (IsSet(context) || MapRepeated(from, kHugeSource, span))) {
    if (!IsSet(context)) {
      std::memcpy(World::Get().At(kHugeSource),
                  World::Get().Original(kNear.begin), kWindow);
    }
    wrong = CallAndJudge(context, call);
  }
  Unmap(kHugeDestination, kHugeSpan);
  Unmap(kHugeSource, kHugeSpan);
  close(to);
  close(from);
  return wrong;
}

bool TryWithGap(const CheckContext& context, CheckSession& session,
                const kernels::KernelParameters& parameters) {
  for (uint64_t size : {2 * kGiB - 1, 2 * kGiB + 77, 4 * kGiB - 1, 4 * kGiB,
                        4 * kGiB + 4097, 6 * kGiB + 129, 8 * kGiB + 129}) {
    PlacedCall call;
    call.size = size;
    call.placement = Placement::kHugeWithGap;
    call.destination = kHugeDestination + 3;
    call.source = kHugeSource + 17;
    call.value = 0x5a;
    call.parameters = parameters;
    if (!session.Try(call)) return false;
    if (context.variant.function != Function::kMemmove) continue;
    // Overlapping, in both directions.
    // Also at distances whose lower 32 bits look like another one's: just past
    // 2 GiB, and a small one of operands that alias.
    for (uint64_t distance :
         {3 * kEnds, 2 * kGiB + 4080, 2 * kGiB + 3 * kEnds + 4080}) {
      if (distance + kEnds >= size) continue;
      call.destination = kHugeDestination + 3;
      call.source = call.destination + distance;
      if (call.source + size > kHugeDestination + kHugeSpan) continue;
      if (!session.Try(call)) return false;
      std::swap(call.source, call.destination);
      if (!session.Try(call)) return false;
    }
  }
  return true;
}

}  // namespace

void RunHugeSizesCheck(const CheckContext& context, CheckSession& session) {
  const std::vector<kernels::KernelParameters> parameters =
      ParametersToTry(context.variant);
  for (const kernels::KernelParameters& each : parameters) {
    if (!TryWithGap(context, session, each)) return;
  }
  if (context.effort == Effort::kQuick) {
    return session.Note("whole copies are left to the normal effort");
  }
  if (!CanCreateFile()) {
    return session.Note("no whole copies: no file of 1 MiB can be made");
  }
  const bool thorough = context.effort == Effort::kThorough;
  for (const kernels::KernelParameters& each : parameters) {
    PlacedCall call;
    call.placement = Placement::kHugeRepeated;
    call.destination = kHugeDestination + kMark + 35;
    call.source = kHugeSource + kPage + 2;
    call.value = 0x5a;
    call.parameters = thorough ? each : parameters.back();
    for (uint64_t size : {4 * kGiB + 100, 2 * kGiB + 1, 8 * kGiB + 4095}) {
      call.size = size;
      if (!session.Try(call) || !thorough) break;
    }
    if (session.failed() || !thorough) return;
  }
}

std::optional<std::string> AttemptHugeSizes(const CheckContext& context,
                                            const PlacedCall& call) {
  return call.placement == Placement::kHugeWithGap
             ? AttemptWithGap(context, call)
             : AttemptWhole(context, call);
}

}  // namespace glibc_patches
