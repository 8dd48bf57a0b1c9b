#include "glibc_patches/loaded_trees.h"

#include <dlfcn.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/tree_definition.h"

namespace glibc_patches {
namespace {

// const TreeDefinition& kernels::Tree_tree(): build_tree.sh's name for it.
constexpr char kDefinitionSymbol[] = "_ZN7kernels9Tree_treeEv";

std::vector<const kernels::TreeDefinition*>& Loaded() {
  static auto& trees = *new std::vector<const kernels::TreeDefinition*>;
  return trees;
}

}  // namespace

absl::Status LoadTree(const std::string& path, absl::string_view name,
                      const std::map<std::string, size_t>& sizes) {
  // Never closed: its functions are called until the end.
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::InvalidArgumentError(dlerror());
  void* const symbol = dlsym(handle, kDefinitionSymbol);
  if (symbol == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected a tree of build_tree.sh, found another file"));
  }
  const auto define =
      reinterpret_cast<const kernels::TreeDefinition& (*)()>(symbol);
  auto* const definition = new kernels::TreeDefinition(define());
  definition->name = *new std::string(name);
  for (kernels::SymbolDefinition& symbol : definition->symbols) {
    const auto size = sizes.find(std::string(symbol.name));
    if (size != sizes.end()) symbol.size = size->second;
  }
  Loaded().push_back(definition);
  return absl::OkStatus();
}

}  // namespace glibc_patches

namespace kernels {

absl::Span<const TreeDefinition* const> LinkedTrees() {
  return glibc_patches::Loaded();
}

}  // namespace kernels
