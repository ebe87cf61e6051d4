// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products, slowly, as docs/arithmetic.md defines them in words: one entry after the other,
// each by scalar operations. Of the library it uses the names of methods and formats alone.
#pragma once

#include "device.hpp"
#include "half_numbers.hpp"

#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace acc_test::reference {

/// An entry before it is scaled: high + low.
template <class R>
struct Entry {
  R high = 0, low = 0;
};

/// a b, rounded: by way of memory, so that no compiler makes it part of an FMA.
template <class R>
R product(R a, R b) {
  const volatile R p = a * b;
  return p;
}

template <class R>
struct TwoSum {
  R value, error;
  TwoSum(R a, R b) : value(a + b) {
    const R b_part = value - a;
    const R a_part = value - b_part;
    error = (a - a_part) + (b - b_part);
  }
};

/// The FMA chain of products [begin, end), from `start` on.
template <class R>
R chain(const std::vector<R>& a, const std::vector<R>& b, std::size_t begin, std::size_t end,
        R start) {
  R s = start;
  for (std::size_t k = begin; k < end; ++k) s = std::fma(a[k], b[k], s);
  return s;
}

/// Calls body(begin, end) for each strip of `strip` products, a last partial one included.
template <class Body>
void for_strips(std::size_t n, std::int64_t strip, const Body& body) {
  const std::size_t length = static_cast<std::size_t>(strip);
  for (std::size_t begin = 0; begin < n;) {
    const std::size_t end = n - begin > length ? begin + length : n;
    body(begin, end);
    begin = end;
  }
}

// The sum of a_k b_k by each method. `strip` counts these products.
template <class R>
Entry<R> entry(acc::plain, std::int64_t, const std::vector<R>& a, const std::vector<R>& b) {
  return {chain<R>(a, b, 0, a.size(), 0), 0};
}
template <class R>
Entry<R> entry(acc::widened, std::int64_t, const std::vector<R>& a, const std::vector<R>& b) {
  return {chain<R>(a, b, 0, a.size(), 0), 0};
}

template <class R>
Entry<R> entry(acc::blocked, std::int64_t strip, const std::vector<R>& a, const std::vector<R>& b) {
  R total = 0;
  for_strips(a.size(), strip, [&](std::size_t begin, std::size_t end) {
    total = total + chain<R>(a, b, begin, end, 0);
  });
  return {total, 0};
}

template <class R>
Entry<R> entry(acc::selective<acc::kahan>, std::int64_t strip, const std::vector<R>& a,
               const std::vector<R>& b) {
  R total = 0, rest = 0;
  for_strips(a.size(), strip, [&](std::size_t begin, std::size_t end) {
    const R x = chain<R>(a, b, begin, end, 0);
    const R y = x + rest;
    const R t = total + y;
    rest = (total - t) + y;
    total = t;
  });
  return {total, rest};
}

template <class R>
Entry<R> entry(acc::selective<acc::priest>, std::int64_t strip, const std::vector<R>& a,
               const std::vector<R>& b) {
  R total = 0, rest = 0;
  for_strips(a.size(), strip, [&](std::size_t begin, std::size_t end) {
    R larger = total, x = chain<R>(a, b, begin, end, 0);
    if (!(std::abs(larger) >= std::abs(x))) std::swap(larger, x);
    const R y = rest + x;
    const R u = x - (y - rest);
    const R t = y + larger;
    const R v = y - (t - larger);
    const R z = u + v;
    total = t + z;
    rest = z - (total - t);
  });
  return {total, rest};
}

template <class R>
Entry<R> entry(acc::selective<acc::seeded>, std::int64_t strip, const std::vector<R>& a,
               const std::vector<R>& b) {
  R total = 0, seed = 0;
  for_strips(a.size(), strip, [&](std::size_t begin, std::size_t end) {
    const R x = chain<R>(a, b, begin, end, seed);
    const R t = total + x;
    seed = x - (t - total);
    total = t;
  });
  return {total, seed};
}

template <class R>
Entry<R> entry(acc::compensated, std::int64_t, const std::vector<R>& a, const std::vector<R>& b) {
  R sum = 0, rest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const R p = product(a[k], b[k]), e = std::fma(a[k], b[k], -p);
    const TwoSum<R> s(sum, p);
    sum = s.value;
    rest = rest + (e + s.error);
  }
  return {sum, rest};
}

/// Adds the next section's sum.
template <bool TwoNumbers, class R>
void add_section(Entry<R>& total, const Entry<R>& next) {
  if constexpr (TwoNumbers) {
    const TwoSum<R> s(total.high, next.high);
    total.high = s.value;
    total.low = total.low + (next.low + s.error);
  } else {
    total.high = total.high + next.high;
  }
}

/// Whether an entry is two numbers.
template <class Method>
inline constexpr bool two_numbers =
    std::is_same_v<Method, acc::compensated> || acc::impl::is_selective<Method>;

/// The sum of a_k b_k: sections of `section` products, each summed by the method, added in
/// ascending order.
template <class Method, class R>
Entry<R> entry_by_sections(const Method& method, std::int64_t section, std::int64_t strip,
                           const std::vector<R>& a, const std::vector<R>& b) {
  Entry<R> total;
  for_strips(a.size(), section, [&](std::size_t begin, std::size_t end) {
    const auto part = [&](const std::vector<R>& x) {
      return std::vector<R>(x.begin() + static_cast<std::ptrdiff_t>(begin),
                            x.begin() + static_cast<std::ptrdiff_t>(end));
    };
    const Entry<R> next = entry(method, strip, part(a), part(b));
    if (begin == 0)
      total = next;
    else
      add_section<two_numbers<Method>>(total, next);
  });
  return total;
}

/// A sum of products in the order of calls; a product whose factor is zero is left out. Entries of
/// one number: the first product is rounded, the others enter by FMA. Of two: in twice the
/// precision, rounded once.
template <bool TwoNumbers, class R>
class ScaledSum {
 public:
  void add(R factor, const Entry<R>& x) {
    if (factor == 0) return;
    if constexpr (!TwoNumbers) {
      high_ = empty_ ? product(factor, x.high) : std::fma(factor, x.high, high_);
    } else {
      const R p = product(factor, x.high);
      const R rest = std::fma(factor, x.low, std::fma(factor, x.high, -p));
      if (empty_) {
        high_ = p;
        low_ = rest;
      } else {
        const TwoSum<R> s(high_, p);
        high_ = s.value;
        low_ = low_ + (rest + s.error);
      }
    }
    empty_ = false;
  }
  R value() const {
    if constexpr (TwoNumbers) {
      // A correction that has overflowed corrects nothing.
      return std::isinf(low_) ? std::numeric_limits<R>::quiet_NaN() : high_ + low_;
    }
    return high_;
  }

 private:
  R high_ = 0, low_ = 0;
  bool empty_ = true;
};

/// A scalar's real part (k = 0) or imaginary part (k = 1, 0 for a real scalar) as an R.
template <class R, class T>
R part(const T& x, int k) {
  if constexpr (is_complex<T>) {
    return static_cast<R>(k == 0 ? x.real() : x.imag());
  } else {
    return k == 0 ? static_cast<R>(x) : R(0);
  }
}

/// The real sums whose products a row of op(A) and a column of op(B) make up: of real scalars one
/// sum, of complex ones the real part's and the imaginary part's.
template <class R, class T>
void products_of(const std::vector<T>& a, const std::vector<T>& b, int k, std::vector<R>& x,
                 std::vector<R>& y) {
  x.clear();
  y.clear();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const R a_re = part<R>(a[i], 0), b_re = part<R>(b[i], 0), b_im = part<R>(b[i], 1);
    x.push_back(a_re);
    y.push_back(k == 0 ? b_re : b_im);
    if constexpr (is_complex<T>) {
      x.push_back(part<R>(a[i], 1));
      y.push_back(k == 0 ? -b_im : b_re);
    }
  }
}

/// What C's entry becomes, where `a` is the row of op(A) and `b` the column of op(B) that meet in
/// it and `c` its value before.
template <class Method, class In, class Out, class Factor>
Out gemm_entry(const Method& method, Factor alpha, const std::vector<In>& a,
               const std::vector<In>& b, Factor beta, const Out& c) {
  using Real = real_t<In>;
  using R = std::conditional_t<std::is_same_v<Method, acc::widened>, double, Real>;
  constexpr int parts = is_complex<In> ? 2 : 1;
  std::int64_t strip = acc::gemm_section;
  if constexpr (acc::impl::has_strips<Method>) strip = std::min(strip, method.strip);

  // Without products alpha does not count, and beta = 1 then leaves C alone.
  if (a.empty()) alpha = Factor(0);
  const bool reads_products = part<R>(alpha, 0) != 0 || part<R>(alpha, 1) != 0;
  if (!reads_products && part<R>(beta, 0) == 1 && part<R>(beta, 1) == 0) return c;
  const auto values = [&]<class M>(const M& m) {
    static thread_local std::vector<R> x, y;
    Entry<R> entries[2];
    for (int k = 0; k < parts && reads_products; ++k) {
      products_of(a, b, k, x, y);
      entries[k] = entry_by_sections(m, parts * acc::gemm_section, parts * strip, x, y);
    }
    std::array<R, 2> value{};
    for (int k = 0; k < parts; ++k) {
      // (f_re + i f_im) (x_re + i x_im): the own part times f_re, the other one times -+ f_im.
      ScaledSum<two_numbers<M>, R> sum;
      const R sign = k == 0 ? R(-1) : R(1);
      sum.add(part<R>(beta, 0), {part<R>(c, k), 0});
      sum.add(sign * part<R>(beta, 1), {part<R>(c, 1 - k), 0});
      sum.add(part<R>(alpha, 0), entries[k]);
      sum.add(sign * part<R>(alpha, 1), entries[1 - k]);
      value[k] = sum.value();
    }
    return value;
  };
  auto value = values(method);
  if (two_numbers<Method> && (std::isnan(value[0]) || std::isnan(value[1]))) {
    const auto by_plain = values(acc::plain{});
    for (int k = 0; k < parts; ++k) {
      if (std::isnan(value[k])) value[k] = by_plain[k];
    }
  }
  using Part = real_t<Out>;
  Part result[2];
  for (int k = 0; k < parts; ++k) {
    if (std::isnan(value[k])) {
      result[k] = static_cast<Part>(std::numeric_limits<float>::quiet_NaN());
    } else if constexpr (acc::impl::is_half_scalar<Part>) {
      const double nearest = nearest_half(acc::impl::format_of_half<Part>, value[k]);
      result[k] = static_cast<Part>(static_cast<float>(nearest));
    } else {
      result[k] = static_cast<Part>(value[k]);
    }
  }
  if constexpr (parts == 2) {
    return Out(result[0], result[1]);
  } else {
    return result[0];
  }
}

}  // namespace acc_test::reference
