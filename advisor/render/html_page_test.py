#!/usr/bin/env -S python3 -B
"""The page in a real browser: something is to be seen, at a desk and on a
phone, in light and in dark; no label covers another; nothing is complained
about on the console.

The pages are the golden ones that renderer_test holds the renderer to.
"""

import glob
import html
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

PAGES = "testdata/golden/recommend/*.html"

# Runs beside the page, which has no script itself.
LOOK = """
const look = frame => {
  const page = frame.contentDocument;
  const texts = [...page.querySelectorAll("svg")].map(svg => {
    const edge = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll("text")].map(text => {
      const box = text.getBoundingClientRect();
      return {text: text.textContent, left: box.left, right: box.right,
              top: box.top, bottom: box.bottom};
    });
    const collisions = [];
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
      // The line boxes of a font are higher than its letters.
      if (a.left < b.right && b.left < a.right &&
          a.top + 3 < b.bottom && b.top + 3 < a.bottom) {
        collisions.push(a.text + " / " + b.text);
      }
    }));
    const outside = boxes.filter(box =>
        box.left < edge.left - 1 || box.right > edge.right + 1 ||
        box.top < edge.top - 1 || box.bottom > edge.bottom + 1);
    return {collisions, outside: outside.map(box => box.text)};
  });
  return {
    width: page.documentElement.scrollWidth,
    plots: page.querySelectorAll("figure > svg").length,
    named: page.querySelectorAll(
        "figure > svg[role=img] > title + desc").length,
    smallest: Math.min(...[...page.querySelectorAll("svg text")].map(
        text => text.getBoundingClientRect().height)),
    background: getComputedStyle(page.body).backgroundColor,
    collisions: texts.flatMap(text => text.collisions),
    outside: texts.flatMap(text => text.outside)};
};
document.title = JSON.stringify(
    [...document.querySelectorAll("iframe")].map(look));
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def unfiltered(kind, line, above, step):
    """A line of a PNG (its specification, 9.2)."""
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        elif kind == 4:
            guess = min((left, above[i], corner),
                        key=lambda value, all=left + above[i] - corner:
                        abs(all - value))
        else:
            return line
        line[i] = (line[i] + guess) & 255
    return line


def colours(path):
    """Colour -> number of pixels, of a PNG with 8 bits a channel."""
    with open(path, "rb") as file:
        data = file.read()
    position, compressed = 8, b""
    while position < len(data):
        length, name = struct.unpack(">I4s", data[position:position + 8])
        content = data[position + 8:position + 8 + length]
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", content[:10])
        elif name == b"IDAT":
            compressed += content
        position += 12 + length
    assert depth == 8 and kind in (2, 6), (depth, kind)
    step = 3 if kind == 2 else 4
    raw = zlib.decompress(compressed)
    counts = {}
    line = bytearray(width * step)
    for row in range(height):
        start = row * (width * step + 1)
        line = unfiltered(raw[start],
                          bytearray(raw[start + 1:start + 1 + width * step]),
                          line, step)
        for i in range(0, len(line), step):
            colour = bytes(line[i:i + 3])
            counts[colour] = counts.get(colour, 0) + 1
    return counts


class HtmlPageTest(unittest.TestCase):

    def setUp(self):
        self.browser = next(filter(None, map(shutil.which, (
            "chromium", "chromium-browser", "google-chrome"))), None)
        if self.browser is None:
            raise unittest.SkipTest("needs chromium")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.pages = sorted(glob.glob(PAGES))
        self.assertGreaterEqual(len(self.pages), 4)

    def run_browser(self, page, arguments, width=1280, height=800,
                    dark=False):
        path = os.path.join(self.scratch, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        result = subprocess.run(
            [self.browser, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars",
             "--enable-logging=stderr",
             f"--user-data-dir={self.scratch}/profile",
             f"--window-size={max(width, 500)},{height}",
             "--blink-settings=preferredColorScheme=" + "10"[dark],
             *arguments, "file://" + path],
            capture_output=True, text=True, check=False, timeout=240,
            env={"PATH": os.environ["PATH"], "HOME": self.scratch})
        if "error while loading shared libraries" in result.stderr:
            raise unittest.SkipTest("needs a chromium that starts")
        self.assertEqual(result.returncode, 0, result.stderr)
        console = [line for line in result.stderr.splitlines()
                   if "CONSOLE" in line]
        return result.stdout, console

    @staticmethod
    def framed(pages, height):
        """A browser's window has a least width, a frame has none."""
        return "<!DOCTYPE html><meta charset=utf-8><body style=margin:0>" + "".join(
            "<iframe style='border:0;display:block;"
            f"width:{width}px;height:{height}px' srcdoc=\"{html.escape(page)}\">"
            "</iframe>" for page, width in pages)

    def look(self, pages, dark=False):
        """What is seen of each (page, width), and the console."""
        output, console = self.run_browser(
            self.framed(pages, 3000) +
            f"<script>window.onload = () => {{ {LOOK} }}</script>",
            ["--dump-dom"], dark=dark)
        title = re.search(r"<title>(.*?)</title>", output, re.S)
        self.assertTrue(title, output[:500])
        return json.loads(html.unescape(title[1])), console

    def test_plots_are_in_place_at_every_width(self):
        cases = [(path, width) for path in self.pages
                 for width in (1280, 400, 320)]
        all_seen, console = self.look([(read(path), width)
                                       for path, width in cases])
        self.assertEqual(console, [])
        self.assertEqual(len(all_seen), len(cases))
        for (path, width), seen in zip(cases, all_seen):
            where = f"{path} at {width}"
            self.assertEqual(seen["collisions"], [], where)
            self.assertEqual(seen["outside"], [], where)
            self.assertLessEqual(seen["width"], width, where)
            self.assertEqual(seen["named"], seen["plots"], where)
            if seen["plots"]:
                self.assertGreaterEqual(seen["smallest"],
                                        8 if width < 400 else 11, where)
        self.assertGreaterEqual(max(seen["plots"] for seen in all_seen), 10)

    def test_dark_is_dark(self):
        page = read(self.pages[0])
        [light], _ = self.look([(page, 1280)])
        [dark], _ = self.look([(page, 1280)], dark=True)
        self.assertEqual(light["background"], "rgb(255, 255, 255)")
        self.assertLess(max(map(int, re.findall(r"\d+", dark["background"]))),
                        60)

    def test_overlap_would_be_seen(self):
        page = ("<!DOCTYPE html><body><figure><svg viewBox='0 0 90 30' "
                "width=90><text y=16>ab</text><text y=16>cd</text>"
                "<text x=80 y=16>out</text></svg></figure>")
        [seen], _ = self.look([(page, 400)])
        self.assertEqual(seen["collisions"], ["ab / cd"])
        self.assertEqual(seen["outside"], ["out"])

    def test_a_complaint_would_be_seen(self):
        page = read(self.pages[0])
        for broken in ("<script>f()</script>",
                       "<img src=http://127.0.0.1/x.png>"):
            _, console = self.look(
                [(page.replace("<main>", "<main>" + broken), 400)])
            self.assertNotEqual(console, [], broken)

    def screenshot(self, page, width, dark=False):
        picture = os.path.join(self.scratch, "picture.png")
        _, console = self.run_browser(self.framed([(page, width)], 500),
                                      [f"--screenshot={picture}"], width, 500,
                                      dark)
        self.assertEqual(console, [])
        return colours(picture)

    def test_something_is_to_be_seen(self):
        page = read(self.pages[0])
        for width, dark in ((1280, False), (400, False), (1280, True)):
            seen = self.screenshot(page, width, dark)
            common = max(seen, key=seen.get)
            where = f"at {width}, dark: {dark}"
            self.assertGreater(len(seen), 50, where)
            self.assertGreater(sum(seen.values()) - seen[common], 10000, where)
            if width == 1280:
                self.assertEqual(max(common) < 60, dark, where)

    def test_an_empty_page_would_be_seen(self):
        self.assertLess(len(self.screenshot("<!DOCTYPE html><body>", 1280)), 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
