# SPDX-License-Identifier: Apache-2.0
import unittest

import draw_house


class Picture(unittest.TestCase):
    def test_the_picture_of_the_house_is_up_to_date(self):
        self.assertEqual(draw_house.main(["--check"]), 0)


if __name__ == "__main__":
    unittest.main()
