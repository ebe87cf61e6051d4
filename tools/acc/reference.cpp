// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.hpp"

#include <cmath>
#include <limits>

#include "progress.hpp"

namespace acc_tool {
namespace {

Component component(const Accumulator& a) { return {a.total(), a.magnitude()}; }

}  // namespace

double Reference::condition(std::size_t i) const {
  return condition_factor * ratio(components[i].magnitude, components[i].value);
}

void BatchReference::add(const Vector& batch) {
  Progress progress("exact sum of " + batch.name, batch.size());
  std::uint64_t done = 0;
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        precision_ = precision_of<T>();
        complex_ = is_complex<T>;
        for (const T& v : values) {
          re_.add(std::real(v));
          if constexpr (is_complex<T>) im_.add(std::imag(v));
          progress.to(++done);
        }
      },
      batch.values);
}

Reference BatchReference::total() const {
  if (complex_) return {{component(re_), component(im_)}, precision_, 1};
  return {{component(re_)}, precision_, 1};
}

Reference exact_sum(const Vector& x) {
  BatchReference sum;
  sum.add(x);
  return sum.total();
}

Reference exact_dot(const Vector& x, const Vector& y) {
  Progress progress("exact dot product of " + x.name, x.size());
  return std::visit(
      [&]<class T>(const std::vector<T>& xs) -> Reference {
        const auto& ys = std::get<std::vector<T>>(y.values);
        Accumulator re, im;
        for (std::size_t i = 0; i < xs.size(); ++i) {
          progress.to(i);
          if constexpr (is_complex<T>) {
            re.add_product(xs[i].real(), ys[i].real());
            re.add_product(xs[i].imag(), ys[i].imag());
            im.add_product(xs[i].real(), ys[i].imag());
            im.add_product(-xs[i].imag(), ys[i].real());
          } else {
            re.add_product(xs[i], ys[i]);
          }
        }
        if constexpr (is_complex<T>) return {{component(re), component(im)}, precision_of<T>(), 2};
        return {{component(re)}, precision_of<T>(), 2};
      },
      x.values);
}

Deviation deviation(double result, const Exact& exact, Precision p) {
  const double rounded = round(exact, p);
  const bool both_nan = std::isnan(result) && std::isnan(rounded);
  if (both_nan || result == rounded) {
    // Even the correctly rounded result may be half an ulp away.
    if (!std::isfinite(rounded)) return {true, 0, 0};
  } else if (!std::isfinite(result) || !std::isfinite(rounded)) {
    return {false, std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::infinity()};
  }
  Exact difference(result);
  difference -= exact;
  if (difference.is_zero()) return {true, 0, 0};
  const int quantum = rounded == 0 ? p.least_exponent
                                   : std::max(std::ilogb(rounded) - p.bits + 1, p.least_exponent);
  return {result == rounded, ratio(difference, exact),
          ratio(difference, Exact(std::ldexp(1.0, quantum)))};
}

}  // namespace acc_tool
