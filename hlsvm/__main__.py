"""``python -m hlsvm`` is the command ``hlsvm``."""

from hlsvm.cli import main

main()
