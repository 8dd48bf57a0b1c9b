"""glibc's x86-64 memory functions, from a source tree of the machine.

`glibc_source` makes one tree a repository. It takes, in this order:

1. `path`, where the WORKSPACE names one;
2. the folder or tarball in the environment variable `variable`
   ($GLIBC_SOURCE unless said otherwise; "none" stands for no source);
3. /usr/src/glibc/glibc-*.tar.xz, from the package glibc-source of Debian and
   Ubuntu (`use_package = False` leaves this one out);
4. nothing: the repository is empty, and what needs a source is skipped by name.

A folder is linked, not copied: an edit there is seen by the next build. Several
repositories give several trees (two releases, or a base and a patched tree) in
one binary; see //kernels:kernel_tree.bzl.

info.bzl in the repository tells what was found:

    GLIBC_SOURCE.repository  "@glibc_source"
    GLIBC_SOURCE.origin      where it came from; "" when there is no source
    GLIBC_SOURCE.release     "2.36", from version.h
    GLIBC_SOURCE.revision    the package's ("2.36-9+deb12u14"), or ""
    GLIBC_SOURCE.files       mem*.S in sysdeps/x86_64/multiarch
"""

# What `variable` may be; Bazel watches these.
_VARIABLES = [
    "GLIBC_SOURCE",
    "GLIBC_BASE_SOURCE",
    "GLIBC_PATCHED_SOURCE",
]

_PACKAGE_FOLDER = "/usr/src/glibc"

# All that the memory functions include; the whole of glibc is 20 times larger.
_FOLDERS = ["sysdeps/x86", "sysdeps/x86_64", "sysdeps/generic"]

_MULTIARCH = "sysdeps/x86_64/multiarch"

_BUILD = """
package(default_visibility = ["//visibility:public"])

exports_files(["version.h"])

filegroup(
    name = "sources",
    srcs = glob(
        [
            "version.h",
            "sysdeps/generic/*.h",
            "sysdeps/x86/*.h",
            "sysdeps/x86/include/**/*.h",
            "sysdeps/x86_64/*.S",
            "sysdeps/x86_64/*.h",
            "sysdeps/x86_64/multiarch/*.S",
            "sysdeps/x86_64/multiarch/*.h",
        ],
    ),
)

# The C code that sets thresholds and selects variants, with what it includes.
filegroup(
    name = "threshold_sources",
    srcs = glob(
        [
            "sysdeps/x86/*.c",
            "sysdeps/x86/*.list",
            "sysdeps/x86/bits/**/*.h",
            "sysdeps/x86/include/*.def",
            "sysdeps/x86/sys/**/*.h",
            "sysdeps/x86_64/*.c",
            "sysdeps/x86_64/multiarch/*.c",
        ],
    ),
)
"""

_NO_SOURCE_BUILD = """
# no source: neither a path, nor $%s, nor the package glibc-source.
package(default_visibility = ["//visibility:public"])

filegroup(name = "sources")

filegroup(name = "threshold_sources")
"""

_INFO = """
GLIBC_SOURCE = struct(
    repository = {repository},
    origin = {origin},
    release = {release},
    revision = {revision},
    files = {files},
)
"""

def _package_tarball(ctx):
    folder = ctx.path(_PACKAGE_FOLDER)
    if not folder.exists:
        return ""
    tarballs = [
        str(entry)
        for entry in folder.readdir()
        if entry.basename.startswith("glibc-") and ".tar." in entry.basename
    ]
    return sorted(tarballs)[-1] if tarballs else ""

def _find_source(ctx):
    if ctx.attr.path:
        return ctx.attr.path
    named = ctx.os.environ.get(ctx.attr.variable, "")
    if named:
        return "" if named == "none" else named
    return _package_tarball(ctx) if ctx.attr.use_package else ""

def _run(ctx, arguments, what):
    result = ctx.execute(arguments)
    if result.return_code != 0:
        fail("%s: %s" % (what, (result.stderr or result.stdout).strip()))
    return result.stdout

def _is_folder(ctx, path):
    return ctx.execute(["test", "-d", path]).return_code == 0

def _bring_tree(ctx, source):
    """Puts version.h and _FOLDERS into the repository."""
    if not ctx.path(source).exists:
        fail("%s: expected glibc's source as a folder or a tarball, found " %
             source + "nothing")
    if _is_folder(ctx, source):
        for wanted in ["version.h"] + _FOLDERS:
            path = ctx.path(source + "/" + wanted)
            if not path.exists:
                fail("%s: expected glibc's source, found no %s" %
                     (source, wanted))
            ctx.symlink(path, wanted)
        return
    _run(
        ctx,
        [
            "tar",
            "--extract",
            "--file=" + source,
            "--strip-components=1",
            "--no-wildcards-match-slash",
            "--wildcards",
            "*/version.h",
        ] + ["*/" + folder for folder in _FOLDERS],
        "%s: expected a tarball of glibc that tar can read (.xz needs the " %
        source + "package xz-utils)",
    )

def _release(ctx, source):
    for line in ctx.read("version.h").splitlines():
        words = line.split('"')
        if line.startswith("#define VERSION ") and len(words) == 3:
            return words[1]
    fail("%s: expected #define VERSION in version.h, found none" % source)

def _revision(ctx, source):
    """The version in the changelog of the distribution's package, or ""."""
    folder = source if _is_folder(ctx, source) else source.rpartition("/")[0]
    changelog = ctx.path(folder + "/debian/changelog")
    if not changelog.exists:
        return ""

    # "glibc (2.36-9+deb12u14) bookworm; urgency=medium"
    line = _run(ctx, ["head", "-n", "1", str(changelog)], source)
    words = line.partition("(")[2].partition(")")
    return words[0] if line.startswith("glibc (") and words[1] else ""

def _glibc_source_impl(ctx):
    ctx.file("WORKSPACE", "")
    source = _find_source(ctx)
    release = ""
    revision = ""
    files = []
    if source:
        _bring_tree(ctx, source)
        ctx.file("BUILD", _BUILD)
        release = _release(ctx, source)
        revision = _revision(ctx, source)
        files = sorted([
            entry.basename
            for entry in ctx.path(_MULTIARCH).readdir()
            if entry.basename.startswith("mem") and
               entry.basename.endswith(".S")
        ])
    else:
        ctx.file("BUILD", _NO_SOURCE_BUILD % ctx.attr.variable)
    ctx.file("info.bzl", _INFO.format(
        files = repr(files),
        origin = repr(source),
        release = repr(release),
        repository = repr("@" + ctx.name),
        revision = repr(revision),
    ))

_glibc_source = repository_rule(
    implementation = _glibc_source_impl,
    attrs = {
        "path": attr.string(),
        "use_package": attr.bool(),
        "variable": attr.string(values = _VARIABLES),
    },
    configure = True,
    environ = _VARIABLES,
    local = True,
)

def glibc_source(
        name,
        path = "",
        variable = "GLIBC_SOURCE",
        use_package = True):
    """Declares one glibc tree; see the head of this file."""
    _glibc_source(
        name = name,
        path = path,
        use_package = use_package,
        variable = variable,
    )
