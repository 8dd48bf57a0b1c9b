#include "glibc_patches/checks/object_symbols.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "advisor/host/file_reader.h"

namespace glibc_patches {
namespace {

// A copy of what stands at an offset; false past the end.
template <typename T>
bool ReadAt(absl::string_view elf, uint64_t offset, T& value) {
  if (offset > elf.size() || sizeof(T) > elf.size() - offset) return false;
  std::memcpy(&value, elf.data() + offset, sizeof(T));
  return true;
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

// The NUL-terminated text at an offset of a string section.
std::string TextAt(absl::string_view elf, const Elf64_Shdr& strings,
                   uint64_t offset) {
  if (offset >= strings.sh_size || strings.sh_offset > elf.size()) return "";
  absl::string_view rest = elf.substr(strings.sh_offset);
  rest = rest.substr(0, strings.sh_size);
  rest = rest.substr(std::min<uint64_t>(offset, rest.size()));
  return std::string(rest.substr(0, rest.find('\0')));
}

struct LoadedFile {
  uint64_t address;
  // Of the file that holds it; empty: in none.
  std::string path;
  uint64_t bias;
};

int FindFile(dl_phdr_info* info, size_t, void* data) {
  LoadedFile& file = *static_cast<LoadedFile*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const Elf64_Phdr& header = info->dlpi_phdr[i];
    const uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || file.address < begin ||
        file.address - begin >= header.p_memsz) {
      continue;
    }
    // Without a name: the program itself.
    const bool named = info->dlpi_name != nullptr && *info->dlpi_name != '\0';
    file.path = named ? info->dlpi_name : "/proc/self/exe";
    file.bias = info->dlpi_addr;
    return 1;
  }
  return 0;
}

}  // namespace

absl::StatusOr<std::map<std::string, uint64_t>> FunctionSymbols(
    absl::string_view elf) {
  Elf64_Ehdr header;
  if (!ReadAt(elf, 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return Malformed("not a 64-bit ELF file");
  }
  std::map<std::string, uint64_t> symbols;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    if (!ReadAt(elf, header.e_shoff + i * sizeof(section), section)) {
      return Malformed("section headers past the end");
    }
    if (section.sh_type != SHT_SYMTAB) continue;
    if (!ReadAt(elf, header.e_shoff + section.sh_link * sizeof(strings),
                strings)) {
      return Malformed("the symbol table's strings past the end");
    }
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size;
         at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!ReadAt(elf, section.sh_offset + at, symbol)) {
        return Malformed("symbols past the end");
      }
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
          (type != STT_FUNC && type != STT_NOTYPE)) {
        continue;
      }
      symbols.emplace(TextAt(elf, strings, symbol.st_name), symbol.st_value);
    }
  }
  return symbols;
}

const std::map<std::string, uint64_t>& SymbolsAround(const void* address) {
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  static auto& known =
      *new std::map<std::string, std::map<std::string, uint64_t>>;
  LoadedFile file = {reinterpret_cast<uintptr_t>(address), "", 0};
  dl_iterate_phdr(FindFile, &file);
  const auto [found, is_new] = known.try_emplace(file.path);
  if (!is_new) return found->second;
  const auto elf = advisor::RealFileReader().Read(file.path);
  if (!elf.ok()) return found->second;
  const auto symbols = FunctionSymbols(*elf);
  if (!symbols.ok()) return found->second;
  for (const auto& [name, value] : *symbols) {
    found->second.emplace(name, file.bias + value);
  }
  return found->second;
}

}  // namespace glibc_patches
