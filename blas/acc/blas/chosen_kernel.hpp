// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_CHOSEN_KERNEL_HPP
#define ACC_BLAS_CHOSEN_KERNEL_HPP

#include <atomic>

namespace acc::blas {

/// The kernel that Choose() returns for this processor. Before the first call it is a function that
/// chooses it: so no call has to ask.
template <auto Choose, class Function = decltype(Choose())>
class chosen_kernel;
template <auto Choose, class Result, class... Arguments>
class chosen_kernel<Choose, Result (*)(Arguments...)> {
 public:
  static Result run(Arguments... arguments) {
    return chosen_.load(std::memory_order_relaxed)(arguments...);
  }

 private:
  static Result choose(Arguments... arguments) {
    chosen_.store(Choose(), std::memory_order_relaxed);
    return run(arguments...);
  }
  static constinit inline std::atomic<Result (*)(Arguments...)> chosen_{&choose};
};

}  // namespace acc::blas

#endif
