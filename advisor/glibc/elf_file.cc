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

// The description of GNU's note of that type. `alignment`: of the segment; the
// property note's entries are aligned to 8 bytes, the others' to 4.
std::optional<absl::string_view> FindGnuNote(absl::string_view notes,
                                             uint32_t type,
                                             uint64_t alignment) {
  const uint64_t unit = alignment == 8 ? 8 : 4;
  const auto aligned = [](uint64_t size, uint64_t to) {
    return (size + to - 1) & ~(to - 1);
  };
  while (true) {
    const auto note = ReadAt<Elf64_Nhdr>(notes, 0);
    if (!note.has_value()) return std::nullopt;
    const uint64_t name_at = sizeof(*note);
    const uint64_t text_at = aligned(name_at + note->n_namesz, unit);
    const auto name = Part(notes, name_at, note->n_namesz);
    const auto text = Part(notes, text_at, note->n_descsz);
    if (!name.has_value() || !text.has_value()) return std::nullopt;
    if (note->n_type == type && *name == absl::string_view("GNU\0", 4)) {
      return text;
    }
    const uint64_t end = text_at + aligned(note->n_descsz, unit);
    if (end >= notes.size()) return std::nullopt;
    notes.remove_prefix(end);
  }
}

// In the description of a property note.
std::optional<int> FindIsaLevel(absl::string_view properties) {
  constexpr uint32_t kIsaNeeded = 0xc0008002;
  struct Property {
    uint32_t type;
    uint32_t size;
  };
  while (const auto property = ReadAt<Property>(properties, 0)) {
    const auto bits = ReadAt<uint32_t>(properties, sizeof(*property));
    if (property->type == kIsaNeeded && property->size >= 4 &&
        bits.has_value()) {
      for (int level = 4; level > 0; --level) {
        if ((*bits >> (level - 1)) & 1) return level;
      }
      return std::nullopt;
    }
    const uint64_t end =
        sizeof(*property) + ((uint64_t{property->size} + 7) & ~uint64_t{7});
    if (end >= properties.size()) break;
    properties.remove_prefix(end);
  }
  return std::nullopt;
}

// More than any file has; headers may name the same bytes again and again.
constexpr size_t kMostPath = 4096;
constexpr int kMostNotes = 64;
constexpr size_t kMostNoteBytes = 64 << 10;

// What the notes of a segment tell.
void ReadNotes(absl::string_view notes, uint64_t alignment, ElfFile& file) {
  if (!file.build_id.has_value()) {
    const auto id = FindGnuNote(notes, NT_GNU_BUILD_ID, alignment);
    if (id.has_value()) file.build_id = absl::BytesToHexString(*id);
  }
  if (!file.isa_level.has_value()) {
    const auto properties =
        FindGnuNote(notes, NT_GNU_PROPERTY_TYPE_0, alignment);
    if (properties.has_value()) file.isa_level = FindIsaLevel(*properties);
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

  int notes = 0;
  std::vector<ElfFile::Code> executable_segments;
  for (const Elf64_Phdr& segment :
       ReadTable<Elf64_Phdr>(content, header->e_phoff, header->e_phnum)) {
    const auto bytes = Part(content, segment.p_offset, segment.p_filesz);
    if (!bytes.has_value()) continue;
    if (segment.p_type == PT_INTERP && !file.interpreter.has_value()) {
      file.interpreter =
          std::string(bytes->substr(0, std::min(bytes->find('\0'), kMostPath)));
    } else if (segment.p_type == PT_NOTE && ++notes <= kMostNotes) {
      ReadNotes(bytes->substr(0, kMostNoteBytes), segment.p_align, file);
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
