#include "advisor/glibc/replay_sites.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"

namespace advisor {
namespace {

constexpr ReplayedInstruction kInstructions[] = {ReplayedInstruction::kCpuid,
                                                 ReplayedInstruction::kXgetbv};

std::optional<ReplayedInstruction> AsReplayed(ZydisMnemonic mnemonic) {
  if (mnemonic == ZYDIS_MNEMONIC_CPUID) return ReplayedInstruction::kCpuid;
  if (mnemonic == ZYDIS_MNEMONIC_XGETBV) return ReplayedInstruction::kXgetbv;
  return std::nullopt;
}

void SweepCode(const ZydisDecoder& decoder, const ElfFile::Code& code,
               std::vector<ReplaySite>* sites) {
  absl::string_view rest = code.bytes;
  while (!rest.empty()) {
    ZydisDecodedInstruction decoded;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
            &decoder, nullptr, rest.data(), rest.size(), &decoded))) {
      // Data, or an instruction that is newer than the decoder.
      rest.remove_prefix(1);
      continue;
    }
    const auto instruction = AsReplayed(decoded.mnemonic);
    if (instruction.has_value() &&
        absl::StartsWith(rest, BytesOf(*instruction))) {
      sites->push_back(
          {code.address + code.bytes.size() - rest.size(), *instruction});
    }
    rest.remove_prefix(decoded.length);
  }
}

}  // namespace

absl::string_view BytesOf(ReplayedInstruction instruction) {
  switch (instruction) {
    case ReplayedInstruction::kCpuid:
      return "\x0f\xa2";
    case ReplayedInstruction::kXgetbv:
      return "\x0f\x01\xd0";
  }
  return "";
}

ReplaySites FindReplaySites(const ElfFile& file) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  const auto by_address = [](const ReplaySite& a, const ReplaySite& b) {
    return a.address < b.address;
  };
  ReplaySites result;
  for (const ElfFile::Code& code : file.code) {
    SweepCode(decoder, code, &result.sites);
  }
  std::sort(result.sites.begin(), result.sites.end(), by_address);
  for (const ElfFile::Code& code : file.code) {
    for (const ReplayedInstruction instruction : kInstructions) {
      for (size_t at = code.bytes.find(BytesOf(instruction));
           at != absl::string_view::npos;
           at = code.bytes.find(BytesOf(instruction), at + 1)) {
        const ReplaySite here = {code.address + at, instruction};
        if (!std::binary_search(result.sites.begin(), result.sites.end(), here,
                                by_address)) {
          result.uncertain.push_back(here.address);
        }
      }
    }
  }
  std::sort(result.uncertain.begin(), result.uncertain.end());
  return result;
}

}  // namespace advisor
