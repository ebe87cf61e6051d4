// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_EXPONENT_BINS_HPP
#define ACC_BACKENDS_HOST_SUMS_EXPONENT_BINS_HPP

/// \file
/// What no window holds: exact sums in integer bins by exponent, from block to block.

#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/kernels/window.hpp>
#include <acc/core/superaccumulator.hpp>

#include <cstdint>

namespace acc::backends::host {

template <class R>
class row_sums {
  using terms = typename R::terms;
  using parts = window_part<terms>;
  using kernel_terms = typename window_terms<terms>::type;
  using scalar = typename R::scalar;
  using rows = host::rows_of<kernel_terms, scalar>;

 public:
  /// Kinds of zeros and numbers are not seen here.
  void deposit(typename R::total& sum, const order_free_block<scalar>& b) {
    static const auto kernel = host::rows_for_this_processor<kernel_terms, scalar>();
    if (deposited_ + b.size > rows::capacity) flush(sum);
    if (deposited_ == 0)
      for (rows& r : rows_) r = {};
    deposited_ += b.size;
    if (kernel(b.x, b.y, b.size, rows_)) deposit_only<R, false>(sum, b);
  }

  void flush(typename R::total& sum) {
    if (deposited_ == 0) return;
    deposited_ = 0;
    for (int s = 0; s < kernel_terms::sums; ++s)
      for (int parity = 0; parity < 2; ++parity)
        for (int r = 0; r < rows::finite; ++r)
          for (int half = 0; half < 2; ++half) {
            std::int64_t v = 0;
            for (int lane = parity; lane < rows::lanes; lane += 2) v += rows_[s].row[lane][r][half];
            if (v == 0) continue;
            add(sum.part[parts::result(s, parity)], parts::negated(s, parity) ? -v : v,
                rows::exponent(r) + rows::low_bits * half);
          }
  }

 private:
  /// A row may be in units below the sum's, of which its integers are multiples.
  static void add(superaccumulator<scalar>& sum, std::int64_t v, int exponent) {
    const int below = superaccumulator<scalar>::unit_exponent - exponent;
    sum.add_integer(below > 0 ? v >> below : v, below > 0 ? exponent + below : exponent);
  }

  std::int64_t deposited_ = 0;
  rows rows_[kernel_terms::sums];
};

}  // namespace acc::backends::host

#endif
