// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse.hpp"

#include <Kokkos_Core.hpp>

namespace perf::sparse {

template <class T>
struct product<T>::state {
  matrix<T> a;
  const T* x;
  T* y;
};

template <class T>
product<T>::product(const matrix<T>& a, const T* x, T* y, int)
    : state_(std::make_unique<state>(state{a, x, y})) {}
template <class T>
product<T>::~product() = default;

namespace {

template <class T>
struct row_product {
  matrix<T> a;
  const T* x;
  T* y;
  KOKKOS_FUNCTION void operator()(int i) const {
    T sum = 0;
    for (int k = a.row_map[i]; k < a.row_map[i + 1]; ++k) sum += a.value[k] * x[a.column[k]];
    y[i] = sum;
  }
};

}  // namespace

template <class T>
void product<T>::operator()() const {
  Kokkos::parallel_for("rows", Kokkos::RangePolicy<>(0, int(state_->a.rows)),
                       row_product<T>{state_->a, state_->x, state_->y});
}

template class product<float>;
template class product<double>;

}  // namespace perf::sparse
