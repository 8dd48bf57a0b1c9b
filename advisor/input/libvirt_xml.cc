// XML of libvirt: its CPUID form,
//
//   <cpudata arch='x86'>
//     <cpuid eax_in='0x00000004' ecx_in='0x00' eax='0x..' ebx=.. ecx=..
//     edx=../>
//   </cpudata>
//
// (virCPUx86DataFormat in src/cpu/cpu_x86.c; before 2.1 "function" for eax_in
// and no ecx_in), wherever in a document it stands, one <cpudata> for each CPU;
// and <capabilities> of `virsh capabilities`, whose <host><cpu> tells vendor,
// family, model and stepping.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/formats.h"
#include "advisor/input/input_text.h"
#include "advisor/input/leaf_coverage.h"
#include "advisor/input/linux_cpu.h"
#include "pugixml.hpp"

namespace advisor {
namespace {

// A document takes many times its size in memory.
constexpr size_t kMaxXmlBytes = size_t{16} << 20;

// The next node of the document in order, without recursion.
pugi::xml_node NextNode(pugi::xml_node node) {
  if (node.first_child()) return node.first_child();
  while (node && !node.next_sibling()) node = node.parent();
  return node ? node.next_sibling() : node;
}

class Parser {
 public:
  Parser(absl::string_view text, absl::string_view name)
      : text_(text), name_(name) {}

  absl::StatusOr<MachineInput> Parse() {
    if (text_.size() > kMaxXmlBytes) {
      return InputError(name_, 1,
                        absl::StrCat("at most ", kMaxXmlBytes, " bytes of XML"),
                        absl::StrCat(text_.size()));
    }
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(
        text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
      return InputError(name_, LineOfOffset(text_, result.offset), "XML",
                        absl::StrCat("\"", result.description(), "\""));
    }
    pugi::xml_node host_cpu;
    for (pugi::xml_node node = document.first_child(); node;
         node = NextNode(node)) {
      const absl::string_view kind = node.name();
      absl::Status status;
      if (kind == "cpuid") {
        status = AddLeaf(node);
      } else if (kind == "cpudata") {
        status = CheckArchitecture(node);
      } else if (kind == "cpu" && !host_cpu &&
                 absl::string_view(node.parent().name()) == "host") {
        host_cpu = node;
      }
      if (!status.ok()) return status;
    }
    if (!cpus_.empty()) return FromLeaves();
    if (host_cpu) return FromCapabilities(host_cpu);
    return InputError(name_, 1, "<cpuid eax_in=...> or <capabilities>", "none");
  }

 private:
  absl::Status Error(pugi::xml_node node, absl::string_view expected,
                     absl::string_view found) const {
    return InputError(name_, LineOfOffset(text_, node.offset_debug()), expected,
                      found);
  }

  absl::Status CheckArchitecture(pugi::xml_node node) const {
    const absl::string_view arch = node.attribute("arch").value();
    if (arch.empty() || arch == "x86" || arch == "x86_64") {
      return absl::OkStatus();
    }
    return Error(node, "<cpudata arch='x86'>", QuotedInput(arch));
  }

  absl::StatusOr<uint32_t> NumberOf(pugi::xml_node node,
                                    const char* attribute) const {
    const std::string value = node.attribute(attribute).value();
    const std::optional<uint32_t> number = ParseInputNumber(value);
    if (number.has_value()) return *number;
    return Error(node, absl::StrCat("<cpuid ", attribute, "='0x...'>"),
                 value.empty() ? "none" : QuotedInput(value));
  }

  absl::Status AddLeaf(pugi::xml_node node) {
    const bool is_old = !node.attribute("eax_in");
    const auto leaf = NumberOf(
        node, is_old && node.attribute("function") ? "function" : "eax_in");
    if (!leaf.ok()) return leaf.status();
    uint32_t subleaf = 0;
    if (node.attribute("ecx_in")) {
      const auto number = NumberOf(node, "ecx_in");
      if (!number.ok()) return number.status();
      subleaf = *number;
    }
    CpuidRegisters registers;
    const std::pair<const char*, uint32_t*> kFields[] = {
        {"eax", &registers.eax},
        {"ebx", &registers.ebx},
        {"ecx", &registers.ecx},
        {"edx", &registers.edx},
    };
    for (const auto& [attribute, target] : kFields) {
      const auto number = NumberOf(node, attribute);
      if (!number.ok()) return number.status();
      *target = *number;
    }
    if (cpus_.empty() || node.parent() != last_parent_) {
      cpus_.push_back({static_cast<uint32_t>(cpus_.size()), CpuidTable()});
      last_parent_ = node.parent();
    }
    CpuidTable& table = cpus_.back().cpuid;
    const auto known = table.entries().find({*leaf, subleaf});
    if (known != table.entries().end() && known->second != registers) {
      return Error(node, "one answer for a leaf and subleaf", "a second one");
    }
    table.Set(*leaf, subleaf, registers);
    return absl::OkStatus();
  }

  absl::StatusOr<MachineInput> FromLeaves() {
    MachineInput input;
    input.name = std::string(name_);
    for (NumberedCpu& cpu : cpus_) {
      cpu.cpuid.SetXcr0(Xcr0FromLeafD(cpu.cpuid));
    }
    SetCoverage(cpus_[0].cpuid, &input);
    AddCores(std::move(cpus_), &input);
    return input;
  }

  absl::StatusOr<MachineInput> FromCapabilities(pugi::xml_node host_cpu) const {
    LinuxCpu cpu;
    // libvirt's names of vendors (src/cpu_map/x86_vendors.xml).
    const absl::string_view vendor = host_cpu.child_value("vendor");
    if (vendor == "Intel") cpu.vendor = "GenuineIntel";
    if (vendor == "AMD") cpu.vendor = "AuthenticAMD";
    if (vendor == "Hygon") cpu.vendor = "HygonGenuine";
    const pugi::xml_node signature = host_cpu.child("signature");
    const std::pair<const char*, std::optional<uint32_t>*> kFields[] = {
        {"family", &cpu.family},
        {"model", &cpu.model},
        {"stepping", &cpu.stepping},
    };
    for (const auto& [attribute, target] : kFields) {
      *target = ParseInputNumber(signature.attribute(attribute).value());
    }
    MachineInput input;
    input.name = std::string(name_);
    if (std::optional<CpuidTable> table = CpuidOfLinuxCpu(cpu)) {
      AddCores({{0, *std::move(table)}}, &input);
    }
    input.unknown = UnknownOfLinuxCpu(cpu);
    const absl::string_view model = host_cpu.child_value("model");
    if (!model.empty()) {
      input.notes.push_back(
          OnOneLine(absl::StrCat("CPU model of libvirt: ", model)));
    }
    const pugi::xml_node cache = host_cpu.parent().child("cache");
    for (const pugi::xml_node bank : cache.children("bank")) {
      input.notes.push_back(OnOneLine(absl::StrCat(
          "L", bank.attribute("level").value(),
          " cache: ", bank.attribute("size").value(), " ",
          bank.attribute("unit").value(), ", shared by CPU ",
          bank.attribute("cpus").value(), ", as libvirt tells it")));
    }
    return input;
  }

  absl::string_view text_;
  absl::string_view name_;
  std::vector<NumberedCpu> cpus_;
  pugi::xml_node last_parent_;
};

}  // namespace

bool LooksLikeLibvirtXml(absl::string_view front) {
  const absl::string_view text = StripBlanks(front);
  return absl::StartsWith(text, "<") &&
         (absl::StrContains(text, "<cpuid") ||
          absl::StrContains(text, "<cpudata") ||
          absl::StrContains(text, "<capabilities>"));
}

absl::StatusOr<MachineInput> ParseLibvirtXml(absl::string_view text,
                                             absl::string_view name) {
  return Parser(text, name).Parse();
}

}  // namespace advisor
