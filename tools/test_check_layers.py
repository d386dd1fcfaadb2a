# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

import check_layers


class CheckLayers(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_layers.check(root)

    def assert_one(self, files, *parts):
        complaints = self.complaints(files)
        self.assertEqual(len(complaints), 1, complaints)
        for part in parts:
            self.assertIn(part, complaints[0])

    def test_includes_that_point_down_are_fine(self):
        self.assertEqual([], self.complaints({
            "src/kdyn/data/signal.hpp": '#include "kdyn/base/error.hpp"\n',
            "src/kdyn/rig/rig.cpp": '#include "kdyn/rig/rig.hpp"\n#include "kdyn/elastomer/elastomer.hpp"\n#include <vector>\n',
            "src/kdyn/rig/test/rig_test.cpp": '#include <gtest/gtest.h>\n#include "kdyn/rig/internal/sweep.hpp"\n',
            "apps/cli/main.cpp": '#include "kdyn/app/registry.hpp"\n#include "kdyn/base/json.hpp"\n',
        }))

    def test_an_include_that_points_up_names_file_line_and_both_modules(self):
        self.assert_one({"src/kdyn/data/signal.hpp": '// first line\n#  include "kdyn/rig/rig.hpp"\n'}, "src/kdyn/data/signal.hpp:2:", "data is below rig")

    def test_angle_brackets_do_not_hide_an_include(self):
        self.assert_one({"src/kdyn/base/a.cpp": "#include <kdyn/app/registry.hpp>\n"}, "src/kdyn/base/a.cpp:1:")

    def test_io_knows_no_models(self):
        self.assert_one({"src/kdyn/io/csv.cpp": '#include "kdyn/elastomer/elastomer.hpp"\n'}, "io knows formats, not models")

    def test_neighbours_must_be_listed(self):
        self.assertEqual([], self.complaints({"src/kdyn/mbs/body.cpp": '#include "kdyn/modes/modes.hpp"\n'}))
        self.assert_one({"src/kdyn/modes/modes.cpp": '#include "kdyn/mbs/body.hpp"\n'}, "not listed as neighbours")

    def test_internal_headers_belong_to_their_module(self):
        self.assert_one({"src/kdyn/rig/rig.cpp": '#include "kdyn/signal/internal/window.hpp"\n'}, "internal to signal")

    def test_distributed_headers_only_in_mpi(self):
        self.assertEqual([], self.complaints({"src/kdyn/mpi/batch.cpp": "#include <mpi.h>\n#include <slepceps.h>\n"}))
        self.assert_one({"src/kdyn/numerics/eigen.cpp": "#include <slepceps.h>\n"}, "src/kdyn/numerics/eigen.cpp:1:", "only mpi/")

    def test_a_folder_outside_the_plan_is_found(self):
        self.assert_one({"src/kdyn/shed/tool.cpp": "int x;\n"}, "src/kdyn/shed/tool.cpp:1:", "no room")
        self.assert_one({"src/kdyn/app/a.cpp": '#include "kdyn/shed/tool.hpp"\n'}, "no room")

    def test_a_circle_of_headers_in_one_module_is_found(self):
        self.assert_one({
            "src/kdyn/rig/a.hpp": '#include "kdyn/rig/b.hpp"\n',
            "src/kdyn/rig/b.hpp": '#include "c.hpp"\n',
            "src/kdyn/rig/c.hpp": '#include "kdyn/rig/a.hpp"\n',
        }, "circle", "a.hpp -> src/kdyn/rig/b.hpp -> src/kdyn/rig/c.hpp -> src/kdyn/rig/a.hpp")

    def test_listed_neighbours_form_no_circle(self):
        graph = {}
        for user, used in check_layers.NEIGHBOURS:
            self.assertEqual(check_layers.LEVEL_OF[user], check_layers.LEVEL_OF[used])
            graph.setdefault(user, set()).add(used)
        self.assertIsNone(check_layers.find_cycle(graph))


if __name__ == "__main__":
    unittest.main()
