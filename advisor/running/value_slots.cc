#include "advisor/running/value_slots.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/glibc/merge_tunables.h"

namespace advisor {
namespace {

constexpr Tunable kNumbers[] = {
    Tunable::kX86DataCacheSize,        Tunable::kX86SharedCacheSize,
    Tunable::kX86NonTemporalThreshold, Tunable::kX86RepMovsbThreshold,
    Tunable::kX86RepStosbThreshold,    Tunable::kX86MemsetNonTemporalThreshold};

// Multiples of 256 (sizes are rounded down to them) that every release takes,
// of 32 bits, far from each other and from what anything else may hold.
uint64_t Planted(Tunable tunable, int run) {
  return 0x15370000u + 0x00610300u * static_cast<uint32_t>(tunable) +
         0x11002500u * static_cast<uint32_t>(run);
}

std::string PlantedString(const GlibcBuild& build, int run) {
  std::vector<TunableValue> values;
  for (const Tunable tunable : kNumbers) {
    if (HasTunable(build, tunable)) {
      values.emplace_back(TunableName(build, tunable),
                          absl::StrCat(Planted(tunable, run)));
    }
  }
  return MergeTunables("", values);
}

// Some 100 KiB in a loader and libc of glibc.
constexpr uint64_t kMostData = uint64_t{64} << 20;

// The words of one module's data, by their offset from its base.
using Words = std::map<uint64_t, uint64_t>;

struct Snapshot {
  Words libc;
  Words loader;
};

absl::StatusOr<Words> ReadWords(const ProcessDoor& door, int pid,
                                const MemoryModule& module) {
  Words words;
  uint64_t left = kMostData;
  for (const MemoryModule::Range& range : module.data) {
    if (range.end - range.begin > left) {
      return absl::FailedPreconditionError(
          absl::StrCat(module.path, ": has more data than a libc"));
    }
    left -= range.end - range.begin;
    const absl::StatusOr<std::string> bytes =
        door.ReadMemory(pid, range.begin, range.end - range.begin);
    if (!bytes.ok()) return bytes.status();
    for (size_t at = 0; at + 8 <= bytes->size(); at += 8) {
      uint64_t word;
      std::memcpy(&word, bytes->data() + at, sizeof(word));
      if (word != 0) words[range.begin + at - module.base] = word;
    }
  }
  return words;
}

absl::Status Take(const FileReader& files, const ProcessDoor& door, int pid,
                  absl::string_view loader, absl::string_view libc,
                  Snapshot& snapshot) {
  const absl::StatusOr<std::string> text =
      files.Read(absl::StrCat("/proc/", pid, "/maps"));
  if (!text.ok()) return text.status();
  const std::vector<MemoryModule> modules = ParseMemoryMap(*text);
  for (const auto& [path, words] : {std::make_pair(libc, &snapshot.libc),
                                    std::make_pair(loader, &snapshot.loader)}) {
    const MemoryModule* const module = FindModule(modules, path);
    if (module == nullptr) {
      return absl::InternalError(
          absl::StrCat(path, ": is not in the memory of a child that runs it"));
    }
    absl::StatusOr<Words> read = ReadWords(door, pid, *module);
    if (!read.ok()) return read.status();
    *words = *std::move(read);
  }
  return absl::OkStatus();
}

// Offsets that hold the planted number in both.
std::vector<uint64_t> Slots(const Words& first, const Words& second,
                            Tunable tunable) {
  std::vector<uint64_t> slots;
  for (const auto& [offset, word] : first) {
    const auto other = second.find(offset);
    if (word == Planted(tunable, 0) && other != second.end() &&
        other->second == Planted(tunable, 1)) {
      slots.push_back(offset);
    }
  }
  return slots;
}

// struct cpu_features has rep_movsb_threshold, rep_movsb_stop_threshold and
// rep_stosb_threshold in this order (2.34 and later,
// sysdeps/x86/include/cpu-features.h).
std::optional<uint64_t> StopSlot(const Snapshot& first,
                                 const Snapshot& second) {
  const std::vector<uint64_t> movsb =
      Slots(first.loader, second.loader, Tunable::kX86RepMovsbThreshold);
  const std::vector<uint64_t> stosb =
      Slots(first.loader, second.loader, Tunable::kX86RepStosbThreshold);
  std::optional<uint64_t> slot;
  for (const uint64_t offset : movsb) {
    if (!std::binary_search(stosb.begin(), stosb.end(), offset + 16)) continue;
    if (slot.has_value()) return std::nullopt;
    slot = offset + 8;
  }
  return slot;
}

}  // namespace

const MemoryModule* FindModule(const std::vector<MemoryModule>& modules,
                               absl::string_view path) {
  for (const MemoryModule& module : modules) {
    if (module.path == path) return &module;
  }
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  for (const MemoryModule& module : modules) {
    if (absl::string_view(module.path).substr(module.path.rfind('/') + 1) ==
        name) {
      return &module;
    }
  }
  return nullptr;
}

absl::StatusOr<ValueSlots> FindValueSlots(const FileReader& files,
                                          const ProcessDoor& door,
                                          const GlibcBuild& build,
                                          absl::string_view loader,
                                          absl::string_view libc) {
  Snapshot snapshots[2];
  for (const int run : {0, 1}) {
    Command command;
    // The libc is a program, too: it prints its version and exits.
    command.argv = {std::string(loader), std::string(libc)};
    command.environment =
        Environment().With("GLIBC_TUNABLES", PlantedString(build, run));
    const absl::Status status = door.RunToExit(command, [&](int pid) {
      return Take(files, door, pid, loader, libc, snapshots[run]);
    });
    if (!status.ok()) return status;
  }
  ValueSlots slots;
  for (const Tunable tunable : kNumbers) {
    if (!HasTunable(build, tunable)) continue;
    std::vector<uint64_t> found =
        Slots(snapshots[0].libc, snapshots[1].libc, tunable);
    if (!found.empty()) slots.in_libc[tunable] = std::move(found);
  }
  if (slots.in_libc.empty()) {
    return absl::InternalError(
        absl::StrCat(libc, ": its variables were not found by planted values"));
  }
  if (build.Has(Change::kRepMovsbStop)) {
    slots.stop_in_loader = StopSlot(snapshots[0], snapshots[1]);
  }
  return slots;
}

}  // namespace advisor
