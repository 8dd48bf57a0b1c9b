"""What README.md promises, against the tree and the program.

check_readme.py README OUTPUT: exit status 1 and one line for each difference
between the recommendation that the README shows and the one in the file OUTPUT:
which parts there are, and in which order. readme_test.py has the rest.
"""

import pathlib
import re
import sys

# Parts of a recommendation that only some answers have.
SOMETIMES = {"Found", "Caches", "Workload", "Masks", "Proof", "Apply", "Undo",
             "Note"}
# Beginning of the block that shows a recommendation.
RECOMMENDATION = "$ ./tools/run_advisor\n"


def blocks(readme):
    """The fenced code blocks."""
    return re.findall(r"^```\w*\n(.*?)^```", readme, re.M | re.S)


def labels(output):
    """The names of a report's parts: words at the beginning of a line."""
    return re.findall(r"^([A-Z][a-z]+|glibc) {2,}\S", output, re.M)


def shape_problems(shown, real):
    """Differences in shape between two recommendations, as sentences."""
    problems = []
    shown_labels, real_labels = labels(shown), labels(real)
    if not real_labels:
        return ["the output has no part that begins with a name"]
    for label in real_labels:
        if label not in shown_labels:
            problems.append(f"the README does not show the part {label}")
    for label in shown_labels:
        if label not in real_labels and label not in SOMETIMES:
            problems.append(f"the output has no part {label}")
    common = [label for label in shown_labels if label in real_labels]
    if common != [label for label in real_labels if label in shown_labels]:
        problems.append(f"the parts are in another order: {real_labels}")
    return problems


def shown_recommendation(readme):
    for block in blocks(readme):
        if block.startswith(RECOMMENDATION):
            return block[len(RECOMMENDATION):]
    return ""


def named_paths(readme):
    """The paths in backticks of all tables: what has a slash, or an ending."""
    paths = set()
    for row in re.findall(r"^\|.*\|$", readme, re.M):
        for word in re.findall(r"`([^`]+)`", row):
            # Not a command line, a Bazel label, or a name with a blank in it.
            if re.fullmatch(r"[\w.][\w./-]*", word) and (
                    "/" in word or re.search(r"\.(cc|h|bzl|txt|py)$", word)):
                paths.add(word)
    return sorted(paths)


def missing_paths(readme, root, folders=("", "advisor")):
    """Named paths that are not there. NAME stands for any name."""
    missing = []
    for path in named_paths(readme):
        pattern = path.replace("NAME", "*").rstrip("/")
        if not any(list(pathlib.Path(root, folder).glob(pattern)) or
                   list(pathlib.Path(root, folder).glob("*/" + pattern))
                   for folder in folders):
            missing.append(path)
    return missing


def main(arguments):
    if len(arguments) != 2:
        print("usage: check_readme.py README OUTPUT", file=sys.stderr)
        return 2
    readme, output = (pathlib.Path(path).read_text(encoding="utf-8")
                      for path in arguments)
    shown = shown_recommendation(readme)
    problems = (shape_problems(shown, output) if shown else
                ["the README shows no recommendation"])
    for problem in problems:
        print(f"{arguments[0]}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
