"""Programs that the sanitizers' runtimes cannot be a part of."""

# Linker options of a static program that nothing instruments: Clang would add
# the runtime to it all the same.
NO_SANITIZER_RUNTIME = select({
    "//tools/bazel:clang_sanitizers": [
        "-fno-sanitize-link-runtime",
        # A part of it is added even so.
        "-Wl,--unresolved-symbols=ignore-all",
    ],
    "//conditions:default": [],
})
