// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::gemm, gemv and batched_gemm by exact: every entry against the exact oracle, bit for bit.
#pragma once

#include "gemm_calls.hpp"
#include "hard_numbers.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace acc_test {
namespace {

/// A number of IEEE arithmetic in exact range: a zero has a sign.
struct Signed {
  Exact value;
  bool negative_zero = false;
};
inline bool is_negative(double x) { return std::signbit(x); }

/// A sum of terms: -0 where there are terms and all are -0.
inline Signed sum_of(const std::vector<Signed>& terms) {
  Signed sum{Exact(0.0), !terms.empty()};
  for (const Signed& t : terms) {
    sum.value += t.value;
    sum.negative_zero = sum.negative_zero && t.negative_zero;
  }
  return sum;
}
inline Signed product_of(double f, const Signed& x) {
  const Exact value = Exact(f) * x.value;
  const bool x_negative = x.value.is_zero() ? x.negative_zero : x.value.sign() < 0;
  return {value, value.is_zero() && is_negative(f) != x_negative};
}

/// The format of a scalar's parts.
template <class T>
acc_oracle::Precision format_of() {
  if constexpr (acc::impl::is_half_scalar<T>) {
    constexpr bool bhalf = std::is_same_v<T, Kokkos::Experimental::bhalf_t>;
    return bhalf ? acc_oracle::Precision{8, -133} : acc_oracle::Precision{11, -24};
  } else {
    return acc_oracle::precision_of<T>();
  }
}
template <class T>
T rounded(const Signed& x) {
  if (x.value.is_zero()) return static_cast<T>(x.negative_zero ? -0.0f : 0.0f);
  const double r = round(x.value, format_of<T>());
  if (std::isnan(r)) return acc::impl::canonical_nan<T>();
  return static_cast<T>(
      static_cast<std::conditional_t<acc::impl::is_half_scalar<T>, float, double>>(r));  // exact
}

/// C's entry by the definition.
template <class In, class Out, class Factor>
Out exact_entry(Factor alpha, const std::vector<In>& a, const std::vector<In>& b, Factor beta,
                const Out& c) {
  constexpr int parts = is_complex<Out> ? 2 : 1;
  using reference::part;
  if (a.empty()) alpha = Factor(0);
  const auto is = [&](const Factor& f, double re) {
    return part<double>(f, 0) == re && part<double>(f, 1) == 0;
  };
  if (is(alpha, 0) && is(beta, 1)) return c;
  Signed s[2];
  std::vector<double> x, y;
  for (int k = 0; k < parts && !is(alpha, 0); ++k) {
    reference::products_of(a, b, k, x, y);
    bool finite = true, all_minus_zero = !x.empty();
    for (std::size_t n = 0; n < x.size(); ++n) {
      finite = finite && std::isfinite(x[n]) && std::isfinite(y[n]);
      const bool zero = x[n] == 0 || y[n] == 0;
      all_minus_zero = all_minus_zero && zero && is_negative(x[n]) != is_negative(y[n]);
    }
    if (finite && x.size() > 400) {
      s[k].value = exact_dot<double>(x, y);
    } else {
      s[k].value = Exact(0.0);
      for (std::size_t n = 0; n < x.size(); ++n) s[k].value += Exact(x[n]) * Exact(y[n]);
    }
    s[k].negative_zero = all_minus_zero;
  }
  real_t<Out> result[2];
  for (int k = 0; k < parts; ++k) {
    std::vector<Signed> terms;
    const double sign = k == 0 ? -1 : 1;
    const auto add = [&](double f, const Signed& v) {
      if (f != 0) terms.push_back(product_of(f, v));
    };
    const auto of_c = [&](int q) {
      const double v = part<double>(c, q);
      return Signed{Exact(v), v == 0 && is_negative(v)};
    };
    add(part<double>(beta, 0), of_c(k));
    add(sign * part<double>(beta, 1), of_c(1 - k));
    add(part<double>(alpha, 0), s[k]);
    add(sign * part<double>(alpha, 1), s[1 - k]);
    result[k] = rounded<real_t<Out>>(sum_of(terms));
  }
  if constexpr (parts == 2) {
    return Out(result[0], result[1]);
  } else {
    return result[0];
  }
}

/// A product by exact, each way that there is, against the definition.
template <class In, class Out>
struct ExactProducts {
  const Product<In, Out>& p;

  Out entry(std::size_t i, std::size_t j) const {
    std::vector<In> row(p.depth), column(p.depth);
    for (std::size_t k = 0; k < p.depth; ++k) {
      row[k] = p.a.operated(p.trans_a, i, k);
      column[k] = p.b.operated(p.trans_b, k, j);
    }
    return exact_entry(p.alpha, row, column, p.beta, p.c(i, j));
  }
  Matrix<Out> by_definition() const {
    Matrix<Out> r = p.c;
    for (std::size_t i = 0; i < r.rows; ++i)
      for (std::size_t j = 0; j < r.columns; ++j) r(i, j) = entry(i, j);
    return r;
  }
  Matrix<Out> by_gemm() const { return p.by_gemm(acc::exact{}); }
  Matrix<Out> by_generic(bool divides_k) const {
    return p.by(
        [&](const Exec& e, const auto& call) { call_generic_exact_gemm(e, call, divides_k); });
  }
  void expect_ways_agree(const Matrix<Out>& want, const std::string& what) const {
    const std::string text = what + " " + p.trans_a + p.trans_b;
    p.expect_same(want, by_gemm(), text);
    p.expect_same(want, by_generic(false), text + ", generic");
    p.expect_same(want, by_generic(true), text + ", divided");
    if (p.trans_b[0] == 'N' && want.columns == 1)
      p.expect_same(want, p.by([](const Exec& e, const auto& c) { call_exact_gemv(e, c); }),
                    text + ", gemv");
    if (p.trans_a[0] == 'N')
      p.expect_same(want, p.by([](const Exec& e, const auto& c) { call_exact_batched_gemm(e, c); }),
                    text + ", batched");
  }
  void expect_definition(const std::string& what = "") const {
    expect_ways_agree(by_definition(), what);
  }
};
template <class In, class Out>
void expect_exact(const Product<In, Out>& p, const std::string& what = "") {
  ExactProducts<In, Out>{p}.expect_definition(what);
}

template <class In, class Out>
struct Types {
  using in = In;
  using out = Out;
};
template <class T>
class GemmExact : public testing::Test {};
using GemmExactTypes =
    testing::Types<Types<float, float>, Types<double, double>,
                   Types<Kokkos::complex<float>, Kokkos::complex<float>>,
                   Types<Kokkos::complex<double>, Kokkos::complex<double>>, Types<float, double>,
                   Types<double, float>
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
                   ,
                   Types<Kokkos::Experimental::half_t, Kokkos::Experimental::half_t>,
                   Types<Kokkos::Experimental::half_t, float>
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
                   ,
                   Types<Kokkos::Experimental::bhalf_t, Kokkos::Experimental::bhalf_t>,
                   Types<Kokkos::Experimental::bhalf_t, float>
#endif
                   >;
TYPED_TEST_SUITE(GemmExact, GemmExactTypes);

/// What numbers of the type can be, in all ranges.
template <class T>
T any_number(Random& random, bool special) {
  const auto one = [&]() -> real_t<T> {
    using R = real_t<T>;
    if constexpr (acc::impl::is_half_scalar<R>) {
      const float scale = std::ldexp(1.0f, random.integer(-20, 12));
      if (special && random.below(40) == 0) return R(std::numeric_limits<float>::infinity());
      return static_cast<R>(random.symmetric<float>() * scale);
    } else {
      if (special && random.below(40) == 0) {
        const R all[] = {R(0),
                         R(-0.0),
                         std::numeric_limits<R>::infinity(),
                         -std::numeric_limits<R>::infinity(),
                         std::numeric_limits<R>::quiet_NaN(),
                         std::numeric_limits<R>::max(),
                         std::numeric_limits<R>::denorm_min()};
        return all[random.below(7)];
      }
      return random.any_finite<R>();
    }
  };
  const auto re = one();
  if constexpr (is_complex<T>) {
    return T(re, one());
  } else {
    return re;
  }
}
/// A number near 1 with few bits, so that sums are ties, cancel and repeat.
template <class T>
T small_number(Random& random) {
  const auto one = [&] {
    return static_cast<real_t<T>>(
        std::ldexp(static_cast<float>(random.integer(-3, 3)), random.integer(-6, 6)));
  };
  const auto re = one();
  if constexpr (is_complex<T>) {
    return T(re, one());
  } else {
    return re;
  }
}
template <class T, class F>
void fill(Matrix<T>& m, const F& f) {
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.columns; ++j) m(i, j) = f();
}

TYPED_TEST(GemmExact, EveryShapeLayoutAndOperation) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  std::uint64_t seed = 1;
  Random random(1);
  for (const char* ta : {"N", "T", "C"}) {
    for (const char* tb : {"N", "T", "C"}) {
      for (const Lay lay : all_lays) {
        const std::size_t m = 1 + random.below(7), n = 1 + random.below(7), k = random.below(40);
        ++seed;
        Product<In, Out> p({m, n, k, lay, all_lays[seed % 5], all_lays[seed % 3]}, ta, tb);
        fill(p.a, [&] { return small_number<In>(random); });
        fill(p.b, [&] { return small_number<In>(random); });
        fill(p.c, [&] { return small_number<Out>(random); });
        p.alpha = small_number<typename Product<In, Out>::Factor>(random);
        p.beta = small_number<typename Product<In, Out>::Factor>(random);
        expect_exact(p);
      }
    }
  }
  for (const std::size_t n : {16, 17, 33})
    for (const std::size_t k : {0, 1, 31, 32, 33, 70}) {
      Product<In, Out> p({n, n + 2, k, Lay::right, Lay::left}, "N", "T");
      fill(p.a, [&] { return any_number<In>(random, false); });
      fill(p.b, [&] { return any_number<In>(random, false); });
      expect_exact(p);
    }
}

TYPED_TEST(GemmExact, MatrixTimesVector) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(7);
  for (const char* ta : {"N", "T", "C"}) {
    for (const std::size_t k : {1, 40, 900}) {
      Product<In, Out> p({11, 1, k, Lay::right_block, Lay::strided, Lay::strided}, ta, "N");
      fill(p.a, [&] { return any_number<In>(random, false); });
      fill(p.b, [&] { return small_number<In>(random); });
      fill(p.c, [&] { return small_number<Out>(random); });
      p.beta = -1;
      expect_exact(p, "vector");
    }
  }
}

/// Every kind of alpha and beta, and infinities and NaN.
TYPED_TEST(GemmExact, FactorsOfAnyKind) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using Factor = typename Product<In, Out>::Factor;
  using R = real_t<Factor>;
  using Limits = std::numeric_limits<R>;
  Random random(2);
  const R all[] = {R(0),
                   R(-0.0),
                   R(1),
                   R(-1),
                   R(-0.25),
                   R(0.1),
                   Limits::denorm_min(),
                   -3 * Limits::denorm_min(),
                   Limits::max(),
                   -Limits::max() / 3,
                   Limits::infinity(),
                   Limits::quiet_NaN()};
  const auto factor = [&](const R& re) {
    if constexpr (is_complex<Factor>) {
      return Factor(re, all[random.below(2) ? random.below(12) : 0]);
    } else {
      return re;
    }
  };
  for (const R alpha : all) {
    for (const R beta : all) {
      for (int kind = 0; kind < 3; ++kind) {
        Product<In, Out> p({3, 4, 5}, "N", "N");
        const auto number = [&]<class T>(T) {
          return kind == 0 ? small_number<T>(random) : any_number<T>(random, kind == 2);
        };
        fill(p.a, [&] { return number(In()); });
        fill(p.b, [&] { return number(In()); });
        fill(p.c, [&] { return number(Out()); });
        p.alpha = factor(alpha);
        p.beta = factor(beta);
        expect_exact(p, "alpha " + std::to_string(alpha) + " beta " + std::to_string(beta));
      }
    }
  }
}

/// C is not read where beta is zero, nor A and B where alpha is.
TYPED_TEST(GemmExact, ZeroFactorsReadNothing) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(3);
  Product<In, Out> p({3, 4, 50}, "N", "N");
  fill(p.a, [&] { return small_number<In>(random); });
  fill(p.b, [&] { return small_number<In>(random); });
  fill(p.c, [] { return static_cast<Out>(std::numeric_limits<float>::quiet_NaN()); });
  expect_exact(p, "beta = 0");
  const auto got = ExactProducts<In, Out>{p}.by_gemm();
  for (std::size_t i = 0; i < 3; ++i)
    for (const auto x : parts(got(i, 1))) EXPECT_EQ(static_cast<float>(x), static_cast<float>(x));
  fill(p.a, [] { return static_cast<In>(std::numeric_limits<float>::quiet_NaN()); });
  fill(p.c, [&] { return small_number<Out>(random); });
  p.alpha = 0;
  for (const float beta : {0.0f, 1.0f, -0.5f}) {
    p.beta = beta;
    expect_exact(p, "alpha = 0");
  }
}

/// Zeros of each sign, alone and among numbers: a sum of -0 alone is -0.
TYPED_TEST(GemmExact, SignsOfZeros) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    Product<In, Out> p({6, 6, std::size_t(round) % 5}, "C", "N");
    const int negative = round % 4;
    const auto zero = [&] {
      const auto one = [&] {
        const bool minus = negative == 3 ? random.below(2) != 0 : negative == 1;
        return static_cast<real_t<In>>(minus ? -0.0f : 0.0f);
      };
      const auto re = one();
      if constexpr (is_complex<In>) {
        return In(re, one());
      } else {
        return re;
      }
    };
    fill(p.a, zero);
    fill(p.b, [&] { return round % 2 ? small_number<In>(random) : zero(); });
    fill(p.c, [&] { return static_cast<Out>(random.below(2) ? 0.0f : -0.0f); });
    p.alpha = round % 3 == 0 ? -1 : 1;
    p.beta = round % 5 == 0 ? 0 : round % 5 == 1 ? -2 : 1;
    expect_exact(p, "zeros");
  }
}

/// A = [x, -x]: every product is there with both signs, and all cancel; or all except the last.
TYPED_TEST(GemmExact, ProductsThatCancel) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(5);
  for (const bool wide : {false, true}) {
    for (const bool rest : {false, true}) {
      const std::size_t half = 90;
      Product<In, Out> p({4, 5, 2 * half + 1}, "N", "N");
      for (std::size_t k = 0; k < half; ++k) {
        for (std::size_t i = 0; i < 4; ++i) {
          const In x = wide ? any_number<In>(random, false) : small_number<In>(random);
          p.a(i, k) = x;
          p.a(i, k + half) = -x;
        }
        for (std::size_t j = 0; j < 5; ++j)
          p.b(k, j) = p.b(k + half, j) =
              wide ? any_number<In>(random, false) : small_number<In>(random);
      }
      for (std::size_t i = 0; i < 4; ++i) p.a(i, 2 * half) = any_number<In>(random, false);
      for (std::size_t j = 0; j < 5; ++j)
        p.b(2 * half, j) = static_cast<In>(rest ? 0.0009765625f : 0.0f);
      expect_exact(p, wide ? "wide" : "narrow");
      // Only the rest says which infinity it is.
      using Factor = typename Product<In, Out>::Factor;
      p.alpha = Factor(std::numeric_limits<real_t<Factor>>::infinity());
      expect_exact(p, wide ? "wide, infinite alpha" : "infinite alpha");
    }
  }
}

/// Sums that lie half-way between two results, and a tiny product far below that breaks the tie.
TYPED_TEST(GemmExact, Ties) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  const auto format = format_of<real_t<Out>>();
  const int lowest = acc::impl::is_half_scalar<R> ? -9 : std::is_same_v<R, double> ? -530 : -70;
  // 1 + m ulp + ulp / 2, as products of powers of two; then a product of 2^(2 lowest).
  for (const int odd : {0, 1}) {
    for (const int breaks : {-1, 0, 1}) {
      for (const int alpha : {1, -1, 3}) {
        Product<In, Out> p({2, 3, 40}, "N", "N");
        fill(p.a, [] { return In(R(0)); });
        fill(p.b, [] { return In(R(1)); });
        const auto power = [](int e) { return static_cast<R>(std::ldexp(1.0, e)); };
        const int ulp = 1 - format.bits;
        for (std::size_t i = 0; i < 2; ++i) {
          p.a(i, 3) = In(R(1));
          // ulp is a product of two numbers: half precision has no such number itself.
          p.a(i, 7) = In(odd ? power(ulp / 2) : R(0));
          p.a(i, 20) = In(power(ulp / 2));
          p.a(i, 39) = In(static_cast<R>(static_cast<float>(breaks)) * power(lowest));
        }
        for (std::size_t j = 0; j < 3; ++j) {
          p.b(7, j) = In(power(ulp - ulp / 2));
          p.b(20, j) = In(power(ulp - ulp / 2 - 1));
          p.b(39, j) = In(power(lowest));
        }
        p.alpha = static_cast<float>(alpha);
        expect_exact(p, "tie " + std::to_string(odd) + " " + std::to_string(breaks));
        // The tie is C's, and what breaks it A's.
        p.beta = 1;
        fill(p.c, [] { return Out(real_t<Out>(1.5f)); });
        expect_exact(p, "tie with C");
      }
    }
  }
}

/// Rows of dots of any condition, to 2^200.
TYPED_TEST(GemmExact, ConditionsTo2To200) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  if constexpr (!acc::impl::is_half_scalar<R>) {
    const int top = std::is_same_v<R, float> ? 60 : 200;
    const std::size_t rows = 9, depth = 120;
    Product<In, Out> p({rows, rows, depth}, "N", "N");
    for (std::size_t i = 0; i < rows; ++i) {
      const auto pair =
          acc_oracle::gendot<R>(depth, double(top) * double(i + 1) / double(rows), i + 1);
      for (std::size_t k = 0; k < depth; ++k) {
        p.a(i, k) = In(pair.x[k]);
        p.b(k, i) = In(pair.y[k]);
        if constexpr (is_complex<In>) {
          p.a(i, k) = In(pair.x[k], pair.x[k]);
          p.b(k, i) = In(pair.y[k], -pair.y[depth - 1 - k]);
        }
      }
    }
    expect_exact(p, "condition");
    // The rest after the rounded product is taken away.
    p.c = ExactProducts<In, Out>{p}.by_gemm();
    p.beta = -1;
    expect_exact(p, "rest");
  }
}

/// Each family of hard numbers takes another way through windows and special values.
TYPED_TEST(GemmExact, HardNumbers) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  if constexpr (!acc::impl::is_half_scalar<real_t<In>>) {
    std::uint64_t seed = 1;
    for (const Hard family : all_hard) {
      for (const std::size_t k : {3, 100, 1000}) {
        Product<In, Out> p({3, 4, k, Lay::right, Lay::left}, "N", "C");
        const Hard other = seed % 4 == 1 ? family : Hard::decades;
        p.a.fill(hard_elements<In>(family, p.a.rows * p.a.columns, seed++));
        p.b.fill(hard_elements<In>(other, p.b.rows * p.b.columns, seed++));
        p.c.fill(std::vector<Out>(12, Out(1)));
        expect_exact(p, "family " + std::to_string(int(family)));
        p.alpha = static_cast<typename Product<In, Out>::Factor>(0.3f);
        p.beta = -1;
        expect_exact(p, "scaled family " + std::to_string(int(family)));
      }
    }
  }
}

/// Products beyond the largest number whose sum is none, and one huge product among tiny ones.
TYPED_TEST(GemmExact, OverflowOnTheWay) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  if constexpr (!acc::impl::is_half_scalar<R>) {
    using Limits = std::numeric_limits<R>;
    Product<In, Out> p({2, 2, 6}, "N", "N");
    fill(p.b, [] { return In(Limits::max()); });
    const R row[] = {Limits::max(),  Limits::max(),        -Limits::max(),
                     -Limits::max(), Limits::denorm_min(), Limits::denorm_min() * 3};
    for (std::size_t k = 0; k < 6; ++k) {
      p.a(0, k) = In(row[k]);
      p.a(1, 5 - k) = In(row[k]);
      p.b(k, 1) = In(Limits::denorm_min());
    }
    expect_exact(p, "overflow on the way");
    p.alpha = static_cast<typename Product<In, Out>::Factor>(
        std::numeric_limits<real_t<typename Product<In, Out>::Factor>>::denorm_min());
    expect_exact(p, "scaled back");
    p.a(0, 3) = In(Limits::max());
    expect_exact(p, "overflow");
  }
}

/// The bits do not depend on the order of the products.
TYPED_TEST(GemmExact, AnyOrderOfProducts) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(8);
  Product<In, Out> p({5, 6, 300}, "N", "N");
  fill(p.a, [&] { return any_number<In>(random, false); });
  fill(p.b, [&] { return any_number<In>(random, false); });
  const auto want = ExactProducts<In, Out>{p}.by_gemm();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::size_t> order(p.depth);
    for (std::size_t k = 0; k < p.depth; ++k) order[k] = k;
    acc_oracle::shuffle(order, random);
    Product<In, Out> q = p;
    for (std::size_t k = 0; k < p.depth; ++k) {
      for (std::size_t i = 0; i < 5; ++i) q.a(i, k) = p.a(i, order[k]);
      for (std::size_t j = 0; j < 6; ++j) q.b(k, j) = p.b(order[k], j);
    }
    ExactProducts<In, Out>{q}.expect_ways_agree(want, "permuted");
  }
}

TYPED_TEST(GemmExact, LongProducts) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(9);
  for (const std::size_t k : {70'000, 200'000}) {
    Product<In, Out> p({1, 2, k, Lay::right, Lay::left}, "N", "N");
    fill(p.a,
         [&] { return k == 70'000 ? small_number<In>(random) : any_number<In>(random, false); });
    fill(p.b, [&] { return small_number<In>(random); });
    expect_exact(p, "long");
  }
}

/// Larger products: some entries against the oracle, all against the generic machine.
TYPED_TEST(GemmExact, LargerProducts) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(10);
  for (const bool wide : {false, true}) {
    Product<In, Out> p({150, 170, 130, Lay::strided, Lay::left_block, Lay::left}, "N", "N");
    const auto number = [&] {
      return wide ? any_number<In>(random, false) : small_number<In>(random);
    };
    fill(p.a, number);
    fill(p.b, number);
    p.alpha = 1;
    const ExactProducts<In, Out> products{p};
    const auto got = products.by_gemm();
    p.expect_same(got, products.by_generic(false), "generic");
    for (int n = 0; n < 60; ++n) {
      const std::size_t i = random.below(150), j = random.below(170);
      const Out want = products.entry(i, j);
      EXPECT_EQ(p.text(want), p.text(got(i, j))) << i << ", " << j;
    }
  }
}

/// ACC_TEST_FUZZ_CASES entries of small products of any numbers; by default a few thousand.
TYPED_TEST(GemmExact, Fuzz) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  const char* const cases = std::getenv("ACC_TEST_FUZZ_CASES");
  const long entries = cases == nullptr ? 3000 : std::atol(cases);
  Random random(11);
  for (long done = 0; done < entries;) {
    Product<In, Out> p({1 + random.below(4), 1 + random.below(6), random.below(12)},
                       random.below(2) ? "N" : "C", random.below(2) ? "N" : "C");
    const auto number = [&]<class T>(T) {
      return random.below(2) ? any_number<T>(random, random.below(4) == 0)
                             : small_number<T>(random);
    };
    fill(p.a, [&] { return number(In()); });
    fill(p.b, [&] { return number(In()); });
    fill(p.c, [&] { return number(Out()); });
    using Factor = typename Product<In, Out>::Factor;
    if (random.below(2)) p.alpha = number(Factor());
    if (random.below(2)) p.beta = number(Factor());
    expect_exact(p, "fuzz");
    done += long(p.c.rows * p.c.columns);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace acc_test
