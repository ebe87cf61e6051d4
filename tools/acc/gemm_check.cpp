// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "progress.hpp"
#include "reference.hpp"

namespace acc_tool {
namespace {

double magnitude(const Exact& x) { return ratio(x, Exact(1)); }
template <class T>
double largest_part(T x) {
  return std::max<double>(std::abs(std::real(x)), std::abs(std::imag(x)));
}

/// op(m), element by element.
template <class T>
struct Operand {
  const std::vector<T>& values;
  std::size_t row_stride, column_stride;
  bool conjugate;

  Operand(const Matrix& m, char trans)
      : values(std::get<std::vector<T>>(m.values)),
        row_stride(trans == 'N' ? m.row_stride() : m.column_stride()),
        column_stride(trans == 'N' ? m.column_stride() : m.row_stride()),
        conjugate(is_complex<T> && trans == 'C') {}

  T operator()(std::size_t i, std::size_t j) const {
    const T x = values[i * row_stride + j * column_stride];
    if constexpr (is_complex<T>) return conjugate ? std::conj(x) : x;
    return x;
  }
};

/// A part of the result: its exact value and the sums of magnitudes that its bound needs.
struct ExactPart {
  Exact value;
  double products = 0, all = 0, largest = 0;

  void add(double factor, const Exact& x, double x_magnitude) {
    if (factor == 0) return;
    Exact term = x;
    term *= factor;
    value += term;
    all += std::abs(factor) * x_magnitude;
  }
  /// x: a sum of products; `most` bounds the magnitudes of as many.
  void add_products(double factor, const Accumulator& x, double most) {
    if (factor == 0) return;
    add(factor, x.total(), magnitude(x.magnitude()));
    products += std::abs(factor) * magnitude(x.magnitude());
    largest += std::abs(factor) * most;
  }
};

template <class T>
class Checker {
  static constexpr int parts = is_complex<T> ? 2 : 1;
  static constexpr Precision precision = precision_of<T>();

 public:
  Checker(const GemmProblem& problem, const Matrix& result, GemmBound (*bound)(const GemmTerms&),
          const GemmParameters& parameters)
      : p_(problem),
        a_(p_.a, p_.trans_a),
        b_(p_.b, p_.trans_b),
        c_(p_.c ? *p_.c : result, 'N'),
        result_(result, 'N') {
    const bool identity = p_.beta == 0.0 && p_.alpha.imag() == 0 && std::abs(p_.alpha.real()) == 1;
    const double products = static_cast<double>(parts) * static_cast<double>(p_.depth());
    const double scalings = identity ? 0 : 2 * parts;
    bound_ = bound({products, parts * static_cast<double>(parameters.strip), scalings,
                    std::ldexp(1.0, -precision.bits), static_cast<double>(parameters.bits)});
    // What falls below the normal numbers.
    underflow_ = std::ldexp(products * std::max(1.0, std::abs(p_.alpha)) + scalings,
                            precision.least_exponent);
  }

  void check(std::size_t i, std::size_t j, GemmCheck& so_far) const {
    const auto exact = exact_entry(i, j);
    const T entry = result_(i, j);
    bool right = true;
    for (int k = 0; k < parts; ++k) {
      const double got = k == 0 ? std::real(entry) : std::imag(entry);
      const Deviation off = deviation(got, exact[k].value, precision);
      right = right && off.correctly_rounded;
      raise(so_far.ulps, off.ulps, i, j);
      raise(so_far.of_bound, of_bound(got, exact[k]), i, j);
    }
    ++so_far.checked;
    so_far.correctly_rounded += right;
  }

 private:
  static void raise(Largest& largest, double value, std::size_t i, std::size_t j) {
    if (value > largest.value) largest = {value, i, j};
  }

  /// Error / bound.
  double of_bound(double got, const ExactPart& exact) const {
    if (!std::isfinite(got) || !exact.value.is_finite()) {
      const bool same = deviation(got, exact.value, precision).correctly_rounded;
      return same ? 0 : std::numeric_limits<double>::infinity();
    }
    Exact error(got);
    error -= exact.value;
    if (error.is_zero()) return 0;
    const double inner = bound_.of_products * exact.products + bound_.of_all * exact.all +
                         bound_.of_largest * exact.largest;
    return magnitude(error) /
           (bound_.relative * magnitude(exact.value) + (1 + bound_.relative) * inner + underflow_);
  }

  std::array<ExactPart, parts> exact_entry(std::size_t i, std::size_t j) const {
    std::array<Accumulator, parts> sums;
    double largest_a = 0, largest_b = 0;
    if (p_.alpha != 0.0) {
      for (std::size_t k = 0; k < p_.depth(); ++k) {
        const T x = a_(i, k), y = b_(k, j);
        sums[0].add_product(std::real(x), std::real(y));
        if constexpr (parts == 2) {
          sums[0].add_product(x.imag(), -y.imag());
          sums[1].add_product(x.real(), y.imag());
          sums[1].add_product(x.imag(), y.real());
        }
        largest_a = std::max(largest_a, largest_part(x));
        largest_b = std::max(largest_b, largest_part(y));
      }
    }
    const double most = parts * static_cast<double>(p_.depth()) * largest_a * largest_b;
    std::array<ExactPart, parts> entry;
    for (int k = 0; k < parts; ++k) {
      const double sign = k == 0 ? -1 : 1;  // of the factors' imaginary parts
      const Accumulator &own = sums[k], &other = sums[parts - 1 - k];
      if (p_.beta != 0.0) {
        const auto x = static_cast<std::complex<double>>(c_(i, j));
        const double c_own = k == 0 ? x.real() : x.imag(), c_other = k == 0 ? x.imag() : x.real();
        entry[k].add(p_.beta.real(), Exact(c_own), std::abs(c_own));
        entry[k].add(sign * p_.beta.imag(), Exact(c_other), std::abs(c_other));
      }
      entry[k].add_products(p_.alpha.real(), own, most);
      entry[k].add_products(sign * p_.alpha.imag(), other, most);
    }
    return entry;
  }

  const GemmProblem& p_;
  Operand<T> a_, b_, c_, result_;
  GemmBound bound_;
  double underflow_;
};

}  // namespace

GemmCheck check_product(const GemmProblem& problem, const Matrix& result,
                        GemmBound (*bound)(const GemmTerms&), const GemmParameters& parameters) {
  GemmCheck check;
  check.entries = problem.rows() * problem.columns();
  // A second or so: some 0.1 ms an entry and a few ns a product.
  constexpr std::size_t most_products = std::size_t(1) << 28;
  const std::size_t affordable = most_products / std::max<std::size_t>(problem.depth(), 1);
  const std::size_t samples =
      std::min(check.entries, std::clamp<std::size_t>(affordable, 64, most_entries));
  std::visit(
      [&]<class T>(const std::vector<T>&) {
        const Checker<T> checker(problem, result, bound, parameters);
        // One entry at random of each of `samples` parts of nearly equal size.
        std::mt19937_64 random(1);
        const auto start = [&](std::size_t s) {
          return s * (check.entries / samples) + std::min(s, check.entries % samples);
        };
        Progress progress("exact entries of the product", samples);
        for (std::size_t s = 0; s < samples; ++s) {
          progress.to(s);
          const std::size_t e = start(s) + random() % (start(s + 1) - start(s));
          checker.check(e / problem.columns(), e % problem.columns(), check);
        }
      },
      problem.a.values);
  return check;
}

}  // namespace acc_tool
