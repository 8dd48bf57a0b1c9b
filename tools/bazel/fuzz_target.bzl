"""Fuzz targets: one source, a test of its corpus and a libFuzzer program."""

def fuzz_target(name, srcs, deps, max_len, dictionary = False, **kwargs):
    """NAME_fuzzer_test feeds testdata/fuzz/NAME, and NAME_fuzzer looks for more.

    The test needs no Clang. The program is built with --config=fuzz alone; see
    tools/fuzz and testdata/fuzz/README.md.

    Args:
      name: of the corpus
      srcs: define LLVMFuzzerTestOneInput
      deps: of the sources; //tools/fuzzing:fuzzing is added
      max_len: the longest input in bytes that the program tries
      dictionary: whether testdata/fuzz/NAME.dict has words to try
      **kwargs: of both targets (local_defines, ...)
    """
    corpus = "testdata/fuzz/" + name
    native.cc_test(
        name = name + "_fuzzer_test",
        size = "small",
        srcs = srcs,
        args = [corpus],
        data = ["//testdata/fuzz:corpora"],
        deps = deps + [
            "//tools/fuzzing",
            "//tools/fuzzing:corpus_main",
        ],
        **kwargs
    )
    words = ["-dict=%s.dict" % corpus] if dictionary else []
    native.cc_binary(
        name = name + "_fuzzer",
        testonly = True,
        srcs = srcs,
        args = ["-max_len=%d" % max_len] + words,
        data = ["//testdata/fuzz:corpora"],
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = deps + ["//tools/fuzzing"],
        **kwargs
    )
