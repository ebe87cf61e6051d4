// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// documented_errors NAME: runs an example of docs/errors.md and says what it throws. Fails, as the
// examples do; "accepted" if one does not.
#include "examples.hpp"

#include <cstdio>
#include <stdexcept>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    Examples().call(argc > 1 ? argv[1] : "");
  } catch (const std::invalid_argument& e) {
    std::printf("std::invalid_argument: %s\n", e.what());
    return 1;
  }
  std::printf("accepted\n");
  return 0;
}
