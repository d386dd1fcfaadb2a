# SPDX-License-Identifier: Apache-2.0
import unittest

import skipped_tests

LOG = """Start testing: Nov 17 04:00 UTC
----------------------------------------------------------
1/4 Testing: doctor.Measured.Maps
1/4 Test: doctor.Measured.Maps
Output:
----------------------------------------------------------
[ RUN      ] Measured.Maps
/somewhere/measured_test.cpp:55: Skipped
public data not found at /somewhere/shared

[  SKIPPED ] Measured.Maps (0 ms)
<end of output>
Test time =   0.01 sec
----------------------------------------------------------
Test Skipped.
"doctor.Measured.Maps" end time: Nov 17 04:00 UTC
----------------------------------------------------------

2/4 Testing: cli.fe
2/4 Test: cli.fe
Output:
----------------------------------------------------------
test_ranks (test_fe.Fe) ... skipped 'no mpirun here'
test_modes (test_fe.Fe) ... ok
<end of output>
Test Passed.
"cli.fe" end time: Nov 17 04:00 UTC
----------------------------------------------------------

3/4 Testing: validation.solid
3/4 Test: validation.solid
Output:
----------------------------------------------------------
gmsh is not installed
<end of output>
Test time =   0.02 sec
----------------------------------------------------------
Test Skipped.
"validation.solid" end time: Nov 17 04:00 UTC
----------------------------------------------------------

4/4 Testing: doctor.Measured.Loops
4/4 Test: doctor.Measured.Loops
Output:
----------------------------------------------------------
/somewhere/measured_test.cpp:67: Skipped
public data not found at /somewhere/shared
<end of output>
Test Skipped.
"doctor.Measured.Loops" end time: Nov 17 04:00 UTC
"""


class Skips(unittest.TestCase):
    def test_every_kind_is_counted_with_its_reason(self):
        self.assertEqual(
            skipped_tests.summary(LOG),
            "4 tests were skipped: 2 because public data not found, one because no mpirun here, one because gmsh is not installed")

    def test_none(self):
        self.assertEqual(skipped_tests.summary("Start testing\n"), "no test was skipped")


if __name__ == "__main__":
    unittest.main()
