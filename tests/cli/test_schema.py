# SPDX-License-Identifier: Apache-2.0
"""kdyn describe --json gives valid JSON Schemas; results conform to them (harness.py looks at every one); what is given at the command line counts."""
import ast
import json
import pathlib
import unittest

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from harness import SOURCE, CliTest, complaints, validators

DOUBLE_MASS = SOURCE / "examples" / "multibody" / "double_mass.json"


def references(value):
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def commands_of_tests():
    """The words that each call and list of the command-line tests begins with: ["fit", "elastomer", "--data"]."""
    for path in pathlib.Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
            words = []
            for part in parts:
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    words.append(part.value)
                elif words:
                    break
            yield words


class Schemas(CliTest):
    def setUp(self):
        super().setUp()
        self.operations = json.loads(self.succeeds("describe", "--json").stdout)["operations"]

    def test_are_valid_and_whole(self):
        for operation in self.operations:
            for key in ("input_schema", "output_schema"):
                schema = operation[key]
                with self.subTest(operation=operation["operation"], schema=key):
                    self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                    Draft202012Validator.check_schema(schema)
                    for reference in references(schema):
                        self.assertIn(reference.removeprefix("#/$defs/"), schema["$defs"])

    def test_options_have_the_fields_of_the_form(self):
        for operation in self.operations:
            names = [field["name"] for field in operation["fields"]]
            properties = operation["input_schema"]["properties"]
            self.assertTrue(set(names) <= set(properties), operation["operation"])
            for field in operation["fields"]:
                self.assertEqual(properties[field["name"]]["description"], field["meaning"])

    def test_every_result_is_described(self):
        """Closed: a key that no table names would be a complaint."""
        for operation in self.operations:
            schema = operation["output_schema"]
            with self.subTest(operation=operation["operation"]):
                for kind in schema.get("anyOf", [schema]):
                    self.assertIs(kind.get("additionalProperties"), False)
                    self.assertIn("status", kind["properties"])

    def test_every_operation_is_run_by_a_test(self):
        commands = list(commands_of_tests())
        for operation in self.operations:
            words = operation["operation"].split()
            self.assertTrue(any(command[:len(words)] == words and len(command) >= len(words) for command in commands),
                            f"no test of tests/cli runs kdyn {operation['operation']}")

    def test_models_in_results_name_their_law(self):
        self.succeeds("fit", "elastomer", "--data", SOURCE / "data/cab_mount/x_map.csv", "--out", self.out, "--no-report")
        result = self.result()
        self.assertEqual(complaints(result), [])
        result["model"]["model"] = "no such law"
        self.assertEqual(len(complaints(result)), 1)

    def test_display_units(self):
        units = {one["unit"]: one for one in json.loads(self.succeeds("describe", "--json").stdout)["display_units"]}
        self.assertEqual((units["N/m"]["shown"], units["N/m"]["factor"]), ("N/mm", 1e-3))
        self.assertIn("N*m/rad", units)

    def test_nested_options_are_described(self):
        update = next(o for o in self.operations if o["operation"] == "update")["input_schema"]
        part = update["$defs"]["part_of_update"]["properties"]
        self.assertEqual(part["data"]["path"], "input")
        self.assertIn("bushing", update["$defs"]["parameter_of_update"]["properties"]["kind"]["enum"])
        self.assertEqual(update["properties"]["identification"]["$ref"], "#/$defs/modal")

    def test_refuse_what_the_program_refuses(self):
        options, _ = validators()["insitu"]
        options.validate({"start": {"a": 1.0}, "experiments": [{"data": "a.csv", "signals": ["x"]}]})
        for wrong in ({"strat": {}}, {"start": {"a": "b"}}, {"experiments": [{"dat": "a.csv"}]}, {"priors": [{"widen": 0}]}, {"max_iterations": 0}):
            with self.assertRaises(ValidationError):
                options.validate(wrong)

    def test_a_result_that_does_not_conform_is_found(self):
        self.succeeds("assess", SOURCE / "data" / "bump_test" / "drive_old.csv", "--out", self.out, "--no-report")
        result = self.result()
        self.assertEqual(complaints(result), [])
        result["channels"][next(iter(result["channels"]))]["rms"] = "much"
        result["more"] = 1
        del result["damage"]
        self.assertEqual(len(complaints(result)), 3)


class Given(CliTest):
    """Words on the command line win over a job file, also when they are the default."""

    def setUp(self):
        super().setUp()
        self.succeeds("simulate", DOUBLE_MASS, "--out", self.folder / "run", "--no-report")
        self.job = self.write("job.json", json.dumps({
            "model": str(DOUBLE_MASS), "data": ["run/series.csv"], "signals": ["m2.position.x"], "max_iterations": 1, "check_gradient": False,
            "start": {"b1.fx.stiffness": 1500.0, "b2.fx.stiffness": 800.0}}))

    def iterations(self, *words):
        self.kdyn("insitu", self.job, *words, "--out", self.out, "--no-report")
        result = self.result()
        return result["options_used"]["max_iterations"], result["status"]

    def test_default_on_the_command_line(self):
        self.assertEqual(self.iterations(), (1, "not_converged"))
        self.assertEqual(self.iterations("--max-iterations", "100"), (100, "converged"))
        self.assertEqual(self.iterations("--set", "max_iterations=100"), (100, "converged"))

    def test_objects_key_by_key(self):
        self.kdyn("insitu", self.job, "--start", "b1.fx.stiffness=1600", "--out", self.out, "--no-report")
        self.assertEqual(self.result()["options_used"]["start"], {"b1.fx.stiffness": 1600.0, "b2.fx.stiffness": 800.0})

    def test_unknown_key_of_a_job_file(self):
        self.write("job.json", json.dumps({"max_iteration": 1}))
        self.refuses(2, ["insitu", self.job, "--out", self.out], "job.json: max_iteration", "did you mean 'max_iterations'?")

    def test_places_in_nested_options(self):
        self.write("job.json", json.dumps({"model": str(DOUBLE_MASS), "start": {"b1.fx.stiffness": 1.0},
                                           "experiments": [{"data": "run/series.csv"}, {"data": "run/series.csv", "signal": ["x"]}]}))
        self.refuses(2, ["insitu", self.job, "--out", self.out], "experiments[1].signal", "did you mean 'signals'?")
        self.refuses(2, ["update", "--model", "x.bdf", "--set", 'parts=[{"data": ["a.uff"], "weighed_kg": -1}]', "--out", self.out],
                     "parts[0].weighed_kg", "value -1 is not")
        self.refuses(2, ["update", "--model", "x.bdf", "--set", 'parameters=[{"kind": "bush"}]', "--out", self.out],
                     "parameters[0].kind", "bushing")
        self.refuses(2, ["update", "--model", "x.bdf", "--set", "identification.max_order=-3", "--out", self.out], "identification.max_order")


if __name__ == "__main__":
    unittest.main()
