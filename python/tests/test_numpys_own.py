# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's own tests of sum, mean, var, std, cumsum and matmul, run for acc's functions. What is not run,
and why, is listed below. Debian's python3-numpy has the tests; they import pytest and hypothesis."""

import itertools
import unittest

import acc
import numpy as np

try:
    import numpy._core.tests.test_multiarray as test_multiarray
    import numpy._core.tests.test_ufunc as test_ufunc
    import numpy.lib.tests.test_function_base as test_function_base
    MISSING = None
except ImportError as error:
    MISSING = str(error)


class AsAcc:
    """numpy with acc's functions in place of its own. acc has no float16 and no longdouble, whose tests
    take the nearest type that it has."""
    sum, mean, var, std, cumsum, matmul = map(staticmethod, (acc.sum, acc.mean, acc.var, acc.std,
                                                             acc.cumsum, acc.matmul))
    float16, longdouble, clongdouble = np.float32, np.float64, np.complex128

    def __getattr__(self, name):
        return getattr(np, name)


# Left out of TestStats: tests of Decimal, of subclasses of ndarray, and of what complex var is; of dtype
# float16 and longdouble; of ndarray's methods alone.
STATS = ("test_keepdims", "test_out", "test_ddof", "test_ddof_too_big", "test_empty", "test_mean_values",
         "test_mean_float16", "test_mean_where", "test_var_values", "test_var_where", "test_std_values",
         "test_std_where")
# Left out of TestUfunc: what tests add.reduce itself.
SUMS = ("test_sum", "test_sum_complex", "test_sum_initial", "test_sum_where")
# Left out of TestMatmul: object arrays; test_out_arg and test_empty_out, which ask for NumPy's texts and
# for casts of the output; test_vector_vector_values, test_matrix_matrix_values and test_matmul_bool, whose
# products of bools are bools.
PRODUCTS = ("test_exceptions", "test_shapes", "test_result_types", "test_scalar_output",
            "test_vector_matrix_values", "test_matrix_vector_values", "test_out_contiguous",
            "test_dot_equivalent", "test_dot_equivalent_matrix_matrix_blastypes")


def cases(test):
    """The arguments that pytest would call a test with."""
    marks = [m for m in getattr(test, "pytestmark", []) if m.name == "parametrize"]
    lists = [m.args[1] for m in marks]
    return itertools.product(*lists)


@unittest.skipIf(MISSING, f"NumPy's tests cannot be imported: {MISSING}")
class NumpysOwn(unittest.TestCase):
    def run_tests(self, module, one, names):
        numpy = module.np
        module.np = AsAcc()
        try:
            for name in names:
                test = getattr(one, name)
                for arguments in cases(test):
                    with self.subTest(name, arguments=arguments):
                        test(*arguments)
        finally:
            module.np = numpy

    def test_statistics(self):
        class Stats(test_multiarray.TestStats):
            funcs = [acc.mean, acc.var, acc.std]

            def _create_data(self):
                real = super()._create_data()[0]
                return real, real, real  # var of complex numbers, and Decimal, are not acc's

        names = {"_mean": acc.mean, "_var": acc.var, "_std": acc.std}
        before = {name: getattr(test_multiarray, name) for name in names}
        vars(test_multiarray).update(names)
        try:
            self.run_tests(test_multiarray, Stats(), STATS)
        finally:
            vars(test_multiarray).update(before)

    def test_sums(self):
        self.run_tests(test_ufunc, test_ufunc.TestUfunc(), SUMS)

    def test_running_totals(self):
        test_function_base.TestCumsum().test_basic(acc.cumsum)

    def test_products(self):
        class Products(test_multiarray.TestMatmul):
            matmul = staticmethod(acc.matmul)
            types = "ffdFD"  # tests leave the first one out, which is bool in NumPy's own

        self.run_tests(test_multiarray, Products(), PRODUCTS)


if __name__ == "__main__":
    unittest.main()
