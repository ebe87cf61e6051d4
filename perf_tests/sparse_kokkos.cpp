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
  using handle = KokkosSparse::SPMVHandle<exec, crs, vector, vector>;
  crs a;
  vector x, y;
  handle setup;
};

template <class T>
kokkos_product<T>::kokkos_product(const matrix<T>& a, const T* x, T* y)
    : state_(std::make_unique<state>(state{
          typename state::crs(
              "a", int(a.rows), int(a.columns), int(a.entries),
              typename state::crs::values_type(const_cast<T*>(a.value), std::size_t(a.entries)),
              typename state::crs::row_map_type(a.row_map, std::size_t(a.rows + 1)),
              typename state::crs::index_type(const_cast<int*>(a.column), std::size_t(a.entries))),
          typename state::vector(const_cast<T*>(x), std::size_t(a.columns)),
          typename state::vector(y, std::size_t(a.rows)),
          {}})) {
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
