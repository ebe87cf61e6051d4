// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file pays that includes a header and nothing else; compile_time.sh says which header.
#ifndef ACC_TEST_HEADER
#define ACC_TEST_HEADER <acc/sum.hpp>
#endif
#include ACC_TEST_HEADER
