"""The rule sets that Bazel asks the network for, from Debian's packages.

Debian's Bazel (bazel-bootstrap) is built without a version string, and its
default WORKSPACE still names repositories that it would download. Stand-ins
replace them there; a stock Bazel, which knows its version and can download,
keeps its own.
"""

def _is_debian_bazel():
    # Only bazel-bootstrap leaves the version empty.
    return not getattr(native, "bazel_version", "")

_RULES_CC_DEFS = """
cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_library = native.objc_library
"""

_COVERAGE_TOOLS_BUILD = """
package(default_visibility = ["//visibility:public"])

filegroup(name = "coverage_report_generator")

filegroup(name = "lcov_merger")
"""

def _rules_cc_impl(ctx):
    ctx.file("WORKSPACE", "")
    ctx.file("BUILD", "")
    ctx.file("cc/BUILD", "")
    ctx.file("cc/defs.bzl", _RULES_CC_DEFS)

_rules_cc = repository_rule(
    implementation = _rules_cc_impl,
    doc = "One cc/defs.bzl that re-exports the native C++ rules.",
)

def _remote_coverage_tools_impl(ctx):
    ctx.file("WORKSPACE", "")
    ctx.file("BUILD", _COVERAGE_TOOLS_BUILD)

_remote_coverage_tools = repository_rule(
    implementation = _remote_coverage_tools_impl,
    doc = "Empty targets under the names that cc_test depends on.",
)

def distribution_rules():
    """Declares the repositories that Debian's Bazel lacks."""
    if not _is_debian_bazel():
        return
    _rules_cc(name = "rules_cc")
    _remote_coverage_tools(name = "remote_coverage_tools")
    native.local_repository(
        name = "rules_java",
        path = "/usr/share/bazel/rules/java",
    )
    native.local_repository(
        name = "rules_proto",
        path = "/usr/share/bazel/rules/proto",
    )
