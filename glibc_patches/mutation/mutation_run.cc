#include "glibc_patches/mutation/mutation_run.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "advisor/host/interrupt.h"
#include "glibc_patches/built_tree.h"
#include "glibc_patches/mutation/assembly.h"
#include "glibc_patches/mutation/decisions.h"
#include "glibc_patches/mutation/equivalence.h"
#include "glibc_patches/mutation/rules.h"
#include "glibc_patches/patched_source.h"
#include "glibc_patches/scratch_folder.h"

namespace glibc_patches {
namespace {

bool IsWanted(absl::string_view name, const std::vector<std::string>& parts) {
  return parts.empty() ||
         std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
           return absl::StrContains(name, part);
         });
}

class MutationRun {
 public:
  MutationRun(const std::string& source, const MutationOptions& options,
              const MutationDoors& doors)
      : source_(source), options_(options), doors_(doors) {}

  absl::StatusOr<Score> Run() {
    const absl::Time start = absl::Now();
    const auto release = ReleaseOf(source_, doors_.files);
    if (!release.ok()) return release.status();
    score_.release = *release;
    if (absl::Status status = BuildBase(); !status.ok()) return status;
    if (absl::Status status = Enumerate(); !status.ok()) return status;
    if (faults_.empty() && preserving_.empty()) {
      return absl::InvalidArgumentError("no rule and file of these names");
    }
    score_.candidates = static_cast<int>(faults_.size());
    JudgeAll(preserving_, options_.preserving, score_.preserving);
    JudgeAll(faults_, options_.mutants, score_.faults);
    if (!status_.ok()) return status_;
    score_.excused.assign(excused_.begin(), excused_.end());
    score_.seconds = absl::ToDoubleSeconds(absl::Now() - start);
    return std::move(score_);
  }

 private:
  std::string built() const { return doors_.scratch + "/base"; }

  absl::Status BuildBase() {
    const auto kernel_files = FilesToBuild(doors_.root, {}, doors_.files);
    if (!kernel_files.ok()) return kernel_files.status();
    return BuildTree(source_, built(), doors_.root, *kernel_files,
                     doors_.subprocess, /*keep_parts=*/true);
  }

  absl::Status Enumerate() {
    const auto names = doors_.files.List(built());
    if (!names.ok()) return names.status();
    for (absl::string_view name : *names) {
      if (!absl::ConsumeSuffix(&name, ".s") ||
          !IsWanted(name, options_.sources)) {
        continue;
      }
      auto text = doors_.files.Read(absl::StrCat(built(), "/", name, ".s"));
      if (!text.ok()) return text.status();
      const std::string file(name);
      const Listing& listing =
          listings_.emplace(file, ParseListing(*std::move(text))).first->second;
      const RuleContext context = RuleContext::Of(listing, file);
      Collect(Plant(context, FaultRules()), faults_);
      Collect(Plant(context, PreservingRules()), preserving_);
    }
    faults_ = InTurn(std::move(faults_), options_.seed);
    preserving_ = InTurn(std::move(preserving_), options_.seed);
    return absl::OkStatus();
  }

  void Collect(std::vector<Mutant> mutants, std::vector<Mutant>& all) const {
    for (Mutant& mutant : mutants) {
      if (!IsWanted(mutant.rule, options_.rules)) continue;
      absl::string_view file = mutant.file;
      absl::ConsumePrefix(&file, source_);
      absl::ConsumePrefix(&file, "/");
      mutant.file = std::string(file);
      all.push_back(std::move(mutant));
    }
  }

  void JudgeAll(const std::vector<Mutant>& mutants, int wanted,
                std::vector<JudgedMutant>& judged) {
    size_t next = 0;
    int planted = 0;
    const auto work = [&](int worker) {
      std::unique_lock<std::mutex> lock(mutex_);
      while (next < mutants.size() && planted < wanted && status_.ok()) {
        const Mutant& mutant = mutants[next++];
        // Taken back when it turns out to be none.
        ++planted;
        lock.unlock();
        JudgedMutant result = JudgeOne(mutant, worker);
        lock.lock();
        if (result.fate == Fate::kNotPlanted) --planted;
        if (doors_.judged) doors_.judged(result);
        judged.push_back(std::move(result));
      }
    };
    std::vector<std::thread> workers;
    for (int i = 1; i < options_.jobs; ++i) workers.emplace_back(work, i);
    work(0);
    for (std::thread& worker : workers) worker.join();
  }

  JudgedMutant JudgeOne(const Mutant& mutant, int worker) {
    const absl::Time start = absl::Now();
    JudgedMutant result;
    result.mutant = mutant;
    const std::string out = absl::StrCat(doors_.scratch, "/", worker);
    if (Build(mutant, out, result)) Decide(out, result);
    result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
    return result;
  }

  // False when the fate is known already.
  bool Build(const Mutant& mutant, const std::string& out,
             JudgedMutant& result) {
    const std::string text = absl::StrCat(out, "/", mutant.source, ".s");
    absl::Status status =
        WriteFile(text, Apply(listings_.at(mutant.source).text, mutant.edits));
    if (!status.ok()) return Stop(status);
    for (const char* left : {"/tree.so", "/sizes.txt"}) {
      RemoveFile(out + left).IgnoreError();
    }
    advisor::Command command;
    command.argv = {
        "/bin/bash", doors_.root + "/glibc_patches/mutation/build_mutant.sh",
        built(),     mutant.source,
        text,        out};
    command.environment = advisor::Environment::OfThisProcess().ForChild(
        {"CC", "CXX", "NM", "OBJCOPY"});
    command.time_limit = absl::Minutes(1);
    command.file_limit = advisor::kBuildFileLimit;
    const auto built_it = doors_.subprocess.Run(command);
    if (!built_it.ok()) return Stop(built_it.status());
    if (!built_it->succeeded()) {
      result.reason =
          absl::StrCat("cannot be assembled: ", built_it->standard_error);
      return false;
    }
    const std::string object = absl::StrCat("/", mutant.source, ".o");
    const auto code = doors_.files.Read(out + object);
    const auto base = doors_.files.Read(built() + object);
    if (!code.ok()) return Stop(code.status());
    if (!base.ok()) return Stop(base.status());
    if (*code == *base) {
      result.fate = Fate::kEquivalent;
      result.reason = "the same object code";
      return false;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (seen_.insert(mutant.source + *code).second) return true;
    result.reason = "the same code as another mutant";
    return false;
  }

  void Decide(const std::string& out, JudgedMutant& result) {
    JudgeRequest request;
    request.tree = out + "/tree.so";
    request.sizes = out + "/sizes.txt";
    request.source = result.mutant.source;
    request.seed = options_.seed;
    while (true) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        request.excused.assign(excused_.begin(), excused_.end());
      }
      auto judgement = Ask(request);
      if (!judgement.ok()) {
        Stop(judgement.status());
        return;
      }
      result.judgement = *std::move(judgement);
      if (!result.judgement.killed) break;
      if (!FailsInBase(result.mutant.source, result.judgement)) break;
    }
    if (result.judgement.killed) {
      result.fate = Fate::kKilled;
    } else if (result.judgement.passed > 0) {
      result.fate = Fate::kSurvived;
      if (!IsPreserving(result.mutant.rule)) Explain(request, result);
    } else {
      result.reason = "no variant of the file runs on this CPU";
    }
  }

  // A survivor is equivalent for one of the reasons that README.md lists.
  void Explain(JudgeRequest request, JudgedMutant& result) {
    const Mutant& mutant = result.mutant;
    const Listing& listing = listings_.at(mutant.source);
    const RuleContext context = RuleContext::Of(listing, mutant.source);
    if (const auto reason = WhyEquivalent(context, mutant)) {
      result.fate = Fate::kEquivalent;
      result.reason = *reason;
      return;
    }
    if (!OnlyDecides(context, mutant)) return;
    request.base_tree = PlacedTree(built(), 0);
    const auto paths = Ask(request);
    if (!paths.ok()) {
      Stop(paths.status());
      return;
    }
    if (paths->wrong > 0) {
      result.reason = absl::StrCat(
          "no check made one of the calls that it gets wrong, ", paths->wrong,
          " of ", paths->differ, " that go another way than the base");
      return;
    }
    std::string reason =
        "only decides which way jumps go, and both ways are right";
    std::string count = absl::StrCat(paths->differ, " of ", paths->compared,
                                     " calls went another way than the base "
                                     "and were right, and no check failed");
    if (paths->differ == 0) {
      const auto why = WhyNoneDiffers(context, mutant);
      if (!why.has_value() || paths->reached == 0) return;
      reason = *why;
      count = absl::StrCat("none of ", paths->reached,
                           " calls that came there went another way");
    }
    result.fate = Fate::kEquivalent;
    result.reason = absl::StrCat(reason, ": ", count);
  }

  static bool IsPreserving(const std::string& rule) {
    const auto rules = PreservingRules();
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule& row) { return row.name == rule; });
  }

  // What validate_patch excuses, too. Asked once for each check and variant.
  bool FailsInBase(const std::string& source, const Judgement& judgement) {
    const std::string key =
        absl::StrCat(judgement.check, " ", judgement.variant);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (excused_.count(key) > 0) return true;
      if (passes_in_base_.count(key) > 0) return false;
    }
    JudgeRequest request;
    request.tree = PlacedTree(built(), 0);
    request.source = source;
    request.seed = options_.seed;
    request.effort =
        judgement.in_second_look ? Effort::kNormal : Effort::kQuick;
    request.only_check = judgement.check;
    request.only_variant = judgement.variant;
    const auto base = Ask(request);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!base.ok()) {
      if (status_.ok()) status_ = base.status();
      return false;
    }
    (base->killed ? excused_ : passes_in_base_).insert(key);
    return base->killed;
  }

  absl::StatusOr<Judgement> Ask(const JudgeRequest& request) {
    advisor::Command command;
    command.argv = {doors_.judge};
    for (std::string& word : WordsOf(request)) {
      command.argv.push_back(std::move(word));
    }
    command.environment = advisor::Environment::OfThisProcess().ForChild();
    command.time_limit = absl::Minutes(10);
    // Whole copies of huge sizes are made of a file in memory.
    command.file_limit = advisor::kBuildFileLimit;
    const auto answer = doors_.subprocess.Run(command);
    if (!answer.ok()) return answer.status();
    if (!answer->succeeded()) {
      return absl::InternalError(
          absl::StrCat("the judge's process: ", answer->Describe(), " ",
                       answer->FirstErrorLine()));
    }
    return ParseJudgement(answer->standard_output);
  }

  bool Stop(const absl::Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (status_.ok()) status_ = status;
    return false;
  }

  const std::string& source_;
  const MutationOptions& options_;
  const MutationDoors& doors_;
  std::map<std::string, Listing> listings_;
  std::vector<Mutant> faults_;
  std::vector<Mutant> preserving_;
  Score score_;
  std::mutex mutex_;
  absl::Status status_;
  std::set<std::string> seen_;
  std::set<std::string> excused_;
  std::set<std::string> passes_in_base_;
};

}  // namespace

std::vector<Mutant> InTurn(std::vector<Mutant> mutants, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<std::pair<std::string, std::string>, std::vector<Mutant>> cells;
  for (Mutant& mutant : mutants) {
    cells[{mutant.rule, mutant.source}].push_back(std::move(mutant));
  }
  std::vector<std::vector<Mutant>*> order;
  for (auto& [key, cell] : cells) {
    std::shuffle(cell.begin(), cell.end(), random);
    order.push_back(&cell);
  }
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Mutant> result;
  for (bool any = true; any;) {
    any = false;
    for (std::vector<Mutant>* cell : order) {
      if (cell->empty()) continue;
      any = true;
      result.push_back(std::move(cell->back()));
      cell->pop_back();
    }
  }
  return result;
}

absl::StatusOr<Score> RunMutation(const std::string& source,
                                  const MutationOptions& options,
                                  const MutationDoors& doors) {
  return MutationRun(source, options, doors).Run();
}

}  // namespace glibc_patches
