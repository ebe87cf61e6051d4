// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.hpp"

acc_test::Numbers acc_test::product_of_second_file(bool is_double) {
  return is_double ? product<double>() : product<float>();
}
acc_test::Numbers acc_test::sums_of_second_file(int sums) { return sums_of(sums); }
