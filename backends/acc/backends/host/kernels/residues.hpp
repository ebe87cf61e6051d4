// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_RESIDUES_HPP
#define ACC_BACKENDS_HOST_KERNELS_RESIDUES_HPP

/// \file
/// The kernels of exact products by residues (core/exact/moduli.hpp), as their caller sees them:
/// from numbers to residues, products of residues, and the way back to integers. Like those of
/// gemm.hpp they are compiled once per instruction set, and the choice changes no bits; here even
/// the moduli may differ, as an exact result depends on none.
///
/// Residues are kept in units of 32 bits, which is what an integer product of vector registers
/// takes of neighboring k: four bytes (AVX-512 VNNI: vpdpbusd), or two words of 16 bits (vpmaddwd).
/// A panel of A has mr rows, one of B nr columns; unit e = step * width + row has the numbers
/// [step * per_unit, (step + 1) * per_unit) of k.

#include <acc/core/exact/moduli.hpp>

#include <cstdint>

namespace acc::backends::host {

/// What becomes residues: numbers in units of their rows, rounded to integers here.
struct residue_source {
  /// number[q][e]: the q-th number of unit e. count is a multiple of residue_kernels::step.
  const double* number[4];
  std::int64_t count;
  /// A number below 2^width is so many digits, each a multiple of 2^(digit_bits t).
  int digits, digit_bits;
  /// digits numbers for each modulus: 2^(digit_bits t) modulo p, between -p/2 and p/2.
  const float* weights;
  int moduli;
  bool of_b;
  /// Room for `digits` numbers for each number.
  float* digit;
  /// Where unit 0 goes, and from one modulus to the next.
  std::uint32_t* units;
  std::int64_t modulus_stride;
};

/// A tile's sums of residues' products, of one modulus.
struct residue_product {
  const std::uint32_t *a, *b;  ///< panels, `steps` units deep
  std::int64_t steps;
  int modulus;              ///< its index
  bool first;               ///< else the sums are added to what `residues` holds
  std::uint16_t* residues;  ///< mr rows of nr, each below 2 p
};

struct residue_kernels {
  static constexpr int most_digits = 24;
  bool bytes;    ///< byte_moduli, else word_moduli
  int per_unit;  ///< 4 or 2
  int mr, nr;
  static constexpr std::int64_t step = 16, max_units = 256;
  void (*convert)(const residue_source&);
  void (*multiply)(const residue_product&);
  /// The integers of `count` entries, a multiple of 16, from residues[l * stride + e]: word j of
  /// entry e to words[j * count + e]. The number of words is words_of_moduli.
  void (*combine)(int moduli, const std::uint16_t* residues, std::int64_t stride, int count,
                  std::uint32_t* words);
};
const residue_kernels& residue_kernels_for_this_processor();

}  // namespace acc::backends::host

#endif
