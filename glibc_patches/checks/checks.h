// The functions of the rows of AllChecks(), one file each.

#ifndef GLIBC_PATCHES_CHECKS_CHECKS_H_
#define GLIBC_PATCHES_CHECKS_CHECKS_H_

#include <optional>
#include <string>

#include "glibc_patches/checks/check.h"

namespace glibc_patches {

void RunAccessesCheck(const CheckContext& context, CheckSession& session);
void RunChkEntriesCheck(const CheckContext& context, CheckSession& session);
void RunContentCheck(const CheckContext& context, CheckSession& session);
void RunCoverageCheck(const CheckContext& context, CheckSession& session);
void RunEndbr64Check(const CheckContext& context, CheckSession& session);
void RunGuardPagesCheck(const CheckContext& context, CheckSession& session);
void RunHugeSizesCheck(const CheckContext& context, CheckSession& session);
void RunInstructionSetCheck(const CheckContext& context, CheckSession& session);
void RunRegistersCheck(const CheckContext& context, CheckSession& session);
void RunReturnValueCheck(const CheckContext& context, CheckSession& session);
void RunStoreFenceCheck(const CheckContext& context, CheckSession& session);
void RunThresholdsCheck(const CheckContext& context, CheckSession& session);
void RunTransactionCheck(const CheckContext& context, CheckSession& session);
void RunUpperHalvesCheck(const CheckContext& context, CheckSession& session);
void RunWideEntriesCheck(const CheckContext& context, CheckSession& session);
void RunZeroLengthCheck(const CheckContext& context, CheckSession& session);

std::optional<std::string> AttemptAccesses(const CheckContext& context,
                                           const PlacedCall& call);
std::optional<std::string> AttemptChkEntries(const CheckContext& context,
                                             const PlacedCall& call);
std::optional<std::string> AttemptContent(const CheckContext& context,
                                          const PlacedCall& call);
std::optional<std::string> AttemptCoverage(const CheckContext& context,
                                           const PlacedCall& call);
std::optional<std::string> AttemptGuardPages(const CheckContext& context,
                                             const PlacedCall& call);
std::optional<std::string> AttemptHugeSizes(const CheckContext& context,
                                            const PlacedCall& call);
std::optional<std::string> AttemptRegisters(const CheckContext& context,
                                            const PlacedCall& call);
std::optional<std::string> AttemptReturnValue(const CheckContext& context,
                                              const PlacedCall& call);
std::optional<std::string> AttemptThresholds(const CheckContext& context,
                                             const PlacedCall& call);
std::optional<std::string> AttemptTransaction(const CheckContext& context,
                                              const PlacedCall& call);
std::optional<std::string> AttemptUpperHalves(const CheckContext& context,
                                              const PlacedCall& call);
std::optional<std::string> AttemptWideEntries(const CheckContext& context,
                                              const PlacedCall& call);
std::optional<std::string> AttemptZeroLength(const CheckContext& context,
                                             const PlacedCall& call);

std::optional<std::string> SkipChkEntries(const CheckContext& context);
std::optional<std::string> SkipEndbr64(const CheckContext& context);
std::optional<std::string> SkipThresholds(const CheckContext& context);
std::optional<std::string> SkipTransaction(const CheckContext& context);
std::optional<std::string> SkipUpperHalves(const CheckContext& context);
std::optional<std::string> SkipWideEntries(const CheckContext& context);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_CHECKS_H_
