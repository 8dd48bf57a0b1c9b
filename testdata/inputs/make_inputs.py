#!/usr/bin/env python3
"""Writes the files of this folder that are made from ../cpuid.

Run it in this folder after a change here. The same answers in other formats:
what the readers make of them must be equal. Files that are not named here were
recorded from machines, or are typed from the reports that they name.
"""

import pathlib
import re

CPUID = pathlib.Path("../cpuid")
LINE = re.compile(
    r"\s*0x([0-9a-f]{8}) 0x([0-9a-f]+): eax=0x([0-9a-f]{8}) ebx=0x([0-9a-f]{8})"
    r" ecx=0x([0-9a-f]{8}) edx=0x([0-9a-f]{8})")
WITH_SUBLEAVES = {
    0x4, 0x7, 0xb, 0xd, 0xf, 0x10, 0x12, 0x14, 0x17, 0x18, 0x1a, 0x1b, 0x1d,
    0x1e, 0x1f, 0x20, 0x23, 0x24, 0x29, 0x8000001d, 0x80000020, 0x80000026}


def read(path):
    """[(leaf, subleaf, eax, ebx, ecx, edx)] of the first CPU."""
    found = (LINE.match(line) for line in path.read_text().splitlines())
    return [tuple(int(x, 16) for x in m.groups()) for m in found if m]


def with_apic_id(rows, number):
    """The rows of CPU `number`: only its APIC ids differ."""
    result = []
    for leaf, sub, eax, ebx, ecx, edx in rows:
        if leaf == 1:
            ebx = (ebx & 0xffffff) | number << 24
        if leaf == 0xb:
            edx = number
        result.append((leaf, sub, eax, ebx, ecx, edx))
    return result


# leaf, subleaf, register (0 is EAX), first bit, Linux's flags from there on.
FLAGS = [
    (0x1, 0, 3, 0, "fpu vme de pse tsc msr pae mce cx8 apic - sep mtrr pge mca "
     "cmov pat pse36 pn clflush - dts acpi mmx fxsr sse sse2 ss ht tm ia64 pbe"),
    (0x80000001, 0, 3, 11, "syscall"),
    (0x80000001, 0, 3, 20, "nx - - - - fxsr_opt pdpe1gb rdtscp - lm"),
    (0x1, 0, 2, 0, "pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 ssse3 "
     "cid sdbg fma cx16 xtpr pdcm - pcid dca sse4_1 sse4_2 x2apic movbe popcnt "
     "tsc_deadline_timer aes xsave - avx f16c rdrand hypervisor"),
    (0x80000001, 0, 2, 0, "lahf_lm cmp_legacy svm extapic cr8_legacy abm sse4a "
     "misalignsse 3dnowprefetch osvw ibs xop - - - - fma4 - - - - - topoext"),
    (0x7, 0, 1, 0, "fsgsbase tsc_adjust - bmi1 hle avx2 - smep bmi2 erms "
     "invpcid rtm - - - - avx512f avx512dq rdseed adx smap avx512ifma - "
     "clflushopt clwb - avx512pf avx512er avx512cd sha_ni avx512bw avx512vl"),
    (0xd, 1, 0, 0, "xsaveopt xsavec xgetbv1 xsaves"),
    (0x7, 0, 2, 1, "avx512vbmi umip pku - - avx512_vbmi2 - gfni vaes "
     "vpclmulqdq avx512_vnni avx512_bitalg"),
    (0x7, 0, 3, 4, "fsrm"),
]


def flags_of(rows):
    """What Linux shows of these leaves (not all of it: what FLAGS has)."""
    answers = {(row[0], row[1]): row[2:] for row in rows}
    highest = answers[0x0, 0][0]
    osxsave = answers[0x1, 0][2] >> 27 & 1
    shown = []
    for leaf, sub, register, first, names in FLAGS:
        if leaf < 0x80000000 and leaf > highest:
            continue
        value = answers.get((leaf, sub), (0, 0, 0, 0))[register]
        shown += [name for bit, name in enumerate(names.split(), first)
                  if value >> bit & 1 and name != "-"]
    # Without OSXSAVE, Linux takes away what needs it.
    needs_xsave = re.compile("xsave|xgetbv1|avx|fma|f16c|xop|pku|vaes|vpclmul")
    return [flag for flag in shown if osxsave or not needs_xsave.match(flag)]


def names_of(rows):
    """vendor, family, model, stepping, brand, highest leaf."""
    answers = {(row[0], row[1]): row[2:] for row in rows}
    highest, ebx, ecx, edx = answers[0x0, 0]
    text = lambda words: b"".join(
        x.to_bytes(4, "little") for x in words).decode("ascii").strip("\0 ")
    eax = answers[0x1, 0][0]
    family = eax >> 8 & 0xf
    model = eax >> 4 & 0xf
    if family >= 6:
        model += eax >> 12 & 0xf0
    if family == 15:
        family += eax >> 20 & 0xff
    brand = sum((answers.get((0x80000002 + i, 0), ()) for i in range(3)), ())
    return (text((ebx, edx, ecx)), family, model, eax & 0xf, text(brand),
            highest)


def cpuinfo(cpus):
    text = ""
    for number, rows in enumerate(cpus):
        vendor, family, model, stepping, brand, highest = names_of(rows)
        text += ("processor\t: %d\nvendor_id\t: %s\ncpu family\t: %d\n"
                 "model\t\t: %d\nmodel name\t: %s\nstepping\t: %d\n"
                 "cpu MHz\t\t: 2800.000\ncache size\t: 16384 KB\n"
                 "cpuid level\t: %d\nwp\t\t: yes\nflags\t\t: %s\n"
                 "bogomips\t: 5600.00\npower management:\n\n" %
                 (number, vendor, family, model, brand, stepping, highest,
                  " ".join(flags_of(rows))))
    return text


def lscpu(rows, layout):
    """As util-linux 2.32 prints it; `layout` are the lines that CPUID does not
    tell."""
    vendor, family, model, stepping, brand, _ = names_of(rows)
    lines = [("Architecture", "x86_64"),
             ("CPU op-mode(s)", "32-bit, 64-bit"),
             ("Byte Order", "Little Endian")] + layout["cpus"] + [
                 ("Vendor ID", vendor), ("CPU family", family),
                 ("Model", model), ("Model name", brand),
                 ("Stepping", stepping)] + layout["caches"] + [
                     ("Flags", " ".join(flags_of(rows)))]
    return "".join("%-21s%s\n" % (key + ":", value) for key, value in lines)


def write(path, text, newline="\n"):
    with open(path, "w", newline="") as file:
        file.write(text.replace("\n", newline))


def cpuid_r(cpus, head):
    text = "".join("# %s\n" % line for line in head)
    for number, rows in enumerate(cpus):
        text += "CPU %d:\n" % number
        for row in rows:
            text += ("   0x%08x 0x%02x: eax=0x%08x ebx=0x%08x ecx=0x%08x "
                     "edx=0x%08x\n" % row)
    return text


def inst_latx64(cpus):
    text = ("------[ Versions ]------\n\n"
            "Program Version : made by make_inputs.py\n\n"
            "------[ CPU Info ]------\n\n"
            "CPU#000 AffMask: 0x0000000000000001\n\n")
    for number, rows in enumerate(cpus):
        text += "------[ CPUID Registers / Logical CPU #%d ]------\n\n" % number
        for leaf, sub, eax, ebx, ecx, edx in rows:
            text += "CPUID %08X: %08X-%08X-%08X-%08X" % (leaf, eax, ebx, ecx,
                                                         edx)
            if leaf in WITH_SUBLEAVES:
                text += " [SL %02X]" % sub
            elif leaf == 0:
                text += " [%s]" % b"".join(
                    x.to_bytes(4, "little")
                    for x in (ebx, edx, ecx)).decode("ascii")
            text += "\n"
        text += "\n"
    return text + ("------[ MSR Registers / Logical CPU #0 ]------\n\n"
                   "MSR 0000001B: 0000-0000-FEE0-0900 [S200]\n")


def libvirt(cpus):
    text = "<!-- made by make_inputs.py -->\n"
    for rows in cpus:
        text += "<cpudata arch='x86'>\n"
        for row in rows:
            text += ("  <cpuid eax_in='0x%08x' ecx_in='0x%02x' eax='0x%08x' "
                     "ebx='0x%08x' ecx='0x%08x' edx='0x%08x'/>\n" % row)
        text += "  <msr index='0x0000010a' edx='0x00000000' eax='0x00000048'/>\n"
        text += "</cpudata>\n"
    return text


def firecracker_dump(rows):
    """As `cpu-template-helper template dump` writes a guest's CPUID."""
    leaves = []
    for leaf, sub, *registers in rows:
        bitmaps = ",\n".join(
            '        {\n          "register": "%s",\n'
            '          "bitmap": "0b%s"\n        }' % (name, format(value, "032b"))
            for name, value in zip(("eax", "ebx", "ecx", "edx"), registers))
        leaves.append(
            '    {\n      "leaf": "0x%x",\n      "subleaf": "0x%x",\n'
            '      "flags": %d,\n      "modifiers": [\n%s\n      ]\n    }' %
            (leaf, sub, leaf in WITH_SUBLEAVES, bitmaps))
    return ('{\n  "kvm_capabilities": [],\n  "cpuid_modifiers": [\n%s\n  ],\n'
            '  "msr_modifiers": []\n}\n' % ",\n".join(leaves))


def hybrid():
    """A Core i9-12900K (Alder Lake, 6/151/2) cut to 2 cores with 2 threads and
    4 atoms, from the figures that its published dumps agree on: leaves 1, 4,
    0xB, 0x1A."""
    shared = [
        (0x0, 0, 0x20, 0x756e6547, 0x6c65746e, 0x49656e69),
        (0x1, 0, 0x00090672, 0x00800800, 0x7ffafbbf, 0xbfebfbff),
        (0x2, 0, 0x00feff01, 0x000000f0, 0, 0),
        (0x7, 0, 0x2, 0x239ca7eb, 0x98c007ac, 0xfc184410),
        (0x7, 1, 0x00401c30, 0, 0, 0),
        (0xd, 0, 0x207, 0x340, 0xa88, 0),
        (0xd, 1, 0xf, 0x350, 0x19900, 0),
    ]
    extended = [
        (0x80000000, 0, 0x80000008, 0, 0, 0),
        (0x80000001, 0, 0, 0, 0x121, 0x2c100800),
        (0x80000006, 0, 0, 0, 0x05007040, 0),
        (0x80000008, 0, 0x3027, 0, 0, 0),
    ]
    caches = {
        "core": [(0xfc004121, 0x02c0003f, 0x3f, 0),
                 (0xfc004122, 0x01c0003f, 0x3f, 0),
                 (0xfc01c143, 0x0240003f, 0x7ff, 0),
                 (0xfc1fc163, 0x0240003f, 0xbfff, 4), (0, 0, 0, 0)],
        "atom": [(0xfc000121, 0x01c0003f, 0x3f, 0),
                 (0xfc000122, 0x01c0003f, 0x7f, 0),
                 (0xfc01c143, 0x03c0003f, 0x7ff, 0),
                 (0xfc1fc163, 0x0240003f, 0xbfff, 4), (0, 0, 0, 0)],
    }
    threads = {"core": 2, "atom": 1}
    kinds = {"core": 0x40000001, "atom": 0x20000001}
    cpus = []
    for number, kind in enumerate(["core"] * 4 + ["atom"] * 4):
        rows = shared + [(4, i) + c for i, c in enumerate(caches[kind])]
        rows += [(0xb, 0, 1, threads[kind], 0x100, 0),
                 (0xb, 1, 7, 8, 0x201, 0),
                 (0x1a, 0, kinds[kind], 0, 0, 0),
                 (0x20, 0, 0, 1, 0, 0)]
        cpus.append(with_apic_id(sorted(rows) + extended, number))
    return cpus


def main():
    emerald = read(CPUID / "intel_06-cf-02_xeon-emerald-rapids_local_"
                   "firecracker-2-vcpu.txt")
    two = [with_apic_id(emerald, number) for number in range(2)]
    seed = read(CPUID / "field" / "seed_guest_htt0.txt")
    milan = read(CPUID / "amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-"
                 "milan.txt")
    dhyana = read(CPUID / "hygon_18-00-01_dhyana_qemu-tcg_qemu72-tcg-dhyana.txt")
    skylake = read(CPUID / "intel_06-55-04_xeon-skylake_qemu-tcg_qemu72-tcg-"
                   "skylake-server.txt")
    kvm64 = read(CPUID / "intel_0f-06-01_common-kvm_qemu-tcg_qemu72-tcg-"
                 "kvm64-4c.txt")

    write("cpuid_r/emerald_rapids_2_cpus.txt",
          cpuid_r(two, ["xcr0: 0x00000000000000e7"]))
    write("cpuid_r/alder_lake_hybrid.txt", cpuid_r(hybrid(), []))
    write("instlatx64/emerald_rapids_2_cpus.txt", inst_latx64(two), "\r\n")
    write("instlatx64/alder_lake_hybrid.txt", inst_latx64(hybrid()), "\r\n")
    for name, rows in (("seed_guest_htt0", seed), ("epyc_milan", milan),
                       ("dhyana", dhyana), ("kvm64_4_cores", kvm64)):
        write("instlatx64/%s.txt" % name, inst_latx64([rows]), "\r\n")
    for name, rows in (("seed_guest_htt0", seed), ("epyc_milan", milan),
                       ("skylake_server", skylake)):
        write("libvirt/%s.xml" % name, libvirt([rows]))
    write("libvirt/alder_lake_hybrid.xml", libvirt(hybrid()))
    write("firecracker/emerald_rapids_guest.dump.json",
          firecracker_dump(emerald))
    bundle = pathlib.Path("bundle/sosreport-seed-guest")
    (bundle / "sos_commands/processor").mkdir(parents=True, exist_ok=True)
    write(bundle / "sos_commands/processor/cpuid_-r", cpuid_r([seed], []))
    (bundle / "proc").mkdir(exist_ok=True)
    write(bundle / "proc/cpuinfo", cpuinfo([seed] * 4))
    write(bundle / "sos_commands/processor/lscpu", lscpu(seed, {
        "cpus": [("CPU(s)", 4), ("On-line CPU(s) list", "0-3"),
                 ("Thread(s) per core", 1), ("Core(s) per socket", 1),
                 ("Socket(s)", 4), ("NUMA node(s)", 1)],
        "caches": [("Hypervisor vendor", "KVM"),
                   ("Virtualization type", "full"), ("L1d cache", "32K"),
                   ("L1i cache", "32K"), ("L2 cache", "4096K"),
                   ("L3 cache", "16384K"), ("NUMA node0 CPU(s)", "0-3")]}))
    for name, rows in (("epyc_milan", milan), ("dhyana", dhyana),
                       ("skylake_server", skylake)):
        write("cpuinfo/%s.cpuinfo.txt" % name, cpuinfo([rows] * 2))


if __name__ == "__main__":
    main()
