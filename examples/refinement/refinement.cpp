// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterative refinement of a linear system A x = b: x += solve(b - A x), with one LU factorization.
// The terms of the residual cancel almost entirely. A `plain` residual consists mostly of rounding
// errors, and x keeps an error of the size of theirs times the condition number. A `compensated`
// residual is correct to the last bit or nearly, and so is x after a few steps. The first system is
// ill-conditioned, and its factors are of double. The second one is not so bad, and its factors are
// of float, which take half of the memory: x is of double all the same.
// (Wilkinson, "Rounding errors in algebraic processes", 1963; Higham, "Accuracy and stability of
// numerical algorithms", 2002, chapter 12.)
#include <acc/gemv.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <utility>
#include <vector>

constexpr int n = 100;

/// The entries of A and x are small integers, so b = A x is exact.
struct System {
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> a{"A", n, n};
  Kokkos::View<double*, Kokkos::HostSpace> x{"x", n}, b{"b", n};

  void choose_x(std::mt19937& random) {
    for (int i = 0; i < n; ++i) x(i) = static_cast<int>(random() % 2001) - 1000;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) b(i) += a(i, j) * x(j);
    }
  }
};

/// A = U L. U and L are unit triangular, and their other entries are random -1, 0 and 1. So the
/// determinant of A is 1, and its condition number is 1.9e14 (infinity norm, from the exact
/// inverse).
System random_system() {
  System s;
  std::mt19937 random(2);  // the same numbers everywhere
  const auto entry = [&]() -> int {
    const auto r = random() % 6;
    return r == 0 ? 1 : r == 1 ? -1 : 0;
  };
  std::vector<std::vector<int>> lower(n, std::vector<int>(n)), upper = lower;
  for (int i = 0; i < n; ++i) {
    lower[i][i] = upper[i][i] = 1;
    for (int j = 0; j < i; ++j) {
      lower[i][j] = entry();
      upper[j][i] = entry();
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) s.a(i, j) += upper[i][k] * lower[k][j];
    }
  }
  s.choose_x(random);
  return s;
}

/// A: second differences. The inverse has the entries min(i, j) (n + 1 - max(i, j)) / (n + 1), so
/// the condition number is n (n + 2) / 2 = 5100 (infinity norm).
System second_differences() {
  System s;
  std::mt19937 random(3);
  for (int i = 0; i < n; ++i) {
    s.a(i, i) = 2;
    if (i > 0) s.a(i, i - 1) = s.a(i - 1, i) = -1;
  }
  s.choose_x(random);
  return s;
}

/// LU factors of type T, with partial pivoting.
template <class T>
class Factors {
 public:
  explicit Factors(const System& s) : lu_(n, std::vector<T>(n)), pivot_(n) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) lu_[i][j] = T(s.a(i, j));
    }
    for (int k = 0; k < n; ++k) {
      int p = k;
      for (int i = k + 1; i < n; ++i) {
        if (std::abs(lu_[i][k]) > std::abs(lu_[p][k])) p = i;
      }
      std::swap(lu_[k], lu_[p]);
      pivot_[k] = p;
      for (int i = k + 1; i < n; ++i) {
        lu_[i][k] /= lu_[k][k];
        for (int j = k + 1; j < n; ++j) lu_[i][j] -= lu_[i][k] * lu_[k][j];
      }
    }
  }

  /// Replaces y by the solution z of A z = y.
  template <class View>
  void solve(const View& y) const {
    for (int k = 0; k < n; ++k) std::swap(y(k), y(pivot_[k]));
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) y(i) -= lu_[i][k] * y(k);
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) y(i) -= lu_[i][k] * y(k);
      y(i) /= lu_[i][i];
    }
  }

 private:
  std::vector<std::vector<T>> lu_;
  std::vector<int> pivot_;
};

/// The larger error, as std::max, except that a NaN stays.
double worse(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

/// The largest error of x after each step, relative to the largest element.
template <class T, class Method>
std::vector<double> refine(const System& s, const Factors<T>& factors, const Method& method) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto a = Kokkos::create_mirror_view_and_copy(exec, s.a);
  Kokkos::View<double*> x("x", n), r("r", n);
  const auto x_host = Kokkos::create_mirror_view(x), r_host = Kokkos::create_mirror_view(r);
  std::vector<double> errors;
  for (int step = 0; step < 8; ++step) {
    Kokkos::deep_copy(r, s.b);
    acc::gemv(exec, "N", -1.0, a, x, 1.0, r, method);  // r = b - A x
    exec.fence();
    Kokkos::deep_copy(r_host, r);
    factors.solve(r_host);
    double error = 0, largest = 0;
    for (int i = 0; i < n; ++i) {
      x_host(i) += r_host(i);
      error = worse(error, std::abs(x_host(i) - s.x(i)));
      largest = std::max(largest, std::abs(s.x(i)));
    }
    Kokkos::deep_copy(x, x_host);
    errors.push_back(error / largest);
  }
  return errors;
}

/// Prints the errors with factors of type T. True if x is correct to the last bit with compensated
/// residuals, and its error with plain ones is never below `least`.
template <class T>
bool run(const char* title, const System& system, double least) {
  const Factors<T> factors(system);
  const auto plain = refine(system, factors, acc::plain{});
  const auto compensated = refine(system, factors, acc::compensated{});
  std::printf("%s; relative error of x\n", title);
  std::printf("%4s%28s%28s\n", "step", "plain residual", "compensated residual");
  for (std::size_t i = 0; i < plain.size(); ++i)
    std::printf("%4zu%28.1e%28.1e\n", i, plain[i], compensated[i]);
  return compensated.back() <= std::numeric_limits<double>::epsilon() / 2 &&
         *std::min_element(plain.begin(), plain.end()) > least;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const bool hard = run<double>("100 unknowns, condition number 1.9e14, factors of double",
                                random_system(), 1e-8);
  const bool mixed = run<float>("\n100 unknowns, condition number 5100, factors of float",
                                second_differences(), 1e-15);
  std::puts(!hard || !mixed ? "\nUnexpected: compensated must converge, and plain must not."
                            : "\nWith compensated residuals x is correct to the last bit.");
  return hard && mixed ? 0 : 1;
}
