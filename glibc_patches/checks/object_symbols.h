// Functions of a loaded program or library by name, also those that no header
// declares.

#ifndef GLIBC_PATCHES_CHECKS_OBJECT_SYMBOLS_H_
#define GLIBC_PATCHES_CHECKS_OBJECT_SYMBOLS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace glibc_patches {

// Functions of an x86-64 ELF file by name, as it gives their addresses (its
// symbol table, not the dynamic one).
absl::StatusOr<std::map<std::string, uint64_t>> FunctionSymbols(
    absl::string_view elf);

// The same with addresses of this process, for the program or shared object in
// which `address` lies. Empty when the file cannot be read or was stripped.
// Kept from the first call on.
const std::map<std::string, uint64_t>& SymbolsAround(const void* address);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_OBJECT_SYMBOLS_H_
