// instruction_set: every instruction that the entry can lead to belongs to the
// x86-64 baseline or to a feature that the variant asks for: the selector hands
// it to CPUs that have no more.

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/code_graph.h"
#include "glibc_patches/checks/no_graph.h"
#include "glibc_patches/checks/session.h"

namespace glibc_patches {
namespace {

// What an instruction set of Zydis needs, in glibc's names.
//   isa_set   Zydis; sets that are not here belong to no memory function
//   feature   nullptr: every x86-64 CPU has it
// Source: the CPUID column of each instruction in Intel SDM volume 2.
struct IsaRow {
  ZydisISASet isa_set;
  const char* feature;
};
constexpr IsaRow kIsaRows[] = {
    {ZYDIS_ISA_SET_AVX, "AVX"},
    {ZYDIS_ISA_SET_AVX2, "AVX2"},
    {ZYDIS_ISA_SET_AVX512BW_128, "AVX512BW"},
    {ZYDIS_ISA_SET_AVX512BW_128N, "AVX512BW"},
    {ZYDIS_ISA_SET_AVX512BW_256, "AVX512BW"},
    {ZYDIS_ISA_SET_AVX512BW_512, "AVX512BW"},
    {ZYDIS_ISA_SET_AVX512BW_KOP, "AVX512BW"},
    {ZYDIS_ISA_SET_AVX512CD_128, "AVX512CD"},
    {ZYDIS_ISA_SET_AVX512CD_256, "AVX512CD"},
    {ZYDIS_ISA_SET_AVX512CD_512, "AVX512CD"},
    {ZYDIS_ISA_SET_AVX512DQ_128, "AVX512DQ"},
    {ZYDIS_ISA_SET_AVX512DQ_128N, "AVX512DQ"},
    {ZYDIS_ISA_SET_AVX512DQ_256, "AVX512DQ"},
    {ZYDIS_ISA_SET_AVX512DQ_512, "AVX512DQ"},
    {ZYDIS_ISA_SET_AVX512DQ_KOP, "AVX512DQ"},
    {ZYDIS_ISA_SET_AVX512DQ_SCALAR, "AVX512DQ"},
    {ZYDIS_ISA_SET_AVX512F_128, "AVX512VL"},
    {ZYDIS_ISA_SET_AVX512F_128N, "AVX512F"},
    {ZYDIS_ISA_SET_AVX512F_256, "AVX512VL"},
    {ZYDIS_ISA_SET_AVX512F_512, "AVX512F"},
    {ZYDIS_ISA_SET_AVX512F_KOP, "AVX512F"},
    {ZYDIS_ISA_SET_AVX512F_SCALAR, "AVX512F"},
    {ZYDIS_ISA_SET_BMI1, "BMI1"},
    {ZYDIS_ISA_SET_BMI2, "BMI2"},
    // endbr64 and nops elsewhere.
    {ZYDIS_ISA_SET_CET, nullptr},
    {ZYDIS_ISA_SET_CMOV, nullptr},
    {ZYDIS_ISA_SET_FAT_NOP, nullptr},
    {ZYDIS_ISA_SET_FXSAVE, nullptr},
    {ZYDIS_ISA_SET_I186, nullptr},
    {ZYDIS_ISA_SET_I286REAL, nullptr},
    {ZYDIS_ISA_SET_I386, nullptr},
    {ZYDIS_ISA_SET_I486, nullptr},
    {ZYDIS_ISA_SET_I486REAL, nullptr},
    {ZYDIS_ISA_SET_I86, nullptr},
    {ZYDIS_ISA_SET_LONGMODE, nullptr},
    {ZYDIS_ISA_SET_LZCNT, "LZCNT"},
    {ZYDIS_ISA_SET_MOVBE, "MOVBE"},
    {ZYDIS_ISA_SET_MOVDIR, "MOVDIRI"},
    {ZYDIS_ISA_SET_PAUSE, nullptr},
    {ZYDIS_ISA_SET_PENTIUMMMX, nullptr},
    {ZYDIS_ISA_SET_PENTIUMREAL, nullptr},
    {ZYDIS_ISA_SET_POPCNT, "POPCNT"},
    {ZYDIS_ISA_SET_PPRO, nullptr},
    {ZYDIS_ISA_SET_PREFETCH_NOP, nullptr},
    {ZYDIS_ISA_SET_RTM, "RTM"},
    {ZYDIS_ISA_SET_SSE, nullptr},
    {ZYDIS_ISA_SET_SSE2, nullptr},
    {ZYDIS_ISA_SET_SSE2MMX, nullptr},
    {ZYDIS_ISA_SET_SSE3, "SSE3"},
    {ZYDIS_ISA_SET_SSE4, "SSE4_1"},
    {ZYDIS_ISA_SET_SSE42, "SSE4_2"},
    {ZYDIS_ISA_SET_SSEMXCSR, nullptr},
    {ZYDIS_ISA_SET_SSE_PREFETCH, nullptr},
    {ZYDIS_ISA_SET_SSSE3, "SSSE3"},
    {ZYDIS_ISA_SET_SSSE3MMX, "SSSE3"},
    {ZYDIS_ISA_SET_X87, nullptr},
};

// A CPU with `feature` has `implied` too (Intel SDM volume 1, sections 14.3 and
// 15.2 to 15.4: the order in which a program must ask).
struct ImpliedRow {
  const char* feature;
  const char* implied;
};
constexpr ImpliedRow kImplied[] = {
    {"AVX512BW", "AVX512F"}, {"AVX512DQ", "AVX512F"}, {"AVX512VL", "AVX512F"},
    {"AVX512F", "AVX2"},     {"AVX2", "AVX"},         {"AVX", "SSE4_2"},
    {"SSE4_2", "SSE4_1"},    {"SSE4_1", "SSSE3"},     {"SSSE3", "SSE3"},
};

std::set<std::string> Offered(const kernels::Variant& variant) {
  std::set<std::string> offered;
  for (absl::string_view feature : variant.required_features) {
    offered.emplace(feature);
  }
  // Rows are in the order of implication.
  for (const ImpliedRow& row : kImplied) {
    if (offered.count(row.feature) > 0) offered.insert(row.implied);
  }
  return offered;
}

}  // namespace

void RunInstructionSetCheck(const CheckContext& context,
                            CheckSession& session) {
  const auto graph = CodeGraph::Of(context.variant);
  if (!graph.ok()) return TellNoGraph(graph.status(), session);
  const std::set<std::string> offered = Offered(context.variant);
  for (const auto& [address, instruction] : graph->instructions()) {
    const auto* row =
        std::find_if(std::begin(kIsaRows), std::end(kIsaRows),
                     [&, set = instruction.isa_set](const IsaRow& candidate) {
                       return candidate.isa_set == set;
                     });
    if (row == std::end(kIsaRows)) {
      session.FailCode(absl::StrCat("an instruction of the set ",
                                    ZydisISASetGetString(instruction.isa_set),
                                    ", which belongs in no memory function: ",
                                    graph->Describe(instruction)));
    } else if (row->feature != nullptr && offered.count(row->feature) == 0) {
      session.FailCode(absl::StrCat("needs ", row->feature,
                                    ", which the variant does not ask for: ",
                                    graph->Describe(instruction)));
    }
  }
}

}  // namespace glibc_patches
