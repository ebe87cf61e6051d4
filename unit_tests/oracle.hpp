// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle, which the command line tool has, too, in the namespace of the tests.
#pragma once

#include "oracle/exact.hpp"
#include "oracle/exact_sums.hpp"

namespace acc_test {
using namespace acc_oracle;
}
