// Prints which variants the libc of this process selected, one a line:
// "memmove __memmove_evex_unaligned_erms". A function whose address is that of
// no variant that was built in gets "?". Exit status 2: nothing to compare
// with.
//
// A shipped libc has no symbols for its variants. So each variant's code, built
// from glibc's source, is looked for in the image of libc, relocated fields
// aside; a hit gives the variant's address there, to compare with what the
// IFUNC resolver has chosen.

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "kernels/object_file.h"
#include "kernels/variant.h"

namespace {

// The executable segment of the object that has `address`.
absl::string_view CodeAround(const void* address) {
  struct Search {
    uintptr_t address;
    absl::string_view found;
  } search = {reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          const uintptr_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
              search.address - start < segment.p_memsz) {
            search.found = {reinterpret_cast<const char*>(start),
                            segment.p_memsz};
            return 1;
          }
        }
        return 0;
      },
      &search);
  return search.found;
}

// Addresses in libc at which the code of `variant` starts.
std::vector<const void*> AddressesInLibc(const kernels::Variant& variant,
                                         absl::string_view libc) {
  std::ifstream file(absl::StrCat("kernels/glibc/", variant.source, ".o"),
                     std::ios::binary);
  const std::string object(std::istreambuf_iterator<char>(file), {});
  const absl::StatusOr<kernels::CodePattern> section =
      kernels::SectionOfSymbol(object, absl::StrCat("glibc_", variant.name));
  if (!section.ok()) return {};
  // Where in its section the variant starts, from this program's own copy.
  const absl::string_view own = CodeAround(variant.address);
  const size_t at = static_cast<const char*>(variant.address) - own.data();
  std::vector<const void*> addresses;
  for (const size_t own_start : kernels::FindPattern(own, *section)) {
    if (own_start > at || at - own_start >= section->bytes.size()) continue;
    for (const size_t start : kernels::FindPattern(libc, *section)) {
      addresses.push_back(libc.data() + start + (at - own_start));
    }
  }
  return addresses;
}

}  // namespace

int main() {
  const absl::string_view libc =
      CodeAround(reinterpret_cast<const void*>(&gnu_get_libc_version));
  const kernels::Tree* glibc = nullptr;
  for (const kernels::Tree* const tree : kernels::AllTrees()) {
    if (tree->name() == "glibc") glibc = tree;
  }
  if (glibc == nullptr) return 2;
  std::cout << "source " << glibc->revision() << "\n";
  for (const kernels::Function function :
       {kernels::Function::kMemmove, kernels::Function::kMemcpy,
        kernels::Function::kMempcpy, kernels::Function::kMemset}) {
    const std::string name(kernels::FunctionName(function));
    const void* const selected = dlsym(RTLD_DEFAULT, name.c_str());
    std::string found = "?";
    for (const kernels::Variant& variant : kernels::AllVariants()) {
      if (variant.function != function || variant.tree != glibc) continue;
      for (const void* const address : AddressesInLibc(variant, libc)) {
        if (address == selected) found = std::string(variant.name);
      }
    }
    std::cout << name << " " << found << "\n";
  }
}
