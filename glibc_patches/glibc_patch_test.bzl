"""Patches to glibc that are kept here, each with the verdict that it must get.

    glibc_patch_test(
        name = "order_of_loads_test",
        patch = "order_of_loads.patch",
        release = "2.36",
        expected = "accept",
    )

The patch is applied to this machine's glibc source, and the patched tree is
built beside the base, in actions: nothing happens again while nothing changes.
The test runs //glibc_patches:validate_patch on both. Where there is no glibc
source, or one of another release, a test of this name says so and passes.
"""

load("@glibc_source//:info.bzl", "GLIBC_SOURCE")
load("//kernels:variants.bzl", "SOURCES")

# The outputs of build_tree.sh for a source that has `files`.
def _outputs(folder, files):
    return (["%s/%s.o" % (folder, file) for file in files] +
            ["%s/tree.%d.so" % (folder, i) for i in range(4)] +
            ["%s/files.txt" % folder])

def _files():
    return [file for file in SOURCES if file + ".S" in GLIBC_SOURCE.files]

_BUILD = """
root=$$PWD/$(RULEDIR)/{name}.root
rm -rf "$$root"
mkdir -p "$$root/kernels"
ln -s "$$PWD/$(location //kernels:assemble_tree.sh)" "$$root/kernels/"
ln -s "$$PWD/$(location //kernels:tree_definition.h)" "$$root/kernels/"
ln -s "$$PWD/$$(dirname $(location //kernels:shim/glibc_symbols.h))" \\
  "$$root/kernels/shim"
source=$$(dirname $(location {version}))
{apply}
CC=$(CC) NM=$(NM) OBJCOPY=$(OBJCOPY) \\
  $(location //glibc_patches:build_tree.sh) "$$source" $(RULEDIR)/{name} \\
  "$$root" {files}
rm -rf "$$root" $(RULEDIR)/{name}/tree.cc
"""

_APPLY = """
$(location //glibc_patches:apply_patch) "$$source" "$$root/patched" \\
  $(location {patch})
source=$$root/patched
"""

def built_tree(name, patch = None, **kwargs):
    """The output of build_tree.sh for this machine's source, maybe patched.

    Args:
      name: the filegroup, and the folder of the outputs.
      patch: a label; None for the base.
      **kwargs: as for genrule and filegroup.
    """
    version = GLIBC_SOURCE.repository + "//:version.h"
    files = _files()
    if not files:
        native.filegroup(name = name, **kwargs)
        return
    native.genrule(
        name = name + "_build",
        srcs = [
            GLIBC_SOURCE.repository + "//:sources",
            version,
            "//kernels:shim",
            "//kernels:shim/glibc_symbols.h",
            "//kernels:tree_definition.h",
        ] + ([patch] if patch else []),
        outs = _outputs(name, files),
        cmd = _BUILD.format(
            apply = _APPLY.format(patch = patch) if patch else "",
            files = " ".join(files),
            name = name,
            version = version,
        ),
        message = "Building a glibc tree",
        toolchains = ["@bazel_tools//tools/cpp:current_cc_toolchain"],
        tools = [
            "//glibc_patches:build_tree.sh",
            "//kernels:assemble_tree.sh",
        ] + (["//glibc_patches:apply_patch"] if patch else []),
        **kwargs
    )
    native.filegroup(
        name = name,
        srcs = _outputs(name, files),
        **kwargs
    )

def glibc_patch_test(
        name,
        patch,
        expected,
        release = "",
        workload = "",
        args = [],
        size = "large",
        tags = [],
        **kwargs):
    """A test that `patch` gets the verdict `expected`.

    Args:
      name: the test's name.
      patch: the diff.
      expected: "accept" or "reject".
      release: of glibc, that the patch is for ("2.36"); any when left out.
      workload: whose calls count: a name that validate_patch --workload takes,
        or the label of a file (it has a ":" or ends with ".json"); all that
        were recorded when left out.
      args: more flags of validate_patch; --quick is always there.
      size: as for any test.
      tags: more tags; it measures, so that it is "exclusive".
      **kwargs: as for sh_test.
    """
    reason = ""
    if not GLIBC_SOURCE.origin:
        reason = "no glibc source on this machine"
    elif release and release != GLIBC_SOURCE.release:
        reason = "for glibc %s, found %s" % (release, GLIBC_SOURCE.release)
    words = [expected, reason.replace(" ", "_") or "-", "$(location %s)" % patch]
    data = [patch, "//glibc_patches:validate_patch"]
    if not reason:
        built_tree(name + "_patched", patch, testonly = True)
        words += [
            "$(location //glibc_patches:base_tree_files)",
            "$(location %s_patched/files.txt)" % name,
            "--quick",
        ] + args
        if ":" in workload or workload.endswith(".json"):
            words.append("--workload=$(location %s)" % workload)
            data.append(workload)
        elif workload:
            words.append("--workload=" + workload)
        data += [
            "//glibc_patches:base_tree",
            "//glibc_patches:base_tree_files",
            name + "_patched",
            name + "_patched/files.txt",
            GLIBC_SOURCE.repository + "//:sources",
            GLIBC_SOURCE.repository + "//:threshold_sources",
        ]
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//glibc_patches:glibc_patch_test.sh"],
        args = words,
        data = data,
        tags = tags + ["exclusive", "no_sanitizer"],
        **kwargs
    )
