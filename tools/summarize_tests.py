"""Sums up a `bazel test` run from its build events (a JSON file).

Prints the failed and the skipped test cases by name, the slowest targets and,
as the last line, "N passed, N failed, N skipped". GoogleTest cases are counted
one by one, from test.xml; any other test is one case. A Python test that is run
with unittest's verbosity 2 names its skipped cases too.

A case that was skipped without a reason counts as failed: nobody could tell
what the machine lacks.

Exit status 1 when something failed or nothing passed.
"""

import collections
import json
import re
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree

SLOWEST = 10

# What Bazel says of a target that is good.
PASSED = ("PASSED", "FLAKY")

# "test_name (module.Class) ... skipped 'reason'"
UNITTEST_SKIP = re.compile(r"^(\w+) \(.*\.\.\. skipped ['\"](.*)['\"]$", re.M)

Case = collections.namedtuple("Case", ["name", "outcome", "reason"])
Target = collections.namedtuple("Target", ["label", "seconds", "cases"])


def skipped_case(name, reason):
    if not reason:
        return Case(name, "failed", "skipped without saying why")
    return Case(name, "skipped", reason)


def cases_of_xml(label, text, status):
    """The cases of one test.xml; `status` is what Bazel says of the target."""
    passed = status in PASSED
    cases = []
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError:
        return [Case(label, "failed", "unreadable test.xml")]
    for element in root.iter("testcase"):
        suite = element.get("classname")
        if suite is None or element.get("status") is None:
            # Bazel's own, made for a program that wrote none.
            return [
                skipped_case(f"{label}: {name}", reason)
                for name, reason in UNITTEST_SKIP.findall(
                    "".join(root.itertext()))
            ] + [Case(label, "passed" if passed else "failed", "")]
        name = f"{label}: {suite}.{element.get('name')}"
        skipped = element.find("skipped")
        failure = element.find("failure")
        if failure is not None or element.find("error") is not None:
            cases.append(Case(name, "failed", ""))
        elif skipped is not None or element.get("result") == "skipped":
            reason = skipped.get("message", "") if skipped is not None else ""
            # The first line is the place of the GTEST_SKIP.
            reason = " ".join(reason.strip().splitlines()[1:])
            cases.append(skipped_case(name, reason.strip()))
        elif element.get("status") == "notrun":
            cases.append(Case(name, "skipped", "disabled"))
        else:
            cases.append(Case(name, "passed", ""))
    if not passed and not any(case.outcome == "failed" for case in cases):
        # A crash, a time limit, or an exit status after the last case.
        cases.append(Case(label, "failed",
                          f"{status.lower()}, though none of its cases did"))
    return cases


def read_uri(uri):
    with open(urllib.request.url2pathname(urllib.parse.urlparse(uri).path),
              encoding="utf-8", errors="replace") as file:
        return file.read()


def read_events(lines):
    """The targets of a run, from the lines of its event file."""
    seconds = collections.Counter()
    cases = collections.defaultdict(list)
    broken = {}
    for line in lines:
        event = json.loads(line)
        identity = event["id"]
        if "testResult" in event:
            label = identity["testResult"]["label"]
            result = event["testResult"]
            seconds[label] += int(result.get("testAttemptDurationMillis",
                                             0)) / 1000
            status = result.get("status", "NO_STATUS")
            outputs = {
                output["name"]: output.get("uri", "")
                for output in result.get("testActionOutput", [])
            }
            if "test.xml" in outputs:
                cases[label] += cases_of_xml(label,
                                             read_uri(outputs["test.xml"]),
                                             status)
            else:
                cases[label].append(
                    Case(label, "passed" if status in PASSED else "failed",
                         status.lower()))
        elif "testSummary" in event:
            label = identity["testSummary"]["label"]
            status = event["testSummary"].get("overallStatus", "NO_STATUS")
            if status not in PASSED + ("FAILED", "TIMEOUT"):
                broken[label] = status.lower().replace("_", " ")
        elif "targetCompleted" in identity:
            if not event.get("completed", {}).get("success", False):
                broken.setdefault(identity["targetCompleted"]["label"],
                                  "failed to build")
    for label, reason in broken.items():
        if label not in cases:
            cases[label] = [Case(label, "failed", reason)]
    return [
        Target(label, seconds[label], cases[label]) for label in sorted(cases)
    ]


def print_summary(targets, out):
    cases = [case for target in targets for case in target.cases]
    count = collections.Counter(case.outcome for case in cases)
    for outcome in ("skipped", "failed"):
        for case in cases:
            if case.outcome == outcome:
                reason = f": {case.reason}" if case.reason else ""
                print(f"{outcome.upper()} {case.name}{reason}", file=out)
    slowest = sorted(targets, key=lambda target: -target.seconds)[:SLOWEST]
    if slowest:
        print(f"Slowest of {len(targets)} targets:", file=out)
    for target in slowest:
        print(f"{target.seconds:8.1f} s  {target.label}", file=out)
    print(f"{count['passed']} passed, {count['failed']} failed, "
          f"{count['skipped']} skipped", file=out)
    return 0 if count["passed"] > 0 and count["failed"] == 0 else 1


def main(arguments):
    if len(arguments) != 1:
        print("usage: summarize_tests.py EVENTS.json", file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        return print_summary(read_events(file), sys.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
