"""What a run was measured on, in words that name nobody's machine."""

from __future__ import annotations

import os
import platform


def machine() -> dict[str, object]:
    """Where it was measured: ratios differ between processors too."""
    processor = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            models = [line.partition(":")[2].strip() for line in stream if line.startswith("model name")]
        processor = models[0] if models else processor
    except OSError:
        pass
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 1),
    }
