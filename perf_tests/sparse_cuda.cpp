// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse.hpp"

#include <Kokkos_Core.hpp>
#include <cusparse.h>
#include <stdexcept>
#include <string>

namespace perf::sparse {

namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}
cusparseHandle_t handle() {
  static cusparseHandle_t h = nullptr;
  if (!h) check(cusparseCreate(&h));
  check(cusparseSetStream(h, Kokkos::Cuda().cuda_stream()));
  return h;
}

}  // namespace

template <class T>
struct product<T>::state {
  static constexpr cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  cusparseSpMatDescr_t a = nullptr;
  cusparseDnVecDescr_t x = nullptr, y = nullptr;
  cusparseSpMVAlg_t algorithm;
  Kokkos::View<char*, Kokkos::CudaSpace> buffer;
  T one = 1, zero = 0;

  template <class Function, class... Arguments>
  void call(const Function& function, Arguments... more) const {
    check(function(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, type,
                   algorithm, more...));
  }
};

template <class T>
product<T>::product(const matrix<T>& a, const T* x, T* y, int algorithm)
    : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.algorithm = algorithm == 0 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
  check(cusparseCreateCsr(&s.a, a.rows, a.columns, a.entries, const_cast<int*>(a.row_map),
                          const_cast<int*>(a.column), const_cast<T*>(a.value), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, state::type));
  check(cusparseCreateDnVec(&s.x, a.columns, const_cast<T*>(x), state::type));
  check(cusparseCreateDnVec(&s.y, a.rows, y, state::type));
  std::size_t bytes = 0;
  s.call(cusparseSpMV_bufferSize, &bytes);
  s.buffer = Kokkos::View<char*, Kokkos::CudaSpace>("cuSPARSE", bytes);
  s.call(cusparseSpMV_preprocess, static_cast<void*>(s.buffer.data()));
}
template <class T>
product<T>::~product() {
  cusparseDestroySpMat(state_->a);
  cusparseDestroyDnVec(state_->x);
  cusparseDestroyDnVec(state_->y);
}
template <class T>
void product<T>::operator()() const {
  state_->call(cusparseSpMV, static_cast<void*>(state_->buffer.data()));
}

template class product<float>;
template class product<double>;

}  // namespace perf::sparse
