#include "advisor/glibc/elf_file.h"

#include <elf.h>

#include <cstring>
#include <string>

#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string ThisTest() {
  return RealFileReader().Read("/proc/self/exe").value();
}

std::string ErrorOf(absl::string_view content) {
  const auto file = ParseElfFile(content, "f");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(file.status().message());
}

TEST(ElfFileTest, ReadsAProgram) {
  const std::string content = ThisTest();
  const auto file = ParseElfFile(content, "f");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(file->interpreter.has_value());
  EXPECT_THAT(*file->interpreter, HasSubstr("ld"));
  bool entry_is_code = false;
  for (const ElfFile::Code& code : file->code) {
    entry_is_code |= file->entry >= code.address &&
                     file->entry - code.address < code.bytes.size();
  }
  EXPECT_TRUE(entry_is_code);
}

TEST(ElfFileTest, ReadsTheLoaderOfThisProgram) {
  const std::string content = ThisTest();
  const RealFileReader files;
  const auto loader =
      files.Read(*ParseElfFile(content, "f").value().interpreter);
  ASSERT_TRUE(loader.ok()) << loader.status();
  const auto file = ParseElfFile(*loader, "loader");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->interpreter, std::nullopt);
  EXPECT_TRUE(file->is_position_independent);
  ASSERT_TRUE(file->build_id.has_value());
  EXPECT_THAT(*file->build_id, SizeIs(40));
}

// A file with nothing but a code segment and a property note that needs the
// levels of `bits`.
std::string FileThatNeeds(uint32_t bits) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof(header);
  header.e_phnum = 2;
  // Another property comes first.
  const uint32_t note[] = {4,          32,         NT_GNU_PROPERTY_TYPE_0,
                           0x00554e47, 0xc0000002, 4,
                           3,          0,          0xc0008002,
                           4,          bits,       0};
  Elf64_Phdr code = {};
  code.p_type = PT_LOAD;
  code.p_flags = PF_X;
  code.p_filesz = 16;
  Elf64_Phdr notes = {};
  notes.p_type = PT_NOTE;
  notes.p_offset = sizeof(header) + 2 * sizeof(notes);
  notes.p_filesz = sizeof(note);
  notes.p_align = 8;
  const auto bytes = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  return bytes(header) + bytes(code) + bytes(notes) + bytes(note);
}

TEST(ElfFileTest, TellsTheLevelThatIsNeeded) {
  EXPECT_EQ(ParseElfFile(FileThatNeeds(1), "f")->isa_level, 1);
  EXPECT_EQ(ParseElfFile(FileThatNeeds(7), "f")->isa_level, 3);
  EXPECT_EQ(ParseElfFile(FileThatNeeds(8), "f")->isa_level, 4);
  EXPECT_EQ(ParseElfFile(FileThatNeeds(0), "f")->isa_level, std::nullopt);
}

TEST(ElfFileTest, TakesSegmentsWhereThereAreNoSections) {
  std::string content = ThisTest();
  auto* const header = reinterpret_cast<Elf64_Ehdr*>(&content[0]);
  header->e_shnum = 0;
  const auto file = ParseElfFile(content, "f");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->code, Not(IsEmpty()));
}

TEST(ElfFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf("#!/bin/sh\n"),
            "f: expected an x86-64 ELF file, found no ELF magic number");
  std::string content = ThisTest();
  EXPECT_THAT(ErrorOf(content.substr(0, 40)), HasSubstr("ends in its header"));
  EXPECT_THAT(ErrorOf(content.substr(0, sizeof(Elf64_Ehdr))),
              HasSubstr("without code"));
  auto* const header = reinterpret_cast<Elf64_Ehdr*>(&content[0]);
  header->e_machine = EM_AARCH64;
  EXPECT_THAT(ErrorOf(content), HasSubstr("another machine"));
  header->e_machine = EM_X86_64;
  header->e_type = ET_REL;
  EXPECT_THAT(ErrorOf(content), HasSubstr("cannot be run"));
}

TEST(ElfFileTest, EveryCutFileIsReadOrRefused) {
  const std::string content = ThisTest();
  for (size_t size = 0; size < 0x1000 && size < content.size(); ++size) {
    // A copy of just that size, so that a sanitizer sees what is beyond it.
    const std::string cut = content.substr(0, size);
    const auto file = ParseElfFile(cut, "f");
    if (!file.ok()) continue;
    EXPECT_THAT(file->code, Not(IsEmpty()));
  }
}

}  // namespace
}  // namespace advisor
