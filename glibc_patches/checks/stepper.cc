#include "glibc_patches/checks/stepper.h"

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/fault_hooks.h"

namespace glibc_patches {
namespace {

constexpr unsigned char kBreakpoint = 0xcc;
constexpr greg_t kTrapFlag = 1 << 8;
constexpr greg_t kDirectionFlag = 1 << 10;
// Below the stack pointer at entry a variant may keep what it likes.
constexpr uint64_t kStack = 64 << 10;

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  bool is_string;   // rep movs, rep stos
  bool has_memory;  // operands to be looked at
};

// Where general registers stand in gregs, by Zydis' id of the 64-bit register.
int GregOf(ZydisRegister reg) {
  constexpr int kGregs[] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return kGregs[reg - ZYDIS_REGISTER_RAX];
}

// The value of a mask register (k0 to k7) in the signal frame, which holds the
// XSAVE area in standard format: header at byte 512, opmask state where CPUID
// leaf 0xD, subleaf 5 says.
uint64_t MaskRegister(const ucontext_t& context, int number) {
  static const uint32_t offset = [] {
    unsigned int eax, ebx, ecx, edx;
    return __get_cpuid_count(0xd, 5, &eax, &ebx, &ecx, &edx) ? ebx : 0;
  }();
  const auto* area = reinterpret_cast<const char*>(context.uc_mcontext.fpregs);
  uint64_t in_area;
  std::memcpy(&in_area, area + 512, sizeof(in_area));
  constexpr uint64_t kOpmask = 1 << 5;
  if (offset == 0 || (in_area & kOpmask) == 0) return 0;
  uint64_t value;
  std::memcpy(&value, area + offset + 8 * number, sizeof(value));
  return value;
}

class Stepper {
 public:
  Stepper() {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64,
                     ZYDIS_STACK_WIDTH_64);
  }

  std::optional<SteppedCall> Call(const kernels::Variant& variant,
                                  const PlacedCall& call);
  bool OnTrap(ucontext_t& context);

 private:
  // Looks at the instruction at rip, and those after it when it is executed
  // here.
  void Look(ucontext_t& context);
  const Decoded* DecodeAt(uint64_t address);
  void LookAtOperand(const ucontext_t& context, const Decoded& decoded,
                     const ZydisDecodedOperand& operand);
  void ExecuteString(ucontext_t& context, const Decoded& decoded);
  void Access(uint64_t address, uint64_t size, bool writes, uint64_t rip);

  ZydisDecoder decoder_;
  std::unordered_map<uint64_t, Decoded> cache_;
  bool writable_ = false;
  unsigned char original_ = 0;

  uint64_t entry_ = 0;
  // The call in progress, as addresses.
  uint64_t from_ = 0;
  uint64_t from_end_ = 0;
  uint64_t to_ = 0;
  uint64_t to_end_ = 0;
  bool reads_aligned_ = false;
  uint64_t stack_ = 0;
  uint64_t return_ = 0;
  SteppedCall result_;
};

Stepper& TheStepper() {
  static Stepper& stepper = *new Stepper;
  return stepper;
}

std::optional<SteppedCall> Stepper::Call(const kernels::Variant& variant,
                                         const PlacedCall& call) {
  entry_ = reinterpret_cast<uintptr_t>(variant.address);
  auto* code = reinterpret_cast<volatile unsigned char*>(entry_);
  if (!writable_) {
    writable_ = mprotect(reinterpret_cast<void*>(entry_ / kPage * kPage), kPage,
                         PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
    if (!writable_) return std::nullopt;
    original_ = *code;
  }
  to_ = reinterpret_cast<uintptr_t>(DestinationOf(call));
  to_end_ = to_ + call.size;
  const bool reads = variant.function != kernels::Function::kMemset;
  from_ = reads ? reinterpret_cast<uintptr_t>(SourceOf(call)) : 0;
  from_end_ = reads ? from_ + call.size : 0;
  reads_aligned_ = absl::StrContains(variant.name, "ssse3");
  result_ = {};
  SetTrapHandler(
      [](ucontext_t& context) { return TheStepper().OnTrap(context); });
  *code = kBreakpoint;
  CallVariant(variant, call);
  *code = original_;
  return result_;
}

bool Stepper::OnTrap(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  const uint64_t rip = registers[REG_RIP];
  const bool stepping = (registers[REG_EFL] & kTrapFlag) != 0;
  if (!stepping) {
    if (rip != entry_ + 1) return false;
    *reinterpret_cast<volatile unsigned char*>(entry_) = original_;
    registers[REG_RIP] = static_cast<greg_t>(entry_);
    registers[REG_EFL] |= kTrapFlag;
    stack_ = registers[REG_RSP] + 8;
    std::memcpy(&return_, reinterpret_cast<const void*>(registers[REG_RSP]),
                sizeof(return_));
  }
  Look(context);
  return true;
}

void Stepper::Look(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  while (true) {
    const uint64_t rip = registers[REG_RIP];
    const Decoded* decoded = rip == return_ ? nullptr : DecodeAt(rip);
    // What is wrong ends the stepping, so that no second finding hides it.
    if (decoded == nullptr || result_.wrong.has_value()) {
      registers[REG_EFL] &= ~kTrapFlag;
      return;
    }
    ++result_.instructions;
    if (!decoded->has_memory) return;
    for (int i = 0; i < decoded->instruction.operand_count; ++i) {
      const ZydisDecodedOperand& operand = decoded->operands[i];
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.actions != 0 &&
          operand.mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
        LookAtOperand(context, *decoded, operand);
      }
    }
    if (!decoded->is_string || result_.wrong.has_value()) return;
    // It would trap after each of its steps.
    ExecuteString(context, *decoded);
  }
}

const Decoded* Stepper::DecodeAt(uint64_t address) {
  const auto found = cache_.find(address);
  if (found != cache_.end()) return &found->second;
  Decoded decoded = {};
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
          &decoder_, reinterpret_cast<const void*>(address),
          ZYDIS_MAX_INSTRUCTION_LENGTH, &decoded.instruction,
          decoded.operands))) {
    return nullptr;
  }
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  const ZydisInstructionCategory category = instruction.meta.category;
  decoded.is_string = category == ZYDIS_CATEGORY_STRINGOP &&
                      (instruction.attributes & ZYDIS_ATTRIB_HAS_REP) != 0 &&
                      instruction.mnemonic != ZYDIS_MNEMONIC_LODSB;
  const bool touches_none = category == ZYDIS_CATEGORY_PREFETCH ||
                            category == ZYDIS_CATEGORY_NOP ||
                            category == ZYDIS_CATEGORY_WIDENOP;
  for (int i = 0; i < instruction.operand_count && !touches_none; ++i) {
    decoded.has_memory |= decoded.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY;
  }
  return &cache_.emplace(address, decoded).first->second;
}

uint64_t AddressOf(const ucontext_t& context, const Decoded& decoded,
                   const ZydisDecodedOperandMem& memory) {
  const greg_t* registers = context.uc_mcontext.gregs;
  uint64_t address = memory.disp.has_displacement ? memory.disp.value : 0;
  if (memory.base == ZYDIS_REGISTER_RIP) {
    address += registers[REG_RIP] + decoded.instruction.length;
  } else if (memory.base >= ZYDIS_REGISTER_RAX &&
             memory.base <= ZYDIS_REGISTER_R15) {
    address += registers[GregOf(memory.base)];
  }
  if (memory.index >= ZYDIS_REGISTER_RAX &&
      memory.index <= ZYDIS_REGISTER_R15) {
    address += registers[GregOf(memory.index)] * memory.scale;
  }
  return address;
}

void Stepper::LookAtOperand(const ucontext_t& context, const Decoded& decoded,
                            const ZydisDecodedOperand& operand) {
  const uint64_t rip = context.uc_mcontext.gregs[REG_RIP];
  const bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  const uint64_t address = AddressOf(context, decoded, operand.mem);
  if (decoded.is_string) {
    const uint64_t count = context.uc_mcontext.gregs[REG_RCX];
    const uint64_t width = operand.size / 8;
    if (count == 0) return;
    const bool down =
        (context.uc_mcontext.gregs[REG_EFL] & kDirectionFlag) != 0;
    Access(down ? address - (count - 1) * width : address, count * width,
           writes, rip);
    return;
  }
  const auto& mask = decoded.instruction.avx.mask;
  const bool masked = mask.mode != ZYDIS_MASK_MODE_INVALID &&
                      mask.mode != ZYDIS_MASK_MODE_DISABLED &&
                      mask.reg > ZYDIS_REGISTER_K0 &&
                      mask.reg <= ZYDIS_REGISTER_K7;
  if (!masked) {
    Access(address, operand.size / 8, writes, rip);
    return;
  }
  const uint64_t bits = MaskRegister(context, mask.reg - ZYDIS_REGISTER_K0);
  const uint64_t width = std::max(operand.element_size / 8, 1);
  for (int i = 0; i < operand.element_count && i < 64; ++i) {
    if ((bits >> i & 1) != 0) Access(address + i * width, width, writes, rip);
  }
}

void Stepper::ExecuteString(ucontext_t& context, const Decoded& decoded) {
  greg_t* registers = context.uc_mcontext.gregs;
  const int64_t width = decoded.operands[0].size / 8;
  const bool down = (registers[REG_EFL] & kDirectionFlag) != 0;
  const int64_t step = down ? -width : width;
  const bool moves = decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOVSB ||
                     decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOVSW ||
                     decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOVSD ||
                     decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOVSQ;
  const greg_t value = registers[REG_RAX];
  for (; registers[REG_RCX] != 0; --registers[REG_RCX]) {
    void* to = reinterpret_cast<void*>(registers[REG_RDI]);
    const void* from =
        moves ? reinterpret_cast<const void*>(registers[REG_RSI]) : &value;
    std::memmove(to, from, width);
    registers[REG_RDI] += step;
    if (moves) registers[REG_RSI] += step;
  }
  registers[REG_RIP] += decoded.instruction.length;
}

void Stepper::Access(uint64_t address, uint64_t size, bool writes,
                     uint64_t rip) {
  if (result_.wrong.has_value() || size == 0) return;
  const auto within = [&](uint64_t begin, uint64_t end) {
    return address >= begin && address <= end && size <= end - address;
  };
  if (writes ? within(to_, to_end_) : within(from_, from_end_)) return;
  if (!writes && reads_aligned_ && size == 16 && address % 16 == 0 &&
      address < from_end_ && address + 16 > from_) {
    return;
  }
  const bool in_world = World::Get().OffsetOf(address).has_value();
  if (!in_world && (!writes || within(stack_ - kStack, stack_))) return;
  const bool beside_source =
      !writes || (from_ != 0 && within(from_, from_end_));
  const uint64_t begin = beside_source && from_ != 0 ? from_ : to_;
  const uint64_t end = beside_source && from_ != 0 ? from_end_ : to_end_;
  std::string place;
  if (!in_world) {
    place = "memory that is neither an operand nor its stack";
  } else if (within(begin, end)) {
    place = beside_source ? "the source" : "the destination";
  } else {
    const absl::string_view operand =
        begin == from_ ? "the source" : "the destination";
    place = address < begin ? absl::StrCat("from ", begin - address,
                                           " bytes before ", operand)
                            : absl::StrCat("up to ", address + size - end,
                                           " bytes past the end of ", operand);
  }
  const int64_t offset = rip - entry_;
  result_.wrong = absl::StrFormat(
      "%s %d bytes, %s (instruction at %s0x%x from the entry)",
      writes ? "writes" : "reads", size, place, offset < 0 ? "-" : "+",
      static_cast<uint64_t>(std::abs(offset)));
}

}  // namespace

std::optional<SteppedCall> CallStepped(const kernels::Variant& variant,
                                       const PlacedCall& call) {
  return TheStepper().Call(variant, call);
}

}  // namespace glibc_patches
