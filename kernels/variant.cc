#include "kernels/variant.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "advisor/cpu/feature_table.h"
#include "kernels/tree_definition.h"

namespace kernels {
namespace {

struct VariantRow {
  absl::string_view symbol;
  Function function;
  int vector_size;
  bool erms;
  std::vector<absl::string_view> features;
  std::vector<absl::string_view> thresholds;
};

const std::vector<VariantRow>& VariantRows() {
  static const auto& rows = *new std::vector<VariantRow>{
#include "kernels/variant_rows.inc"
  };
  return rows;
}

// A variable holds `field` divided by `divisor`.
struct ParameterRow {
  absl::string_view variable;
  std::optional<uint64_t> KernelParameters::*field;
  uint64_t divisor;
  // Before the first store (bytes; flags for string_control).
  uint64_t initial;
};

// Whole sizes before halves: parameters() prefers them.
constexpr ParameterRow kParameterRows[] = {
    {"data_cache_size", &KernelParameters::data_cache_size, 1, 32 << 10},
    {"data_cache_size_half", &KernelParameters::data_cache_size, 2, 16 << 10},
    {"memset_non_temporal_threshold",
     &KernelParameters::memset_non_temporal_threshold, 1, 768 << 10},
    {"rep_movsb_stop_threshold", &KernelParameters::rep_movsb_stop_threshold, 1,
     768 << 10},
    {"rep_movsb_threshold", &KernelParameters::rep_movsb_threshold, 1, 2048},
    {"rep_stosb_threshold", &KernelParameters::rep_stosb_threshold, 1, 2048},
    {"shared_cache_size", &KernelParameters::shared_cache_size, 1, 1 << 20},
    {"shared_cache_size_half", &KernelParameters::shared_cache_size, 2,
     512 << 10},
    {"shared_non_temporal_threshold", &KernelParameters::non_temporal_threshold,
     1, 768 << 10},
    {"string_control", &KernelParameters::string_control, 1, 0},
};

const ParameterRow* FindParameter(absl::string_view variable) {
  for (const ParameterRow& row : kParameterRows) {
    if (row.variable == variable) return &row;
  }
  return nullptr;
}

class DefinedTree : public Tree {
 public:
  explicit DefinedTree(const TreeDefinition& definition)
      : definition_(definition) {
    for (const VariableDefinition& variable : definition_.variables) {
      if (const ParameterRow* row = FindParameter(variable.name)) {
        *variable.address = row->initial;
      }
    }
  }

  absl::string_view name() const override { return definition_.name; }
  absl::string_view release() const override { return definition_.release; }
  absl::string_view revision() const override { return definition_.revision; }

  void SetParameters(const KernelParameters& parameters) const override {
    for (const VariableDefinition& variable : definition_.variables) {
      const ParameterRow* row = FindParameter(variable.name);
      if (row == nullptr) continue;
      if (const std::optional<uint64_t>& value = parameters.*row->field) {
        *variable.address = *value / row->divisor;
      }
    }
  }

  KernelParameters parameters() const override {
    KernelParameters result;
    for (const ParameterRow& row : kParameterRows) {
      for (const VariableDefinition& variable : definition_.variables) {
        std::optional<uint64_t>& field = result.*row.field;
        if (variable.name != row.variable || field.has_value()) continue;
        field = *variable.address * row.divisor;
      }
    }
    return result;
  }

 private:
  const TreeDefinition& definition_;
};

struct Registry {
  std::vector<std::unique_ptr<const Tree>> trees;
  std::vector<const Tree*> tree_pointers;
  // Hold what the variants' spans show.
  std::vector<std::unique_ptr<const std::vector<absl::string_view>>> thresholds;
  std::vector<Variant> variants;
  std::vector<std::string> unlisted;
};

const VariantRow* FindRow(absl::string_view symbol) {
  for (const VariantRow& row : VariantRows()) {
    if (row.symbol == symbol) return &row;
  }
  return nullptr;
}

void AddVariant(const Tree& tree, const SymbolDefinition& symbol,
                const VariantRow& row, Registry& registry) {
  auto read = std::make_unique<std::vector<absl::string_view>>();
  for (absl::string_view threshold : row.thresholds) {
    if (std::count(symbol.variables.begin(), symbol.variables.end(),
                   threshold) > 0) {
      read->push_back(threshold);
    }
  }
  registry.variants.push_back({row.symbol, row.function, &tree,
                               reinterpret_cast<void*>(symbol.address),
                               row.vector_size, row.erms, row.features, *read,
                               symbol.source, symbol.size});
  registry.thresholds.push_back(std::move(read));
}

void AddTree(const TreeDefinition& definition, Registry& registry) {
  registry.trees.push_back(std::make_unique<DefinedTree>(definition));
  const Tree& tree = *registry.trees.back();
  registry.tree_pointers.push_back(&tree);
  for (const SymbolDefinition& symbol : definition.symbols) {
    if (const VariantRow* row = FindRow(symbol.name)) {
      AddVariant(tree, symbol, *row, registry);
    } else {
      registry.unlisted.push_back(
          absl::StrCat(definition.name, ": function ", symbol.name));
    }
  }
  for (const VariableDefinition& variable : definition.variables) {
    if (FindParameter(variable.name) == nullptr) {
      registry.unlisted.push_back(
          absl::StrCat(definition.name, ": variable __x86_", variable.name));
    }
  }
}

const Registry& GetRegistry() {
  static const Registry& registry = []() -> const Registry& {
    auto* made = new Registry;
    for (const TreeDefinition* definition : LinkedTrees()) {
      const size_t first = made->variants.size();
      AddTree(*definition, *made);
      std::sort(made->variants.begin() + first, made->variants.end(),
                [](const Variant& a, const Variant& b) {
                  return std::tie(a.function, a.name) <
                         std::tie(b.function, b.name);
                });
    }
    return *made;
  }();
  return registry;
}

}  // namespace

absl::string_view FunctionName(Function function) {
  switch (function) {
    case Function::kMemmove:
      return "memmove";
    case Function::kMemcpy:
      return "memcpy";
    case Function::kMempcpy:
      return "mempcpy";
    case Function::kMemset:
      return "memset";
  }
  return "";
}

std::optional<uint64_t> KernelParameters::*ParameterField(
    absl::string_view threshold) {
  const ParameterRow* row = FindParameter(threshold);
  return row == nullptr ? nullptr : row->field;
}

absl::Span<const Variant> AllVariants() { return GetRegistry().variants; }

absl::Span<const Tree* const> AllTrees() { return GetRegistry().tree_pointers; }

std::optional<std::string> MissingFeature(const Variant& variant,
                                          const advisor::CpuidSource& cpu) {
  for (absl::string_view feature : variant.required_features) {
    if (!advisor::IsFeatureUsable(cpu, feature).value_or(false)) {
      return std::string(feature);
    }
  }
  return std::nullopt;
}

const Variant* FindVariant(absl::string_view tree, absl::string_view name) {
  for (const Variant& variant : AllVariants()) {
    if (variant.tree->name() == tree && variant.name == name) return &variant;
  }
  return nullptr;
}

std::vector<std::string> UnlistedSymbols() { return GetRegistry().unlisted; }

std::optional<absl::Span<const absl::string_view>> RequiredFeatures(
    absl::string_view symbol) {
  for (const VariantRow& row : VariantRows()) {
    if (row.symbol == symbol) return row.features;
  }
  return std::nullopt;
}

}  // namespace kernels
