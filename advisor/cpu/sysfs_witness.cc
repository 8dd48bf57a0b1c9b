#include "advisor/cpu/sysfs_witness.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cache_claims.h"

namespace advisor {
namespace {

// Above NR_CPUS of any kernel.
constexpr int kMaxCpu = 1 << 16;

// "cpu12" and "cpu" -> 12.
std::optional<int> NumberAfter(absl::string_view prefix,
                               absl::string_view name) {
  int number;
  if (!absl::ConsumePrefix(&name, prefix) || name.empty() ||
      !absl::ascii_isdigit(name[0]) || !absl::SimpleAtoi(name, &number)) {
    return std::nullopt;
  }
  return number;
}

std::optional<CacheType> ParseType(absl::string_view text) {
  if (text == "Data") return CacheType::kData;
  if (text == "Instruction") return CacheType::kInstruction;
  if (text == "Unified") return CacheType::kUnified;
  return std::nullopt;
}

// "48K", "266240K", "16M".
std::optional<uint64_t> ParseSize(absl::string_view text) {
  int shift = 0;
  if (absl::ConsumeSuffix(&text, "K")) {
    shift = 10;
  } else if (absl::ConsumeSuffix(&text, "M")) {
    shift = 20;
  } else if (absl::ConsumeSuffix(&text, "G")) {
    shift = 30;
  }
  uint64_t number;
  if (!absl::SimpleAtoi(text, &number) || number == 0 ||
      number > (~uint64_t{0} >> 30)) {
    return std::nullopt;
  }
  return number << shift;
}

template <typename T>
std::optional<T> ParseNumber(absl::string_view text) {
  T number;
  if (!absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

std::optional<std::vector<int>> ParseList(absl::string_view text) {
  absl::StatusOr<std::vector<int>> list = ParseCpuList(text);
  if (!list.ok() || list->empty()) return std::nullopt;
  return *std::move(list);
}

class Reader {
 public:
  Reader(const FileReader& files, absl::string_view root)
      : files_(files), root_(root) {}

  SysfsWitness Read() {
    for (const int cpu : OnlineCpus()) witness_.cpus.push_back(ReadCpu(cpu));
    return std::move(witness_);
  }

 private:
  void AddProblem(absl::string_view path, absl::string_view why) {
    witness_.problems.push_back(absl::StrCat(path, ": ", why));
  }

  // The one line of a file through `parse`; a missing file is no problem.
  template <typename Parse>
  auto ReadField(const std::string& path, Parse parse)
      -> decltype(parse(absl::string_view())) {
    const absl::StatusOr<std::string> text = files_.Read(path);
    if (!text.ok()) {
      if (!absl::IsNotFound(text.status())) {
        AddProblem(path, text.status().message());
      }
      return std::nullopt;
    }
    const absl::string_view line = absl::StripAsciiWhitespace(*text);
    auto value = parse(line);
    if (!value.has_value()) {
      AddProblem(path,
                 absl::StrCat("makes no sense: \"",
                              absl::CHexEscape(line.substr(0, 40)), "\""));
    }
    return value;
  }

  std::vector<std::string> ListOrNothing(const std::string& path) {
    absl::StatusOr<std::vector<std::string>> names = files_.List(path);
    if (names.ok()) return *std::move(names);
    if (!absl::IsNotFound(names.status())) {
      AddProblem(path, names.status().message());
    }
    return {};
  }

  std::vector<int> OnlineCpus() {
    auto online = ReadField(absl::StrCat(root_, "/online"), ParseList);
    if (online.has_value()) return *std::move(online);
    std::vector<int> cpus;
    for (const std::string& name : ListOrNothing(root_)) {
      const std::optional<int> cpu = NumberAfter("cpu", name);
      if (cpu.has_value()) cpus.push_back(*cpu);
    }
    std::sort(cpus.begin(), cpus.end());
    return cpus;
  }

  SysfsCpu ReadCpu(int number) {
    SysfsCpu cpu;
    cpu.cpu = number;
    const std::string folder = absl::StrCat(root_, "/cpu", number);
    cpu.path = folder;
    const std::string topology = folder + "/topology/";
    cpu.package = ReadField(topology + "physical_package_id", ParseNumber<int>);
    cpu.core = ReadField(topology + "core_id", ParseNumber<int>);
    cpu.thread_siblings =
        ReadField(topology + "thread_siblings_list", ParseList);
    cpu.package_siblings =
        ReadField(topology + "core_siblings_list", ParseList);
    std::vector<int> indices;
    for (const std::string& name : ListOrNothing(folder + "/cache")) {
      const std::optional<int> index = NumberAfter("index", name);
      if (index.has_value()) indices.push_back(*index);
    }
    std::sort(indices.begin(), indices.end());
    for (const int index : indices) {
      cpu.caches.push_back(
          ReadCache(absl::StrCat(folder, "/cache/index", index)));
    }
    return cpu;
  }

  SysfsCache ReadCache(std::string folder) {
    SysfsCache cache;
    cache.level = ReadField(folder + "/level", ParseNumber<int>);
    cache.type = ReadField(folder + "/type", ParseType);
    cache.size = ReadField(folder + "/size", ParseSize);
    cache.ways =
        ReadField(folder + "/ways_of_associativity", ParseNumber<uint32_t>);
    cache.line =
        ReadField(folder + "/coherency_line_size", ParseNumber<uint32_t>);
    cache.shared_cpus = ReadField(folder + "/shared_cpu_list", ParseList);
    cache.path = std::move(folder);
    return cache;
  }

  const FileReader& files_;
  const std::string root_;
  SysfsWitness witness_;
};

std::string Count(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace

const SysfsCache* SysfsCpu::Find(int level, CacheType type) const {
  const bool wants_instruction = type == CacheType::kInstruction;
  for (const SysfsCache& cache : caches) {
    if (cache.level != level || !cache.type.has_value()) continue;
    if ((*cache.type == CacheType::kInstruction) == wants_instruction) {
      return &cache;
    }
  }
  return nullptr;
}

bool SysfsWitness::has_caches() const {
  for (const SysfsCpu& cpu : cpus) {
    for (const SysfsCache& cache : cpu.caches) {
      if (cache.level.has_value() && cache.size.has_value()) return true;
    }
  }
  return false;
}

std::optional<int> SysfsWitness::packages() const {
  std::set<int> found;
  for (const SysfsCpu& cpu : cpus) {
    if (!cpu.package.has_value()) return std::nullopt;
    found.insert(*cpu.package);
  }
  if (found.empty()) return std::nullopt;
  return static_cast<int>(found.size());
}

std::optional<int> SysfsWitness::cores() const {
  std::set<std::pair<int, int>> found;
  for (const SysfsCpu& cpu : cpus) {
    if (!cpu.package.has_value() || !cpu.core.has_value()) return std::nullopt;
    found.insert({*cpu.package, *cpu.core});
  }
  if (found.empty()) return std::nullopt;
  return static_cast<int>(found.size());
}

std::optional<int> SysfsWitness::threads_per_core() const {
  if (cpus.empty() || !cpus[0].thread_siblings.has_value()) {
    return std::nullopt;
  }
  return static_cast<int>(cpus[0].thread_siblings->size());
}

std::optional<uint64_t> SysfsWitness::SizeInPackage(int level) const {
  if (cpus.empty() || !cpus[0].package.has_value()) return std::nullopt;
  std::set<std::vector<int>> seen;
  uint64_t sum = 0;
  for (const SysfsCpu& cpu : cpus) {
    if (cpu.package != cpus[0].package) continue;
    const SysfsCache* cache = cpu.Find(level);
    if (cache == nullptr || !cache->size.has_value() ||
        !cache->shared_cpus.has_value()) {
      return std::nullopt;
    }
    if (seen.insert(*cache->shared_cpus).second) sum += *cache->size;
  }
  return sum;
}

SysfsWitness ReadSysfsWitness(const FileReader& files, absl::string_view root) {
  return Reader(files, root).Read();
}

absl::StatusOr<std::vector<int>> ParseCpuList(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return std::vector<int>();
  std::vector<std::pair<int, int>> ranges;
  for (absl::string_view range : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends =
        absl::StrSplit(range, absl::MaxSplits('-', 1));
    int first, last;
    if (!absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last) || first < 0 || last < first ||
        last > kMaxCpu) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected a list of CPUs like \"0-3,8\", found \"", text, "\""));
    }
    ranges.emplace_back(first, last);
  }
  std::vector<int> cpus;
  std::sort(ranges.begin(), ranges.end());
  for (const auto& [first, last] : ranges) {
    // The text may name the same CPUs again and again.
    int cpu = std::max(first, cpus.empty() ? 0 : cpus.back() + 1);
    for (; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string DescribeSysfsWitness(const SysfsWitness& witness) {
  if (witness.cpus.empty()) return "sysfs tells nothing";
  std::string text = Count(witness.cpus.size(), "CPU");
  if (const auto packages = witness.packages(); packages.has_value()) {
    absl::StrAppend(&text, ", ", Count(*packages, "package"));
  }
  if (const auto cores = witness.cores(); cores.has_value()) {
    absl::StrAppend(&text, ", ", Count(*cores, "core"));
  }
  if (!witness.has_caches()) return text + "; no caches";
  absl::string_view separator = "; ";
  for (const SysfsCache& cache : witness.cpus[0].caches) {
    if (!cache.level || !cache.type || !cache.size) continue;
    absl::StrAppend(&text, separator, CacheName(*cache.level, *cache.type), " ",
                    FormatCacheSize(*cache.size));
    if (cache.shared_cpus.has_value()) {
      absl::StrAppend(&text, " (", Count(cache.shared_cpus->size(), "CPU"),
                      ")");
    }
    separator = ", ";
  }
  return text;
}

}  // namespace advisor
