/* SPDX-License-Identifier: Apache-2.0
 * A mass falls onto an exported mount: how a program of one's own uses what `kdyn export --to c --name mount` writes.
 * Each step of the trapezoidal rule is implicit; its iterations look at the force without changing the mount, the accepted step advances it.
 */
#include <math.h>
#include <stdio.h>

#include "mount.h"

int main(void) {
  const double mass = 60.0, g = 9.81, h = 2e-4, drop = 0.01; /* kg, m/s^2, s, m */
  double u = 0.0, v, force;
  mount_model* m = mount_new();
  int i, k;
  if (m == NULL) return 1;
  v = sqrt(2.0 * g * drop);
  mount_start(m, u, v);
  force = mount_force(m, u, v);
  printf("%8s %12s %12s\n", "time s", "travel mm", "force N");
  for (i = 0; i <= 2500; ++i) {
    double next = v, reached = u, look = force;
    if (i % 125 == 0) printf("%8.4f %12.5f %12.3f\n", i * h, 1e3 * u, force);
    for (k = 0; k < 50; ++k) { /* force for a guess of the velocity, then a better guess */
      const double before = next;
      reached = u + 0.5 * h * (v + next);
      look = mount_force(m, reached, next);
      next = v + h * (g - 0.5 * (force + look) / mass);
      if (fabs(next - before) < 1e-12) break;
    }
    force = mount_advance(m, reached, next, h);
    u = reached;
    v = next;
  }
  mount_delete(m);
  return 0;
}
