// Work that is mostly small copies: call_heavy_program KIND.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

// Nothing but calls: what the recorder costs at most.
size_t Copies() {
  static char from[4096], to[4096];
  size_t sizes[256];
  unsigned random = 1;
  for (size_t& size : sizes) {
    random = random * 1664525 + 1013904223;
    size = random >> 25;
  }
  for (int i = 0; i < 20000000; ++i) {
    memcpy(to + i % 64, from + i % 32, sizes[i % 256]);
  }
  return static_cast<size_t>(to[5]);
}

// Words appended to a text.
size_t Words() {
  std::vector<std::string> words;
  for (int i = 0; i < 2000; ++i) words.emplace_back(3 + i % 20, 'x');
  std::string text;
  for (int round = 0; round < 3000; ++round) {
    text.clear();
    for (const std::string& word : words) {
      text.append(word);
      text.append(" ");
    }
  }
  return text.size();
}

// A dictionary of strings.
size_t Dictionary() {
  std::map<std::string, std::string> entries;
  unsigned random = 1;
  for (int i = 0; i < 500000; ++i) {
    random = random * 1664525 + 1013904223;
    const std::string key = "key" + std::to_string(random >> 18);
    entries[key] = "the value of this entry " + key;
  }
  return entries.size();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  const size_t result = kind == "copies"       ? Copies()
                        : kind == "words"      ? Words()
                        : kind == "dictionary" ? Dictionary()
                                               : 0;
  std::printf("%zu\n", result);
  return 0;
}
