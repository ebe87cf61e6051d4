// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>

namespace perf::sparse {

template <class T>
struct kokkos_product<T>::state {
  using exec = Kokkos::DefaultExecutionSpace;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using crs = KokkosSparse::CrsMatrix<T, int, exec, unmanaged, int>;
  using vector = Kokkos::View<T*, exec, unmanaged>;

  crs a;
  vector x, y;
  KokkosSparse::SPMVHandle<exec, crs, vector, vector> setup;  // neither copied nor moved

  state(const matrix<T>& m, const T* x_data, T* y_data, KokkosSparse::SPMVAlgorithm algorithm)
      : a("a", int(m.rows), int(m.columns), int(m.entries),
          typename crs::values_type(const_cast<T*>(m.value), std::size_t(m.entries)),
          typename crs::row_map_type(m.row_map, std::size_t(m.rows + 1)),
          typename crs::index_type(const_cast<int*>(m.column), std::size_t(m.entries))),
        x(const_cast<T*>(x_data), std::size_t(m.columns)),
        y(y_data, std::size_t(m.rows)),
        setup(algorithm) {}
};

template <class T>
kokkos_product<T>::kokkos_product(const matrix<T>& a, const T* x, T* y, int algorithm) {
  static constexpr KokkosSparse::SPMVAlgorithm algorithms[] = {
      KokkosSparse::SPMV_DEFAULT, KokkosSparse::SPMV_NATIVE, KokkosSparse::SPMV_NATIVE_MERGE_PATH};
  state_ = std::make_unique<state>(a, x, y, algorithms[algorithm]);
  (*this)();  // what it looks up and allocates
}
template <class T>
kokkos_product<T>::~kokkos_product() = default;
template <class T>
void kokkos_product<T>::operator()() const {
  KokkosSparse::spmv(&state_->setup, "N", T(1), state_->a, state_->x, T(0), state_->y);
}

template class kokkos_product<float>;
template class kokkos_product<double>;

}  // namespace perf::sparse
