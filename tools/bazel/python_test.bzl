"""Tests in Python that need no `python` command.

Bazel 4 starts a py_test through a script of its own that runs `python`, which
Debian and Ubuntu do not have; only `python3`.
"""

def python_test(name, src, **kwargs):
    """A test that is one executable Python file.

    Args:
      name: of the target
      src: the file; executable, first line #!/usr/bin/env -S python3 -B. It may
        import modules of its own folder.
      **kwargs: of sh_test (size, data, tags, ...)
    """
    native.sh_test(name = name, srcs = [src], **kwargs)
