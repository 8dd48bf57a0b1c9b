#!/usr/bin/env -S python3 -B
"""The programs that read the settings take from them the very string.

The files are the golden ones that renderer_test holds the renderers to.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

GOLDEN = "testdata/golden/recommend"
GENERATOR = ("/usr/lib/systemd/user-environment-generators/"
             "30-systemd-environment-d-generator")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def content(text):
    return [line for line in text.splitlines()
            if line and not line.startswith("#")]


def needs(program):
    path = shutil.which(program)
    if path is None:
        raise unittest.SkipTest(f"needs {program}")
    return path


def run(words, **kwargs):
    # A mask in the environment would be read by the program itself.
    environment = {"PATH": os.environ["PATH"], **kwargs.pop("env", {})}
    return subprocess.run(words, env=environment, text=True, check=False,
                          timeout=120, capture_output=True, **kwargs)


def unquoted(word, escapes):
    """The text between double quotes; each escape is two characters."""
    match = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', word)
    assert match, word
    return re.sub(r"\\(.)", lambda found: escapes[found[1]], match[1])


class DeploymentFilesTest(unittest.TestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        # Sample -> the recommendation as JSON tells it.
        self.samples = {
            os.path.basename(path)[:-len(".json")]:
                json.loads(read(path))["recommendation"]
            for path in glob.glob(f"{GOLDEN}/*.json")}
        self.assertGreaterEqual(len(self.samples), 4)
        self.assertIn("odd_environment", self.samples)

    def each(self, extension):
        """(name, text, the string that it must set or None) of each sample."""
        for name, recommendation in sorted(self.samples.items()):
            yield (name, read(f"{GOLDEN}/{name}.{extension}"),
                   recommendation["string"]
                   if recommendation["verdict"] == "set" else None)

    def scratch_file(self, path, text):
        path = os.path.join(self.scratch, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_systemd_assigns_the_string(self):
        for extension, section, key in (
                ("systemd", "[Service]", "Environment="),
                ("systemd.system", "[Manager]", "DefaultEnvironment=")):
            for _, text, string in self.each(extension):
                lines = content(text)
                if string is None:
                    self.assertEqual(lines, [])
                    continue
                self.assertEqual(lines[0], section)
                self.assertEqual(len(lines), 2)
                self.assertTrue(lines[1].startswith(key))
                self.assertEqual(
                    unquoted(lines[1][len(key):], {'"': '"', "\\": "\\"})
                    .replace("%%", "%"), "GLIBC_TUNABLES=" + string)

    def verify(self, name, drop_in):
        unit = f"{name.replace('_', '-')}.service"
        path = self.scratch_file(
            unit, "[Service]\nExecStart=/bin/true\n")
        self.scratch_file(f"{unit}.d/glibc-tunables.conf", drop_in)
        return run([needs("systemd-analyze"), "verify", "--man=no", path],
                   env={"SYSTEMD_UNIT_PATH": self.scratch + ":"})

    def test_systemd_analyze_accepts_the_drop_in(self):
        needs("systemd-analyze")
        for name, text, _ in self.each("systemd"):
            result = self.verify(name, text)
            self.assertNotIn("glibc-tunables.conf", result.stderr)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_systemd_analyze_would_refuse_a_wrong_one(self):
        for wrong in ('[Service]\nEnvironment="GLIBC_TUNABLES=a\n',
                      "[Service]\nEnvironment=GLIBC_TUNABLES:a\n",
                      "[Servize]\nEnvironment=GLIBC_TUNABLES=a\n"):
            result = self.verify("wrong", wrong)
            self.assertIn("glibc-tunables.conf", result.stderr, wrong)

    def test_yaml(self):
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise unittest.SkipTest("needs python3-yaml") from None
        for _, text, string in self.each("kubernetes"):
            self.assertEqual(
                yaml.safe_load(text),
                {"env": [] if string is None else
                        [{"name": "GLIBC_TUNABLES", "value": string}]})

    def test_environment_d(self):
        if not os.access(GENERATOR, os.X_OK):
            raise unittest.SkipTest("needs systemd's environment.d generator")
        for extension in ("environment.d", "environment.d.system"):
            for name, text, string in self.each(extension):
                self.scratch_file(f"{name}/environment.d/50-x.conf", text)
                result = run([GENERATOR], env={
                    "XDG_CONFIG_HOME": os.path.join(self.scratch, name)})
                self.assertEqual(result.returncode, 0, result.stderr)
                lines = [line for line in result.stdout.splitlines()
                         if line.startswith("GLIBC_TUNABLES=")]
                # What would need quotes is not written.
                expected = (string is not None and
                            not re.search(r"""[^-\w.,:=/+]""", string))
                self.assertEqual(
                    lines, ["GLIBC_TUNABLES=" + string] if expected else [])

    def test_dockerfile_grammar(self):
        """The form ENV NAME="VALUE" with the escapes of Docker's reference."""
        for _, text, string in self.each("docker"):
            lines = content(text)
            if string is None:
                self.assertEqual(lines, [])
                continue
            self.assertEqual(len(lines), 1)
            # A "$" would be the beginning of a variable.
            match = re.fullmatch(
                r'ENV GLIBC_TUNABLES=("(?:[^"\\$]|\\["\\$])*")', lines[0])
            self.assertTrue(match, lines[0])
            self.assertEqual(
                unquoted(match[1], {'"': '"', "\\": "\\", "$": "$"}), string)

    def test_buildah_builds_an_image_with_it(self):
        buildah = [needs("buildah"), "--storage-driver", "vfs",
                   "--root", self.scratch + "/root",
                   "--runroot", self.scratch + "/run"]
        home = {"HOME": self.scratch}
        for name, text, string in self.each("docker"):
            path = self.scratch_file(name, "FROM scratch\n" + text)
            result = run(buildah + ["bud", "--quiet", "--isolation", "chroot",
                                    "--tag", name, "--file", path,
                                    self.scratch], env=home)
            if "not permitted" in result.stderr or "userns" in result.stderr:
                raise unittest.SkipTest("needs user namespaces, for buildah")
            self.assertEqual(result.returncode, 0, result.stderr)
            result = run(buildah + ["inspect", "--type", "image", name],
                         env=home)
            environment = json.loads(result.stdout)["OCIv1"]["config"].get(
                "Env", [])
            self.assertEqual(
                [entry for entry in environment
                 if entry.startswith("GLIBC_TUNABLES=")],
                [] if string is None else ["GLIBC_TUNABLES=" + string])

    def test_batch_script(self):
        for name, text, string in self.each("slurm"):
            path = self.scratch_file(name, "#!/bin/sh\n" + text +
                                     'printf %s "${GLIBC_TUNABLES-unset}"\n')
            result = run(["sh", "-eu", path])
            self.assertEqual(result.stderr, "")
            self.assertEqual(result.stdout, string or "unset")

    def task_prolog(self, text, cpuinfo, before):
        """What it prints where the machine is as it is written for."""
        release = re.search(r"'glibc ([0-9.]+)'", text)
        tools = os.path.join(self.scratch, "bin")
        path = self.scratch_file(
            "bin/getconf", "#!/bin/sh\necho 'glibc %s'\n" %
            (release[1] if release else "0"))
        os.chmod(path, 0o755)
        path = self.scratch_file("task_prolog", text.replace(
            "/proc/cpuinfo", self.scratch_file("cpuinfo", cpuinfo)))
        result = run(["/bin/sh", path],
                     env={"PATH": tools + ":" + os.environ["PATH"],
                          "GLIBC_TUNABLES": before})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_task_prolog_merges_at_the_node(self):
        for name, text, string in self.each("slurm.system"):
            numbers = re.search(r"'cpu family' (\d+) && has model (\d+)", text)
            if string is None:
                self.assertEqual(content(text), [])
                continue
            vendor = re.search(r"has vendor_id (\w+)", text)[1]
            here = (f"vendor_id\t: {vendor}\ncpu family\t: {numbers[1]}\n"
                    f"model\t\t: {numbers[2]}\nmodel name\t: x\n")
            values = self.samples[name]["tunables"]
            settings = ":".join(f"{key}={value}"
                                for key, value in sorted(values.items()))
            first = min(values)
            for before, kept in (
                    ("", ""), ("a.b=1", "a.b=1:"),
                    (f"{first}=7:a.b=*::c.d=2:{first}=8:", "a.b=*:c.d=2:"),
                    # Another name that begins like it.
                    (f"{first}2=7", f"{first}2=7:")):
                self.assertEqual(
                    self.task_prolog(text, here, before),
                    f"export GLIBC_TUNABLES={kept}{settings}\n")
            for elsewhere in (here.replace(f"model\t\t: {numbers[2]}",
                                           "model\t\t: 1"),
                              here.replace(vendor, "CentaurHauls"), ""):
                self.assertEqual(self.task_prolog(text, elsewhere, ""), "")
            self.assertEqual(
                self.task_prolog(text.replace("'glibc 2", "'glibc  2"), here,
                                 ""), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
