// CPUs that are made of a few features, for tests.

#ifndef ADVISOR_MASKS_MADE_FEATURES_H_
#define ADVISOR_MASKS_MADE_FEATURES_H_

#include <initializer_list>

#include "advisor/glibc/cpu_features.h"

namespace advisor {

inline CpuFeatures With(std::initializer_list<Feature> list) {
  CpuFeatures features;
  for (const Feature feature : list) {
    features.cpuid.Set(feature);
    features.usable.Set(feature);
  }
  return features;
}

}  // namespace advisor

#endif  // ADVISOR_MASKS_MADE_FEATURES_H_
