// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_CHOSEN_KERNEL_HPP
#define ACC_BLAS_CHOSEN_KERNEL_HPP

#include <atomic>

namespace acc::blas {

/// The kernel that Choose() returns for this processor. Before the first call it is a function that
/// chooses it: so no call has to ask.
template <auto Choose, class Function = decltype(Choose())>
class chosen_kernel;
template <auto Choose, class... Arguments>
class chosen_kernel<Choose, void (*)(Arguments...)> {
 public:
  static void run(Arguments... arguments) { chosen_.load(std::memory_order_relaxed)(arguments...); }

 private:
  static void choose(Arguments... arguments) {
    chosen_.store(Choose(), std::memory_order_relaxed);
    run(arguments...);
  }
  static constinit inline std::atomic<void (*)(Arguments...)> chosen_{&choose};
};

}  // namespace acc::blas

#endif
