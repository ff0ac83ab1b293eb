"""From a table of readings to a header in C. The table: ``srfm generate pressure --rows 500 -o pressure.csv``."""

import numpy as np
from srfm_mcu import SrfmRegressor

rows = np.genfromtxt("pressure.csv", delimiter=",", skip_header=1)
X, y = rows[:, :-1], rows[:, -1]
model = SrfmRegressor(flash=512, effort=2).fit(X[:400], y[:400])
print(f"R² {model.score(X[400:], y[400:]):.4f}, {model.flash_bytes_} bytes of flash")
model.to_c("pressure.h")
