#include "advisor/evidence/known_issue.h"

namespace advisor {
namespace {

constexpr CoveredBy kHazard = CoveredBy::kHazard;
constexpr CoveredBy kIssue = CoveredBy::kKnownIssue;
constexpr CoveredBy kLint = CoveredBy::kLint;
constexpr CoveredBy kElsewhere = CoveredBy::kElsewhere;
constexpr CoveredBy kOut = CoveredBy::kOutOfScope;

// {report, how, by}. A report may have several rows. In order of subject:
// thresholds, guests, topology, rep movsb, non-temporal stores, masks, strings.
constexpr CoverageRow kRows[] = {
    {"openEuler blog of 2021-01-14", kHazard, "non-temporal-threshold-zero"},
    {"openEuler blog of 2021-01-14", kHazard, "htt-clear"},
    {"Huawei Cloud EulerOS, FAQ hce_03_0021", kIssue, "three-quarters-recipe"},
    {"Huawei Cloud EulerOS, FAQ hce_03_0021", kLint, "refused"},
    {"glibc commit d3c57027470b (many threads share L3)", kIssue,
     "thread-share-of-many"},
    {"libc-alpha 2021-January/121510 (1 to 10 MB slower)", kIssue,
     "thread-share-of-many"},
    {"glibc bug 30745", kIssue, "thread-share-undivided"},
    {"NixOS/nixpkgs#106324", kHazard, "amd-cache-leaf-empty"},

    {"google/gvisor#7341, #7450", kHazard, "non-temporal-threshold-crash"},
    {"FEX-Emu/FEX#789, glibc bug 28784", kHazard, "cache-size-zero"},
    {"jart/blink#33", kOut,
     "a static program brings its own glibc: `advisor lint` on the program"},
    {"oxidecomputer/propolis#1152, glibc bug 30428", kHazard,
     "non-temporal-threshold-crash"},
    {"Red Hat bug 2196271", kHazard, "non-temporal-threshold-crash"},
    {"intel-staging/tdx#3, glibc bugs 30037 and 30643", kHazard,
     "leaf-2-low-byte"},
    {"ceph/ceph-csi#4379, ceph/ceph-container#2193, tigera/operator#3461, "
     "projectcalico/calico#10479",
     kHazard, "vendor-unknown"},
    {"glibc bug 29953", kHazard, "non-temporal-threshold-tiny"},
    {"glibc bug 30429", kHazard, "non-temporal-threshold-tiny"},
    {"a Turin guest of two CPUs with 508 MiB of L3", kHazard, "l3-size-absurd"},
    {"a Turin guest of two CPUs that counts 254", kHazard, "sharers-absurd"},
    {"OpenMathLib/OpenBLAS#1610, #1611, #4609", kIssue, "openblas-finds-no-l2"},

    {"firecracker-microvm/firecracker#265", kHazard,
     "non-temporal-threshold-zero"},
    {"firecracker-microvm/firecracker#3721", kHazard, "cache-leaves-empty"},
    {"microsoft/WSL#6964", kOut,
     "16 MiB is one core complex's L3, and right: nothing to change"},
    {"containers/nri-plugins#716, WildPixelGames/gdt-cpus#7", kElsewhere,
     "cpuid-and-sysfs-disagree, a finding of recommend and inspect"},
    {"chainguard-images/images#1658, wazuh/wazuh-packages#3007, "
     "kubevirt/containerized-data-importer#2652",
     kIssue, "cpu-below-x86-64-v2"},
    {"innogames/igvm#270, OpenNebula/one#1688", kElsewhere,
     "advisor mask --for=pool: it takes the CPUs of several machines"},

    {"xuanwo.io 2023-11, apache/opendal (Rust slower than Python)", kHazard,
     "fsrm-rep-movsb-on-amd"},
    {"glibc bug 30994, lunnova.dev", kHazard, "fsrm-rep-movsb-on-amd"},
    {"microsoft/STL#5658, python/cpython#137121", kHazard,
     "fsrm-rep-movsb-on-amd"},
    {"rust-lang/rust#125352, asterinas/asterinas#839", kElsewhere,
     "recommend measures rep_movsb_threshold with misaligned and aliasing "
     "buffers"},
    {"golang/go#14630", kOut, "another program's own copy, of 2016"},
    {"openucx/ucx#4408, #4435, #5179, #10356", kOut,
     "a library's own copy; that tunables hold for a whole process is a limit "
     "that `advisor mask` prints"},
    {"firedancer-io/firedancer#1073", kIssue, "mask-selects-erms"},
    {"microsoft/mimalloc#253, #201", kOut, "another library's own copy"},
    {"a Zen 5 guest, measured under 2.36", kIssue, "zen-5-without-rep-movsb"},
    {"stackoverflow.com 43343231, 22793669", kOut,
     "one thread of a server copies slower than a laptop: the memory's "
     "latency, nothing to set"},
    {"FreeBSD commit f22068d9 (backward rep movsb)", kIssue,
     "mask-selects-erms"},

    {"glibc commit 5bcf6265f215", kIssue, "memset-non-temporal-skylake-server"},
    {"hyperlight-dev/hyperlight#1473", kOut, "another libc"},
    {"staging of model weights through pinned memory, 2026", kElsewhere,
     "recommend --workload: what is best depends on who reads the destination"},
    {"llvm/llvm-project#187108, ClickHouse/ClickHouse#18583, #17111, #95651",
     kOut, "other libraries' own copies; their benchmarks' cells are measured"},
    {"glibc commits 9dc645cb569a, 44d757eb9f44, c19457aec6 (Zhaoxin)", kIssue,
     "zhaoxin-threshold-small"},
    {"glibc commits 9dc645cb569a, 44d757eb9f44, c19457aec6 (Zhaoxin)", kIssue,
     "avx-loads-on-zhaoxin"},
    {"glibc commit 00d406e77b (Hygon)", kIssue, "avx-loads-on-hygon"},

    {"glibc bug 21396, open-mpi/ompi#8376, apache/arrow#39748", kIssue,
     "avx512-mask-needless"},
    {"Memgraph, JDK and Steam crash with AVX-512; microsoft/WSL#40985", kOut,
     "the causes are not proved, and one was the program's own misalignment; "
     "`advisor mask --for=no-avx512` makes the trial"},
    {"eclipse-openj9/openj9#14253, checkpoint-restore/criu#3120", kElsewhere,
     "advisor mask --for=checkpoint"},
    {"glibc bug 32810", kIssue, "mask-without-xsavec-crashes"},
    {"web-infra-dev/rspack#14704", kElsewhere, "advisor mask --for=pin"},
    {"FluidSynth/fluidsynth#512, hughsie/colord#174", kIssue,
     "mask-changes-libm"},
    {"lvm2, dmsecuretest", kOut,
     "what vector registers keep is no fault of a machine or a setting"},
    {"gnulib hwcap_allowed, uutils/coreutils#9144", kElsewhere,
     "a limit that `advisor mask` prints"},
    {"rr-debugger/rr#3799, #2412; gkeyll#824, LadybirdBrowser/ladybird#6522",
     kElsewhere, "advisor mask --for=rr and --for=valgrind"},
    {"ComfyUI and FPVM (-AVX2_Usable)", kLint, "mask-word"},
    {"glibc bug 30183", kLint, "mask-behind-end"},
    {"glibc bug 31686", kLint, "duplicate"},

    {"docker-library/mongo#723, #724; google/tcmalloc#292", kLint,
     "known-setting"},
    {"a systemd drop-in for mongod; fwupd/fwupd#8124", kElsewhere,
     "recommend --format=systemd"},
    {"secureblue/secureblue#1108", kIssue, "cet-forced"},
    {"tkashkin/Epic-Asset-Manager#150 (launcher drops the variable)", kOut,
     "a process's state: `advisor inspect --pid`"},
    {"sosreport/sos#2812", kElsewhere, "folders as inputs of predict"},
    {"CVE-2023-4911", kIssue, "cve-2023-4911"},
    {"CVE-2023-4911", kLint, "set-uid"},
    {"HPCToolkit/hpctoolkit#577", kLint, "other-release"},
    {"glibc bugs 27061 and 27069", kIssue, "movsb-list-default"},
    {"Debian 2.36: values that are dropped silently", kLint, "refused"},
    {"Debian 2.36: values that are dropped silently", kLint, "namespace"},
    {"Debian 2.36: values that are dropped silently", kLint, "suffix"},
    {"Debian 2.36: values that are dropped silently", kLint, "comma"},
    {"Debian 2.36: values that are dropped silently", kLint, "no-effect"},

    {"CVE-2018-11237, glibc bug 23196", kIssue, "mempcpy-writes-past-end"},
    {"CVE-2019-6488, CVE-2017-18269, glibc bugs 24097, 25966, 22644", kOut,
     "x32 and i386, not x86-64"},
    {"glibc bug 21081", kOut, "gone before 2.26"},
    {"glibc commit 89a25c6f64 (bounds of the large copy)", kHazard,
     "non-temporal-threshold-crash"},
    {"QubesOS/qubes-issues#1003", kOut, "a fault of the hypervisor's memory"},
    {"pmem/pmdk#2326, ska-sa/spead2#289", kOut, "other libraries' own copies"},
};

}  // namespace

absl::Span<const CoverageRow> AllCoverage() { return kRows; }

}  // namespace advisor
