#include "advisor/glibc/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace advisor {
namespace {

constexpr absl::string_view kMagic = "\177ELF";

// The part of the file, if it is there.
std::optional<absl::string_view> Part(absl::string_view content,
                                      uint64_t offset, uint64_t size) {
  if (offset > content.size() || size > content.size() - offset) {
    return std::nullopt;
  }
  return content.substr(offset, size);
}

template <typename Entry>
std::optional<Entry> ReadAt(absl::string_view content, uint64_t offset) {
  const auto part = Part(content, offset, sizeof(Entry));
  if (!part.has_value()) return std::nullopt;
  Entry entry;
  std::memcpy(&entry, part->data(), sizeof(entry));
  return entry;
}

// The entries of a table that the file really has.
template <typename Entry>
std::vector<Entry> ReadTable(absl::string_view content, uint64_t offset,
                             int count) {
  std::vector<Entry> table;
  for (int i = 0; i < count && offset <= content.size(); ++i) {
    const auto entry =
        ReadAt<Entry>(content, offset + uint64_t{sizeof(Entry)} * i);
    if (!entry.has_value()) break;
    table.push_back(*entry);
  }
  return table;
}

// The description of the note of GNU's build-id.
std::optional<std::string> FindBuildId(absl::string_view notes) {
  const auto aligned = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  while (true) {
    const auto note = ReadAt<Elf64_Nhdr>(notes, 0);
    if (!note.has_value()) return std::nullopt;
    const uint64_t name_at = sizeof(*note);
    const uint64_t text_at = name_at + aligned(note->n_namesz);
    const auto name = Part(notes, name_at, note->n_namesz);
    const auto text = Part(notes, text_at, note->n_descsz);
    if (!name.has_value() || !text.has_value()) return std::nullopt;
    if (note->n_type == NT_GNU_BUILD_ID &&
        *name == absl::string_view("GNU\0", 4)) {
      return absl::BytesToHexString(*text);
    }
    const uint64_t end = text_at + aligned(note->n_descsz);
    if (end >= notes.size()) return std::nullopt;
    notes.remove_prefix(end);
  }
}

}  // namespace

absl::StatusOr<ElfFile> ParseElfFile(absl::string_view content,
                                     absl::string_view name) {
  const auto wrong = [&](absl::string_view found) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected an x86-64 ELF file, found ", found));
  };
  if (!absl::StartsWith(content, kMagic)) return wrong("no ELF magic number");
  const auto header = ReadAt<Elf64_Ehdr>(content, 0);
  if (!header.has_value()) return wrong("a file that ends in its header");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != EM_X86_64) {
    return wrong("one of another machine");
  }
  if (header->e_type != ET_DYN && header->e_type != ET_EXEC) {
    return wrong("one that cannot be run");
  }
  ElfFile file;
  file.is_position_independent = header->e_type == ET_DYN;
  file.entry = header->e_entry;

  std::vector<ElfFile::Code> executable_segments;
  for (const Elf64_Phdr& segment :
       ReadTable<Elf64_Phdr>(content, header->e_phoff, header->e_phnum)) {
    const auto bytes = Part(content, segment.p_offset, segment.p_filesz);
    if (!bytes.has_value()) continue;
    if (segment.p_type == PT_INTERP) {
      file.interpreter = std::string(bytes->substr(0, bytes->find('\0')));
    } else if (segment.p_type == PT_NOTE && !file.build_id.has_value()) {
      file.build_id = FindBuildId(*bytes);
    } else if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      executable_segments.push_back({segment.p_vaddr, *bytes});
    }
  }
  if (executable_segments.empty()) return wrong("one without code");
  for (const Elf64_Shdr& section :
       ReadTable<Elf64_Shdr>(content, header->e_shoff, header->e_shnum)) {
    const auto bytes = Part(content, section.sh_offset, section.sh_size);
    if (section.sh_type == SHT_PROGBITS && bytes.has_value() &&
        (section.sh_flags & SHF_EXECINSTR) != 0) {
      file.code.push_back({section.sh_addr, *bytes});
    }
  }
  if (file.code.empty()) file.code = std::move(executable_segments);
  return file;
}

}  // namespace advisor
