// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The door to acc's sums along an axis, as methods.hpp is that to its sums. Behind it is axis.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "npy.hpp"

namespace acc_tool {

/// The sums along an axis of an array of rank 2 or more, in its order and of its type; a negative
/// axis counts from the last. Throws Error, about `name`, where there is no such axis, or the
/// method does not take a sum of this type. Needs a Machine.
NpyArray sums_along(const std::string& name, const NpyArray& x, std::int64_t axis,
                    std::string_view method);

}  // namespace acc_tool
