#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: spack_recipe.py SOURCE KOKKOS CMAKE OPTION...

Holds package.py, the recipe for Spack, to the build that it describes, without Spack: it names
the versions that CMake asks for (KOKKOS a range as 4.7...<6, CMAKE the least version), it decides
every OPTION and no other, what it decides by is a variant, and no step of it needs a method that
some variants lack."""
import ast
import pathlib
import sys


def strings(call):
    return [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]


def main(source, kokkos, cmake, *options):
    errors = []

    def expect(true, message):
        if not true:
            errors.append(message)

    recipe = source / "package.py"
    found = source / "spack_repo/acc/packages/acc/package.py"
    expect(found.resolve() == recipe.resolve(), f"{found} is not {recipe}")

    tree = ast.parse(recipe.read_text(encoding="utf-8"), recipe)
    calls = {}  # by the name of what is called, the strings among its arguments
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            calls.setdefault(name, []).append(strings(node))

    variants = {name for name, *_ in calls["variant"]} | {"cuda", "rocm"}  # of its base classes
    decided = {args[0] for args in calls["define"] + calls["define_from_variant"] if args}
    decided = {name for name in decided if name.startswith("ACC_")}
    for option, variant in calls["define_from_variant"]:
        expect(variant in variants, f"{option} is decided by {variant}, which is no variant")
    for option in sorted(decided - set(options)):
        expect(False, f"CMake knows no {option}")
    for option in sorted(set(options) - decided):
        expect(False, f"it leaves {option} to what the machine has")

    needed = [args[0] for args in calls["depends_on"] if args]
    for spec in (f"kokkos@{kokkos.split('...')[0]}:", f"cmake@{cmake}:"):
        expect(any(need.startswith(spec) for need in needed), f"it does not depend on {spec}")

    # Spack calls such a method for every variant: @run_after("install", when="+x") it leaves out.
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            by = {getattr(d.func, "id", None) for d in node.decorator_list if isinstance(d, ast.Call)}
            expect(
                not ("when" in by and by & {"run_after", "run_before"}),
                f"{node.name} is called for every variant, but @when gives it to some",
            )
    for message in errors:
        print(f"{recipe}: {message}", file=sys.stderr)
    return bool(errors)


sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:]))
