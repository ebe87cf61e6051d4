// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm_methods.hpp"

#include <array>
#include <type_traits>
#include <utility>

#include <acc/core/gemm_default.hpp>
#include <acc/core/numbers/kokkos_scalar.hpp>
#include <acc/gemm.hpp>
#include <fmt/format.h>

#include "gemm_method_table.hpp"
#include "job.hpp"

namespace acc_tool {

// GemmOptions and GemmParameters, which know no acc, say the same.
static_assert(
    std::is_same_v<decltype(acc::gemm_default<double>), const acc::selective<acc::seeded>>);
static_assert(acc::gemm_default<double>.strip == GemmParameters().strip);

std::span<const GemmMethodInfo> gemm_methods() {
  static constexpr auto infos =
      std::apply([](const auto&... e) { return std::array{e.info...}; }, gemm_table);
  return infos;
}

const GemmMethodInfo& gemm_method(std::string_view name) {
  const auto infos = gemm_methods();
  return *std::find_if(infos.begin(), infos.end(), [&](const auto& i) { return i.name == name; });
}

struct GemmJob::Operands {
  virtual ~Operands() = default;
  virtual double run(std::string_view method, const GemmParameters& parameters,
                     int repeats) const = 0;
  virtual Matrix result() const = 0;

  template <class T>
  class Of;
};

template <class T>
class GemmJob::Operands::Of final : public Operands {
  using S = acc::impl::kokkos_scalar_t<T>;
  /// Strided, so that acc::gemm is instantiated once for both orders of elements.
  using MatrixView = Kokkos::View<S**, Kokkos::LayoutStride>;

 public:
  explicit Of(const GemmProblem& p)
      : p_(p),
        a_(to_device(std::get<std::vector<T>>(p.a.values), "A")),
        b_(to_device(std::get<std::vector<T>>(p.b.values), "B")),
        c_("C", p.rows() * p.columns()) {
    if (p.beta != 0.0) start_ = to_device(by_rows(*p.c), "C before");
  }

  double run(std::string_view method, const GemmParameters& parameters,
             int repeats) const override {
    double seconds = -1;
    with_gemm_method(method, [&]<class Tag>(Tag tag) {
      if constexpr (takes_type<Tag, T>) {
        if constexpr (has_strips<Tag>) tag.strip = parameters.strip;
        if constexpr (has_bits<Tag>) tag.bits = parameters.bits;
        seconds = run_as(tag, repeats);
      }
    });
    if (seconds < 0) {
      throw Error(fmt::format("method {} does not take a product of {}", method, type_name<T>()));
    }
    return seconds;
  }

  Matrix result() const override {
    std::vector<T> values(c_.size());
    const Kokkos::View<S*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
        reinterpret_cast<S*>(values.data()), values.size());
    Kokkos::deep_copy(host, c_);
    return {"C", std::move(values), p_.rows(), p_.columns()};
  }

 private:
  template <class Tag>
  double run_as(Tag tag, int repeats) const {
    const Kokkos::DefaultExecutionSpace exec;
    const char trans_a[] = {p_.trans_a, '\0'}, trans_b[] = {p_.trans_b, '\0'};
    const MatrixView a = view(a_, p_.a), b = view(b_, p_.b);
    const MatrixView c(c_.data(), Kokkos::LayoutStride(p_.rows(), p_.columns(), p_.columns(), 1));
    const auto restore = [&] {
      if (p_.beta != 0.0) Kokkos::deep_copy(exec, c_, start_);
      exec.fence("acc gemm");
    };
    const auto call = [&] {
      acc::gemm(exec, trans_a, trans_b, scalar(p_.alpha), a, b, scalar(p_.beta), c, tag);
      exec.fence("acc gemm");
    };
    restore();
    call();  // the warm-up
    return median_seconds(repeats, call, restore);
  }

  static MatrixView view(const View<T>& memory, const Matrix& m) {
    return MatrixView(memory.data(),
                      Kokkos::LayoutStride(m.rows, m.row_stride(), m.columns, m.column_stride()));
  }

  static S scalar(std::complex<double> x) {
    if constexpr (is_complex<T>) {
      using R = typename T::value_type;
      return {static_cast<R>(x.real()), static_cast<R>(x.imag())};
    } else {
      return static_cast<T>(x.real());
    }
  }

  static std::vector<T> by_rows(const Matrix& m) {
    const auto& values = std::get<std::vector<T>>(m.values);
    std::vector<T> moved(values.size());
    for (std::size_t i = 0, e = 0; i < m.rows; ++i) {
      for (std::size_t j = 0; j < m.columns; ++j, ++e) {
        moved[e] = values[i * m.row_stride() + j * m.column_stride()];
      }
    }
    return moved;
  }

  const GemmProblem& p_;
  View<T> a_, b_, c_, start_;
};

GemmJob::GemmJob(const GemmProblem& problem)
    : operands_(std::visit(
          [&]<class T>(const std::vector<T>&) -> std::unique_ptr<Operands> {
            return std::make_unique<Operands::Of<T>>(problem);
          },
          problem.a.values)) {}

GemmJob::~GemmJob() = default;

double GemmJob::run(std::string_view method, const GemmParameters& parameters, int repeats) {
  return operands_->run(method, parameters, repeats);
}

Matrix GemmJob::result() const { return operands_->result(); }

}  // namespace acc_tool
