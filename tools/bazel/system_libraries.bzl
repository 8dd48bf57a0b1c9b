"""Libraries of the distribution as Bazel repositories.

Headers are found in /usr/include, a built-in directory of the C++ toolchain,
so a repository only says what to link. Static archives are preferred: the
advisor starts faster, and its measurements do not pass through a PLT.
"""

# name of the repository -> what it offers.
#   targets   target name -> libraries ("absl_*" is a pattern)
#   packages  the Debian package that brings it (named in the error message)
#   header    a file whose absence means that the package is missing
_LIBRARIES = {
    "com_google_absl": struct(
        targets = {"absl": ["absl_*"]},
        package = "libabsl-dev",
        header = "absl/base/config.h",
    ),
    "com_google_googletest": struct(
        targets = {
            "gtest": ["gtest", "gmock"],
            "gtest_main": ["gmock_main", "gtest", "gmock"],
        },
        package = "libgmock-dev",
        header = "gmock/gmock.h",
    ),
    "com_github_google_benchmark": struct(
        targets = {"benchmark": ["benchmark"]},
        package = "libbenchmark-dev",
        header = "benchmark/benchmark.h",
    ),
    "nlohmann_json": struct(
        targets = {"json": []},
        package = "nlohmann-json3-dev",
        header = "nlohmann/json.hpp",
    ),
    "boost_math": struct(
        targets = {"math": []},
        package = "libboost-math-dev",
        header = "boost/math/distributions.hpp",
    ),
    "zydis": struct(
        targets = {"zydis": ["Zydis"]},
        package = "libzydis-dev",
        header = "Zydis/Zydis.h",
    ),
    "libarchive": struct(
        # With those of the compressors that archive_reader.cc asks for. (The
        # shared library would load libxml2 and ICU: 8 ms a start.)
        targets = {"archive": ["archive", "lzma", "z"]},
        package = "libarchive-dev",
        header = "archive.h",
    ),
    "pugixml": struct(
        targets = {"pugixml": ["pugixml"]},
        package = "libpugixml-dev",
        header = "pugixml.hpp",
    ),
}

_LIBRARY_FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"]

_TARGET = """
cc_library(
    name = "{name}",
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
"""

def _folder_entries(ctx, folder):
    path = ctx.path(folder)
    return path.readdir() if path.exists else []

def _find(ctx, library):
    """The linker's words for a library or a pattern: archives, else -l."""
    prefix = "lib" + library.rstrip("*")
    is_pattern = library.endswith("*")
    archives = []
    shared = []
    for folder in _LIBRARY_FOLDERS:
        for entry in _folder_entries(ctx, folder):
            stem, _, extension = entry.basename.partition(".")
            if stem != prefix and not (is_pattern and stem.startswith(prefix)):
                continue
            if extension == "a":
                archives.append(str(entry))
            elif extension == "so":
                shared.append("-l" + stem[len("lib"):])
        if archives or shared:
            break
    return sorted(archives) or sorted(shared)

def _system_library_impl(ctx):
    ctx.file("WORKSPACE", "")
    library = _LIBRARIES[ctx.attr.library]
    if not ctx.path("/usr/include/" + library.header).exists:
        fail("%s is missing: install the package %s" %
             (library.header, library.package))
    build = []
    for name, wanted in library.targets.items():
        found = []
        for item in wanted:
            words = _find(ctx, item)
            if not words:
                fail("no library lib%s: install the package %s" %
                     (item, library.package))
            found += words
        linkopts = []
        if found:
            linkopts = ["-Wl,--start-group"] + found + [
                "-Wl,--end-group",
                "-pthread",
            ]
        build.append(_TARGET.format(name = name, linkopts = repr(linkopts)))
    ctx.file("BUILD", "".join(build))

_system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {"library": attr.string(mandatory = True)},
    doc = "One row of _LIBRARIES as a repository.",
    local = True,
)

def system_libraries():
    """Declares a repository for each row of the table above."""
    for name in _LIBRARIES:
        _system_library(name = name, library = name)
