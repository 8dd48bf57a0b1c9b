#include "kernels/object_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace kernels {
namespace {

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("object file: expected ", what));
}

// A copy of `count` records of type T at `offset`; empty when they are not all
// inside the file.
template <typename T>
std::vector<T> Records(absl::string_view file, uint64_t offset,
                       uint64_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) {
    return {};
  }
  std::vector<T> records(count);
  std::memcpy(records.data(), file.data() + offset, count * sizeof(T));
  return records;
}

template <typename T>
std::vector<T> Records(absl::string_view file, const Elf64_Shdr& section) {
  return Records<T>(file, section.sh_offset, section.sh_size / sizeof(T));
}

// Bytes that a relocation of this type fills in.
size_t FieldSize(uint32_t type) { return type == R_X86_64_64 ? 8 : 4; }

absl::StatusOr<std::vector<Elf64_Shdr>> Sections(absl::string_view object) {
  const auto header = Records<Elf64_Ehdr>(object, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64 ||
      header[0].e_machine != EM_X86_64 || header[0].e_type != ET_REL) {
    return Malformed("an x86-64 ELF file of type ET_REL");
  }
  auto sections =
      Records<Elf64_Shdr>(object, header[0].e_shoff, header[0].e_shnum);
  if (sections.empty()) return Malformed("section headers");
  return sections;
}

// The index of the section that defines `name`.
absl::StatusOr<size_t> FindSymbol(absl::string_view object,
                                  absl::Span<const Elf64_Shdr> sections,
                                  absl::string_view name) {
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) {
      continue;
    }
    const auto names = Records<char>(object, sections[table.sh_link]);
    for (const auto& symbol : Records<Elf64_Sym>(object, table)) {
      if (symbol.st_name >= names.size() ||
          symbol.st_shndx >= sections.size()) {
        continue;
      }
      const char* start = names.data() + symbol.st_name;
      const size_t limit = names.size() - symbol.st_name;
      if (absl::string_view(start, strnlen(start, limit)) == name &&
          symbol.st_shndx != SHN_UNDEF) {
        return symbol.st_shndx;
      }
    }
  }
  return absl::NotFoundError(absl::StrCat("object file: no symbol ", name));
}

}  // namespace

absl::StatusOr<CodePattern> SectionOfSymbol(absl::string_view object,
                                            absl::string_view symbol) {
  const auto sections = Sections(object);
  if (!sections.ok()) return sections.status();
  const auto index = FindSymbol(object, *sections, symbol);
  if (!index.ok()) return index.status();
  const auto bytes = Records<char>(object, (*sections)[*index]);
  CodePattern pattern;
  pattern.bytes.assign(bytes.begin(), bytes.end());
  pattern.known.assign(bytes.size(), true);
  for (const Elf64_Shdr& section : *sections) {
    if (section.sh_type != SHT_RELA || section.sh_info != *index) continue;
    for (const auto& relocation : Records<Elf64_Rela>(object, section)) {
      const uint64_t end =
          relocation.r_offset + FieldSize(ELF64_R_TYPE(relocation.r_info));
      if (end > bytes.size()) return Malformed("relocations inside the code");
      for (uint64_t i = relocation.r_offset; i < end; ++i) {
        pattern.known[i] = false;
      }
    }
  }
  return pattern;
}

std::vector<size_t> FindPattern(absl::string_view image,
                                const CodePattern& pattern) {
  std::vector<size_t> found;
  // The longest run of known bytes finds candidates fast.
  size_t run = 0, run_size = 0;
  for (size_t i = 0, size = 0; i < pattern.known.size(); ++i) {
    size = pattern.known[i] ? size + 1 : 0;
    if (size > run_size) {
      run_size = size;
      run = i + 1 - size;
    }
  }
  if (run_size == 0) return found;
  const absl::string_view key(pattern.bytes.data() + run, run_size);
  for (size_t at = image.find(key); at != absl::string_view::npos;
       at = image.find(key, at + 1)) {
    if (at < run || at - run + pattern.bytes.size() > image.size()) continue;
    const char* start = image.data() + at - run;
    bool equal = true;
    for (size_t i = 0; equal && i < pattern.bytes.size(); ++i) {
      equal = !pattern.known[i] || start[i] == pattern.bytes[i];
    }
    if (equal) found.push_back(at - run);
  }
  return found;
}

}  // namespace kernels
