#include "advisor/evidence/guest_configuration.h"

#include <cstddef>

namespace advisor {
namespace {

constexpr absl::string_view kQemuManual = "QEMU manual, qemu-system-x86_64(1)";
constexpr absl::string_view kQemuCpuModels =
    "QEMU manual, QEMU / KVM CPU model configuration";
constexpr absl::string_view kQemuProperties =
    "QEMU, target/i386/cpu.c, x86_cpu_properties";

// {setting, name, QEMU, libvirt, source}; libvirt's elements are those of
// "Domain XML format", CPU model and topology.
constexpr GuestSettingRow kRows[] = {
    {GuestSetting::kVendor, "vendor", "-cpu host (or MODEL,vendor=VENDOR)",
     "<cpu mode='host-passthrough'/>", kQemuCpuModels},
    {GuestSetting::kHighestLeaves, "highest leaves",
     "-cpu ...,level=0xd,xlevel=0x8000001e (no lower limit of one's own)",
     "<cpu mode='host-passthrough'/>", kQemuProperties},
    {GuestSetting::kCpuModel, "CPU model", "-cpu host",
     "<cpu mode='host-passthrough'/>", kQemuCpuModels},
    {GuestSetting::kFeatures, "features", "-cpu host (or MODEL,+FEATURE)",
     "<cpu mode='host-passthrough'/> or <feature policy='require' "
     "name='FEATURE'/>",
     kQemuCpuModels},
    {GuestSetting::kTopology, "topology",
     "-smp N,sockets=1,cores=N,threads=1 (more than one core or thread per "
     "socket)",
     "<topology sockets='1' cores='N' threads='1'/>", kQemuManual},
    {GuestSetting::kCacheSizes, "cache sizes",
     "-cpu host,host-cache-info=on (or l3-cache=on)",
     "<cpu mode='host-passthrough'><cache mode='passthrough'/></cpu>",
     kQemuProperties},
    {GuestSetting::kAmdCacheLeaf, "AMD cache leaf",
     "-cpu host,topoext=on,host-cache-info=on",
     "<feature policy='require' name='topoext'/> and <cache "
     "mode='passthrough'/>",
     kQemuProperties},
};

}  // namespace

absl::Span<const GuestSettingRow> AllGuestSettings() { return kRows; }

const GuestSettingRow& GuestSettingRowOf(GuestSetting setting) {
  return kRows[static_cast<size_t>(setting)];
}

}  // namespace advisor
