// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_RUNTIME_HPP
#define ACC_BLAS_RUNTIME_HPP

namespace acc::blas {

/// Initializes Kokkos if nobody has, once, and then has it finalized at exit.
///
/// \throws std::runtime_error if Kokkos has been finalized; what Kokkos::initialize throws
void need_kokkos();

}  // namespace acc::blas

#endif
