// What the tests of this folder share.

#ifndef GLIBC_PATCHES_THRESHOLDS_TESTING_H_
#define GLIBC_PATCHES_THRESHOLDS_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/host/file_reader.h"

namespace glibc_patches {

// The probe of this machine's glibc source, where there is one.
inline constexpr char kBaseProbe[] =
    "glibc_patches/thresholds/base_probe/probe.so";

// All of testdata/cpuid: path and first CPU.
inline std::vector<std::pair<std::string, advisor::CpuidTable>> AllDumps() {
  const advisor::RealFileReader files;
  std::vector<std::pair<std::string, advisor::CpuidTable>> dumps;
  for (const std::string folder : {"testdata/cpuid", "testdata/cpuid/field"}) {
    const std::vector<std::string> names = files.List(folder).value();
    for (const std::string& name : names) {
      if (!absl::EndsWith(name, ".txt")) continue;
      const std::string path = absl::StrCat(folder, "/", name);
      dumps.emplace_back(path,
                         advisor::ParseCpuidDump(files.Read(path).value(), path)
                             .value()
                             .cpus.at(0));
    }
  }
  return dumps;
}

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_TESTING_H_
